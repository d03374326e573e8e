/* Writes views in all formats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utf8proc.h>

#include "model/formats/new_file.h"
#include "render/figure.h"
#include "report/output/export.h"
#include "report/output/figures.h"
#include "report/output/json_writer.h"
#include "report/output/report_forms.h"
#include "report/output/typeset/markup.h"
#include "report/output/typeset/typeset.h"
#include "report/report.h"
#include "report/report_memory.h"
#include "report/view.h"
#include "terminal/interrupt.h"
#include "terminal/pace.h"
#include "terminal/progress.h"
#include "terminal/text/display.h"

/* Word alignments as other toolkits write them: the alignments of a report that are part of that
 * (IN_ALIGNMENTS).
 *
 *   Pharaoh  a line for each sentence: "0-0 1-2", words of the source and of the target from 0.
 *   Marian   a line for each sentence: the weights of each token of the target on those of the
 *            source, separated by commas, a blank between tokens; with end-of-sentence on both
 *            sides (--alignment soft).
 *   Nematus  for each sentence "N ||| target ||| score ||| source ||| columns rows", N from 0, then
 *            a line for each token of the target with its weights, separated by blanks, then a
 *            blank line. The texts are without end-of-sentence, the matrix is with it; the score is
 *            the negative log-probability. A token with ||| has &#124; for each bar, and blanks of
 *            tokens are &#N; likewise.
 *
 * A blank line of the texts has an empty line in the first two, and is left out of the third.
 */

enum alignment_layout { ALIGNMENT_PHARAOH, ALIGNMENT_MARIAN, ALIGNMENT_NEMATUS };

static const struct alignments *find(const struct report *report)
{
    const struct block *block = report_find(report, BLOCK_ALIGNMENTS, IN_ALIGNMENTS);
    return block ? block->alignments : NULL;
}

/* True if the report has alignments; if so, of how many sentences. */
static bool report_has_alignments(const struct report *report)
{
    return find(report) != NULL;
}

static size_t report_alignment_count(const struct report *report)
{
    const struct alignments *alignments = find(report);
    return alignments ? (size_t)alignments->count : 0;
}

static void write_row(FILE *stream, const struct align_soft *soft, int row, char between)
{
    const float *weights = soft->weights + (size_t)row * (size_t)soft->columns;
    for (int j = 0; j < soft->columns; j++) {
        if (j)
            fputc(between, stream);
        fprintf(stream, "%.9g", weights[j]);
    }
}

static void put_marian(FILE *stream, const struct align_soft *soft)
{
    for (int t = 0; t < soft->rows; t++) {
        if (t)
            fputc(' ', stream);
        write_row(stream, soft, t, ',');
    }
    fputc('\n', stream);
}

static bool is_space(utf8proc_int32_t c)
{
    utf8proc_category_t category = utf8proc_category(c);
    return c <= ' ' || (c >= 0x7F && c <= 0x9F) || category == UTF8PROC_CATEGORY_ZS ||
           category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

/* Readers split at " ||| " and at blanks: repeated bars in a token are written as Moses escapes
 * them, &#124;, and blanks likewise. */
static void write_token(FILE *stream, const char *token)
{
    bool bars = strstr(token, "|||") != NULL;
    while (*token) {
        utf8proc_int32_t c;
        utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)token, -1, &c);
        if (bytes > 0 && ((bars && c == '|') || is_space(c))) {
            fprintf(stream, "&#%d;", (int)c);
            token += bytes;
        } else {
            token += display_write_character(stream, OUTLET_DATA, token);
        }
    }
}

/* Writes all tokens but the last, which is end-of-sentence. */
static void write_tokens(FILE *stream, const char *const *tokens, int count)
{
    for (int i = 0; i + 1 < count; i++) {
        fputs(i ? " " : "", stream);
        write_token(stream, tokens[i]);
    }
}

static void put_nematus(FILE *stream, const struct align_soft *soft, int sentence)
{
    fprintf(stream, "%d ||| ", sentence);
    write_tokens(stream, soft->target, soft->rows);
    fprintf(stream, " ||| %.9g ||| ", soft->cost);
    write_tokens(stream, soft->source, soft->columns);
    fprintf(stream, " ||| %d %d\n", soft->columns, soft->rows);
    for (int t = 0; t < soft->rows; t++) {
        write_row(stream, soft, t, ' ');
        fputc('\n', stream);
    }
    fputc('\n', stream);
}

static bool write_soft(FILE *stream, enum alignment_layout layout,
                       const struct alignments *alignments, int i, struct status *status)
{
    struct align_soft soft;
    if (!alignments->soft(alignments->data, i, &soft, status))
        return false;
    if (layout == ALIGNMENT_MARIAN)
        put_marian(stream, &soft);
    else if (soft.rows)
        put_nematus(stream, &soft, i);
    align_soft_free(&soft);
    return true;
}

/* Returns false if `pace` stopped it, or if the weights could not be computed; `status` says which.
 * Write errors stay with the stream. */
static bool alignments_report(FILE *stream, enum alignment_layout layout,
                              const struct report *report, struct pace *pace, struct status *status)
{
    const struct alignments *alignments = find(report);
    for (int i = 0; alignments && i < alignments->count; i++) {
        if (!pace_step(pace, 1))
            return false;
        if (layout == ALIGNMENT_PHARAOH)
            fprintf(stream, "%s\n", alignments->links[i]);
        else if (!write_soft(stream, layout, alignments, i, status))
            return false;
    }
    return true;
}

static const char drawing_what[] = "drawing", writing[] = "writing";

/* The figure's share stays below 1 until it is drawn. */
static bool end_drawing(bool ok, struct status *status)
{
    struct status other;
    return watch_proceed(&progress_watch, drawing_what, 1, 1, ok ? status : &other) && ok;
}

static void take_notes(const struct provenance *provenance,
                       struct figure_note notes[PROVENANCE_MOST])
{
    for (int i = 0; i < provenance->count; i++)
        notes[i] = (struct figure_note){provenance->notes[i].key, provenance->notes[i].written};
}

static bool write_figure(FILE *stream, int kind, const struct exported *what, struct status *status)
{
    struct figure_form form;
    struct figure_note notes[PROVENANCE_MOST];
    struct drawing drawing;
    figure_form_make(&form, &what->session->settings.figure);
    form.style.watch = &progress_watch;
    form.style.missing = what->missing;
    take_notes(what->provenance, notes);
    if (!drawing_of_report(&drawing, what->view, &what->session->settings.figure, status))
        return false;
    bool ok = figure_write(&drawing.figure, &form.style, (enum figure_format)kind, notes,
                           what->provenance->count, stream, status);
    drawing_free(&drawing);
    return end_drawing(ok, status);
}

static bool write_table(FILE *stream, int kind, const struct exported *what, struct status *status)
{
    struct pace pace = pace_begin(writing, report_numbers(what->view), status);
    const bool comments = what->session->settings.exports.comments;
    const unsigned format = (unsigned)kind | (comments ? TABLE_COMMENTED : 0);
    if (comments)
        provenance_write(stream, what->provenance);
    return pace_end(&pace, table_report(stream, format, what->view, &pace));
}

static bool write_markup(FILE *stream, int kind, const struct exported *what, struct status *status)
{
    struct figure_note notes[PROVENANCE_MOST];
    struct pace pace = pace_begin(writing, report_numbers(what->view), status);
    const struct report *view = what->view;
    char *whole = NULL; // as in text, where the state stands beneath the title
    if (view->title && view->named_with &&
        asprintf(&whole, "%s, %s", view->title, view->named_with) < 0)
        return pace_end(&pace, status_no_memory(status));
    const char *title =
        figure_form_title(&what->session->settings.figure, whole ? whole : view->title);
    take_notes(what->provenance, notes);
    bool ok = markup_report(stream, (enum markup)kind, view, title, notes, what->provenance->count,
                            &pace, status);
    free(whole);
    return pace_end(&pace, ok);
}

static bool write_npy(FILE *stream, int kind, const struct exported *what, struct status *status)
{
    (void)kind;
    struct pace pace = pace_begin(writing, report_numbers(what->view), status);
    return pace_end(&pace, npy_report(stream, what->view, &pace, status));
}

static bool write_npz(FILE *stream, int kind, const struct exported *what, struct status *status)
{
    (void)kind;
    struct pace pace = pace_begin(writing, report_numbers(what->view), status);
    return pace_end(&pace, npz_report(stream, what->view, what->provenance, &pace, status));
}

/* Writes the view as --json prints it, with its provenance. */
static bool write_json(FILE *stream, int kind, const struct exported *what, struct status *status)
{
    (void)kind;
    struct pace pace = pace_begin(writing, report_numbers(what->view), status);
    struct json_writer json = {.stream = stream, .pace = &pace};
    put_object(&json);
    put_member_string(&json, "command", what->view->name);
    put_member_bool(&json, "ok", true);
    json_report(&json, what->view);
    put_key(&json, "provenance");
    put_provenance(&json, what->provenance);
    put_object_end(&json);
    fputc('\n', stream);
    return pace_end(&pace, true);
}

/* Other programs' formats have no place for provenance. */
static bool write_alignments(FILE *stream, int kind, const struct exported *what,
                             struct status *status)
{
    struct pace pace = pace_begin(writing, report_alignment_count(what->view), status);
    return pace_end(
        &pace, alignments_report(stream, (enum alignment_layout)kind, what->view, &pace, status));
}

const struct view_format view_formats[] = {
    {"png", report_drawable, write_figure, FIGURE_PNG},
    {"pdf", report_drawable, write_figure, FIGURE_PDF},
    {"svg", report_drawable, write_figure, FIGURE_SVG},
    {"csv", NULL, write_table, TABLE_CSV},
    {"tsv", NULL, write_table, TABLE_TSV},
    {"tex", report_has_typeset, write_markup, MARKUP_LATEX},
    {"md", report_has_typeset, write_markup, MARKUP_MARKDOWN},
    {"npy", report_has_array, write_npy, 0},
    {"npz", report_has_arrays, write_npz, 0},
    {"json", NULL, write_json, 0},
    {"pharaoh", report_has_alignments, write_alignments, ALIGNMENT_PHARAOH},
    {"marian", report_has_alignments, write_alignments, ALIGNMENT_MARIAN},
    {"nematus", report_has_alignments, write_alignments, ALIGNMENT_NEMATUS},
    {NULL, NULL, NULL, 0},
};

const char *export_extension(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot > name ? dot + 1 : "";
}

const struct view_format *view_format_find(const char *name)
{
    for (const struct view_format *one = view_formats; one->name; one++)
        if (strcasecmp(name, one->name) == 0)
            return one;
    return NULL;
}

bool view_format_of_heads(const struct view_format *format)
{
    return format->can != report_has_alignments;
}

/* Files ---------------------------------------------------------------------------------------- */

/* Opens the provenance of a view; the caller closes it with provenance_close. */
static bool open_provenance(struct provenance *provenance, const struct session *session,
                            const struct report *view, const char *command, struct status *status)
{
    char *line = NULL;
    if (asprintf(&line, ":%s", command) < 0)
        return status_no_memory(status);
    bool ok = provenance_of_report(provenance, session, view, line, status);
    free(line);
    return ok;
}

static bool write_form(FILE *stream, const struct view_format *format, const struct exported *what,
                       struct status *status)
{
    return format->write(stream, format->kind, what, status) && interrupt_check(status);
}

bool export_stream(const struct session *session, const struct view_format *format,
                   const struct report *view, const char *command, FILE *stream,
                   struct figure_missing *missing, struct status *status)
{
    struct provenance provenance;
    if (!open_provenance(&provenance, session, view, command, status))
        return false;
    const struct exported what = {session, view, &provenance, missing};
    bool ok = write_form(stream, format, &what, status);
    provenance_close(&provenance);
    return ok;
}

bool export_write(const struct session *session, const struct view_format *format,
                  const struct report *view, const char *command, const char *path,
                  struct figure_missing *missing, struct status *status)
{
    struct provenance provenance;
    struct new_file file;
    if (!open_provenance(&provenance, session, view, command, status))
        return false;
    const struct exported what = {session, view, &provenance, missing};
    bool ok = new_file_open(&file, path, status);
    if (ok) {
        ok = write_form(file.stream, format, &what, status);
        ok = new_file_close(&file, ok, status);
    }
    provenance_close(&provenance);
    return ok;
}

void report_missing(struct report *report, const struct figure_missing *missing)
{
    struct report_writer writer;
    FILE *out = missing->count ? report_write(&writer, report) : NULL;
    for (int i = 0; out && i < missing->count; i++)
        fprintf(out, "%sU+%04X", i ? ", " : "", missing->characters[i]);
    if (out)
        report_warn(report,
                    "no font has %s%s: the figure shows boxes with these numbers in their place; "
                    "install a font that has them",
                    report_written(&writer), missing->more ? " and others" : "");
}

/* Files that get their path later -------------------------------------------------------------- */

struct staged_file {
    struct new_file file;
    bool open;
};

static void discard(void *data)
{
    struct staged_file *staged = data;
    struct status status;
    if (staged->open)
        new_file_close(&staged->file, false, &status);
    staged->open = false;
}

struct new_file *export_file_open(struct report *report, const char *path, struct status *status)
{
    const char *kept = report_copy(report, path);
    struct staged_file *staged = report_hold(report, sizeof *staged, discard);
    if (!staged) {
        status_no_memory(status);
        return NULL;
    }
    staged->open = new_file_open(&staged->file, kept, status);
    return staged->open ? &staged->file : NULL;
}

bool export_file_place(struct report *report, struct status *status)
{
    struct staged_file *staged = report_held(report, discard);
    if (!staged || !staged->open)
        return true;
    staged->open = false;
    return new_file_close(&staged->file, true, status);
}
