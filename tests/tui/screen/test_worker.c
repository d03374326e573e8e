/* The thread that runs the screen's lines: how many replies it keeps, that a stop is of what runs
 * alone, and what runs beside a study. */
#include <poll.h>
#include <unistd.h>

#include "terminal/interrupt.h"
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

static struct work work_of(struct worker *worker)
{
    struct work work;
    worker_look(worker, &work);
    return work;
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

/* The signal reaches a running line at once and the screen later. No waiting line begins in
 * between. */
static void no_line_begins_between_an_interrupt_and_the_stop(void **state)
{
    enum { MICROSECONDS = 50000 };
    struct status status;
    struct bench bench = bench_open_model("tests/golden/vanilla_post.bin");
    bench_connect(&bench);
    struct worker *worker = worker_open(&bench.program, &status);
    assert_non_null(worker);
    interrupt_raise();
    set_width(worker, WIDTH + 1);
    usleep(MICROSECONDS); // long enough for a thread that does not wait
    assert_int_equal(worker_waiting(worker), 1);
    assert_int_not_equal(width_of(worker), WIDTH + 1);
    worker_stop(worker);
    assert_false(interrupted());
    assert_false(worker_stopping(worker));
    assert_int_equal(worker_waiting(worker), 0);
    set_width(worker, WIDTH + 2);
    struct reply reply = take(worker);
    assert_false(reply.failed);
    reply_free(&reply);
    assert_int_equal(width_of(worker), WIDTH + 2);
    worker_close(worker);
    bench_close(&bench);
}

/* A study that takes longer than any test. */
static struct worker *begin_study(struct bench *bench, char path[64])
{
    enum { LINES = 20000 };
    struct status status;
    char line[200], *text = calloc(LINES + 1, 8);
    assert_non_null(text);
    for (int i = 0; i < LINES; i++)
        memcpy(text + 8 * (size_t)i, "the dog\n", 8);
    write_lines(text, path);
    free(text);
    snprintf(line, sizeof line, ":bleu %s %s", path, path);
    *bench = bench_open_model("tests/golden/vanilla_post.bin");
    bench_connect(bench);
    bench->program.prompt = true;
    struct worker *worker = worker_open(&bench->program, &status);
    assert_non_null(worker);
    run(worker, "the dog sees a cat");
    struct reply reply = take(worker);
    assert_non_null(reply.frame);
    reply_free(&reply);
    run(worker, line);
    while (work_of(worker).seconds <= 0)
        usleep(1000);
    return worker;
}

static void end_study(struct bench *bench, struct worker *worker, const char *path)
{
    worker_stop(worker);
    struct reply reply = take(worker);
    assert_true(reply.failed);
    assert_non_null(strstr(reply.message, "the same command goes on from there"));
    reply_free(&reply);
    run(worker, "the dog sees a cat");
    reply = take(worker);
    if (reply.failed)
        fail_msg("after a stop: %s", reply.message);
    assert_non_null(reply.frame);
    reply_free(&reply);
    assert_int_equal(worker_waiting(worker), 0);
    worker_close(worker);
    unlink(path);
    bench_close(bench);
}

static void what_follows_a_stop_runs(void **state)
{
    char path[64];
    struct bench bench;
    struct worker *worker = begin_study(&bench, path);
    end_study(&bench, worker, path);
}

/* The screen is busy, and the study has ended, before it sees the Ctrl-C. */
static void a_ctrl_c_that_ends_a_line_drops_those_that_wait(void **state)
{
    char path[64];
    struct bench bench;
    struct worker *worker = begin_study(&bench, path);
    run(worker, "the dog");
    run(worker, ":set beam 3");
    interrupt_raise();
    struct reply reply = take(worker);
    while (reply.busy) {
        reply_free(&reply);
        reply = take(worker);
    }
    assert_true(reply.failed);
    assert_string_equal(reply.dropped, "the dog\n:set beam 3\n");
    reply_free(&reply);
    assert_false(interrupted());
    assert_int_equal(worker_waiting(worker), 0);
    run(worker, ":set beam 2");
    reply = take(worker);
    assert_false(reply.failed);
    assert_null(reply.dropped);
    reply_free(&reply);
    worker_close(worker);
    unlink(path);
    bench_close(&bench);
}

/* The replies come while the study runs, in the order of the lines. */
static void what_needs_no_pass_runs_beside_a_study(void **state)
{
    static const struct {
        const char *line, *title; // NULL: it says something
        bool failed, busy;
    } lines[] = {{":attn dec 2.1", "decoder  layer 2/2  head 1/4", false, false},
                 {":heads cross", "cross  layer 1-2  head 1-4", false, false},
                 {":help attn", ":help attn", false, false},
                 {":set figure.width 70", "cross  layer 1-2  head 1-4", false, false},
                 {":attn dec 9.1", NULL, true, false},
                 {":nonsense", NULL, true, false},
                 {":attn dec 2.1 as norms", NULL, false, true},
                 {":set beam 2", NULL, false, true},
                 {":hypothesis 1", NULL, false, true},
                 {":attn enc 1.1 word", "encoder  layer 1/2  head 1/4  words", false, false}};
    char path[64];
    struct bench bench;
    struct worker *worker = begin_study(&bench, path);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        run(worker, lines[i].line);
        struct reply reply = take(worker);
        assert_true(work_of(worker).seconds > 0);
        const char *title = reply.frame ? reply.frame->title : NULL;
        if (reply.failed != lines[i].failed || reply.busy != lines[i].busy ||
            !title != !lines[i].title ||
            (title && strncmp(title, lines[i].title, strlen(lines[i].title)) != 0))
            fail_msg("%s: %s, %s", lines[i].line, title ? title : "no frame",
                     reply.message ? reply.message : "");
        reply_free(&reply);
    }
    run(worker, ":disable enc 1.1"); // it never runs beside others
    assert_int_equal(work_of(worker).waiting, 4);
    char *queue = worker_queue(worker);
    assert_string_equal(queue, ":attn dec 2.1 as norms\n:set beam 2\n:hypothesis 1\n"
                               ":disable enc 1.1\n");
    free(queue);
    assert_int_equal(worker_drop(worker), 4);
    assert_int_equal(work_of(worker).waiting, 0);
    end_study(&bench, worker, path);
}

/* What is typed behind a line that waits may be right once that is done. */
static void typed_lines_keep_their_order(void **state)
{
    char path[64];
    struct bench bench;
    struct worker *worker = begin_study(&bench, path);
    run(worker, "a cat sees the dog");
    const struct worker_lines typed = {.lines = ":token a", .columns = COLUMNS, .typed = true},
                              pressed = {.lines = ":token a", .columns = COLUMNS},
                              wrong = {.lines = ":token zebra", .columns = COLUMNS};
    assert_true(worker_run(worker, &wrong));
    struct reply reply = take(worker);
    assert_true(reply.failed && !reply.busy);
    reply_free(&reply);
    assert_true(worker_run(
        worker,
        &(struct worker_lines){.lines = ":token zebra", .columns = COLUMNS, .typed = true}));
    reply = take(worker);
    assert_true(reply.busy);
    reply_free(&reply);
    assert_true(worker_run(worker, &typed));
    assert_true(worker_run(worker, &pressed));
    reply = take(worker);
    assert_non_null(reply.frame);
    reply_free(&reply);
    assert_int_equal(worker_drop(worker), 3);
    end_study(&bench, worker, path);
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

/* A table has no place for it: it is the message. Japanese has no blanks between words. */
static void a_warning_is_said_beside_the_table(void **state)
{
    char line[200], source[64], reference[64];
    struct status status;
    struct bench bench = bench_open_model("tests/golden/vanilla_post.bin");
    bench_connect(&bench);
    struct worker *worker = worker_open(&bench.program, &status);
    assert_non_null(worker);
    write_lines("the dog sees a cat\n", source);
    write_lines("犬は猫を見る。\n", reference);
    snprintf(line, sizeof line, ":bleu %s %s", source, reference);
    run(worker, line);
    struct reply reply = take(worker);
    assert_non_null(reply.frame);
    assert_false(reply.failed);
    if (!reply.message || strncmp(reply.message, "warning: ", 9) != 0 ||
        !strstr(reply.message, "finds words by blanks"))
        fail_msg("%s", reply.message ? reply.message : "no message");
    reply_free(&reply);
    worker_close(worker);
    unlink(source);
    unlink(reference);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_wait_until_there_is_room_for_their_replies),
        cmocka_unit_test(no_line_begins_between_an_interrupt_and_the_stop),
        cmocka_unit_test(what_follows_a_stop_runs),
        cmocka_unit_test(a_ctrl_c_that_ends_a_line_drops_those_that_wait),
        cmocka_unit_test(what_needs_no_pass_runs_beside_a_study),
        cmocka_unit_test(typed_lines_keep_their_order),
        cmocka_unit_test(a_warning_is_said_beside_the_table),
        cmocka_unit_test(the_result_before_a_line_that_fails_is_shown),
        cmocka_unit_test(frames_mark_the_heads_that_are_off_or_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
