/* Alignments of files in a session: what Enter on a row opens, and what stays after Ctrl-C. */
#include "terminal/interrupt.h"
#include "terminal/progress.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

#define FILES "samples/aligned.en samples/aligned.de"
#define GOLD FILES " samples/aligned.pharaoh"
enum { SENTENCES = 24, LINKS_BYTES = 400 };

static struct bench open_sample(void)
{
    return bench_open_model("samples/en-de.bin");
}

/* Rows ----------------------------------------------------------------------------------------- */

/* Runs what Enter on a row of the table runs, line by line; the report of the last line is the
 * caller's. */
static struct report enter(struct bench *bench, const struct report *report, int row)
{
    char *lines = table_row_enter(report_sheet(report), row), *rest = lines;
    struct report last = {0};
    assert_non_null(lines);
    for (char *line; (line = strsep(&rest, "\n"));) {
        report_free(&last);
        last = bench_run(bench, line);
    }
    free(lines);
    return last;
}

/* The greatest source word of each target word, as a file has them: "0-0 2-1". Words of a view are
 * those of the text here, but for end-of-sentence at the end of both. */
static void links_of_view(const struct report *view, char *out)
{
    const struct matrix *matrix = bench_matrix(view);
    int columns = matrix->columns.count;
    size_t used = 0;
    *out = '\0';
    for (int s = 0; s + 1 < columns; s++)
        for (int t = 0; t + 1 < matrix->rows.count; t++) {
            const float *row = matrix->values + t * columns;
            bool greatest = true;
            for (int j = 0; j + 1 < columns; j++)
                greatest &= row[j] < row[s] || (j >= s && row[j] <= row[s]);
            if (greatest)
                used += (size_t)snprintf(out + used, LINKS_BYTES - used, "%s%d-%d", used ? " " : "",
                                         s, t);
        }
}

static const char *links_of_row(const struct report *report, int row)
{
    const struct table *sheet = report_sheet(report);
    return table_row_cells(sheet, row)[sheet->column_count - 1].text;
}

static void check_rows(const char *line)
{
    struct bench bench = open_sample();
    struct report report = bench_run(&bench, line);
    assert_int_equal(report_sheet(&report)->row_count, SENTENCES);
    for (int row = 0; row < SENTENCES; row += 5) {
        char links[LINKS_BYTES];
        struct report view = enter(&bench, &report, row);
        assert_true(bench.session->current->forced);
        links_of_view(&view, links);
        if (strcmp(links, links_of_row(&report, row)) != 0)
            fail_msg("%s, row %d: \"%s\", expected \"%s\"", line, row + 1, links,
                     links_of_row(&report, row));
        report_free(&view);
    }
    report_free(&report);
    bench_close(&bench);
}

static void a_row_opens_the_sentence_with_the_same_links(void **state)
{
    check_rows(":align " FILES);
    check_rows(":align " FILES " layer 1 head 3");
    check_rows(":align " FILES " layer 1 head 3 shifted");
}

/* From the heads in their order to the sentences as one of them aligns them. */
static void a_head_opens_its_alignments(void **state)
{
    struct bench bench = open_sample();
    struct report heads = bench_run(&bench, ":align " GOLD " by layer,head");
    for (int row = 0; row < 36; row += 7) {
        const struct value *cells = table_row_cells(report_sheet(&heads), row);
        struct report sentences = enter(&bench, &heads, row);
        assert_int_equal(report_sheet(&sentences)->row_count, SENTENCES);
        assert_float_equal(bench_value(&sentences, NULL, "aer")->real, cells[3].real, 0);
        assert_int_equal(bench_value(&sentences, NULL, "layer")->integer, cells[0].integer);
        const struct value *head = bench_value(&sentences, NULL, "head");
        if (head->kind == VALUE_TEXT)
            assert_string_equal(head->text, cells[1].text);
        else
            assert_int_equal(head->integer, atoi(cells[1].text)); // one kind in a column: texts
        report_free(&sentences);
    }
    report_free(&heads);
    bench_close(&bench);
}

/* Of a sentence, too: the row of each token but the last is the one after it. */
static void a_sentence_can_be_shifted(void **state)
{
    struct bench bench = open_sample();
    bench_run_quietly(&bench, "The old farmer sold his two brown horses yesterday.");
    struct report view = bench_run(&bench, ":align layer 2 head 7");
    struct report shifted = bench_run(&bench, ":align layer 2 head 7 shifted");
    const struct matrix *is = bench_matrix(&shifted), *from = bench_matrix(&view);
    int columns = is->columns.count, rows = is->rows.count;
    assert_int_equal(rows, from->rows.count);
    for (int t = 0; t < rows; t++)
        assert_memory_equal(is->values + t * columns,
                            from->values + (t + 1 < rows ? t + 1 : t) * columns,
                            (size_t)columns * sizeof *is->values);
    assert_string_equal(shifted.command, "align cross layer 2 head 7 shifted");
    report_free(&view);
    report_free(&shifted);
    bench_close(&bench);
}

/* Stops ---------------------------------------------------------------------------------------- */

static bool pressed;

static void press_at_once(const char *line)
{
    if (pressed || strncmp(line, "aligning ", 9) != 0)
        return;
    pressed = true;
    interrupt_raise();
}

/* The samples' lines, so often that a line of progress is shown before they are done. */
static void write_often(const char *from, int times, char to[64])
{
    struct lines lines;
    struct status status;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_true(lines_read(from, NULL, &lines, &status));
    for (int i = 0; i < times * lines.count; i++)
        fprintf(out, "%s\n", lines.text[i % lines.count]);
    fclose(out);
    write_lines(text, to);
    free(text);
    lines_free(&lines);
}

static void what_is_aligned_before_a_stop_is_shown(void **state)
{
    enum { TIMES = 500 };
    struct bench bench = open_sample();
    struct report report, whole = bench_run(&bench, ":align " FILES);
    struct status status;
    char source[64], target[64], line[200];
    write_often("samples/aligned.en", TIMES, source);
    write_often("samples/aligned.de", TIMES, target);
    snprintf(line, sizeof line, ":align %s %s", source, target);
    progress_show_with(press_at_once);
    bool ok = command_run(bench.session, line, &report, &status);
    progress_show_with(NULL);
    interrupt_clear();
    assert_true(pressed);
    assert_false(ok);
    assert_int_equal(status.code, STATUS_CANCELLED);
    int done = (int)bench_value(&report, NULL, "sentences")->integer;
    assert_in_range(done, 1, TIMES * SENTENCES - 1);
    assert_true(bench_value(&report, NULL, "partial")->truth);
    assert_int_equal(report_sheet(&report)->row_count, done);
    for (int i = 0; i < done; i++)
        assert_string_equal(links_of_row(&report, i), links_of_row(&whole, i % SENTENCES));
    report_free(&report);
    report_free(&whole);
    remove(source);
    remove(target);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_opens_the_sentence_with_the_same_links),
        cmocka_unit_test(a_head_opens_its_alignments),
        cmocka_unit_test(a_sentence_can_be_shifted),
        cmocka_unit_test(what_is_aligned_before_a_stop_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
