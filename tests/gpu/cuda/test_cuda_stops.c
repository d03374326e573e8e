/* A GPU that is stopped or lost at any moment of a search or a forced pass: what was cancelled
 * halfway leaves meaningless memory, and no kernel of a later pass may depend on it. The emulator
 * ends the test if a kernel reads or writes out of bounds. */
#include "tests/gpu/cuda/emulated_gpu.h"
#include "tests/model/net/engine_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

/* Words, contexts, gates and DHICM: every operation that goes by what another one left in
 * memory. */
static const char *const models[] = {"mixture_decoder", "words_everywhere_bpe"};

enum { CASES = 2, BEAM = 2, BATCH = 1 }; // the second sentence enters where the first was

/* Sentences of a model, and what becomes of them undisturbed. */
struct scene {
    struct golden *golden;
    struct sentence sources[CASES];
    struct search_job expected[CASES];
    struct capture shown; // the first one's best hypothesis, forced
};

static struct capture_request everything(const struct scene *scene)
{
    return golden_request(scene->golden, true);
}

static bool search(const struct scene *scene, struct search_job *jobs, struct status *status)
{
    struct search_options options = search_defaults(scene->golden->checkpoint->config);
    options.beam = BEAM;
    options.batch = BATCH;
    for (int i = 0; i < CASES; i++)
        jobs[i] = (struct search_job){.source = &scene->sources[i]};
    return search_run(scene->golden->model, jobs, CASES, &options, NULL, status);
}

static void free_jobs(struct search_job *jobs)
{
    for (int i = 0; i < CASES; i++)
        translation_free(&jobs[i].result);
}

/* What was expected of the search, so that it can be forced also when that failed. */
static bool force(const struct scene *scene, struct capture *capture, struct status *status)
{
    const struct hypothesis *best = scene->expected[0].result.hypotheses;
    struct capture_request request = everything(scene);
    bool ok = force_run(scene->golden->model, &scene->sources[0], best->ids, best->count,
                        model_head_settings(scene->golden->model), &request, capture, status);
    golden_request_free(&request);
    return ok;
}

static void open_model(struct scene *scene, const char *name)
{
    scene->golden = golden_open(name, "cpu", 0);
}

static void open_scene(struct scene *scene, const char *name)
{
    struct status status;
    *scene = (struct scene){0};
    open_model(scene, name);
    const json_t *cases = scene->golden->cases;
    for (int i = 0; i < CASES; i++) {
        const json_t *source = json_object_get(json_array_get(cases, i), "source");
        if (!sentence_encode(scene->golden->checkpoint, json_string_value(source),
                             &scene->sources[i], &status))
            fail_msg("%s: %s", name, status.message);
    }
    if (!search(scene, scene->expected, &status) || !force(scene, &scene->shown, &status))
        fail_msg("%s: %s", name, status.message);
}

static void close_scene(struct scene *scene)
{
    free_jobs(scene->expected);
    capture_free(&scene->shown);
    for (int i = 0; i < CASES; i++)
        sentence_free(&scene->sources[i]);
    golden_close(scene->golden);
}

static void check_hypothesis(const struct hypothesis *got, const struct hypothesis *expected,
                             const char *where)
{
    if (got->count != expected->count ||
        memcmp(got->ids, expected->ids, (size_t)got->count * sizeof *got->ids) != 0 ||
        memcmp(got->logprobs, expected->logprobs, (size_t)got->count * sizeof *got->logprobs) != 0)
        fail_msg("%s: another hypothesis than undisturbed", where);
}

/* If a search failed, the results that it has must still be right. */
static void check_jobs(const struct scene *scene, const struct search_job *jobs, bool whole,
                       const char *where)
{
    for (int i = 0; i < CASES; i++) {
        const struct translation *got = &jobs[i].result, *expected = &scene->expected[i].result;
        if (got->count == 0 && !whole)
            continue;
        if (got->count != expected->count)
            fail_msg("%s: sentence %d: %d hypotheses, expected %d", where, i, got->count,
                     expected->count);
        for (int h = 0; h < got->count; h++)
            check_hypothesis(&got->hypotheses[h], &expected->hypotheses[h], where);
    }
}

static void check_capture(const struct scene *scene, const struct capture *capture,
                          const char *where)
{
    const size_t vocabulary = vocabulary_size(scene->golden->checkpoint->vocabulary[SIDE_TARGET]);
    const size_t bytes = (size_t)capture->target_rows * vocabulary * sizeof(float);
    assert_int_equal(capture->target_rows, scene->shown.target_rows);
    if (memcmp(capture->logits, scene->shown.logits, bytes) != 0 ||
        memcmp(capture->logprobs, scene->shown.logprobs, bytes) != 0)
        fail_msg("%s: other logits than undisturbed", where);
}

/* Runs both passes, which may fail with this code; the results of one that does not fail must be
 * right. */
static void run_disturbed(const struct scene *scene, enum status_code code, const char *where)
{
    struct search_job jobs[CASES];
    struct capture capture;
    struct status status;
    const bool found = search(scene, jobs, &status);
    if (!found && status.code != code)
        fail_msg("%s: %s", where, status.message);
    check_jobs(scene, jobs, found, where);
    free_jobs(jobs);
    if (!force(scene, &capture, &status)) {
        if (status.code != code)
            fail_msg("%s: %s", where, status.message);
        return;
    }
    check_capture(scene, &capture, where);
    capture_free(&capture);
}

static void run_undisturbed(const struct scene *scene, const char *where)
{
    struct search_job jobs[CASES];
    struct capture capture;
    struct status status;
    if (!search(scene, jobs, &status) || !force(scene, &capture, &status))
        fail_msg("%s: afterwards: %s", where, status.message);
    check_jobs(scene, jobs, true, where);
    check_capture(scene, &capture, where);
    free_jobs(jobs);
    capture_free(&capture);
}

/* How many moments are passed over. Every moment takes a quarter of an hour: ATTNSCOPE_TEST_EVERY
 * in the environment asks for that. */
static long stride(int full)
{
    return getenv("ATTNSCOPE_TEST_EVERY") ? 1 : rounds_of(5 * full, full);
}

/* Cancelled -------------------------------------------------------------------------------------*/

struct countdown {
    const struct golden *golden;
    long left; // launches until the one at which the device is cancelled
};

static void count_launch(void *context)
{
    struct countdown *countdown = context;
    if (--countdown->left == 0)
        countdown->golden->backend->cancel(countdown->golden->device, true);
}

/* Launches of both passes, recorded ones too. */
static long count_launches(const struct scene *scene)
{
    struct countdown countdown = {scene->golden, 0};
    emulator.on_launch(count_launch, &countdown);
    run_undisturbed(scene, "counting");
    emulator.on_launch(NULL, NULL);
    return -countdown.left;
}

/* At launches of the search and of the forced pass, first while steps are being recorded. */
static void cancel_everywhere(struct scene *scene, const char *name, long step)
{
    const struct backend *backend = scene->golden->backend;
    const long launches = count_launches(scene);
    int cancelled = 0;
    for (long at = 1; at <= launches; at += step) {
        char where[100];
        struct countdown countdown = {scene->golden, at};
        snprintf(where, sizeof where, "%s, cancelled at launch %ld of %ld", name, at, launches);
        emulator.on_launch(count_launch, &countdown);
        run_disturbed(scene, STATUS_CANCELLED, where);
        emulator.on_launch(NULL, NULL);
        cancelled += countdown.left <= 0;
        backend->cancel(scene->golden->device, false);
        run_undisturbed(scene, where);
    }
    assert_true(cancelled > 0);
    print_message("%s: %ld launches, cancelled at %d of them\n", name, launches, cancelled);
}

static void what_was_cancelled_anywhere_harms_nothing_later(void **state)
{
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        struct scene scene;
        open_scene(&scene, models[m]);
        cancel_everywhere(&scene, models[m], stride(7));
        close_scene(&scene);
    }
}

/* Lost ------------------------------------------------------------------------------------------*/

enum { PLENTY = 1 << 30 };

/* Counts the work that both passes give to a device that has just been opened. */
static size_t count_work(struct scene *scene, const char *name)
{
    golden_close(scene->golden);
    open_model(scene, name);
    emulator.lose_after(PLENTY);
    run_undisturbed(scene, "counting");
    return PLENTY - emulator.lose_after(0);
}

static void lose_at(struct scene *scene, const char *name, size_t at, size_t work)
{
    char where[100];
    snprintf(where, sizeof where, "%s, lost at %zu of %zu", name, at, work);
    golden_close(scene->golden);
    open_model(scene, name);
    emulator.lose_after(at);
    run_disturbed(scene, STATUS_DEVICE, where);
    emulator.lose_after(0);
}

static void a_gpu_that_is_lost_gives_no_wrong_result(void **state)
{
    struct scene scene;
    open_scene(&scene, models[0]);
    const size_t work = count_work(&scene, models[0]);
    int losses = 0;
    for (size_t at = 1; at <= work; at += (size_t)stride(5), losses++)
        lose_at(&scene, models[0], at, work);
    print_message("%zu pieces of work, lost at %d of them\n", work, losses);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_cancelled_anywhere_harms_nothing_later),
        cmocka_unit_test(a_gpu_that_is_lost_gives_no_wrong_result),
    };
    return cmocka_run_group_tests(tests, emulator_find, NULL);
}
