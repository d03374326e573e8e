/* Views in the forms that they can be written in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/formats/new_file.h"
#include "render/figure.h"
#include "tui/output/export.h"
#include "tui/output/figure_form.h"
#include "tui/output/figures.h"
#include "tui/output/report_alignments.h"
#include "tui/output/report_arrays.h"
#include "tui/output/report_json.h"
#include "tui/output/report_table.h"
#include "tui/output/typeset/markup.h"
#include "tui/output/typeset/typeset.h"
#include "tui/report/view.h"
#include "tui/terminal/interrupt.h"
#include "tui/terminal/progress.h"

static const char drawing_what[] = "drawing", writing[] = "writing";

/* The figure's share is less than 1 until it is drawn. */
static bool end_drawing(bool ok, struct status *status)
{
    struct status other;
    return watch_proceed(&progress_watch, drawing_what, 1, 1, ok ? status : &other) && ok;
}

static void take_notes(const struct provenance *provenance,
                       struct figure_note notes[PROVENANCE_MOST])
{
    for (int i = 0; i < provenance->count; i++)
        notes[i] = (struct figure_note){provenance->notes[i].key, provenance->notes[i].text};
}

static bool write_figure(FILE *stream, enum figure_format format, const struct exported *what,
                         struct status *status)
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
    bool ok = figure_write(&drawing.figure, &form.style, format, notes, what->provenance->count,
                           stream, status);
    drawing_free(&drawing);
    return end_drawing(ok, status);
}

static bool write_png(FILE *stream, const struct exported *what, struct status *status)
{
    return write_figure(stream, FIGURE_PNG, what, status);
}

static bool write_pdf(FILE *stream, const struct exported *what, struct status *status)
{
    return write_figure(stream, FIGURE_PDF, what, status);
}

static bool write_svg(FILE *stream, const struct exported *what, struct status *status)
{
    return write_figure(stream, FIGURE_SVG, what, status);
}

static bool write_table(FILE *stream, enum table_format format, const struct exported *what,
                        struct status *status)
{
    struct pace pace = pace_begin(writing, report_numbers(what->view), status);
    if (what->session->settings.exports.comments)
        provenance_write(stream, what->provenance);
    return pace_end(&pace, table_report(stream, format, what->view, &pace));
}

static bool write_csv(FILE *stream, const struct exported *what, struct status *status)
{
    return write_table(stream, TABLE_CSV, what, status);
}

static bool write_tsv(FILE *stream, const struct exported *what, struct status *status)
{
    return write_table(stream, TABLE_TSV, what, status);
}

static bool write_markup(FILE *stream, enum markup markup, const struct exported *what,
                         struct status *status)
{
    struct figure_note notes[PROVENANCE_MOST];
    struct pace pace = pace_begin(writing, report_numbers(what->view), status);
    const char *title = figure_form_title(&what->session->settings.figure, what->view->title);
    take_notes(what->provenance, notes);
    return pace_end(&pace, markup_report(stream, markup, what->view, title, notes,
                                         what->provenance->count, &pace, status));
}

static bool write_tex(FILE *stream, const struct exported *what, struct status *status)
{
    return write_markup(stream, MARKUP_LATEX, what, status);
}

static bool write_md(FILE *stream, const struct exported *what, struct status *status)
{
    return write_markup(stream, MARKUP_MARKDOWN, what, status);
}

static bool write_npy(FILE *stream, const struct exported *what, struct status *status)
{
    struct pace pace = pace_begin(writing, report_numbers(what->view), status);
    return pace_end(&pace, npy_report(stream, what->view, &pace, status));
}

static bool write_npz(FILE *stream, const struct exported *what, struct status *status)
{
    struct pace pace = pace_begin(writing, report_numbers(what->view), status);
    return pace_end(&pace, npz_report(stream, what->view, what->provenance, &pace, status));
}

/* What --json prints for the view's command, and how it was made. */
static bool write_json(FILE *stream, const struct exported *what, struct status *status)
{
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

/* Other programs read these: there is no place to say how they were made. */
static bool write_alignments(FILE *stream, enum alignment_layout layout, const struct report *view,
                             struct status *status)
{
    struct pace pace = pace_begin(writing, report_alignment_count(view), status);
    return pace_end(&pace, alignments_report(stream, layout, view, &pace, status));
}

static bool write_pharaoh(FILE *stream, const struct exported *what, struct status *status)
{
    return write_alignments(stream, ALIGNMENT_PHARAOH, what->view, status);
}

static bool write_marian(FILE *stream, const struct exported *what, struct status *status)
{
    return write_alignments(stream, ALIGNMENT_MARIAN, what->view, status);
}

static bool write_nematus(FILE *stream, const struct exported *what, struct status *status)
{
    return write_alignments(stream, ALIGNMENT_NEMATUS, what->view, status);
}

const struct view_format view_formats[] = {
    {"png", report_drawable, write_png},
    {"pdf", report_drawable, write_pdf},
    {"svg", report_drawable, write_svg},
    {"csv", NULL, write_csv},
    {"tsv", NULL, write_tsv},
    {"tex", report_has_typeset, write_tex},
    {"md", report_has_typeset, write_md},
    {"npy", report_has_array, write_npy},
    {"npz", report_has_arrays, write_npz},
    {"json", NULL, write_json},
    {"pharaoh", report_has_alignments, write_pharaoh},
    {"marian", report_has_alignments, write_marian},
    {"nematus", report_has_alignments, write_nematus},
    {NULL, NULL, NULL},
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

/* Files ------------------------------------------------------------------------------------------ */

/* How a view was made, closed with provenance_close. */
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
    return format->write(stream, what, status) && interrupt_check(status);
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
