#include "tui/screen/draw/draw.h"

#include <stdio.h>
#include <string.h>

#include "tui/screen/draw/describe.h"
#include "tui/screen/draw/draw_keys.h"
#include "tui/screen/draw/draw_sentence.h"
#include "tui/screen/draw/put.h"
#include "tui/screen/draw/side.h"
#include "tui/screen/line/line.h"
#include "tui/terminal/progress.h"
#include "tui/text/display.h"

static const struct style normal = {.ink = INK_NORMAL}, faint = {.ink = INK_FAINT},
                          strong = {.ink = INK_STRONG}, accent = {.ink = INK_ACCENT},
                          warn = {.ink = INK_WARN};

/* The lines above and below the view are heavy while it has the focus. */
static void draw_line(struct screen *screen, struct area area)
{
    bool heavy = screen->typing == TYPING_NOTHING;
    const char *sign = heavy ? style_text(&screen->style, "\xe2\x94\x81", "=")
                             : style_text(&screen->style, "\xe2\x94\x80", "-");
    if (area.rows)
        canvas_repeat(&screen->canvas, area.row, area.column, area.columns, faint, sign);
}

/* The view ------------------------------------------------------------------------------------------ */

/* How much of a text or table is visible: "12-40 of 120". */
static void write_extent(const struct screen *screen, char *text, size_t size)
{
    const struct frame *frame = screen->frame;
    int rows = screen->layout.view.rows, first = screen->cursors.page.top,
        count = frame->page.count;
    if (frame->kind == FRAME_SHEET)
        snprintf(text, size, "%d of %d", sheet_place(&frame->sheet, &screen->cursors.sheet),
                 frame->sheet.row_count);
    else if (frame->kind == FRAME_PAGE)
        snprintf(text, size, "%d-%d of %d", first + 1, first + rows < count ? first + rows : count,
                 count);
    else
        *text = '\0';
}

/* The scale of a picture where there is no side panel to show it: at the right of the title, or where that is too
 * long, of the line below the view. False: it does not fit behind the first `used` columns of the area. */
static bool draw_scale(struct screen *screen, struct area area, int used)
{
    enum { SCALE_COLUMNS = 26, SCALE_LEAST = 18 };
    int room = area.columns - used - 3;
    int columns = room < SCALE_COLUMNS ? room : SCALE_COLUMNS;
    if (screen->frame->kind != FRAME_PICTURE || screen->layout.side.rows || columns < SCALE_LEAST)
        return false;
    picture_legend(&screen->frame->picture, &screen->style, &screen->canvas, area.row,
                   area.column + area.columns - 1 - columns, columns, screen_cursor(screen));
    return true;
}

/* Whether the scale is drawn there. */
static bool draw_title(struct screen *screen, struct area area)
{
    char extent[60];
    int width = 0;
    if (!area.rows)
        return false;
    write_extent(screen, extent, sizeof extent);
    int end = put_right(screen, area.row, area.column + area.columns - 1, area.columns / 2, faint,
                        extent);
    if (screen->frame->title)
        width = put_wrapped(
            screen, (struct area){area.row, area.column + 1, area.rows, end - area.column - 2},
            accent, screen->frame->title);
    return draw_scale(screen, area, width);
}

static void draw_welcome(struct screen *screen, struct area area)
{
    static const char *const lines[] = {"Type a sentence to translate it.",
                                        "Tab completes, :help lists the commands.",
                                        "Esc goes to the view, where ? lists the keys."};
    for (int i = 0; i < 3 && i + 1 < area.rows; i++)
        canvas_put(&screen->canvas, area.row + 1 + i, area.column + 2, area.columns - 3, normal,
                   lines[i]);
}

static void draw_view(struct screen *screen)
{
    struct area area = screen->layout.view;
    const struct frame *frame = screen->frame;
    bool chosen = screen->typing == TYPING_NOTHING;
    switch (frame->kind) {
    case FRAME_PICTURE:
        picture_draw(&frame->picture, &screen->style, &screen->canvas, area, screen_cursor(screen),
                     chosen);
        break;
    case FRAME_SHEET:
        sheet_draw(&frame->sheet, &screen->style, &screen->canvas, area, &screen->cursors.sheet,
                   screen->search.text);
        break;
    case FRAME_PAGE:
        page_draw(&frame->page, &screen->style, &screen->canvas, area, &screen->cursors.page,
                  screen->search.text);
        break;
    default:
        draw_welcome(screen, area);
    }
}

/* Below the view ------------------------------------------------------------------------------------ */

/* How far the command has come, cut so that the key that stops it is always named. */
static void draw_progress(struct screen *screen, struct area area, const char *progress)
{
    const char *stops = screen->typing != TYPING_NOTHING ? "Ctrl-C stops" : "Esc stops";
    int room = area.columns - PROGRESS_STOPS_COLUMNS;
    int used = put_left(screen, area.row, area.column + 1, room, accent,
                        *progress ? progress : "working \xe2\x80\xa6");
    put_left(screen, area.row, area.column + 1 + used + (used > 0 ? 2 : 0), area.columns - 2,
             accent, stops);
}

static void draw_detail(struct screen *screen, struct area area, bool scaled)
{
    static const double patience = 0.3; // seconds
    char text[DETAIL_BYTES], progress[256];
    double seconds = worker_progress(screen->worker, progress, sizeof progress);
    if (!area.rows)
        return;
    describe_cursor(screen, text, sizeof text);
    // The input line takes the place of messages, which are then shown here.
    bool says = screen->typing != TYPING_NOTHING && screen->message.text && *screen->message.text;
    if (seconds > patience) {
        draw_progress(screen, area, progress);
        return;
    }
    struct area inner = {area.row, area.column + 1, area.rows, area.columns - 2};
    int width = put_wrapped(screen, inner, says && screen->message.failed ? warn : strong,
                            says ? screen->message.text : text);
    if (!scaled)
        draw_scale(screen, area, width);
}

static void draw_bottom(struct screen *screen, struct area area, int *row, int *column)
{
    *row = -1;
    *column = 0;
    if (screen->typing != TYPING_NOTHING) {
        struct area above = screen->layout.view;
        above.columns = screen->canvas.columns;
        line_draw_offers(&screen->canvas, above);
        line_draw(&screen->canvas, area, row, column);
    } else if (screen->prefix.count) {
        char text[16];
        snprintf(text, sizeof text, "%d", screen->prefix.count);
        canvas_put(&screen->canvas, area.row, area.column + 1, area.columns - 1, accent, text);
    } else if (screen->message.text) {
        put_wrapped(screen, (struct area){area.row, area.column + 1, area.rows, area.columns - 2},
                    screen->message.failed ? warn : normal, screen->message.text);
    }
}

enum { LINES_MOST = 3 }; // rows of a long input line, or of a long message

static int message_rows(const struct screen *screen)
{
    const char *text = screen->message.text;
    return text ? display_lines(text, screen->canvas.columns - 2, LINES_MOST) : 1;
}

/* The input line takes the place of messages, which are then shown where else the cursor is described. */
static struct layout_wishes wishes_of(const struct screen *screen)
{
    bool typing = screen->typing != TYPING_NOTHING;
    int message = message_rows(screen);
    int detail = describe_rows(screen);
    return (struct layout_wishes){
        .bottom_rows = typing ? line_rows(screen->canvas.columns, LINES_MOST) : message,
        .detail_rows = typing && message > detail ? message : detail,
        .side = screen->side,
    };
}

void draw_screen(struct screen *screen, int *row, int *column)
{
    struct layout *layout = &screen->layout;
    const struct layout_wishes wishes = wishes_of(screen);
    layout_make(screen->frame, &screen->canvas, &wishes, layout);
    draw_header(screen, layout->header);
    draw_sentence(screen);
    draw_line(screen, layout->line[0]);
    draw_line(screen, layout->line[1]);
    bool scaled = draw_title(screen, layout->title);
    draw_view(screen);
    if (layout->side.rows)
        side_draw(screen, layout->side);
    draw_detail(screen, layout->detail, scaled);
    draw_keys(screen, layout->keys);
    draw_bottom(screen, layout->bottom, row, column);
}
