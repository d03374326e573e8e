/* Targets of one source that begin alike are decoded once as far as they do: to the bit what a
 * forced pass of each gives, in every architecture, under every head_settings, however the pairs
 * are cut into batches. */
#include "model/net/group.h"
#include "tests/model/net/engine_support.h"
#include "tests/support/test.h"

enum { TARGETS = 9, LONGEST = 8, SETTINGS = 2, JOBS = TARGETS * SETTINGS };

/* Letters are tokens. Forks at every place: before the first token, behind the last, in a fork;
 * twins; an end where another goes on; nothing but the end; a beginning that comes back later. */
static const char *const texts[TARGETS] = {"abcdefg", "abcdxyz", "abcdxyw", "abcdefg", "abc",
                                           "",        "zbcdefg", "abcx",    "abcdefa"};

struct scene {
    struct golden *golden;
    struct sentence source;
    struct head_settings *head_settings[SETTINGS];
    int ids[TARGETS][LONGEST], counts[TARGETS];
    float logprobs[JOBS][LONGEST];
    struct score_job jobs[JOBS];
};

static int letter_id(const struct golden *golden, char letter)
{
    int size = vocabulary_size(golden->checkpoint->vocabulary[SIDE_TARGET]);
    return (letter - 'a' + 3) * 5 % size;
}

static struct scene *scene_open(const char *name)
{
    struct scene *scene = calloc(1, sizeof *scene);
    struct status status;
    scene->golden = golden_open(name, "cpu", 2);
    const struct checkpoint *checkpoint = scene->golden->checkpoint;
    const json_t *given = json_array_get(scene->golden->cases, 0);
    const char *text = json_string_value(json_object_get(given, "source"));
    assert_true(sentence_encode(checkpoint, text, &scene->source, &status));
    for (int i = 0; i < SETTINGS; i++)
        scene->head_settings[i] = golden_head_settings(scene->golden, given);
    *head_settings_gain(scene->head_settings[1], MODULE_DECODER, 0, 0) = 0;
    for (int i = 0; i < TARGETS; i++) {
        for (const char *letter = texts[i]; *letter; letter++)
            scene->ids[i][scene->counts[i]++] = letter_id(scene->golden, *letter);
        scene->ids[i][scene->counts[i]++] = checkpoint->config->special[SPECIAL_EOS][SIDE_TARGET];
    }
    for (int i = 0; i < JOBS; i++)
        scene->jobs[i] =
            (struct score_job){&scene->source, scene->ids[i % TARGETS], scene->counts[i % TARGETS],
                               scene->head_settings[i / TARGETS], scene->logprobs[i]};
    return scene;
}

static void scene_close(struct scene *scene)
{
    sentence_free(&scene->source);
    for (int i = 0; i < SETTINGS; i++)
        head_settings_free(scene->head_settings[i]);
    golden_close(scene->golden);
    free(scene);
}

static void check_job(const struct scene *scene, int batch, int number)
{
    const struct score_job *job = &scene->jobs[number];
    struct capture_request nothing = {0};
    struct capture alone;
    struct status status;
    if (!force_run(scene->golden->model, job->source, job->target, job->count, job->head_settings,
                   &nothing, &alone, &status))
        fail_msg("%s: %s", scene->golden->name, status.message);
    if (memcmp(alone.token_logprobs, job->logprobs, job->count * sizeof(float)) != 0)
        fail_msg("%s: batch %d: \"%s\" of head_settings %d differs", scene->golden->name, batch,
                 texts[number % TARGETS], number / TARGETS);
    capture_free(&alone);
}

static void check_model(const char *name)
{
    static const int batches[] = {1, 4, 64};
    struct scene *scene = scene_open(name);
    struct status status;
    for (int b = 0; b < 3; b++) {
        memset(scene->logprobs, 0, sizeof scene->logprobs);
        if (!score_run(scene->golden->model, scene->jobs, JOBS, batches[b], &status))
            fail_msg("%s: %s", name, status.message);
        for (int i = 0; i < JOBS; i++)
            check_job(scene, batches[b], i);
    }
    scene_close(scene);
}

static void forks_give_the_bits_of_each_target_alone(void **state)
{
    int count;
    char **names = golden_names(&count);
    for (int i = 0; i < count; i++)
        check_model(names[i]);
    golden_names_free(names, count);
}

/* Counted on paper, with one start token: "abcdefg⏎" has 8 rows; "abcdxyz⏎" reads x, y, z by
 * itself, "abcdxyw⏎" w, and so on; the twin, "abc⏎" and "⏎" read nothing new; "zbcdefg⏎" 7; "abcx⏎"
 * x; "abcdefa⏎" the last a. */
static void only_what_differs_has_rows(void **state)
{
    static const int rows[TARGETS] = {8, 3, 1, 0, 0, 0, 7, 1, 1};
    // After "d", "xy", "abc", nothing, and so on: rows of the branch before; the twin has none.
    static const int forks[TARGETS] = {-1, 4, 9, -1, 3, 0, 0, 3, 6};
    int ids[TARGETS][LONGEST];
    struct score_job jobs[TARGETS];
    struct branch branches[TARGETS];
    int first_row = 0;
    for (int i = 0; i < TARGETS; i++) {
        int count = (int)strlen(texts[i]);
        for (int t = 0; t < count; t++)
            ids[i][t] = texts[i][t];
        ids[i][count] = 0;
        jobs[i] = (struct score_job){.target = ids[i], .count = count + 1};
        branches[i] = branch_find(jobs, 0, i, 1);
        branches[i].first_row = first_row;
        first_row += branches[i].rows;
        assert_int_equal(branches[i].rows, rows[i]);
        assert_int_equal(branch_fork(branches, jobs, i, 1), forks[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_differs_has_rows),
        cmocka_unit_test(forks_give_the_bits_of_each_target_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
