/* The walk of studies over sentences: what is measured, counted, kept and refused. */
#include <math.h>
#include <unistd.h>

#include "model/study/walk.h"
#include "tests/model/net/engine_support.h"
#include "tests/support/test.h"

enum { LINES = 5 };
static const char text[] = "the dog sees\na cat\nthe dog\n\nthe cat\n";

/* Measures `number` of each sentence; a stop comes after this many. */
struct counting {
    double number;
    int added, stop, measured;
    bool translates;
};

static bool declare(const void *of, const struct walk_sentence *sentence,
                    struct record_shape *shape, struct status *status)
{
    const struct record_field field = {.rows = RECORD_ONE, .width = 1, .most = 1};
    (void)of;
    assert_true(sentence->source.count > 0);
    return record_shape_add(shape, field, status);
}

static bool measure(void *of, const struct walk_sentence *sentence, struct record *out,
                    struct status *status)
{
    struct counting *counting = of;
    assert_true(counting->translates || sentence->count == 1); // only the encoder is needed
    counting->measured++;
    return record_put(out, counting->number, status);
}

static bool add(void *of, const struct walk_sentence *sentence, const struct record_shape *shape,
                const struct record *record, struct status *status)
{
    struct counting *counting = of;
    int rows;
    (void)sentence;
    (void)status;
    assert_true(record_numbers(shape, record, 0, &rows)[0] == counting->number && rows == 1);
    counting->added++;
    return true;
}

static const struct study counting_study = {NULL, declare, measure, add};

static bool proceed(void *context, const struct work_progress *progress)
{
    const struct counting *counting = context;
    (void)progress;
    return counting->added != counting->stop;
}

struct scene {
    struct golden *golden;
    struct head_settings *heads;
    struct counting counting;
    struct watch watch;
    struct result_cache cache;
    struct study_context context;
    struct study_walk walk;
    char path[40];
};

static void scene_open(struct scene *scene, const struct counting *counting)
{
    struct status status;
    *scene = (struct scene){.golden = golden_open("vanilla_post", "cpu", 1),
                            .counting = *counting,
                            .path = "/tmp/attnscope_XXXXXX"};
    FILE *file = fdopen(mkstemp(scene->path), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    scene->heads = head_settings_copy(model_head_settings(scene->golden->model), &status);
    scene->watch = (struct watch){proceed, &scene->counting};
    scene->context =
        (struct study_context){.state = {scene->golden->model, scene->heads,
                                         search_defaults(scene->golden->checkpoint->config)},
                               .cache = &scene->cache,
                               .watch = &scene->watch};
    scene->walk = (struct study_walk){.path = scene->path,
                                      .kind = "counting",
                                      .done = "counted",
                                      .encoder = true,
                                      .study = &counting_study,
                                      .of = &scene->counting};
}

static void scene_close(struct scene *scene)
{
    unlink(scene->path);
    result_cache_free(&scene->cache);
    head_settings_free(scene->heads);
    golden_close(scene->golden);
}

/* The count is the number of added sentences, without blank lines. */
static void a_sentence_that_is_added_is_counted(void **state)
{
    static const int lines[] = {0, 1, 2, 3, 5}; // done with so many sentences
    for (int stop = 1; stop <= LINES - 1; stop++) {
        struct scene scene;
        struct status status = {0};
        scene_open(&scene, &(struct counting){.number = 1, .stop = stop});
        const bool whole = study_walk(&scene.context, &scene.walk, &status);
        assert_int_equal(scene.counting.added, stop);
        assert_int_equal(scene.walk.taken, stop);
        assert_int_equal(scene.walk.sentences, lines[stop]);
        assert_int_equal(whole, stop == LINES - 1); // then there is nothing left to stop
        if (!whole)
            assert_int_equal(status.code, STATUS_CANCELLED);
        assert_true(study_walk_found(&scene.context, &scene.walk, whole, &status));
        scene_close(&scene);
    }
}

/* Every sentence is measured once, and all are added; what is done is not kept. */
static void a_walk_that_was_stopped_goes_on(void **state)
{
    enum { SENTENCES = LINES - 1, STOP = 2 };
    struct scene scene;
    struct status status;
    scene_open(&scene, &(struct counting){.number = 1, .stop = STOP});
    const struct study_walk walk = scene.walk;
    assert_false(study_walk(&scene.context, &scene.walk, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    assert_int_equal(scene.counting.measured, STOP);
    scene.counting.stop = -1;
    for (int again = 1; again <= 2; again++) {
        scene.walk = walk;
        assert_true(study_walk(&scene.context, &scene.walk, &status));
        assert_int_equal(scene.walk.taken, SENTENCES);
        assert_int_equal(scene.counting.measured, again * SENTENCES);
        assert_int_equal(scene.counting.added, STOP + again * SENTENCES);
    }
    scene_close(&scene);
}

/* A record that was kept is found after one that was measured, whose translation is gone. */
static void a_sentence_that_comes_again_is_found(void **state)
{
    enum { SENTENCES = 3 };
    struct scene scene;
    struct status status;
    scene_open(&scene, &(struct counting){.number = 1, .stop = 1, .translates = true});
    FILE *file = fopen(scene.path, "w");
    assert_true(file && fputs("the dog\na cat\nthe dog\n", file) >= 0 && fclose(file) == 0);
    scene.walk.encoder = false;
    struct study_walk walk = scene.walk;
    assert_false(study_walk(&scene.context, &scene.walk, &status));
    scene.counting.stop = -1;
    assert_true(study_walk(&scene.context, &walk, &status));
    assert_int_equal(walk.taken, SENTENCES);
    assert_int_equal(scene.counting.measured, 2);
    scene_close(&scene);
}

/* Another study of the same lines has nothing of a stopped one. */
static void a_stopped_walk_is_found_by_what_it_depends_on(void **state)
{
    enum { SENTENCES = LINES - 1, STOP = 2 };
    struct scene scene;
    struct status status;
    scene_open(&scene, &(struct counting){.number = 1, .stop = STOP});
    struct study_walk other = scene.walk;
    assert_false(study_walk(&scene.context, &scene.walk, &status));
    scene.counting = (struct counting){.number = 0.5, .stop = -1};
    other.kind = "counting halves";
    assert_true(study_walk(&scene.context, &other, &status));
    assert_int_equal(scene.counting.measured, SENTENCES);
    scene_close(&scene);
}

static void what_a_study_has_not_declared_is_refused(void **state)
{
    static const double numbers[] = {NAN, INFINITY, -1e-9, 1.5};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct scene scene;
        struct status status;
        scene_open(&scene, &(struct counting){.number = numbers[i], .stop = -1});
        assert_false(study_walk(&scene.context, &scene.walk, &status));
        assert_int_equal(status.code, STATUS_INVALID);
        assert_non_null(strstr(status.message, ":1: counting: number 1: "));
        assert_int_equal(scene.counting.added, 0);
        scene_close(&scene);
    }
}

/* A shard measures its own and adds none; a merge adds all and measures none. */
static void shards_are_measured_once(void **state)
{
    enum { SHARDS = 2 };
    char folder[] = "/tmp/attnscope_XXXXXX", path[80];
    struct status status;
    struct scene scene;
    scene_open(&scene, &(struct counting){.number = 0.1, .stop = -1});
    assert_non_null(mkdtemp(folder));
    for (int shard = 1; shard <= SHARDS; shard++) {
        const struct shards_spec spec = {folder, shard, SHARDS, "cpu fp32"};
        struct study_walk walk = scene.walk;
        scene.context.shards = shards_open_one(&spec, NULL, &status);
        assert_non_null(scene.context.shards);
        assert_true(study_walk(&scene.context, &walk, &status));
        assert_false(study_walk_found(&scene.context, &walk, true, &status));
        shards_close(scene.context.shards);
    }
    assert_int_equal(scene.counting.measured, LINES - 1);
    assert_int_equal(scene.counting.added, 0);
    scene.context.shards = shards_open_merge("cpu fp32", &status);
    assert_true(shards_merge(scene.context.shards, folder, NULL, &status));
    assert_true(study_walk(&scene.context, &scene.walk, &status));
    assert_int_equal(scene.counting.measured, LINES - 1);
    assert_int_equal(scene.counting.added, LINES - 1);
    shards_close(scene.context.shards);
    for (int shard = 1; shard <= SHARDS; shard++) {
        snprintf(path, sizeof path, "%s/%d-of-%d.part", folder, shard, SHARDS);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_that_is_added_is_counted),
        cmocka_unit_test(a_walk_that_was_stopped_goes_on),
        cmocka_unit_test(a_sentence_that_comes_again_is_found),
        cmocka_unit_test(a_stopped_walk_is_found_by_what_it_depends_on),
        cmocka_unit_test(what_a_study_has_not_declared_is_refused),
        cmocka_unit_test(shards_are_measured_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
