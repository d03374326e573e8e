/* `:show [VIEW]`: the picture that :export would write, on the terminal itself. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tui/command/command.h"
#include "tui/command/exported_view.h"
#include "tui/output/export.h"
#include "tui/output/figures.h"
#include "tui/terminal/graphics.h"

enum { VIEW };
static const struct argument arguments[] = {
    [VIEW] = {"VIEW", .kind = ARGUMENT_VIEW},
};

/* The PNG is the report's. */
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
    report_free(&view);
    return ok && report_end(report, status);
}

static const struct help_item meanings[] = {
    {"VIEW", "as for :export; without it, the current view"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "Any key returns to the screen.",
    "The terminal is asked what it can show: kitty's protocol or iTerm2's inline images, which "
    "get the PNG as it is, sixel graphics, or half blocks where it has none of these; `:set "
    "graphics` chooses one. A picture that is larger than the window is shown smaller.",
    "Inside tmux, sequences pass through to the terminal around it: write set -g "
    "allow-passthrough on into ~/.tmux.conf (tmux 3.3 or newer).",
    NULL,
};
static const struct help help = {.arguments = meanings, .notes = notes};

const struct command command_show = {
    .name = "show",
    .summary = "draw the picture that :export would write, on the terminal",
    .arguments = ARGUMENT_LIST(arguments),
    .help = &help,
    .examples =
        (const char *const[]){STARS, ":show attn cross 2.7 word", ":show heads cross", NULL},
    .run = run_show,
    .group = GROUP_VIEWS,
};
