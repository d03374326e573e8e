/* Views in the forms that they can be written in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/net/new_file.h"
#include "render/figure.h"
#include "tui/export.h"
#include "tui/figure_form.h"
#include "tui/figures.h"
#include "tui/interrupt.h"
#include "tui/json.h"
#include "tui/npz.h"
#include "tui/progress.h"
#include "tui/tables.h"
#include "tui/titles.h"

static const char drawing_what[] = "drawing", writing[] = "writing";

static bool proceed_drawing(void *unused, double share)
{
    (void)unused;
    return progress_watcher.proceed(drawing_what, share, 1);
}

/* The figure's share is less than 1 until it is drawn. */
static bool end_drawing(bool ok, struct status *status)
{
    struct status other;
    return watch_proceed(&progress_watcher, drawing_what, 1, 1, ok ? status : &other) && ok;
}

static bool write_figure(FILE *stream, enum figure_format format, const struct session *session,
                         const struct result *view, const struct provenance *provenance,
                         struct status *status)
{
    struct figure_form form;
    struct figure_note notes[PROVENANCE_MOST];
    struct drawing drawing;
    static const struct figure_watch watch = {proceed_drawing, NULL};
    figure_form_make(&form, &session->settings.figure);
    form.style.watch = &watch;
    for (int i = 0; i < provenance->count; i++)
        notes[i] = (struct figure_note){provenance->notes[i].key, provenance->notes[i].text};
    if (!drawing_make(&drawing, session, view, status))
        return false;
    bool ok = figure_write(&drawing.figure, &form.style, format, notes, provenance->count, stream,
                           status);
    drawing_free(&drawing);
    return end_drawing(ok, status);
}

static bool write_png(FILE *stream, const struct session *session, const struct result *view,
                      const struct provenance *provenance, struct status *status)
{
    return write_figure(stream, FIGURE_PNG, session, view, provenance, status);
}

static bool write_pdf(FILE *stream, const struct session *session, const struct result *view,
                      const struct provenance *provenance, struct status *status)
{
    return write_figure(stream, FIGURE_PDF, session, view, provenance, status);
}

static bool write_svg(FILE *stream, const struct session *session, const struct result *view,
                      const struct provenance *provenance, struct status *status)
{
    return write_figure(stream, FIGURE_SVG, session, view, provenance, status);
}

static bool write_table(FILE *stream, enum table_format format, const struct session *session,
                        const struct result *view, const struct provenance *provenance,
                        struct status *status)
{
    struct pace pace = pace_begin(writing, view_numbers(view), status);
    if (session->settings.exports.comments)
        provenance_write(stream, provenance);
    return pace_end(&pace, table_write(stream, format, view, &pace, status));
}

static bool write_csv(FILE *stream, const struct session *session, const struct result *view,
                      const struct provenance *provenance, struct status *status)
{
    return write_table(stream, TABLE_CSV, session, view, provenance, status);
}

static bool write_tsv(FILE *stream, const struct session *session, const struct result *view,
                      const struct provenance *provenance, struct status *status)
{
    return write_table(stream, TABLE_TSV, session, view, provenance, status);
}

static bool write_npy(FILE *stream, const struct session *session, const struct result *view,
                      const struct provenance *provenance, struct status *status)
{
    (void)session;
    (void)provenance;
    struct pace pace = pace_begin(writing, view_numbers(view), status);
    return pace_end(&pace, array_write(stream, view, &pace, status));
}

static bool write_npz(FILE *stream, const struct session *session, const struct result *view,
                      const struct provenance *provenance, struct status *status)
{
    (void)session;
    struct pace pace = pace_begin(writing, view_numbers(view), status);
    return pace_end(&pace, npz_write(stream, view, provenance, &pace, status));
}

/* What --json prints for the view's command, and how it was made. */
static bool write_json(FILE *stream, const struct session *session, const struct result *view,
                       const struct provenance *provenance, struct status *status)
{
    struct pace pace = pace_begin(writing, view_numbers(view), status);
    struct json_writer json = {.stream = stream, .pace = &pace};
    put_object(&json);
    json_result(&json, session, view_name(view), view);
    put_key(&json, "provenance");
    put_provenance(&json, provenance);
    put_object_end(&json);
    fputc('\n', stream);
    return pace_end(&pace, true);
}

static bool is_array(const struct result *view)
{
    return !result_is_scores(view);
}

const struct view_format view_formats[] = {
    {"png", drawing_can, write_png},
    {"pdf", drawing_can, write_pdf},
    {"svg", drawing_can, write_svg},
    {"csv", NULL, write_csv},
    {"tsv", NULL, write_tsv},
    {"npy", is_array, write_npy},
    {"npz", is_array, write_npz},
    {"json", NULL, write_json},
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

/* Files ------------------------------------------------------------------------------------------ */

static bool describe_view(struct provenance *provenance, const struct session *session,
                          const struct result *view, const char *command, struct status *status)
{
    if (view->kind == RESULT_BESIDE)
        return provenance_open_beside(provenance, session, &view->beside, command, status);
    if (result_is_study(view))
        return provenance_open_study(provenance, session, &view->study.request, command, status);
    if (result_is_across(view))
        return provenance_open_across(provenance, session, &view->across, command, status);
    if (view->kind == RESULT_CONTRAST)
        return provenance_open_contrast(provenance, session, NULL, view->contrast.run, command,
                                        status);
    if (view->kind == RESULT_CONTRAST_ABLATE)
        return provenance_open_contrast(provenance, session, NULL, view->contrast_ablate.run,
                                        command, status);
    if (view->kind == RESULT_FLIPS)
        return provenance_open_contrast(provenance, session, view->flips.runs[0],
                                        view->flips.runs[1], command, status);
    static const struct study_request of_one_state = {.systems = 1};
    if (result_is_scores(view))
        return provenance_open_study(provenance, session, &of_one_state, command, status);
    // Averages over a file are of no sentence.
    const struct subject *subject = view->kind == RESULT_GATE_GROUPS ? NULL : session->subject;
    return provenance_open(provenance, session, subject, command, status);
}

bool export_write(const struct session *session, const struct view_format *format,
                  const struct result *view, const char *command, const char *path,
                  struct status *status)
{
    struct provenance provenance;
    struct new_file file;
    char *line = NULL;
    if (asprintf(&line, ":%s", command) < 0)
        return status_fail(status, STATUS_MEMORY, "out of memory");
    bool ok = describe_view(&provenance, session, view, line, status);
    free(line);
    if (!ok)
        return false;
    ok = new_file_open(&file, path, status);
    if (ok) {
        ok = format->write(file.stream, session, view, &provenance, status) &&
             interrupt_check(status);
        ok = new_file_close(&file, ok, status);
    }
    provenance_close(&provenance);
    return ok;
}
