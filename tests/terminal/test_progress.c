/* The line of progress: which work it names. */
#include "terminal/progress.h"
#include "terminal/text/display.h"
#include "tests/support/test.h"

enum { MOST = 1000000000 };
static char shown[200];

static void keep(const char *line)
{
    if (!*shown)
        snprintf(shown, sizeof shown, "%s", line);
}

static void report(const char *what, const char *unit, int done, int total)
{
    struct status status;
    assert_true(
        watch_report(&progress_watch,
                     &(struct work_progress){
                         .what = what, .done = done, .total = total, .count = done, .unit = unit},
                     &status));
}

/* Each sentence is a pass, whose layers are work of their own. */
static void work_that_counts_is_shown_in_place_of_its_parts(void **state)
{
    enum { LAYERS = 6 };
    *shown = '\0';
    progress_show_with(keep);
    for (int done = 0; !*shown && done < MOST; done++) {
        for (int layer = 1; layer <= LAYERS; layer++)
            report("computing", NULL, layer, LAYERS);
        report("aligning", "sentences", done + 1, MOST + 1);
    }
    if (strncmp(shown, "aligning ", 9) != 0)
        fail_msg("\"%s\"", shown);

    // What comes after its end, which names no unit (watch_fail), is shown again.
    report("aligning", NULL, MOST, MOST);
    *shown = '\0';
    for (int done = 0; !*shown && done < MOST; done++)
        report("computing", NULL, done, MOST);
    if (strncmp(shown, "computing ", 10) != 0)
        fail_msg("\"%s\"", shown);
    report("computing", NULL, MOST, MOST);
    progress_show_with(NULL);
}

/* A line that wraps cannot be erased. What is needed most is said, however narrow the terminal
 * is. */
static void a_narrow_line_says_how_long_it_will_take(void **state)
{
    static const int widths[] = {40, 60, 80, 200};
    progress_show_with(keep);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const int columns = widths[i];
        *shown = '\0';
        display_assume(columns);
        for (int done = 0; !*shown && done < MOST; done++)
            report("translating", "sentences", done + 1, MOST + 1);
        report("translating", NULL, MOST, MOST);
        if (display_width(shown) > columns - PROGRESS_STOPS_COLUMNS || !strstr(shown, " left") ||
            (columns >= 80) != (strstr(shown, "sentences") != NULL))
            fail_msg("%d columns: \"%s\"", columns, shown);
    }
    display_assume(0);
    progress_show_with(NULL);
}

/* Of work that goes on, what was done before shows in its share, and not in the time that is left:
 * three quarters were there, and of the last one half took as long as the rest will. */
static void work_that_goes_on_begins_where_it_stopped(void **state)
{
    struct work_progress progress = {
        .what = "translating", .had = 750, .total = 1000, .done = 875, .unit = "sentences"};
    struct status status;
    *shown = '\0';
    progress_show_with(keep);
    while (!*shown)
        assert_true(watch_report(&progress_watch, &progress, &status));
    if (!strstr(shown, " 88%") || !strstr(shown, " 0:01 left"))
        fail_msg("\"%s\"", shown);
    report("translating", NULL, MOST, MOST);
    progress_show_with(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_narrow_line_says_how_long_it_will_take),
        cmocka_unit_test(work_that_counts_is_shown_in_place_of_its_parts),
        cmocka_unit_test(work_that_goes_on_begins_where_it_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
