/* The thread that runs the screen's lines: how many replies it keeps, and that a stop is of what
 * runs alone. */
#include <poll.h>
#include <unistd.h>

#include "tests/support/commands_support.h"
#include "tests/support/test.h"
#include "tui/screen/frame/worker.h"

enum { MOST_WAITING = 64, WIDTH = 100, COLUMNS = 80 };

/* What a line has set, once no line runs. */
static int width_of(struct worker *worker)
{
    const struct session *session;
    while (!(session = worker_borrow(worker)))
        usleep(1000);
    int width = (int)session->settings.figure.width;
    worker_give_back(worker);
    return width;
}

static void run(struct worker *worker, const char *line)
{
    while (!worker_run(worker, &(struct worker_lines){.lines = line, .columns = COLUMNS}))
        usleep(1000); // as many wait as can
}

static struct reply take(struct worker *worker)
{
    struct reply reply;
    struct pollfd ready = {worker_file(worker), POLLIN, 0};
    while (!worker_take(worker, &reply))
        poll(&ready, 1, 1000);
    return reply;
}

static void set_width(struct worker *worker, int width)
{
    char line[64];
    snprintf(line, sizeof line, ":set figure.width %d", width);
    run(worker, line);
}

static void lines_wait_until_there_is_room_for_their_replies(void **state)
{
    enum { MICROSECONDS = 50000 };
    struct status status;
    struct bench bench = bench_open_model("tests/golden/vanilla_post.bin");
    bench_connect(&bench);
    struct worker *worker = worker_open(&bench.program, &status);
    assert_non_null(worker);
    for (int i = 0; i < MOST_WAITING; i++)
        set_width(worker, WIDTH + i);
    while (width_of(worker) != WIDTH + MOST_WAITING - 1)
        usleep(1000);
    set_width(worker, WIDTH + MOST_WAITING);
    usleep(MICROSECONDS); // long enough for a thread that does not wait
    assert_int_equal(width_of(worker), WIDTH + MOST_WAITING - 1);
    for (int i = 0; i <= MOST_WAITING; i++) {
        struct reply reply = take(worker);
        assert_false(reply.failed);
        reply_free(&reply);
    }
    assert_int_equal(width_of(worker), WIDTH + MOST_WAITING);
    assert_int_equal(worker_waiting(worker), 0);
    worker_close(worker);
    bench_close(&bench);
}

static void what_follows_a_stop_runs(void **state)
{
    enum { LINES = 20000 };
    struct status status;
    char path[64], line[200], progress[256];
    char *text = calloc(LINES + 1, 8);
    struct bench bench = bench_open_model("tests/golden/vanilla_post.bin");
    assert_non_null(text);
    for (int i = 0; i < LINES; i++)
        memcpy(text + 8 * (size_t)i, "the dog\n", 8);
    write_lines(text, path);
    free(text);
    snprintf(line, sizeof line, ":bleu %s %s", path, path);
    bench_connect(&bench);
    bench.program.prompt = true;
    struct worker *worker = worker_open(&bench.program, &status);
    assert_non_null(worker);
    run(worker, line);
    while (worker_progress(worker, progress, sizeof progress) <= 0)
        usleep(1000);
    worker_stop(worker);
    struct reply reply = take(worker);
    assert_true(reply.failed || reply.message || reply.frame);
    reply_free(&reply);
    run(worker, "the dog sees a cat");
    reply = take(worker);
    if (reply.failed)
        fail_msg("after a stop: %s", reply.message);
    assert_non_null(reply.frame);
    reply_free(&reply);
    worker_close(worker);
    unlink(path);
    bench_close(&bench);
}

/* The reply to lines that come at once; the caller closes the worker. */
static struct reply reply_to(struct bench *bench, const char *lines, struct worker **worker)
{
    struct status status;
    bench_connect(bench);
    *worker = worker_open(&bench->program, &status);
    assert_non_null(*worker);
    run(*worker, lines);
    return take(*worker);
}

/* Of several lines that come at once the last result is shown, whatever fails behind it. */
static void the_result_before_a_line_that_fails_is_shown(void **state)
{
    struct bench bench = bench_open_model("tests/golden/vanilla_post.bin");
    struct worker *worker;
    struct reply reply = reply_to(&bench, "the dog sees a cat\n:nonsense", &worker);
    assert_true(reply.failed);
    assert_non_null(reply.frame);
    reply_free(&reply);
    worker_close(worker);
    bench_close(&bench);
}

static void frames_mark_the_heads_that_are_off_or_changed(void **state)
{
    struct bench bench = bench_open_model("tests/golden/vanilla_post.bin");
    struct worker *worker;
    struct reply reply =
        reply_to(&bench, "a dog\n:disable enc 1.2\n:mask enc 2.1 local 1", &worker);
    assert_non_null(reply.frame);
    for (int m = 0; m < MODULE_COUNT; m++) {
        const struct head_map *map = &reply.frame->maps[m];
        for (int layer = 0; layer < map->layers; layer++)
            for (int head = 0; head < map->heads; head++) {
                int wanted = m != MODULE_ENCODER       ? 0
                             : layer == 0 && head == 1 ? MARK_OFF
                             : layer == 1 && head == 0 ? MARK_MASKED | MARK_CHANGED
                                                       : 0;
                assert_int_equal(map->marks[layer * map->heads + head], wanted);
            }
    }
    reply_free(&reply);
    worker_close(worker);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_wait_until_there_is_room_for_their_replies),
        cmocka_unit_test(what_follows_a_stop_runs),
        cmocka_unit_test(the_result_before_a_line_that_fails_is_shown),
        cmocka_unit_test(frames_mark_the_heads_that_are_off_or_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
