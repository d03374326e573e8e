/* `:export FILE [VIEW]`: the current view, or another one, as a file; the extension says in what form.
 * `:export FOLDER/ all`: every head. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "model/net/quote.h"
#include "tui/arguments.h"
#include "tui/command.h"
#include "tui/export.h"
#include "tui/figures.h"
#include "tui/replace.h"
#include "tui/titles.h"

#define TENSORS "safetensors"

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
    const char *extension = export_extension(path);
    *format = NULL;
    if (strcasecmp(extension, TENSORS) == 0)
        return true;
    *format = view_format_find(extension);
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
    bool ok = replace_file(session, out->path, status) &&
              export_tensors(session, subject, out->path, &provenance, &out->tensors, status);
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

static bool check_form(const struct view_format *format, const struct result *view,
                       const char *path, struct status *status)
{
    return !format->can || format->can(view) ||
           status_fail(status, STATUS_INVALID,
                       "\"%s\": %s make no %s, expected a name that ends in .csv, .tsv or .json",
                       QUOTED(path), drawing_can(view) ? "scores" : "lists of texts", format->name);
}

static bool write_view(struct session *session, const struct request *request,
                       const struct view_format *format, struct export_result *out,
                       struct status *status)
{
    struct result view = {.kind = RESULT_NONE};
    bool ok =
        run_view(session, request, &view, status) && check_form(format, &view, out->path, status);
    if (ok) {
        out->view = view_command(&view, status);
        ok = out->view && replace_file(session, out->path, status) &&
             export_write(session, format, &view, out->view, out->path, status);
    }
    result_free(&view);
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
    if (!format)
        return status_fail(status, STATUS_INVALID, "\"%s\": expected a form of views, such as png",
                           QUOTED(name));
    if (!no_more_words(request, 3, status))
        return false;
    const struct subject *subject = session_subject(session, status);
    out->format = format->name;
    out->path = subject ? copy_text(words->text[0], status) : NULL;
    return out->path && export_heads(session, subject, format, out->path, &out->files, status);
}

static bool write_one(struct session *session, const struct request *request,
                      struct export_result *out, struct status *status)
{
    const struct view_format *format;
    const char *path = request->words.count ? request->words.text[0] : "";
    if (!choose_format(path, &format, status))
        return false;
    if (!format && request->words.count > 1)
        return status_fail(status, STATUS_INVALID,
                           "\"%s\": expected no view, ." TENSORS " holds everything captured",
                           QUOTED(request->words.text[1]));
    out->format = format ? format->name : TENSORS;
    out->path = copy_text(path, status);
    return out->path && (format ? write_view(session, request, format, out, status)
                                : write_tensors(session, request, out, status));
}

COMMAND(export)
{
    struct export_result *out = &result->exported;
    result->kind = RESULT_EXPORT;
    if (means_heads(request) ? write_heads(session, request, out, status)
                             : write_one(session, request, out, status))
        return true;
    result_free(result);
    return false;
}
