/* Every kind of character, sent through every way out. Readers that are not the program's (xmllint,
 * poppler, jansson, readers of CSV, TSV, PNG and ZIP written from the formats' descriptions) find
 * nothing that may not pass there, and the rest unchanged. */
#include <stdlib.h>
#include <unistd.h>
#include <utf8proc.h>

#include "base/outlet.h"
#include "model/text/quote.h"
#include "model/text/text.h"
#include "report/output/export.h"
#include "report/output/note_text.h"
#include "report/output/report_forms.h"
#include "terminal/text/display.h"
#include "tests/render/picture_support.h"
#include "tests/report/output/archive_support.h"
#include "tests/report/output/export_data_support.h"
#include "tests/report/output/outlet_samples.h"
#include "tests/support/test.h"
#include "tui/screen/canvas/canvas.h"

#define MODEL "tests/golden/vanilla_post.bin"

/* What is sent -------------------------------------------------------------------------------- */

static void fill_table(struct report *report)
{
    static const struct column columns[] = {
        {.all = "text", .title = "text"},
        {.all = "number", .title = "number", .type = COLUMN_INT},
    };
    report_title(report, "every character");
    struct table *table = report_table(report, EVERYWHERE, "rows", columns, COUNT(columns));
    for (int i = 0; i < sample_count; i++) {
        table_row_in(table, EVERYWHERE);
        table_put(table, value_text(samples[i].text));
        table_put(table, value_int(i));
    }
}

/* Labels of a figure are few: those with many characters are cut. */
static void fill_matrix(struct report *report)
{
    enum { LABELS = 24 };
    static char joined[LABELS][SAMPLES_MOST];
    static const char *labels[LABELS];
    memset(joined, 0, sizeof joined);
    for (int i = 0; i < sample_count; i++) {
        char *label = joined[i % LABELS];
        if (strlen(label) + strlen(samples[i].text) < sizeof joined[0])
            strcpy(label + strlen(label), samples[i].text);
    }
    for (int i = 0; i < LABELS; i++)
        labels[i] = joined[i];
    report_title(report, "%s", joined[0]);
    struct matrix *matrix =
        report_matrix(report, EVERYWHERE, calloc((size_t)LABELS * LABELS, sizeof(float)));
    matrix->key = matrix->name = "weights";
    matrix->title = joined[1];
    matrix->scale = joined[2];
    matrix->rows = axis_of_names("rows", joined[3], labels, LABELS);
    matrix->columns = axis_of_names("columns", joined[4], labels, LABELS);
}

static bool soft(void *data, int i, struct align_soft *out, struct status *status)
{
    (void)data;
    (void)i;
    *out = (struct align_soft){.rows = sample_count, .columns = 2, .cost = 1};
    out->target = memory_new((size_t)sample_count, sizeof *out->target, status);
    out->source = memory_new(2, sizeof *out->source, status);
    out->weights = memory_new((size_t)sample_count * 2, sizeof *out->weights, status);
    for (int k = 0; k < sample_count; k++)
        out->target[k] = samples[k].text;
    out->source[0] = "a";
    return true;
}

static void fill_alignments(struct report *report)
{
    static const char *const links[] = {"0-0"};
    struct alignments *alignments = report_alignments(report, EVERYWHERE | IN_ALIGNMENTS, "pairs");
    alignments->count = 1;
    alignments->links = links;
    alignments->soft = soft;
}

/* A session, and a report that is exported from it -------------------------------------------- */

struct way {
    struct bench bench;
    struct report report;
    char *command; // the note
};

static struct way open_way(void (*fill)(struct report *report))
{
    struct way way = {.bench = bench_open_model(MODEL),
                      .command = outlet_line("attn", 0, sample_count)};
    struct status status;
    bench_run_quietly(&way.bench, ":set figure.dpi 40");
    bench_run_quietly(&way.bench, ":set export.comments on");
    way.report.name = "attn";
    fill(&way.report);
    assert_true(report_end(&way.report, &status));
    return way;
}

static void close_way(struct way *way)
{
    report_free(&way->report);
    bench_close(&way->bench);
    free(way->command);
}

/* Writes "all.FORMAT". */
static const char *export_all(struct way *way, const char *format)
{
    static char name[40];
    struct figure_missing missing = {.count = 0};
    struct status status = {0};
    snprintf(name, sizeof name, "all.%s", format);
    if (!export_write(way->bench.session, view_format_find(format), &way->report, way->command,
                      export_path(name), &missing, &status))
        fail_msg("%s: %s", format, status.message);
    return name;
}

static void expect_note(const struct way *way, const char *name)
{
    struct status status = {0};
    json_t *notes = notes_read(export_path(name), &status);
    if (!notes)
        fail_msg("%s: %s", name, status.message);
    const char *command = text_of(notes, "command");
    if (*command != ':' || strcmp(command + 1, way->command) != 0)
        fail_msg("%s: the note \"command\" is\n%s, expected\n:%s", name, command, way->command);
    json_decref(notes);
}

/* The gate ------------------------------------------------------------------------------------ */

static void each_character_passes_where_it_may(void **state)
{
    for (utf8proc_int32_t c = 0; c <= 0x10FFFF; c++) {
        if (utf8proc_category(c) == UTF8PROC_CATEGORY_CS)
            continue;
        for (int outlet = OUTLET_LINE; outlet <= OUTLET_ESCAPED; outlet++) {
            const utf8proc_int32_t out = (utf8proc_int32_t)outlet_character(outlet, (uint32_t)c);
            const bool passes = outlet_may_pass(outlet, c);
            if (outlet_bars(outlet, (uint32_t)c) == passes || (out == c) != passes ||
                (!passes && !outlet_may_pass(OUTLET_ESCAPED, out)))
                fail_msg("U+%04X: outlet %d: U+%04X", (unsigned)c, outlet, (unsigned)out);
        }
    }
    for (uint32_t c = 0xD800; c <= 0xDFFF; c++)
        assert_true(outlet_bars(OUTLET_SHOWN, c) && outlet_bars(OUTLET_DATA, c));
    assert_true(outlet_bars(OUTLET_SHOWN, 0x110000));
}

/* Tables -------------------------------------------------------------------------------------- */

/* Lines of comments, then cells as they were, or with stand-ins. */
static void check_table(struct way *way, const char *format, char *(*take)(char *, char **, char *))
{
    const char *name = export_all(way, format);
    size_t bytes;
    expect_note(way, name);
    char *content = export_read(name, &bytes), *at = content, *cell, ending;
    outlet_expect_none_barred(name, OUTLET_DATA, content, "");
    while (*at == '#')
        at = strchr(at, '\n') + 1;
    at = take(take(at, &cell, &ending), &cell, &ending);
    for (int i = 0; i < sample_count; i++) {
        // A reader that knows comments takes what follows an unquoted # for one.
        const char *line = at;
        if (line[0] != '"' && strcspn(line, "#") < strcspn(line, "\n"))
            fail_msg("%s: %s is a comment", name, samples[i].text);
        at = take(at, &cell, &ending);
        if (samples[i].data && strcmp(cell, samples[i].text) != 0)
            fail_msg("%s: \"%s\" for \"%s\"", name, cell, samples[i].text);
        at = take(at, &cell, &ending);
        assert_int_equal(atoi(cell), i);
        assert_int_equal(ending, '\n');
    }
    assert_int_equal(at - content, bytes);
    free(content);
}

static void tables_hold_cells_as_they_are(void **state)
{
    struct way way = open_way(fill_table);
    check_table(&way, "csv", take_csv);
    check_table(&way, "tsv", take_tsv);
    close_way(&way);
}

/* A cell must not contain a line break, which a shell would take for the end of a command. */
static void nothing_runs_when_it_is_pasted(void **state)
{
    struct report report = {0};
    char *text = NULL, *cell, ending;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fill_table(&report);
    assert_true(table_report(out, TABLE_PASTED, &report, NULL));
    assert_int_equal(fclose(out), 0);
    outlet_expect_none_barred("the clipboard", OUTLET_PASTED, text, "\t\n");
    char *at = take_pasted(take_pasted(text, &cell, &ending), &cell, &ending);
    for (int i = 0; i < sample_count; i++) {
        at = take_pasted(at, &cell, &ending);
        if (samples[i].pastes)
            assert_string_equal(cell, samples[i].text);
        at = take_pasted(at, &cell, &ending);
        assert_int_equal(atoi(cell), i);
        char *alone = display_clean_for(OUTLET_PASTED, samples[i].text);
        outlet_expect_none_barred("a cell", OUTLET_PASTED, alone, "");
        if (samples[i].pastes)
            assert_string_equal(alone, samples[i].text);
        free(alone);
    }
    free(text);
    report_free(&report);
}

static void json_holds_every_text(void **state)
{
    struct way way = open_way(fill_table);
    const char *name = export_all(&way, "json");
    size_t bytes;
    expect_note(&way, name);
    char *content = export_read(name, &bytes);
    outlet_expect_none_barred(name, OUTLET_ESCAPED, content, "\n");
    assert_ptr_equal(strchr(content, '\n'), content + bytes - 1);
    json_t *object = json_loads(content, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    const json_t *rows = json_object_get(object, "rows");
    assert_int_equal(json_array_size(rows), sample_count);
    for (int i = 0; i < sample_count; i++)
        if (samples[i].valid)
            assert_string_equal(text_of(json_array_get(rows, (size_t)i), "text"), samples[i].text);
    json_decref(object);
    free(content);
    close_way(&way);
}

static void arrays_hold_every_text(void **state)
{
    struct way way = open_way(fill_table);
    const char *name = export_all(&way, "npz");
    size_t bytes;
    expect_note(&way, name);
    char *content = export_read(name, &bytes);
    struct archive archive = archive_of(content, bytes);
    const struct stored_array texts = archive_array(&archive, "text.npy");
    assert_int_equal(texts.count, sample_count);
    for (int i = 0; i < sample_count; i++)
        if (samples[i].valid)
            assert_string_equal(array_text(&texts, (size_t)i), samples[i].text);
    free(content);
    close_way(&way);
}

/* What LaTeX and Markdown make of their own characters is compiled elsewhere; letters, digits and
 * marks stay as they are. */
static void check_typeset(struct way *way, const char *format)
{
    const char *name = export_all(way, format);
    size_t bytes;
    expect_note(way, name);
    char *content = export_read(name, &bytes);
    outlet_expect_none_barred(name, OUTLET_SHOWN, content, "\n");
    for (int i = 0; i < sample_count; i++) {
        utf8proc_int32_t c = 0;
        if (samples[i].plain && samples[i].text[0] == 'a')
            outlet_next(samples[i].text + 1, &c);
        if (utf8proc_category(c) >= UTF8PROC_CATEGORY_LU &&
            utf8proc_category(c) <= UTF8PROC_CATEGORY_NO && !strstr(content, samples[i].text))
            fail_msg("%s: %s is not there", name, samples[i].text);
    }
    free(content);
}

static void typeset_tables_have_nothing_barred(void **state)
{
    struct way way = open_way(fill_table);
    check_typeset(&way, "tex");
    check_typeset(&way, "md");
    close_way(&way);
}

/* Figures ------------------------------------------------------------------------------------- */

static void figures_are_whole_for_other_readers(void **state)
{
    struct way way = open_way(fill_matrix);
    size_t bytes;
    expect_note(&way, export_all(&way, "png"));
    char *content = export_read("all.png", &bytes), *note = note_of(content, bytes, "command");
    outlet_expect_none_barred("png", OUTLET_ESCAPED, note, "");
    free(note);
    free(content);

    expect_note(&way, export_all(&way, "svg"));
    free(output_of("xmllint --noout %s 2>&1", export_path("all.svg")));
    content = export_read("all.svg", &bytes);
    outlet_expect_none_barred("svg", OUTLET_DATA, content, "");
    free(content);

    expect_note(&way, export_all(&way, "pdf"));
    char *text = output_of("pdftotext %s - 2>&1", export_path("all.pdf"));
    outlet_expect_none_barred("pdf", OUTLET_DATA, text, "\f");
    free(text);
    text = output_of("pdfinfo %s 2>&1", export_path("all.pdf"));
    outlet_expect_none_barred("pdf", OUTLET_DATA, text, "");
    assert_non_null(strstr(text, "Keywords:"));
    free(text);
    unlink(export_path("all.pdf"));
    close_way(&way);
}

/* Other programs ------------------------------------------------------------------------------ */

/* A token is one word: its blanks and what is barred are references or stand-ins. */
static void tokens_of_alignments_are_words(void **state)
{
    static const char *const formats[] = {"pharaoh", "marian", "nematus"};
    struct way way = open_way(fill_alignments);
    for (int i = 0; i < COUNT(formats); i++) {
        size_t bytes;
        char *content = export_read(export_all(&way, formats[i]), &bytes);
        outlet_expect_none_barred(formats[i], OUTLET_SHOWN, content, "\n");
        if (i == 2) {
            char *target = strstr(content, " ||| ") + 5;
            *strstr(target, " ||| ") = '\0';
            int words = 1;
            for (const char *c = target; *c; c++)
                words += *c == ' ';
            assert_int_equal(words, sample_count - 1);
        }
        free(content);
    }
    close_way(&way);
}

/* Every format of the table is one of those above. */
static void every_format_is_tried(void **state)
{
    static const char tried[] = " png pdf svg csv tsv tex md npy npz json pharaoh marian nematus ";
    for (const struct view_format *format = view_formats; format->name; format++) {
        char name[20];
        snprintf(name, sizeof name, " %s ", format->name);
        if (!strstr(tried, name))
            fail_msg("%s: not one of%s", format->name, tried);
    }
}

static void a_terminal_is_told_nothing(void **state)
{
    struct report report = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fill_table(&report);
    fill_matrix(&report);
    report_field(&report, FOR_PEOPLE, "field", "field", value_text(samples[5].text));
    for (int i = 0; i < sample_count; i++)
        report_line(&report, FOR_PEOPLE, "%s", samples[i].text);
    text_report(out, &report, IN_TEXT);
    text_notes(out, &report);
    assert_int_equal(fclose(out), 0);
    outlet_expect_none_barred("text", OUTLET_SHOWN, text, "\n");
    for (int i = 0; i < sample_count; i++) {
        char *clean = display_clean(samples[i].text);
        assert_int_equal(display_is_clean(samples[i].text), samples[i].plain);
        if (samples[i].plain)
            assert_string_equal(clean, samples[i].text);
        if (samples[i].plain && *clean)
            assert_non_null(strstr(text, samples[i].text));
        free(clean);
    }
    free(text);
    report_free(&report);
}

/* The screen sends only the texts of its cells. */
static void a_screen_is_told_nothing(void **state)
{
    enum { COLUMNS = 80 };
    struct canvas canvas = {0};
    struct status status;
    for (int i = 0; i < sample_count; i++) {
        char row[COLUMNS * CELL_BYTES + 1] = "";
        assert_true(canvas_resize(&canvas, 1, COLUMNS, &status));
        canvas_put(&canvas, 0, 0, COLUMNS, (struct style){.ink = INK_NORMAL}, samples[i].text);
        for (int column = 0; column < COLUMNS; column++)
            strcat(row, canvas_cell(&canvas, 0, column)->text);
        outlet_expect_none_barred("a row of the screen", OUTLET_SHOWN, row, "");
        if (samples[i].plain && samples[i].text[0] == 'a')
            assert_int_equal(row[0], 'a');
    }
    canvas_free(&canvas);
}

static void messages_are_one_harmless_line(void **state)
{
    for (int i = 0; i < sample_count; i++) {
        outlet_expect_none_barred("a message", OUTLET_ESCAPED, QUOTED(samples[i].text), "");
        if (samples[i].pastes)
            assert_string_equal(QUOTED(samples[i].text), samples[i].text);
    }
}

/* A script is read again by the program: it holds a sentence to the last byte. */
static void a_saved_session_has_the_sentence(void **state)
{
    enum { WORDS = 12 };
    struct bench bench = bench_open_model(MODEL), again = bench_open_model(MODEL);
    bench_connect(&again);
    for (int i = 0; i < sample_count; i += WORDS) {
        char *sentence = outlet_line("the dog", i, WORDS), line[300];
        bench_run_quietly(&bench, sentence);
        snprintf(line, sizeof line, ":save %s", export_path("all.scope"));
        bench_run_quietly(&bench, line);
        snprintf(line, sizeof line, ":source %s", export_path("all.scope"));
        bench_run_quietly(&again, line);
        assert_string_equal(again.session->current->text, sentence);
        unlink(export_path("all.scope"));
        free(sentence);
    }
    bench_close(&bench);
    bench_close(&again);
}

/* Notes --------------------------------------------------------------------------------------- */

/* Texts come back, and nothing that may not pass is in what is written. */
static void notes_come_back(void **state)
{
    for (int i = 0; i < sample_count; i++) {
        if (!samples[i].valid)
            continue;
        char *written = note_write(samples[i].text), *read = note_read(written);
        outlet_expect_none_barred("a note", OUTLET_ESCAPED, written, "");
        assert_string_equal(read, samples[i].text);
        if (samples[i].pastes && samples[i].text[0] != '"')
            assert_string_equal(written, samples[i].text);
        free(written);
        free(read);
    }
}

static int begin(void **state)
{
    outlet_make_samples();
    return export_open(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_character_passes_where_it_may),
        cmocka_unit_test(tables_hold_cells_as_they_are),
        cmocka_unit_test(nothing_runs_when_it_is_pasted),
        cmocka_unit_test(json_holds_every_text),
        cmocka_unit_test(arrays_hold_every_text),
        cmocka_unit_test(typeset_tables_have_nothing_barred),
        cmocka_unit_test(figures_are_whole_for_other_readers),
        cmocka_unit_test(tokens_of_alignments_are_words),
        cmocka_unit_test(every_format_is_tried),
        cmocka_unit_test(a_terminal_is_told_nothing),
        cmocka_unit_test(a_screen_is_told_nothing),
        cmocka_unit_test(messages_are_one_harmless_line),
        cmocka_unit_test(a_saved_session_has_the_sentence),
        cmocka_unit_test(notes_come_back),
    };
    return cmocka_run_group_tests(tests, begin, export_close);
}
