/* Which scores of suites with other head settings make room for new ones. Candidates are only
 * counted here. */
#include "model/study/result_cache.h"
#include "tests/model/net/engine_support.h"
#include "tests/support/test.h"

enum { RUNS = 3 };

struct scene {
    struct golden *golden;
    struct result_cache cache;
    struct head_settings *settings[RUNS]; // of the states
    struct suite_run *runs[RUNS];         // the last one was requested last
};

static struct head_settings *settings_with(const struct scene *scene, float gain)
{
    struct status status;
    struct head_settings *own =
        head_settings_copy(model_head_settings(scene->golden->model), &status);
    assert_non_null(own);
    *head_settings_gain(own, MODULE_CROSS, 0, 0) = gain;
    return own;
}

static struct scene scene_open(int candidates)
{
    struct scene scene = {.golden = golden_open("vanilla_post", "cpu", 1)};
    for (int i = 0; i < RUNS; i++) {
        struct status status;
        struct suite suite = {.candidates = candidates};
        const struct strings files = {0};
        scene.settings[i] = settings_with(&scene, 0.1f * (float)(i + 1));
        const struct state state = {.model = scene.golden->model,
                                    .head_settings = scene.settings[i]};
        scene.runs[i] = cache_suite(&scene.cache, &state, &files, &suite, &status);
        assert_non_null(scene.runs[i]);
    }
    return scene;
}

static void scene_close(struct scene *scene)
{
    result_cache_free(&scene->cache);
    for (int i = 0; i < RUNS; i++)
        head_settings_free(scene->settings[i]);
    golden_close(scene->golden);
}

/* Returns whether they are kept. */
static bool keep(struct scene *scene, int run, float gain)
{
    struct head_settings *own = settings_with(scene, gain);
    struct contrast_scores scores = {0};
    cache_keep_variant(&scene->cache, scene->runs[run], &own, &scores);
    bool kept = !own;
    head_settings_free(own);
    return kept;
}

static void check_counts(const struct scene *scene, int first, int second, int third)
{
    assert_int_equal(scene->runs[0]->variant_count, first);
    assert_int_equal(scene->runs[1]->variant_count, second);
    assert_int_equal(scene->runs[2]->variant_count, third);
}

static void the_run_not_asked_for_the_longest_makes_room(void **state)
{
    struct scene scene = scene_open(CANDIDATES_KEPT / 2);
    assert_true(keep(&scene, 0, 0.5f) && keep(&scene, 1, 0.5f));
    check_counts(&scene, 1, 1, 0);
    assert_true(keep(&scene, 2, 0.5f));
    check_counts(&scene, 0, 1, 1);
    assert_false(keep(&scene, 2, 0.5f)); // they are there
    check_counts(&scene, 0, 1, 1);
    scene_close(&scene);
}

/* The others of all runs but the one that they are for, also of the last one that was asked for. */
static void all_other_runs_make_room_where_they_must(void **state)
{
    struct scene scene = scene_open(CANDIDATES_KEPT);
    for (int i = 0; i < 2 * RUNS; i++) {
        int run = RUNS - 1 - i % RUNS;
        assert_true(keep(&scene, run, 0.5f));
        check_counts(&scene, run == 0, run == 1, run == 2);
    }
    assert_false(keep(&scene, 0, 0.6f)); // beside their own there is none
    check_counts(&scene, 1, 0, 0);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_run_not_asked_for_the_longest_makes_room),
        cmocka_unit_test(all_other_runs_make_room_where_they_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
