/* `:export FILE [VIEW]`: writes the current view, or another one, to a file; the extension selects
 * the format. `:export FOLDER/ all`: writes every head. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/text/quote.h"
#include "report/output/export.h"
#include "report/output/figures.h"
#include "session/replace.h"
#include "terminal/graphics.h"
#include "terminal/text/arguments.h"
#include "tui/command/command.h"

#define TENSORS "safetensors"

enum { PATH, ALL, FORMAT, VIEW };
static const struct argument arguments[] = {
    [PATH] = {"FILE|FOLDER/", .kind = ARGUMENT_FILE, .required = true,
              .expected = "FILE, a name that ends in .png, .pdf, .svg, .csv, .tsv, .tex, .md, "
                          ".npy, .npz, .json, .pharaoh, .marian, .nematus or .safetensors"},
    [ALL] = {.keyword = "all", .kind = ARGUMENT_FLAG, .needs = ARG(PATH), .anywhere = true},
    [FORMAT] = {"FORMAT", .kind = ARGUMENT_TEXT, .needs = ARG(ALL)},
    [VIEW] = {"VIEW", .kind = ARGUMENT_VIEW, .needs = ARG(PATH), .without = ARG(ALL)},
};

/* What was written, and where. */
struct export_result {
    const char *path, *format; // borrowed
    bool of_part;              // true: nothing was written, as the view is part of a study
    const char *view;          // the command that shows it; NULL: everything captured, or a folder
    int tensors;               // likewise
    int files;                 // of a folder; 0: one file was written
    struct figure_missing missing;
};

enum { FORMATS_BYTES = 160 };

/* Lists the formats that a view can have, ".csv, .tsv, .json", with `last` between the last two;
 * NULL: all formats. */
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

/* Finds the format that a path asks for: one of views, or (NULL) everything captured. */
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

/* Runs the view that the words from `first` on name; without words, the current one. */
static bool exported_view(struct session *session, const struct request *request, int first,
                          struct report *view, struct status *status)
{
    const struct strings *words = &request->words;
    if (words->count <= first && !session->shown)
        return status_fail(status, STATUS_INVALID,
                           "no view yet: show one first, or name it, as in %s attn cross",
                           first > 0 ? ":export FILE" : ":show");
    if (words->count <= first)
        return command_view(session, session->shown, view, status);
    // A view with its colon, or as one quoted word, is understood, too.
    const char *line =
        words->count == first + 1 ? words->text[first] : arguments_after(request->text, first);
    return command_view(session, *line == ':' ? line + 1 : line, view, status);
}

/* Everything captured -------------------------------------------------------------------------- */

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

/* A view --------------------------------------------------------------------------------------- */

static bool check_form(const struct view_format *format, const struct report *view,
                       const char *path, struct status *status)
{
    char list[FORMATS_BYTES];
    list_formats(view, " or ", list);
    return !format->can || format->can(view) ||
           status_fail(
               status, STATUS_INVALID,
               "\"%s\": this view cannot be written as .%s, expected a name that ends in %s",
               QUOTED(path), format->name, list);
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
    report_warnings(report, &view);
    report_free(&view);
    return ok;
}

/* All heads ------------------------------------------------------------------------------------ */

/* True for `FOLDER all [FORMAT]`: the path ends in a slash, or is an existing folder. */
static bool means_heads(const char *path)
{
    struct stat about;
    if (!*path)
        return false;
    return path[strlen(path) - 1] == '/' || (stat(path, &about) == 0 && S_ISDIR(about.st_mode));
}

static bool write_heads(struct session *session, const struct request *request,
                        struct export_result *out, struct status *status)
{
    if (!argument_given(request->given, ALL))
        return status_fail(status, STATUS_INVALID,
                           "%s: a folder, expected FOLDER all [FORMAT], or a file",
                           QUOTED_PATH(out->path));
    const char *format_name = argument_text(request->given, FORMAT);
    const char *name = format_name ? format_name : "png";
    const struct view_format *format = view_format_find(name);
    if (!format || !view_format_of_heads(format))
        return status_fail(status, STATUS_INVALID, "\"%s\": expected a form of views, such as png",
                           QUOTED(name));
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
    if (argument_given(request->given, ALL))
        return status_fail(status, STATUS_INVALID, "all: expected a folder before it, FOLDER/ all");
    if (!format && argument_given(request->given, VIEW))
        return status_fail(status, STATUS_INVALID,
                           "\"%s\": expected no view, ." TENSORS " holds everything captured",
                           QUOTED(argument_text(request->given, VIEW)));
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

static bool run_export(struct session *session, const struct request *request,
                       struct report *report, struct status *status)
{
    const char *path = argument_text(request->given, PATH);
    struct export_result out = {.path = path ? path : ""};
    if (!(means_heads(out.path) ? write_heads(session, request, &out, status)
                                : write_one(session, request, report, &out, status)))
        return false;
    report_written_file(report, &out);
    report_missing(report, &out.missing);
    return report_end(report, status);
}

static const struct help_item meanings[] = {
    {"VIEW", "a command that shows something, without its colon: attn cross layer 2"},
    {".png, .pdf, .svg",
     "a figure (settings figure.*). In pdf and svg, text stays text and cells stay rectangles"},
    {".csv, .tsv", "a table with labels; for heads, token and beside, a line for each weight. Both "
                   "quote cells as RFC 4180 says"},
    {".tex, .md",
     "a table as it is printed, for LaTeX (booktabs) and Markdown, with figure.title as its "
     "caption (auto: title, model and state) and the lines beneath it, in LaTeX as comments; of a "
     "matrix, its numbers. pdflatex, xelatex and lualatex compile it; pdflatex "
     "prints the code points of characters that it lacks, such as Chinese ones. After :set "
     "figure.kind "
     "table png, pdf and svg of scores show it, too"},
    {".npy",
     "only the numbers, rows by columns; for heads, layers by heads by rows by columns; for "
     "token, directions by layers by heads by positions; for beside, the matrices a, b and b - "
     "a, if their tokens are the same. Gates that are missing are NaN"},
    {".npz",
     "the same arrays with names (weights, gates, from, to, a, b, difference), their labels "
     "(rows, columns, layers, heads) and how they were made (provenance, JSON as bytes); of tables "
     "an "
     "array for each column"},
    {".json", "the output of --json"},
    {".pharaoh, .marian, .nematus", "word alignments of files (:align SRC TGT)"},
    {".safetensors",
     "without VIEW, all that the model computes for the current sentence: MODULE.I.weights "
     "(heads, rows, columns), MODULE.I.importance, MODULE.I.gate_q and gate_k, encoder.output, "
     "logprobs. MODULE is encoder, decoder or cross; I counts layers from 0"},
    {"FOLDER/ all", "every head of the current sentence as a file in FOLDER, named by module, "
                    "layer and head. FOLDER is "
                    "made if it is missing. FORMAT is png (the default), pdf, svg, csv, tsv, tex, "
                    "md, npy, npz or json"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "Figures, tex, md, npz and json record how they were made; csv and tsv do with :set "
    "export.comments on. Control characters have stand-ins. Spreadsheets take a cell of csv or tsv "
    "that begins with = + - or @ for a formula: import such columns as text.",
    "An existing file is replaced only when the new one is complete. The prompt asks before; "
    "with the option --no-clobber no file is replaced. If the program is killed while it writes, "
    "the old file stays. The new file has the permissions of the old one.",
    NULL,
};

const struct command command_export = {
    .name = "export",
    .summary = "write the current view, or VIEW, as a figure or data; or every head",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .notes = notes,
    .examples = (const char *const[]){STARS, ":export stars.pdf attn cross 2.7 word",
                                      ":export heads.npz heads enc", NULL},
    .run = run_export,
    .group = GROUP_VIEWS,
};

/* `:show` -------------------------------------------------------------------------------------- */

enum { SHOWN_VIEW };
static const struct argument of_show[] = {
    [SHOWN_VIEW] = {"VIEW", .kind = ARGUMENT_VIEW},
};

/* Draws the PNG, which the report keeps. */
static bool draw_png(const struct session *session, const struct report *view,
                     struct report *report, struct status *status)
{
    char *png = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&png, &bytes);
    if (!stream)
        return status_no_memory(status);
    struct figure_missing missing = {.count = 0};
    bool ok = export_stream(session, view_format_find("png"), view, view->command, stream, &missing,
                            status);
    report_missing(report, &missing);
    if (fclose(stream) != 0 && ok)
        ok = status_no_memory(status);
    report_keep(report, png, free);
    if (ok)
        report->picture = (struct terminal_picture){png, bytes, session->settings.graphics};
    return ok;
}

static bool run_show(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    struct report view = {0};
    if (!isatty(STDOUT_FILENO))
        return status_fail(status, STATUS_INVALID,
                           "standard output is not a terminal: `:export FILE.png` "
                           "writes the picture to a file");
    if (session->settings.graphics == GRAPHICS_OFF)
        return status_fail(status, STATUS_INVALID,
                           "graphics is off, expected another setting: `:set graphics auto` asks "
                           "the terminal");
    bool ok = exported_view(session, request, 0, &view, status) &&
              (report_drawable(&view) || status_fail(status, STATUS_INVALID, "%s has no picture",
                                                     view.command ? view.command : "the view")) &&
              draw_png(session, &view, report, status);
    report_warnings(report, &view);
    report_free(&view);
    return ok && report_end(report, status);
}

static const struct help_item meanings_of_show[] = {
    {"VIEW", "as for :export; without it, the current view"},
    {NULL, NULL},
};
static const char *const notes_of_show[] = {
    "Any key returns to the screen.",
    "The terminal is asked what it can show: kitty's protocol or iTerm2's inline images, which "
    "get the PNG as it is, sixel graphics, or half blocks where it has none of these; `:set "
    "graphics` chooses one. A picture that is larger than the window is shown smaller.",
    "Inside tmux, sequences pass through to the terminal around it: write set -g "
    "allow-passthrough on into ~/.tmux.conf (tmux 3.3 or newer).",
    NULL,
};

const struct command command_show = {
    .name = "show",
    .summary = "draw the picture that :export would write, on the terminal",
    .arguments = ARGUMENT_LIST(of_show),
    .meanings = meanings_of_show,
    .notes = notes_of_show,
    .examples =
        (const char *const[]){STARS, ":show attn cross 2.7 word", ":show heads cross", NULL},
    .run = run_show,
    .group = GROUP_VIEWS,
};
