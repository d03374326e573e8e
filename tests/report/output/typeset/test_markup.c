/* Tables as LaTeX and Markdown: what is expected is written by hand, from the two languages'
 * rules. */
#include "report/output/typeset/markup.h"
#include "report/output/typeset/typeset.h"
#include "tests/support/test.h"

static char *written(const struct report *report, enum markup markup, const char *title,
                     const struct figure_note *notes, int count)
{
    char *text = NULL;
    size_t size;
    struct status status;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(report_has_typeset(report));
    assert_true(markup_report(stream, markup, report, title, notes, count, NULL, &status));
    assert_int_equal(fclose(stream), 0);
    return text;
}

static void check(const struct report *report, enum markup markup, const char *title,
                  const char *wanted)
{
    char *text = written(report, markup, title, NULL, 0);
    assert_string_equal(text, wanted);
    free(text);
}

/* A name, a number with its sign, a p; one value only for programs, and one only for text. */
static void fill(struct report *report)
{
    static const struct column columns[] = {
        {.name = "row", .type = COLUMN_INT},
        {.title = ""},
        {.name = "name", .title = "a", .heading = "the name"},
        {.name = "delta", .title = "b - a", .type = COLUMN_SIGNED, .digits = 2},
        {.name = "p", .title = "p", .type = COLUMN_P, .in = FOR_PROGRAMS},
        {.title = "off", .in = IN_TEXT},
        {.title = "seen", .in = IN_SCREEN},
    };
    static const unsigned rows[] = {IN_TABLE | IN_TYPESET, EVERYWHERE, IN_TABLE, EVERYWHERE};
    static const char *const names[] = {"none", "50% & {x}_1", "unseen", "[a|b] *c* \\ <d>"};
    static const double deltas[] = {NAN, -9.111, 1, 0.5};
    struct table *table = report_table(report, EVERYWHERE, "rows", columns, COUNT(columns));
    for (int r = 0; r < COUNT(rows); r++) {
        table_row_in(table, rows[r]);
        table_put(table, value_int(r));
        table_put(table, value_text("letter"));
        table_put(table, value_text(names[r]));
        table_put(table, r == 3   ? value_shown(report, value_real(0.5), "[-0.50, +1.50]", 0.5)
                         : r == 0 ? value_shown(report, value_real(7.5), "7-8", 7.5)
                                  : value_real(deltas[r]));
        table_put(table, value_real(0.01));
        table_put(table, value_text(r ? "on--off" : ""));
        table_put(table, value_text("x"));
    }
}

static void latex_has_rules_and_escapes(void **state)
{
    struct report report = {0};
    fill(&report);
    check(&report, MARKUP_LATEX, "BLEU #1",
          "% needs \\usepackage{booktabs}\n"
          "\\begin{table}\n  \\centering\n  \\caption{BLEU \\#1}\n"
          "  \\begin{tabular}{lrl}\n    \\toprule\n"
          "    the name & b $-$ a & off \\\\\n    \\midrule\n"
          "    none & 7--8 &  \\\\\n"
          "    50\\% \\& \\{x\\}\\_1 & $-$9.11 & on-{}-{}off \\\\\n"
          "    {[}a\\textbar{}b] {*}c{*} \\textbackslash{} \\textless{}d\\textgreater{} & "
          "{[}$-$0.50, "
          "+1.50] & "
          "on-{}-{}off \\\\\n"
          "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n");
    report_free(&report);
}

static void markdown_has_a_line_for_each_row(void **state)
{
    struct report report = {0};
    fill(&report);
    check(&report, MARKUP_MARKDOWN, NULL,
          "\n| the name | b - a | off |\n| --- | ---: | --- |\n| none | 7-8 | |\n"
          "| 50% \\& \\{x\\}\\_1 | -9.11 | on--off |\n"
          "| \\[a\\|b\\] \\*c\\* \\\\ \\<d\\> | \\[-0.50, +1.50\\] | on--off |\n");
    report_free(&report);
}

/* Also one that was made for it, in place of records. Lines of scripts follow. */
static void all_printed_tables_come_in_order(void **state)
{
    static const struct column columns[] = {{.title = "state"},
                                            {.title = "BLEU", .type = COLUMN_REAL, .digits = 1}};
    static const struct column others[] = {{.title = "share", .type = COLUMN_PERCENT},
                                           {.title = "p", .type = COLUMN_P}};
    struct report report = {0};
    struct table *table = report_table(&report, IN_TEXT, NULL, columns, 2);
    table_add(table, value_text("8L"), value_real(25.02));
    table = report_table(&report, IN_TEXT | IN_TABLE, NULL, columns, 2);
    table->style = TABLE_RECORDS;
    table_add(table, value_text("a record"), value_real(1));
    table = report_table(&report, IN_SCREEN | IN_TABLE, NULL, columns, 2);
    table_add(table, value_text("unseen"), value_real(2));
    report_group(&report, IN_JSON, "group");
    table = report_table(&report, IN_TYPESET, NULL, others, 2);
    table_add(table, value_real(0.8337), value_real(0.007992));
    report_group_end(&report);
    report_line(&report, FOR_PEOPLE, " BLEU|case:mixed");
    report_line(&report, FOR_PEOPLE | IF_WATCHED, "a hint");
    report_line(&report, IN_SCREEN, "of the screen");
    check(&report, MARKUP_MARKDOWN, "",
          "\n| state | BLEU |\n| --- | ---: |\n| 8L | 25.0 |\n"
          "\n| share | p |\n| ---: | ---: |\n| 83.4 | 0.008 |\n"
          "\nBLEU\\|case:mixed\n");
    check(&report, MARKUP_LATEX, "both",
          "% needs \\usepackage{booktabs}\n"
          "\\begin{table}\n  \\centering\n  \\caption{both}\n"
          "  \\begin{tabular}{lr}\n    \\toprule\n    state & BLEU \\\\\n    \\midrule\n"
          "    8L & 25.0 \\\\\n    \\bottomrule\n  \\end{tabular}\n"
          "\n  \\medskip\n"
          "  \\begin{tabular}{rr}\n    \\toprule\n    share & p \\\\\n    \\midrule\n"
          "    83.4 & 0.008 \\\\\n    \\bottomrule\n  \\end{tabular}\n\\end{table}\n"
          "% BLEU|case:mixed\n");
    report_free(&report);
}

static void a_matrix_has_its_labels(void **state)
{
    static const char *const rows[] = {"der", "Hund"}, *const columns[] = {"the", "dog"};
    struct report report = {0};
    float *values = malloc(4 * sizeof *values);
    assert_non_null(values);
    memcpy(values, (float[]){0.25f, 0.75f, NAN, 1}, 4 * sizeof *values);
    struct matrix *matrix = report_matrix(&report, EVERYWHERE, values);
    matrix->rows = (struct axis){.title = "target", .count = 2, .texts = rows, .labels = rows};
    matrix->columns =
        (struct axis){.title = "source", .count = 2, .texts = columns, .labels = columns};
    check(&report, MARKUP_MARKDOWN, NULL,
          "\n| target | the | dog |\n| --- | ---: | ---: |\n| der | 0.250 | 0.750 |\n"
          "| Hund | | 1.000 |\n");
    report_free(&report);
}

/* No text in a comment can begin a line or end the comment. */
static void comments_say_how_it_was_made(void **state)
{
    static const struct figure_note note = {"command", ":bleu --> a & b\nc"};
    struct report report = {0};
    fill(&report);
    char *text = written(&report, MARKUP_MARKDOWN, NULL, &note, 1);
    assert_ptr_equal(strstr(text, "<!-- command: :bleu --&gt; a &amp; b c -->\n\n| "), text);
    free(text);
    text = written(&report, MARKUP_LATEX, NULL, &note, 1);
    assert_ptr_equal(strstr(text, "% command: :bleu --> a & b c\n% needs "), text);
    free(text);
    report_free(&report);
}

static void texts_and_tables_for_programs_are_no_table(void **state)
{
    static const struct column columns[] = {{.name = "logprob"}, {.name = "text", .title = ""}};
    struct report report = {0};
    report_line(&report, FOR_PEOPLE, "a line");
    assert_false(report_has_typeset(&report));
    table_row(report_table(&report, IN_TABLE, NULL, columns, COUNT(columns)));
    assert_false(report_has_typeset(&report));
    report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latex_has_rules_and_escapes),
        cmocka_unit_test(markdown_has_a_line_for_each_row),
        cmocka_unit_test(all_printed_tables_come_in_order),
        cmocka_unit_test(a_matrix_has_its_labels),
        cmocka_unit_test(comments_say_how_it_was_made),
        cmocka_unit_test(texts_and_tables_for_programs_are_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
