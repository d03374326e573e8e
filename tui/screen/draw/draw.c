#include "tui/screen/draw/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "terminal/progress.h"
#include "terminal/text/display.h"
#include "tui/command/commands.h"
#include "tui/manual/key_table.h"
#include "tui/screen/draw/parts.h"
#include "tui/screen/line/line.h"
#include "tui/screen/state/state.h"

enum { DETAIL_BYTES = 8000 };

enum { LABEL_COLUMNS = 40, LABEL_BYTES = 200 };

/* Copies as many whole graphemes as fit, with "…" if the label is longer. */
static void copy_cut(const char *label, int most, char *text, size_t size)
{
    static const char cut[] = "\xe2\x80\xa6";
    size_t used = 0, bytes;
    int columns = 0, width;
    while ((bytes = display_grapheme(label, &width)) > 0 && columns + width < most &&
           used + bytes + sizeof cut <= size) {
        memcpy(text + used, label, bytes);
        used += bytes;
        columns += width;
        label += bytes;
    }
    strcpy(text + used, *label ? cut : "");
}

/* Writes a label, or its number if the figure has no labels. */
static void write_label(const char *const *labels, const char *what, int index,
                        char text[LABEL_BYTES])
{
    if (labels)
        copy_cut(labels[index], LABEL_COLUMNS, text, LABEL_BYTES);
    else
        snprintf(text, LABEL_BYTES, "%s %d", what, index + 1);
}

/* The panels of a grid row share the labels of the nearest one to the left that has some. */
static const char *const *row_labels(const struct figure *figure, int panel)
{
    while (panel > 0 && !figure->panels[panel].matrix.row_labels)
        panel--;
    return figure->panels[panel].matrix.row_labels;
}

static void write_value(double value, char *text, size_t size)
{
    if (isnan(value))
        snprintf(text, size, "none");
    else
        snprintf(text, size, "%.4f", value);
}

/* True if column labels are plain numbers, so that the text must say what they count. */
static bool of_numbers(const struct screen *screen)
{
    enum view_kind kind = frame_navigation(screen->frame)->kind;
    return kind == VIEW_IMPORTANCE || kind == VIEW_GATES;
}

/* Writes "shirt → blue 0.412", after the panel's name if there are several. */
static void describe_cell(const struct screen *screen, const struct picture_cursor *cursor,
                          char *text, size_t size)
{
    const struct figure *figure = &screen->frame->drawing.figure;
    const struct figure_panel *panel = &figure->panels[cursor->panel];
    char title[LABEL_BYTES] = "", row[LABEL_BYTES], column[LABEL_BYTES], value[40];
    bool unit = of_numbers(screen) && panel->matrix.column_labels;
    if (panel->title)
        copy_cut(panel->title, LABEL_COLUMNS, title, sizeof title);
    write_label(row_labels(figure, cursor->panel), "row", cursor->row, row);
    write_label(panel->matrix.column_labels, "column", cursor->column, column);
    write_value(picture_value(&screen->frame->picture, cursor), value, sizeof value);
    snprintf(text, size, "%s%s%s \xe2\x86\x92 %s%s%s  %s", title, *title ? ":  " : "", row,
             unit ? panel->matrix.column_title : "", unit ? " " : "", column, value);
}

static void describe_head_of(const struct screen *screen, const struct picture_cursor *cursor,
                             char *text, size_t size)
{
    const struct head_grid *grid = frame_navigation(screen->frame)->grid;
    double most = screen->frame->picture.panels[cursor->panel].most;
    snprintf(text, size, "layer %d  head %d  max %.4f%s",
             grid->layers[cursor->panel / grid->head_count] + 1,
             grid->heads[cursor->panel % grid->head_count] + 1, most,
             grid->off[cursor->panel] ? "  off" : "");
}

/* Returns what `:help` says about a column; NULL: nothing. */
static const char *column_meaning(const struct screen *screen, int column)
{
    const struct frame *frame = screen->frame;
    return column < 0 || column >= frame->sheet.column_count
               ? NULL
               : command_column(frame->report.name, frame->sheet.columns[column].title);
}

/* True if the sentences of the cursor's row are below the table. */
static bool stacks(const struct screen *screen)
{
    return screen->frame->kind == FRAME_SHEET &&
           sheet_stacks(&screen->frame->sheet, screen->canvas.columns - 1);
}

/* Returns a measure with a meaning or, if sentences are not below the table, a text that the table
 * may cut. The table is one column narrower than the screen. */
static int described_column(const struct screen *screen)
{
    const struct sheet *sheet = &screen->frame->sheet;
    const struct sheet_cursor *cursor = &screen->cursors.sheet;
    bool explained = column_meaning(screen, cursor->column) != NULL;
    if (explained && sheet->columns[cursor->column].number)
        return cursor->column;
    if (stacks(screen))
        return explained && !sheet->columns[cursor->column].sentence ? cursor->column : -1;
    return sheet_described(sheet, cursor, screen->canvas.columns - 1);
}

/* Writes the whole text of the cursor's row, and its column's meaning. */
static void describe_text(const struct screen *screen, char *text, size_t size)
{
    const struct sheet *sheet = &screen->frame->sheet;
    struct sheet_cursor cursor = screen->cursors.sheet;
    if (cursor.row >= 0)
        cursor.column = described_column(screen);
    const char *cell = sheet_text(sheet, &cursor);
    if (!cell || !*cell || cursor.row < 0) // notes are never cut
        return;
    if (*sheet->columns[cursor.column].title)
        snprintf(text, size, "%s:  ", sheet->columns[cursor.column].title);
    size_t used = strlen(text);
    copy_cut(cell, (int)size, text + used, size - used);
    const char *meaning = column_meaning(screen, cursor.column);
    used = strlen(text);
    if (meaning && cursor.column == screen->cursors.sheet.column)
        snprintf(text + used, size - used, "  (%s)", meaning);
}

/* On low screens, rows of the table are worth more. */
static int record_most(int rows)
{
    enum { LOW = 20 };
    return rows < LOW ? 2 : rows / 4;
}

/* Returns the rows that describe_cursor needs: more than one for texts that the table cuts. They
 * are the same for all of a table's rows, so that nothing moves while walking through them. */
static int describe_rows(const struct screen *screen)
{
    const struct sheet *sheet = &screen->frame->sheet;
    int columns = screen->canvas.columns - 2, most = screen->canvas.rows / 3;
    if (screen->frame->kind != FRAME_SHEET || columns < 1)
        return 1;
    if (stacks(screen))
        return int_clamp(record_rows(sheet, columns), 1, record_most(screen->canvas.rows));
    int column = described_column(screen);
    const char *meaning = column_meaning(screen, column);
    if (column < 0 || (!meaning && sheet_whole(sheet, screen->canvas.columns - 1)))
        return 1;
    // Lines that end at words are not full.
    int width = display_width(sheet->columns[column].title) + 3 + sheet->columns[column].width +
                (meaning ? 4 + display_width(meaning) : 0);
    int rows = width <= columns ? 1 : 1 + (width + columns / 8) / columns;
    return rows < most ? rows : most > 1 ? most : 1;
}

/* Writes "shirt → blue  0.4120", or the text of a table's cell; "" if there is no cursor. Labels
 * are cut after 40 columns, and at most DETAIL_BYTES are written. First moves the cursor inside the
 * picture. */
static void describe_cursor(struct screen *screen, char *text, size_t size)
{
    const struct picture_cursor *cursor = screen_cursor(screen);
    *text = '\0';
    if (screen_context(screen) == IN_SHEET)
        describe_text(screen, text, size);
    if (!cursor)
        return;
    picture_settle(&screen->frame->picture, screen->layout.view, screen_cursor(screen));
    if (screen_context(screen) == IN_GRID)
        describe_head_of(screen, cursor, text, size);
    else if (screen->frame->drawing.figure.panels[0].kind == PANEL_MATRIX)
        describe_cell(screen, cursor, text, size);
}

static const struct style normal = {.ink = INK_NORMAL}, faint = {.ink = INK_FAINT},
                          strong = {.ink = INK_STRONG}, accent = {.ink = INK_ACCENT},
                          warn = {.ink = INK_WARN};

/* The lines above and below the view are heavy while the view has the focus. */
static void draw_line(struct screen *screen, struct area area)
{
    bool heavy = screen->typing == TYPING_NOTHING;
    const char *sign = heavy ? style_text(&screen->style, "\xe2\x94\x81", "=")
                             : style_text(&screen->style, "\xe2\x94\x80", "-");
    if (area.rows)
        canvas_repeat(&screen->canvas, area.row, area.column, area.columns, faint, sign);
}

/* The view ------------------------------------------------------------------------------------- */

/* For a matrix that is shown as a whole, writes "a cell is 8×2". */
static void write_block(struct screen *screen, char *text, size_t size)
{
    const struct picture_cursor *cursor = screen_cursor(screen);
    int rows = 1, columns = 1;
    if (cursor)
        picture_block(&screen->frame->picture, screen->layout.view, cursor, &rows, &columns);
    if (rows * columns > 1)
        snprintf(text, size, "a cell is %d\xc3\x97%d", rows, columns);
    else
        *text = '\0';
}

/* Writes how much of a text or table is visible: "12-40 of 120". */
static void write_extent(struct screen *screen, char *text, size_t size)
{
    const struct frame *frame = screen->frame;
    const int rows = screen->layout.view.rows, count = frame->page.count,
              last = count > rows ? count - rows : 0; // the first line of the last page
    int first = screen->cursors.page.top < last ? screen->cursors.page.top : last;
    if (frame->kind == FRAME_SHEET)
        snprintf(text, size, "%d of %d", sheet_place(&frame->sheet, &screen->cursors.sheet),
                 frame->sheet.row_count);
    else if (frame->kind == FRAME_PAGE)
        snprintf(text, size, "%d-%d of %d", first + 1, first + rows < count ? first + rows : count,
                 count);
    else
        write_block(screen, text, size);
}

/* Draws the scale of a picture that has no side panel: at the right of the title or, if that is too
 * long, of the line below the view. Returns false if it does not fit after the first `used` columns
 * of the area. */
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

/* Returns true if the scale is drawn there. */
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
    if (*extent)
        area.columns = end - area.column;
    return draw_scale(screen, area, width);
}

/* True if the first screen has room for keys in front of their descriptions, and for blank
 * lines. */
static bool is_wide(struct area area)
{
    enum { LEAST_BESIDE = 43 };
    return area.columns >= LEAST_BESIDE;
}

/* Draws a line of the first screen with its key in front or, on narrow screens, above it, where a
 * command is on its own. Returns the row after it. */
static int draw_hint(struct screen *screen, struct area area, int row, const char *key,
                     const char *text)
{
    enum { KEY_COLUMNS = 13 };
    int column = area.column + 2, columns = area.columns - 3;
    bool beside = is_wide(area);
    if (row < area.row + area.rows)
        put_left(screen, row, column, columns, accent, key);
    row += *key && !beside;
    if (*key == ':' && !beside)
        return row;
    column += *key ? (beside ? KEY_COLUMNS : 2) : 0;
    columns = area.column + area.columns - 1 - column;
    int most = area.row + area.rows - row,
        lines = display_lines(text, columns, most > 1 ? most : 1);
    if (most > 0)
        put_wrapped(screen, (struct area){row, column, lines < most ? lines : most, columns},
                    normal, text);
    return row + lines;
}

/* Says what the program is and how to go on. What comes first matters most on low screens. */
static void draw_welcome(struct screen *screen, struct area area)
{
    const char *example = screen->frame->example;
    char *first = NULL;
    int row = area.row + (area.rows > 6 && is_wide(area));
    row = draw_hint(screen, area, row, "", "attnscope shows what a translation model attends to.");
    row = draw_hint(screen, area, row, "", "Type a sentence to translate it.") +
          (area.rows > 8 && is_wide(area));
    if (example && asprintf(&first, "translates \"%s\"", example) < 0)
        first = NULL; // not enough room for it
    if (first)
        row = draw_hint(screen, area, row, "Enter", first);
    row = draw_hint(screen, area, row, ":open FILE", "opens a file of sentences");
    row = draw_hint(screen, area, row, ":help", "lists the commands, Tab completes them");
    row = draw_hint(screen, area, row, ":quit", "leaves, as Ctrl-D does");
    draw_hint(screen, area, row, "Esc", "goes to the view, where ? lists the keys");
    free(first);
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

/* Below the view ------------------------------------------------------------------------------- */

/* True if a command has run long enough to be shown. */
static bool is_at_work(const struct screen *screen)
{
    static const double patience = 0.3; // seconds
    return screen->work.seconds > patience;
}

/* Draws the progress of the command, cut so that the key that stops it is always named. */
static void draw_progress(struct screen *screen, struct area area)
{
    const char *progress = screen->work.progress;
    const char *stops = screen->typing != TYPING_NOTHING ? "Ctrl-C stops"
                        : screen->work.waiting           ? "Esc drops"
                                                         : "Esc stops";
    int room = area.columns - PROGRESS_STOPS_COLUMNS, column = area.column;
    column += put_left(screen, area.row, column, 1, accent, " ");
    column += put_left(screen, area.row, column, room, accent,
                       *progress ? progress : "working \xe2\x80\xa6");
    column += put_left(screen, area.row, column, 2, accent, "  ");
    column += put_left(screen, area.row, column, area.columns - 1 - column, accent, stops);
    put_left(screen, area.row, column, 1, accent, " ");
}

/* Writes ":bleu SRC REF…" once the line has a command's name and a blank; until then returns
 * false. */
static bool write_usage(const struct screen *screen, char *text, size_t size)
{
    int point;
    char *line = screen->typing == TYPING_PROMPT || screen->typing == TYPING_COMMAND
                     ? line_text(&point)
                     : NULL;
    const char *blank = line && *line == ':' ? strchr(line, ' ') : NULL;
    const struct command *command = blank && blank > line + 1 ? command_of_line(line) : NULL;
    char *usage = command ? command_usage_text(command) : NULL;
    if (usage)
        snprintf(text, size, ":%s %s", command->name, usage);
    free(usage);
    free(line);
    return usage != NULL;
}

static void draw_detail(struct screen *screen, struct area area, bool scaled)
{
    char text[DETAIL_BYTES];
    if (!area.rows)
        return;
    describe_cursor(screen, text, sizeof text);
    // The input line replaces messages, so they are shown here.
    bool says = screen->typing != TYPING_NOTHING && screen->message.text && *screen->message.text;
    if (!(says && screen->message.failed) && write_usage(screen, text, sizeof text)) {
        put_wrapped(screen, (struct area){area.row, area.column + 1, area.rows, area.columns - 2},
                    faint, text);
        return;
    }
    if (is_at_work(screen) && !screen->layout.line[1].rows) {
        draw_progress(screen, area);
        return;
    }
    struct area inner = {area.row, area.column + 1, area.rows, area.columns - 2};
    if (!says && stacks(screen) && screen->cursors.sheet.row >= 0) {
        draw_record(screen, inner, text);
        return;
    }
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

/* The input line replaces messages, which are then shown where the cursor is otherwise
 * described. */
static struct layout_wishes wishes_of(struct screen *screen)
{
    bool typing = screen->typing != TYPING_NOTHING;
    int message = message_rows(screen);
    int detail = describe_rows(screen);
    const struct picture_cursor *cursor = screen_cursor(screen);
    return (struct layout_wishes){
        .bottom_rows = typing ? line_rows(screen->canvas.columns, LINES_MOST) : message,
        .detail_rows = typing && message > detail ? message : detail,
        .side = screen->side,
        .whole = cursor && cursor->whole,
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
    if (is_at_work(screen) && layout->line[1].rows)
        draw_progress(screen, layout->line[1]);
    bool scaled = draw_title(screen, layout->title);
    draw_view(screen);
    if (layout->side.rows)
        draw_side(screen, layout->side);
    draw_detail(screen, layout->detail, scaled);
    draw_keys(screen, layout->keys);
    draw_bottom(screen, layout->bottom, row, column);
}
