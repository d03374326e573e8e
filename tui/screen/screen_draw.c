/* The screen, drawn from the frame: nothing here asks the session. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/display.h"
#include "tui/screen/act.h"
#include "tui/screen/layout.h"
#include "tui/screen/line.h"
#include "tui/screen/own.h"
#include "tui/screen/side.h"

static const struct style normal = {.ink = INK_NORMAL}, faint = {.ink = INK_FAINT},
                          strong = {.ink = INK_STRONG}, accent = {.ink = INK_ACCENT},
                          warn = {.ink = INK_WARN}, marked = {.ink = INK_MARK};

/* Text of ours: in ASCII where the terminal must get nothing else. Returns its width. */
static int put(struct screen *screen, int row, int column, int columns, struct style style,
               const char *text)
{
    char *own = own_text(&screen->look, text);
    int width = own ? canvas_put(&screen->canvas, row, column, columns, style, own) : 0;
    free(own);
    return width;
}

/* The same, ending at `end`; returns where it begins. */
static int put_right(struct screen *screen, int row, int end, int columns, struct style style,
                     const char *text)
{
    char *own = own_text(&screen->look, text);
    int width = own ? display_width(own) : 0;
    width = width < columns ? width : columns;
    if (own && width > 0)
        canvas_put(&screen->canvas, row, end - width, width, style, own);
    free(own);
    return end - width;
}

static void draw_line(struct screen *screen, struct area area)
{
    if (area.rows)
        canvas_repeat(&screen->canvas, area.row, area.column, area.columns, faint,
                      look_text(&screen->look, "\xe2\x94\x80", "-"));
}

/* Above the view ------------------------------------------------------------------------------------ */

static void draw_header(struct screen *screen, struct area area)
{
    const struct frame *frame = screen->frame;
    int end = area.column + area.columns - 1;
    if (!area.rows)
        return;
    if (*frame->off) {
        char *text = NULL;
        if (asprintf(&text, "off: %s", frame->off) < 0)
            return;
        end = put_right(screen, area.row, end, area.columns / 2, warn, text) - 2;
        free(text);
    }
    put(screen, area.row, area.column + 1, end - area.column - 1, strong, frame->model);
}

/* Bytes of the word, or of the blank, at the beginning of a text. */
static size_t piece_bytes(const char *text, int *columns)
{
    size_t bytes = 0;
    bool blank = *text == ' ';
    *columns = 0;
    while (text[bytes] && (text[bytes] == ' ') == blank) {
        int width;
        bytes += display_grapheme(text + bytes, &width);
        *columns += width;
        // Languages without blanks break anywhere.
        if (blank || width == 2)
            break;
    }
    return bytes;
}

static bool is_changed(const struct changed *changed, size_t byte)
{
    for (int i = 0; changed && i < changed->count; i++)
        if (byte >= changed->spans[i].begin && byte < changed->spans[i].end)
            return true;
    return false;
}

/* Draws a text over the rows of an area, broken between words; the last row is cut. */
static void put_text(struct screen *screen, struct area area, const char *text,
                     const struct changed *changed)
{
    int row = 0, column = 0, columns;
    for (size_t at = 0, bytes; text[at]; at += bytes) {
        bytes = piece_bytes(text + at, &columns);
        bool last = row == area.rows - 1;
        if (!last && column > 0 && column + columns > area.columns) {
            row++;
            column = 0;
            if (text[at] == ' ')
                continue;
        }
        last = row == area.rows - 1;
        // What follows does not fit: this row is the last, and says that it is cut.
        int room = area.columns - column;
        bool rest = last && text[at + bytes] && columns >= room - 1 &&
                    display_width_within(text + at, room) > room;
        char *piece = rest ? strdup(text + at) : strndup(text + at, bytes);
        if (piece)
            column +=
                canvas_put(&screen->canvas, area.row + row, area.column + column,
                           area.columns - column, is_changed(changed, at) ? marked : normal, piece);
        free(piece);
        if (rest)
            return;
    }
}

/* "score -0.3141  2/5" at the right of the last row; returns the columns it takes. */
static int draw_score(struct screen *screen, struct area area)
{
    const struct frame *frame = screen->frame;
    char text[80];
    int length = snprintf(text, sizeof text, "score %.4f", frame->score);
    if (frame->hypothesis > 0)
        snprintf(text + length, sizeof text - length, "  %d/%d", frame->hypothesis + 1,
                 frame->hypotheses);
    int end = area.column + area.columns - 1, width = (int)strlen(text);
    if (area.columns < LAYOUT_LEAST_WITH_ASIDE)
        return 0;
    put_right(screen, area.row, end, width, faint, text);
    return width + 2;
}

static void draw_text(struct screen *screen, struct area area, const char *title, const char *text,
                      const struct changed *changed, int taken)
{
    if (!area.rows || !text)
        return;
    canvas_put(&screen->canvas, area.row, area.column + 1, LAYOUT_TEXT_COLUMN - 1, faint, title);
    struct area place = {area.row, area.column + LAYOUT_TEXT_COLUMN, area.rows,
                         area.columns - LAYOUT_TEXT_COLUMN - 1 - taken};
    put_text(screen, place, text, changed);
}

static void draw_sentence(struct screen *screen)
{
    const struct frame *frame = screen->frame;
    const struct layout *layout = &screen->layout;
    char place[40] = "";
    int taken = 0;
    if (frame->sentences && layout->source.rows &&
        layout->source.columns >= LAYOUT_LEAST_WITH_ASIDE) {
        snprintf(place, sizeof place, "sentence %d/%d", frame->position, frame->sentences);
        put_right(screen, layout->source.row, layout->source.column + layout->source.columns - 1,
                  (int)strlen(place), faint, place);
        taken = (int)strlen(place) + 2;
    }
    draw_text(screen, layout->source, "source", frame->source, NULL, taken);
    if (layout->target.rows && frame->target)
        draw_text(screen, layout->target, "output", frame->target, &frame->changed,
                  draw_score(screen, layout->target));
    draw_text(screen, layout->reference, "ref.", frame->reference, NULL, 0);
}

/* The view ------------------------------------------------------------------------------------------ */

/* How much of a text or table is seen: "12-40 of 120". */
static void write_extent(const struct screen *screen, char *text, size_t size)
{
    const struct frame *frame = screen->frame;
    int rows = screen->layout.view.rows, first = screen->places.page.top, count = frame->page.count;
    if (frame->kind == FRAME_SHEET)
        snprintf(text, size, "%d of %d",
                 screen->places.sheet.row < 0 ? 0 : screen->places.sheet.row + 1,
                 frame->sheet.row_count);
    else if (frame->kind == FRAME_PAGE)
        snprintf(text, size, "%d-%d of %d", first + 1, first + rows < count ? first + rows : count,
                 count);
    else
        *text = '\0';
}

static void draw_title(struct screen *screen, struct area area)
{
    char extent[60];
    if (!area.rows)
        return;
    write_extent(screen, extent, sizeof extent);
    int end = put_right(screen, area.row, area.column + area.columns - 1, area.columns / 2, faint,
                        extent);
    if (screen->frame->title)
        put(screen, area.row, area.column + 1, end - area.column - 2, accent, screen->frame->title);
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
        picture_draw(&frame->picture, &screen->look, &screen->canvas, area, screen_spot(screen),
                     chosen);
        break;
    case FRAME_SHEET:
        sheet_draw(&frame->sheet, &screen->look, &screen->canvas, area, &screen->places.sheet,
                   screen->search);
        break;
    case FRAME_PAGE:
        page_draw(&frame->page, &screen->look, &screen->canvas, area, &screen->places.page,
                  screen->search);
        break;
    default:
        draw_welcome(screen, area);
    }
}

/* Below the view ------------------------------------------------------------------------------------ */

static void draw_detail(struct screen *screen, struct area area)
{
    static const double patience = 0.3; // seconds
    char text[800], progress[256];
    double seconds = worker_progress(screen->worker, progress, sizeof progress);
    if (!area.rows)
        return;
    screen_describe(screen, text, sizeof text);
    bool typing = screen->typing != TYPING_NOTHING, working = seconds > patience;
    // While one types, the line that messages have is taken.
    bool says = !working && typing && screen->message && *screen->message;
    if (working)
        snprintf(text, sizeof text, "%s%s  %s stops", *progress ? progress : "working",
                 *progress ? "" : " \xe2\x80\xa6", typing ? "Ctrl-C" : "Esc");
    put(screen, area.row, area.column + 1, area.columns - 2,
        working                  ? accent
        : says && screen->failed ? warn
                                 : strong,
        says ? screen->message : text);
}

/* Columns that a key takes in the line with the blanks behind it; 0: it has no place there. */
static int key_columns(const struct binding *key, unsigned place)
{
    bool there = key->brief && key->places & place && key->run != act_help;
    return there ? display_width(key->brief) + 2 : 0;
}

static int rank_of(const struct binding *key)
{
    return key->places & BRIEF_LAST ? 2 : key->places & BRIEF_LATER ? 1 : 0;
}

static int rank_columns(int rank, unsigned place)
{
    int columns = 0;
    for (int i = 0; i < binding_count; i++)
        if (rank_of(&binding_table[i]) == rank)
            columns += key_columns(&binding_table[i], place);
    return columns;
}

/* Whole ranks while there is room, of the next one what fits; that there is help stands in any case. */
static void draw_view_keys(struct screen *screen, struct area area)
{
    enum { RANKS = 3 };
    static const char help[] = "? help";
    unsigned place = screen_place(screen);
    int rank = 0, column = area.column + 1, room = area.columns - 2 - (int)strlen(help);
    for (; rank < RANKS && rank_columns(rank, place) <= room; rank++)
        room -= rank_columns(rank, place);
    for (int i = 0; i < binding_count; i++) {
        const struct binding *key = &binding_table[i];
        int columns = key_columns(key, place);
        if (!columns || rank_of(key) > rank || (rank_of(key) == rank && columns > room))
            continue;
        room -= rank_of(key) == rank ? columns : 0;
        column += put(screen, area.row, column, columns, faint, key->brief) + 2;
    }
    put(screen, area.row, column, area.column + area.columns - column, faint, help);
}

/* While one types keys are the line's. */
static void draw_keys(struct screen *screen, struct area area)
{
    static const char *const typing[] = {
        [TYPING_COMMAND] =
            "Esc to the view  Enter runs  Tab completes  \xe2\x86\x91 what was typed before",
        [TYPING_SEARCH] = "Esc back  Enter searches  \xe2\x86\x91 what was typed before",
        [TYPING_ANSWER] = "y and Enter: yes  Enter, or Esc: no"};
    if (!area.rows)
        return;
    if (screen->typing == TYPING_NOTHING)
        draw_view_keys(screen, area);
    else
        put(screen, area.row, area.column + 1, area.columns - 2, faint, typing[screen->typing]);
}

void screen_prompt(const struct screen *screen, char *text, size_t size)
{
    enum { LONGEST = 30 };
    char *clean = display_clean(screen->frame->name);
    char *name = clean ? display_cut(clean, LONGEST) : NULL;
    snprintf(text, size, "%s> ", name ? name : "");
    free(clean);
    free(name);
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
    } else if (screen->count) {
        char text[16];
        snprintf(text, sizeof text, "%d", screen->count);
        canvas_put(&screen->canvas, area.row, area.column + 1, area.columns - 1, accent, text);
    } else if (screen->message) {
        put(screen, area.row, area.column + 1, area.columns - 2, screen->failed ? warn : normal,
            screen->message);
    }
}

void screen_draw(struct screen *screen, int *row, int *column)
{
    struct layout *layout = &screen->layout;
    layout_make(screen, layout);
    draw_header(screen, layout->header);
    draw_sentence(screen);
    draw_line(screen, layout->line[0]);
    draw_line(screen, layout->line[1]);
    draw_title(screen, layout->title);
    draw_view(screen);
    if (layout->side.rows)
        side_draw(screen, layout->side);
    draw_detail(screen, layout->detail);
    draw_keys(screen, layout->keys);
    draw_bottom(screen, layout->bottom, row, column);
}
