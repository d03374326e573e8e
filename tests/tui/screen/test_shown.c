/* What lies above what: pictures, and the help that was asked for while they were being made. */
#include <string.h>

#include "tests/support/commands_support.h"
#include "tests/support/test.h"
#include "tui/screen/state/state.h"

#define DOG "the dog sees a cat"
#define CAT "a cat sees the dog"

/* Shows what a line gives, as the answer to that request. */
static void show(struct screen *screen, struct bench *bench, const char *line, unsigned request)
{
    struct reply reply;
    reply_make(&bench->program, &(struct worker_lines){.lines = line, .columns = 80}, &reply);
    assert_non_null(reply.frame);
    reply.frame->asked = request;
    shown_show(screen, reply.frame);
    reply.frame = NULL;
    reply_free(&reply);
}

static void expect(const struct screen *screen, const char *title, const char *source)
{
    assert_memory_equal(screen->frame->title, title, strlen(title));
    assert_string_equal(screen->frame->source, source);
}

/* A screen with the picture that answered the first request. */
static void open_screen(struct screen *screen, struct bench *bench)
{
    struct status status;
    struct report nothing = {0};
    *bench = bench_open_model("tests/golden/vanilla_post.bin");
    bench_connect(bench);
    *screen = (struct screen){0};
    screen->frame = frame_make(bench->session, &nothing, NULL, NULL, &status);
    assert_non_null(screen->frame);
    show(screen, bench, DOG, 1);
    expect(screen, "cross", DOG);
}

static void close_screen(struct screen *screen, struct bench *bench)
{
    screen_free(screen);
    bench_close(bench);
}

static void later_help_stays_above_a_picture(void **state)
{
    struct screen screen;
    struct bench bench;
    open_screen(&screen, &bench);
    show(&screen, &bench, ":help", 4);
    show(&screen, &bench, ":help attn", 5);
    screen.cursors.page.top = 3;
    show(&screen, &bench, CAT, 2);
    show(&screen, &bench, ":attn enc 1.2", 3);
    expect(&screen, ":help attn", CAT);
    assert_int_equal(screen.cursors.page.top, 3);
    assert_true(shown_uncover(&screen));
    expect(&screen, ":help", CAT);
    assert_true(shown_uncover(&screen));
    expect(&screen, "encoder  layer 1/2  head 2/4", CAT);
    assert_false(shown_uncover(&screen));
    close_screen(&screen, &bench);
}

static void a_later_picture_replaces_help(void **state)
{
    struct screen screen;
    struct bench bench;
    open_screen(&screen, &bench);
    show(&screen, &bench, ":help", 2);
    show(&screen, &bench, CAT, 3);
    expect(&screen, "cross", CAT);
    assert_false(shown_uncover(&screen));
    close_screen(&screen, &bench);
}

/* The list of keys is no request: it comes after the last one. */
static void the_keys_stay_above_what_was_asked_for_before(void **state)
{
    struct screen screen;
    struct bench bench;
    open_screen(&screen, &bench);
    screen.pending.last = 2;
    shown_show_text(&screen, "keys", strdup("h l\n"));
    show(&screen, &bench, CAT, 2);
    expect(&screen, "keys", CAT);
    show(&screen, &bench, DOG, 3);
    expect(&screen, "cross", DOG);
    close_screen(&screen, &bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_help_stays_above_a_picture),
        cmocka_unit_test(a_later_picture_replaces_help),
        cmocka_unit_test(the_keys_stay_above_what_was_asked_for_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
