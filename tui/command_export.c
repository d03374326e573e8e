/* `:export FILE [VIEW]`: the current view, or another one, as a file; the extension says in what form. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/net/new_file.h"
#include "model/net/quote.h"
#include "tui/arguments.h"
#include "tui/command.h"
#include "tui/export.h"
#include "tui/interrupt.h"
#include "tui/titles.h"

#define TENSORS "safetensors"

/* What stands after the last dot of a file's name; "" where there is none. */
static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot > name ? dot + 1 : "";
}

static bool fail_format(const char *path, struct status *status)
{
    char list[100] = "";
    for (const struct view_format *one = view_formats; one->name; one++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s.%s", used ? ", " : "", one->name);
    }
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
    const char *extension = extension_of(path);
    *format = NULL;
    if (strcasecmp(extension, TENSORS) == 0)
        return true;
    for (const struct view_format *one = view_formats; one->name; one++)
        if (strcasecmp(extension, one->name) == 0)
            *format = one;
    return *format || fail_format(path, status);
}

/* Everything captured ---------------------------------------------------------------------------- */

static bool write_tensors(struct session *session, const struct request *request,
                          struct export_result *out, struct status *status)
{
    struct provenance provenance;
    const struct subject *subject = session_subject(session, status);
    if (!subject || !provenance_open(&provenance, session, subject, request->line, status))
        return false;
    bool ok = export_tensors(session, subject, out->path, &provenance, &out->tensors, status);
    provenance_close(&provenance);
    return ok;
}

/* A view ----------------------------------------------------------------------------------------- */

/* Runs the view of the command's words, or the current one. */
static bool run_view(struct session *session, const struct request *request, struct result *view,
                     struct status *status)
{
    char *line = NULL;
    size_t size;
    if (request->words.count == 1 && !session->shown)
        return status_fail(
            status, STATUS_INVALID,
            "no view yet: show one first, or name it, as in :export FILE attn cross");
    if (request->words.count == 1)
        return command_view(session, session->shown, view, status);
    FILE *out = open_memstream(&line, &size);
    for (int i = 1; out && i < request->words.count; i++) {
        const char *word = request->words.text[i];
        if (i > 1) {
            fputc(' ', out);
            arguments_quote(out, word);
        } else {
            // Understood as well: with its colon, and all of it as one quoted word.
            fputs(*word == ':' ? word + 1 : word, out);
        }
    }
    if (!out || fclose(out) != 0)
        return status_fail(status, STATUS_MEMORY, "out of memory");
    bool ok = command_view(session, line, view, status);
    free(line);
    return ok;
}

static bool describe_view(struct provenance *provenance, const struct session *session,
                          const struct result *view, const char *command, struct status *status)
{
    if (view->kind == RESULT_BESIDE)
        return provenance_open_beside(provenance, session, &view->beside, command, status);
    // Averages over a file are of no sentence.
    const struct subject *subject = view->kind == RESULT_GATE_GROUPS ? NULL : session->subject;
    return provenance_open(provenance, session, subject, command, status);
}

static bool write_file(const struct session *session, const struct view_format *format,
                       const struct result *view, const struct export_result *out,
                       struct status *status)
{
    struct provenance provenance;
    struct new_file file;
    char *command = NULL;
    if (asprintf(&command, ":%s", out->view) < 0)
        return status_fail(status, STATUS_MEMORY, "out of memory");
    bool ok = describe_view(&provenance, session, view, command, status);
    free(command);
    if (!ok)
        return false;
    ok = new_file_open(&file, out->path, status);
    if (ok) {
        ok = format->write(file.stream, session, view, &provenance, status) &&
             interrupt_check(status);
        ok = new_file_close(&file, ok, status);
    }
    provenance_close(&provenance);
    return ok;
}

static bool write_view(struct session *session, const struct request *request,
                       const struct view_format *format, struct export_result *out,
                       struct status *status)
{
    struct result view = {.kind = RESULT_NONE};
    bool ok = run_view(session, request, &view, status);
    if (ok) {
        out->view = view_command(&view, status);
        ok = out->view && write_file(session, format, &view, out, status);
    }
    result_free(&view);
    return ok;
}

COMMAND(export)
{
    const struct view_format *format;
    const char *path = request->words.count ? request->words.text[0] : "";
    if (!choose_format(path, &format, status))
        return false;
    if (!format && request->words.count > 1)
        return status_fail(status, STATUS_INVALID,
                           "\"%s\": expected no view, ." TENSORS " holds everything captured",
                           QUOTED(request->words.text[1]));
    struct export_result *out = &result->exported;
    result->kind = RESULT_EXPORT;
    out->format = format ? format->name : TENSORS;
    out->path = copy_text(path, status);
    if (out->path && (format ? write_view(session, request, format, out, status)
                             : write_tensors(session, request, out, status)))
        return true;
    result_free(result);
    return false;
}
