/* `:export FILE [VIEW]`: the current view, or another one, as a file; the extension says in what form.
 * `:export FOLDER/ all`: every head. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/command/exported_view.h"
#include "tui/output/export.h"
#include "tui/output/figures.h"
#include "tui/session/replace.h"
#include "tui/text/arguments.h"

#define TENSORS "safetensors"

/* What was written. */
struct export_result {
    const char *path, *format; // borrowed
    bool of_part;              // nothing was: the view is a part of a study
    const char *view;          // the command that shows it; NULL: everything captured, or a folder
    int tensors;               // likewise
    int files;                 // of a folder; 0: one file was written
    struct figure_missing missing;
};

enum { FORMATS_BYTES = 160 };

/* ".csv, .tsv, .json": the forms that a view can have; NULL: all there are. Between the last two stands `last`. */
static void list_formats(const struct report *view, const char *last, char list[FORMATS_BYTES])
{
    size_t used = 0;
    const char *before = NULL;
    for (const struct view_format *one = view_formats; one->name; one++) {
        if (view && one->can && !one->can(view))
            continue;
        if (before)
            used += (size_t)snprintf(list + used, FORMATS_BYTES - used, "%s.%s", used ? ", " : "",
                                     before);
        before = one->name;
    }
    snprintf(list + used, FORMATS_BYTES - used, "%s.%s", used ? last : "", before);
}

static bool fail_format(const char *path, struct status *status)
{
    char list[FORMATS_BYTES];
    list_formats(NULL, ", ", list);
    if (!*path)
        return status_fail(status, STATUS_INVALID, "expected FILE, a name that ends in %s or .%s",
                           list, TENSORS);
    return status_fail(status, STATUS_INVALID, "\"%s\": expected a name that ends in %s or .%s",
                       QUOTED(path), list, TENSORS);
}

/* The form that a path asks for: one of views, or (NULL) everything captured. */
static bool choose_format(const char *path, const struct view_format **format,
                          struct status *status)
{
    const char *extension = export_extension(path);
    *format = NULL;
    if (strcasecmp(extension, TENSORS) == 0)
        return true;
    *format = view_format_find(extension);
    return *format || fail_format(path, status);
}

/* Everything captured ---------------------------------------------------------------------------- */

static bool write_tensors(struct session *session, const struct request *request,
                          struct report *report, struct export_result *out, struct status *status)
{
    struct provenance provenance;
    const struct sentence_pair *pair = session_current(session, status);
    if (!pair || !provenance_open(&provenance, session, pair, request->line, status))
        return false;
    struct new_file *file = replace_file(session, out->path, status)
                                ? export_file_open(report, out->path, status)
                                : NULL;
    bool ok = file && new_file_flush(file,
                                     export_tensors(session, pair, file->stream, &provenance,
                                                    &out->tensors, status),
                                     status);
    provenance_close(&provenance);
    return ok;
}

/* A view ----------------------------------------------------------------------------------------- */

static bool check_form(const struct view_format *format, const struct report *view,
                       const char *path, struct status *status)
{
    char list[FORMATS_BYTES];
    list_formats(view, " or ", list);
    return !format->can || format->can(view) ||
           status_fail(status, STATUS_INVALID,
                       "\"%s\": %s make no %s, expected a name that ends in %s", QUOTED(path),
                       report_drawable(view) ? "scores" : "lists of texts", format->name, list);
}

static bool write_whole(struct session *session, const struct view_format *format,
                        const struct report *view, struct report *report, struct export_result *out,
                        struct status *status)
{
    struct new_file *file =
        check_form(format, view, out->path, status) && replace_file(session, out->path, status)
            ? export_file_open(report, out->path, status)
            : NULL;
    return file && new_file_flush(file,
                                  export_stream(session, format, view, view->command, file->stream,
                                                &out->missing, status),
                                  status);
}

static bool write_view(struct session *session, const struct request *request,
                       const struct view_format *format, struct report *report,
                       struct export_result *out, struct status *status)
{
    struct report view = {0};
    bool ok = exported_view(session, request, 1, &view, status);
    out->of_part = ok && view.of_part;
    if (ok && !out->of_part)
        ok = write_whole(session, format, &view, report, out, status);
    out->view = report_copy(report, view.command);
    report_free(&view);
    return ok;
}

/* All heads ---------------------------------------------------------------------------------------- */

/* `FOLDER all [FORMAT]`; the folder ends in a slash, or is there. */
static bool means_heads(const struct request *request)
{
    const struct pieces *words = &request->words;
    struct stat about;
    if (words->count == 0 || !*words->text[0])
        return false;
    const char *path = words->text[0];
    return path[strlen(path) - 1] == '/' || (stat(path, &about) == 0 && S_ISDIR(about.st_mode));
}

static bool write_heads(struct session *session, const struct request *request,
                        struct export_result *out, struct status *status)
{
    const struct pieces *words = &request->words;
    if (words->count < 2 || strcmp(words->text[1], "all") != 0)
        return status_fail(status, STATUS_INVALID,
                           "%s: a folder, expected FOLDER all [FORMAT], or a file",
                           QUOTED_PATH(words->text[0]));
    const char *name = words->count > 2 ? words->text[2] : "png";
    const struct view_format *format = view_format_find(name);
    if (!format || !view_format_of_heads(format))
        return status_fail(status, STATUS_INVALID, "\"%s\": expected a form of views, such as png",
                           QUOTED(name));
    if (!no_more_words(request, 3, status))
        return false;
    const struct sentence_pair *pair = session_current(session, status);
    out->format = format->name;
    return pair &&
           export_heads(session, pair, format, out->path, &out->files, &out->missing, status);
}

static bool write_one(struct session *session, const struct request *request, struct report *report,
                      struct export_result *out, struct status *status)
{
    const struct view_format *format;
    if (!choose_format(out->path, &format, status))
        return false;
    if (!format && request->words.count > 1)
        return status_fail(status, STATUS_INVALID,
                           "\"%s\": expected no view, ." TENSORS " holds everything captured",
                           QUOTED(request->words.text[1]));
    out->format = format ? format->name : TENSORS;
    return format ? write_view(session, request, format, report, out, status)
                  : write_tensors(session, request, report, out, status);
}

static void report_written_file(struct report *report, const struct export_result *out)
{
    unsigned in = FOR_PEOPLE | IF_WATCHED;
    report_json(report, "file", value_text(report_copy(report, out->path)));
    report_json(report, "format", value_text(out->format));
    if (out->of_part) {
        report_json(report, "written", value_bool(false));
        report_line(report, FOR_PEOPLE, "%s is not written: the merge of the parts will write it",
                    out->path);
    } else if (out->view) {
        report_json(report, "view", value_text(out->view));
        report_line(report, in, "wrote %s: %s", out->path, out->view);
    } else if (out->files) {
        report_json(report, "files", value_int(out->files));
        report_line(report, in, "wrote %s: %d files", out->path, out->files);
    } else {
        report_json(report, "tensors", value_int(out->tensors));
        report_line(report, in, "wrote %s: %d tensors", out->path, out->tensors);
    }
}

COMMAND(export)
{
    const char *path = request->words.count ? request->words.text[0] : "";
    struct export_result out = {.path = path};
    if (!(means_heads(request) ? write_heads(session, request, &out, status)
                               : write_one(session, request, report, &out, status)))
        return false;
    report_written_file(report, &out);
    report_missing(report, &out.missing);
    return report_end(report, status);
}
