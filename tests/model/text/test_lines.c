/* Lines of a file: what is reported while they are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/text/lines.h"

enum { LINES = 3 };

struct counts {
    long of[8];
    int reports;
};

static bool keep_count(void *context, const struct work_progress *progress)
{
    struct counts *counts = context;
    if (progress->what && progress->done < progress->total) // else it is the end
        counts->of[counts->reports++ % 8] = progress->count;
    return true;
}

static void the_lines_that_are_read_are_counted(void **state)
{
    (void)state;
    char path[] = "/tmp/attnscope-lines-XXXXXX";
    struct counts counts = {.reports = 0};
    const struct watch watch = {keep_count, &counts};
    struct lines lines;
    struct status status;
    int file = mkstemp(path);
    assert_int_equal(write(file, "one\ntwo\nthree\n", 14), 14);
    close(file);
    assert_true(lines_read(path, &watch, &lines, &status));
    assert_int_equal(lines.count, LINES);
    assert_int_equal(counts.reports, LINES);
    for (int i = 0; i < LINES; i++)
        assert_int_equal(counts.of[i], i + 1);
    lines_free(&lines);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lines_that_are_read_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
