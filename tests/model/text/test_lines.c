/* Lines of a file: what is reported while they are read. */
#include <unistd.h>

#include "model/text/lines.h"
#include "tests/support/test.h"

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

/* Blanks are what str.isspace of Python 3.11 says of U+0000-9F and the separators; the pictures are
 * Unicode's chart. */
static void a_text_becomes_one_line(void **state)
{
    static const char *const cases[][2] = {
        {"a b", "a b"},
        {"a\nb\r\nc\td", "a b  c d"},
        {"\v\f\x1C\x1D\x1E\x1F\xC2\x85\xE2\x80\xA8\xE2\x80\xA9", "         "},
        {"\x1B[1m\x01\x7F", "\xE2\x90\x9B[1m\xE2\x90\x81\xE2\x90\xA1"},
        {"\xC2\x80\xC2\x86\xC2\x9F", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xC2\xA0\xE3\x80\x80\xE2\x80\x8B", "\xC2\xA0\xE3\x80\x80\xE2\x80\x8B"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status;
        char *line = line_of_text(cases[i][0], &status);
        assert_string_equal(line, cases[i][1]);
        free(line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lines_that_are_read_are_counted),
        cmocka_unit_test(a_text_becomes_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
