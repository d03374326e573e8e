#include "tui/program/show_picture.h"

#include "tui/terminal/graphics.h"
#include "tui/terminal/terminal.h"

bool picture_possible(const struct sink *sink, const struct report *report, struct status *status)
{
    if (!report->picture.png)
        return true;
    if (sink->kind != &plain_sink)
        return status_fail(status, STATUS_INVALID,
                           "JSON holds no picture: `:export FILE.png` writes it to a file");
    return sink->stream == stdout ||
           status_fail(status, STATUS_INVALID,
                       "the full screen shows no pictures of scripts: type the command instead");
}

bool show_picture(const struct report *report, struct status *status)
{
    const struct terminal_picture *picture = &report->picture;
    struct graphics_terminal terminal;
    if (!picture->png)
        return true;
    fflush(stdout);
    terminal_guard();
    terminal_change(true, false);
    graphics_ask(picture->graphics, &terminal);
    terminal_change(false, false);
    int rows = terminal.rows > 1 ? terminal.rows - 1 : 1;
    return graphics_write(&terminal, rows, picture->png, picture->bytes, stdout, status);
}
