#include "tui/screen/sheet/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "base/system.h"
#include "terminal/text/display.h"
#include "tui/screen/canvas/find.h"

/* The notes of a table as lines of the screen: wrapped to its width, and folded if rows would have
 * too little room.
 *
 * Pure functions of a sheet (sheet.h) whose notes are complete.
 */

/* The lines above the titles of the columns. */
struct note_lines {
    int shown; // leading lines of notes
    int more;  // lines that the line below them stands for; 0: none, and no such line
};

enum {
    INDENT = 2,         // indent of continued lines,
    LEAST_COLUMNS = 16, // in areas at least this wide
    LEAST_FOLDING = 6   // rows of an area in which folding gains anything
};

static int indent_of(const char *note, int columns)
{
    return columns < LEAST_COLUMNS ? 0 : int_min((int)strspn(note, " ") + INDENT, columns / 2);
}

/* Finds line `line` of a note, from *begin on; returns false if it has fewer lines. */
static bool find_part(const char *note, int columns, int line, size_t *begin, size_t *bytes)
{
    size_t next = 0;
    *begin = 0;
    *bytes = display_line(note, int_max(columns, 1), &next);
    while (line-- > 0) {
        *begin += next;
        if (!note[*begin])
            return false;
        *bytes = display_line(note + *begin, int_max(columns - indent_of(note, columns), 1), &next);
    }
    return true;
}

static int count_parts(const char *note, int columns)
{
    int count = 1;
    size_t begin, bytes;
    while (find_part(note, columns, count, &begin, &bytes))
        count++;
    return count;
}

/* Returns the first line of a note at that width; for the number of notes, the number of lines. */
static int note_first_line(const struct sheet *sheet, int columns, int note)
{
    int line = 0;
    for (int i = 0; i < note; i++)
        line += count_parts(sheet->notes[i], columns);
    return line;
}

/* Shows all lines while the cursor is on a note. Otherwise rows get half of the area or all that
 * they need, except in very low areas. */
static struct note_lines note_lines_find(const struct sheet *sheet, struct area area,
                                         const struct sheet_cursor *cursor)
{
    int all = note_first_line(sheet, area.columns, sheet->note_count);
    int below = 1 + int_min(sheet->row_count, area.rows / 2); // with the titles
    if (cursor->row < 0 || all + below <= area.rows || area.rows < LEAST_FOLDING)
        return (struct note_lines){all, 0};
    int shown = int_max(area.rows - below - 1, 0);
    return (struct note_lines){shown, all - shown};
}

/* Draws a line of the notes, in reverse if it belongs to the note `chosen`. */
static void note_draw_line(const struct sheet *sheet, struct canvas *canvas, struct area area,
                           int row, int line, int chosen)
{
    int note = 0;
    while (note + 1 < sheet->note_count && line >= note_first_line(sheet, area.columns, note + 1))
        note++;
    const char *text = sheet->notes[note];
    int part = line - note_first_line(sheet, area.columns, note);
    int indent = part ? indent_of(text, area.columns) : 0;
    size_t begin, bytes;
    find_part(text, area.columns, part, &begin, &bytes);
    char *copy = strndup(text + begin, bytes);
    if (copy)
        canvas_put(canvas, row, area.column + indent, area.columns - indent, (struct style){0},
                   copy);
    free(copy);
    if (note == chosen)
        canvas_restyle(canvas, (struct area){row, area.column, 1, area.columns},
                       (struct style){.reverse = true});
}

enum {
    GAP = 2,       // columns between the table's
    EDGE = 1,      // at the right, for a sort mark
    TEXT_MOST = 24 // least width of a text if not all columns fit
};

/* Order ---------------------------------------------------------------------------------------- */

static const struct sheet_cell *cell_of(const struct sheet *sheet, int row, int column)
{
    return &sheet->cells[(size_t)row * (size_t)sheet->column_count + (size_t)column];
}

/* NaN comes last in both directions; equal rows keep their original order. */
static int compare_rows(const void *a, const void *b, void *context)
{
    const struct sheet *sheet = context;
    int x = *(const int *)a, y = *(const int *)b, by = 0;
    const struct sheet_cell *left = cell_of(sheet, x, sheet->sorted);
    const struct sheet_cell *right = cell_of(sheet, y, sheet->sorted);
    if (!sheet->columns[sheet->sorted].number)
        by = strcmp(left->text, right->text);
    else if (isnan(left->number) != isnan(right->number))
        return isnan(left->number) ? 1 : -1;
    else
        by = (left->number > right->number) - (left->number < right->number);
    if (by == 0)
        return x - y;
    return sheet->descending ? -by : by;
}

void sheet_sort(struct sheet *sheet, int column)
{
    if (column < 0 || column >= sheet->column_count)
        return;
    if (sheet->sorted != column) {
        sheet->sorted = column;
        sheet->descending = false;
    } else if (!sheet->descending) {
        sheet->descending = true;
    } else {
        sheet->sorted = -1;
        sheet->descending = false;
    }
    for (int r = 0; r < sheet->row_count; r++)
        sheet->order[r] = r;
    if (sheet->sorted >= 0 && sheet->row_count > 1)
        sort_with(sheet->order, (size_t)sheet->row_count, sizeof *sheet->order, compare_rows,
                  sheet);
}

/* Columns -------------------------------------------------------------------------------------- */

/* Where a column is. */
struct slot {
    int x, width;
    bool whole; // has all the width that it can use
};

/* Returns the columns that stay when others scroll away: those before any measure, in a third of
 * the room. They name the row. */
static int lead_columns(const struct sheet *sheet, int room)
{
    int lead = 0, used = 0;
    while (lead < sheet->column_count && sheet->columns[lead].names) {
        used += sheet->columns[lead].width + GAP;
        if (used > room / 3)
            break;
        lead++;
    }
    return lead;
}

/* Returns the column right of `column`; `left` is the first after those that stay. */
static int next_column(int lead, int left, int column)
{
    return column + 1 == lead && left > lead ? left : column + 1;
}

static bool all_fit(const struct sheet *sheet, int left, int room)
{
    int lead = lead_columns(sheet, room);
    long needed = -GAP;
    for (int c = lead ? 0 : left; c < sheet->column_count; c = next_column(lead, left, c))
        needed += sheet->columns[c].width + GAP;
    return needed <= room;
}

/* Texts share the remaining width; a number always has its full width. */
static int wanted_width(const struct sheet *sheet, int column, int cap)
{
    int width = sheet->columns[column].width;
    return sheet->columns[column].number || width < cap ? width : cap;
}

static int least_width(const struct sheet *sheet, int column, int wanted)
{
    enum { LEAST = 8 };
    return sheet->columns[column].number || wanted < LEAST ? wanted : LEAST;
}

/* Returns false if the column is not visible. The last visible column gets the rest of the
 * width. */
static bool place_column(const struct sheet *sheet, struct area area, int left, int column,
                         struct slot *slot)
{
    int room = area.columns > EDGE ? area.columns - EDGE : 0;
    bool all = all_fit(sheet, left, room);
    int cap = all ? room : room / 2 > TEXT_MOST ? room / 2 : TEXT_MOST;
    int lead = lead_columns(sheet, room), next;
    *slot = (struct slot){0};
    for (int c = lead ? 0 : left; c <= column; c = next) {
        int wanted = wanted_width(sheet, c, cap), rest = room - slot->x;
        next = next_column(lead, left, c);
        if (rest <= 0 || (slot->x && rest < least_width(sheet, c, wanted)))
            return false;
        int after = rest - wanted - GAP;
        if (next == sheet->column_count ||
            after < least_width(sheet, next, wanted_width(sheet, next, cap)))
            wanted = sheet->columns[c].width < rest ? sheet->columns[c].width : rest;
        slot->width = wanted;
        slot->whole = wanted >= wanted_width(sheet, c, cap);
        if (c == column)
            return true;
        slot->x += wanted + GAP;
    }
    return false;
}

/* Visible rows --------------------------------------------------------------------------------- */

/* Counts the lines above the titles. */
static int head_lines(const struct sheet *sheet, struct area area,
                      const struct sheet_cursor *cursor)
{
    struct note_lines notes = note_lines_find(sheet, area, cursor);
    return notes.shown + (notes.more > 0);
}

/* Lines are counted from 0: those above the titles (`head` lines), titles, then rows. `top` does
 * not count the titles, which stay visible. Returns the line that is drawn in row `k` of the
 * area. */
static int line_at(int head, int top, int k)
{
    return k == 0 && top > head ? head : top + k;
}

/* Finds the lines that the cursor is on, not counting the titles. */
static void cursor_lines(const struct sheet *sheet, struct area area, int head,
                         const struct sheet_cursor *cursor, int *first, int *last)
{
    int note = sheet->note_count + cursor->row;
    *first = *last = head + cursor->row;
    if (cursor->row >= 0)
        return;
    *first = note_first_line(sheet, area.columns, note);
    *last = note_first_line(sheet, area.columns, note + 1) - 1;
}

static void settle_rows(const struct sheet *sheet, struct area area, struct sheet_cursor *cursor)
{
    int first, last, rows = area.rows;
    cursor->row = int_clamp(cursor->row, -sheet->note_count, sheet->row_count - 1);
    int head = head_lines(sheet, area, cursor);
    cursor->top = int_clamp(cursor->top, 0, head + 1 + sheet->row_count - rows);
    if (rows <= 0)
        return;
    cursor_lines(sheet, area, head, cursor, &first, &last);
    int below = last + (cursor->row >= 0) - (rows - 1);
    if (cursor->row == 0 && below <= 0) // back from rows or notes: the beginning
        cursor->top = 0;
    if (cursor->top < below)
        cursor->top = below;
    if (cursor->top > first)
        cursor->top = first;
}

static void settle_columns(const struct sheet *sheet, struct area area, struct sheet_cursor *cursor)
{
    struct slot slot;
    cursor->column = int_clamp(cursor->column, 0, sheet->column_count - 1);
    cursor->left = int_clamp(cursor->left, 0, cursor->column);
    while (cursor->left < cursor->column &&
           !(place_column(sheet, area, cursor->left, cursor->column, &slot) && slot.whole))
        cursor->left++;
    while (cursor->left > 0 && all_fit(sheet, cursor->left - 1, area.columns - EDGE))
        cursor->left--;
}

/* Drawing -------------------------------------------------------------------------------------- */

static void draw_title(const struct sheet *sheet, const struct screen_style *screen_style,
                       struct canvas *canvas, struct area area, int row, int column,
                       struct slot slot)
{
    const struct sheet_column *title = &sheet->columns[column];
    const struct style style = {.ink = INK_STRONG, .underline = true};
    int width = display_width(title->title);
    int before = title->number && width < slot.width ? slot.width - width : 0;
    int at = area.column + slot.x;
    canvas_repeat(canvas, row, at, slot.width, style, " ");
    int used = canvas_put(canvas, row, at + before, slot.width - before, style, title->title);
    if (sheet->sorted == column && slot.x + before + used < area.columns)
        canvas_put(canvas, row, at + before + used, 1, (struct style){.ink = INK_ACCENT},
                   sheet->descending ? style_text(screen_style, "▼", "v")
                                     : style_text(screen_style, "▲", "^"));
}

static void draw_titles(const struct sheet *sheet, const struct screen_style *screen_style,
                        struct canvas *canvas, struct area area, int row, int left)
{
    struct slot slot;
    for (int c = 0; c < sheet->column_count; c++)
        if (place_column(sheet, area, left, c, &slot))
            draw_title(sheet, screen_style, canvas, area, row, c, slot);
}

/* The cursor's row is drawn in reverse, so matches in it are drawn normally. */
static void draw_cell(const struct sheet *sheet, struct canvas *canvas, struct area place,
                      const struct sheet_cell *cell, int column, struct style style,
                      const char *search)
{
    const struct style found = {
        .ink = INK_ACCENT, .reverse = !style.reverse, .underline = style.underline};
    int width = display_width(cell->text), before = 0;
    if (sheet->columns[column].number && width < place.columns)
        before = place.columns - width;
    canvas_restyle(canvas, place, style);
    place.column += before;
    place.columns -= before;
    canvas_put(canvas, place.row, place.column, place.columns, style, cell->text);
    find_mark(canvas, place, cell->text, 0, search, found);
}

static void draw_row(const struct sheet *sheet, struct canvas *canvas, struct area area, int row,
                     const struct sheet_cursor *cursor, int which, const char *search)
{
    struct slot slot;
    struct style style = {.reverse = which == cursor->row};
    canvas_restyle(canvas, (struct area){row, area.column, 1, area.columns}, style);
    for (int c = 0; c < sheet->column_count; c++) {
        if (!place_column(sheet, area, cursor->left, c, &slot))
            continue;
        style.underline = style.reverse && c == cursor->column;
        draw_cell(sheet, canvas, (struct area){row, area.column + slot.x, 1, slot.width},
                  cell_of(sheet, sheet->order[which], c), c, style, search);
    }
}

static void draw_more(struct canvas *canvas, struct area area, int row, int lines)
{
    char text[60];
    snprintf(text, sizeof text, "   %d more line%s: PgUp", lines, lines == 1 ? "" : "s");
    canvas_put(canvas, row, area.column, area.columns, (struct style){.ink = INK_FAINT}, text);
}

void sheet_draw(const struct sheet *sheet, const struct screen_style *screen_style,
                struct canvas *canvas, struct area area, struct sheet_cursor *cursor,
                const char *search)
{
    settle_rows(sheet, area, cursor);
    settle_columns(sheet, area, cursor);
    struct note_lines notes = note_lines_find(sheet, area, cursor);
    int head = head_lines(sheet, area, cursor);
    for (int k = 0; k < area.rows && area.columns > 0; k++) {
        int line = line_at(head, cursor->top, k), which = line - head - 1;
        if (line < notes.shown)
            note_draw_line(sheet, canvas, area, area.row + k, line,
                           cursor->row + sheet->note_count);
        else if (line < head)
            draw_more(canvas, area, area.row + k, notes.more);
        else if (which < 0)
            draw_titles(sheet, screen_style, canvas, area, area.row + k, cursor->left);
        else if (which < sheet->row_count)
            draw_row(sheet, canvas, area, area.row + k, cursor, which, search);
    }
}

/* Asking --------------------------------------------------------------------------------------- */

int sheet_find(const struct sheet *sheet, struct area area, const struct sheet_cursor *cursor,
               int row, int column, int *sheet_column)
{
    struct slot slot;
    *sheet_column = -1;
    row -= area.row;
    column -= area.column;
    if (row < 0 || row >= area.rows || column < 0 || column >= area.columns)
        return SHEET_NOTHING;
    int head = head_lines(sheet, area, cursor);
    int which = line_at(head, cursor->top, row) - head - 1;
    if (which < -1 || which >= sheet->row_count)
        return SHEET_NOTHING;
    for (int c = 0; c < sheet->column_count; c++)
        if (place_column(sheet, area, cursor->left, c, &slot) && column >= slot.x &&
            column < slot.x + slot.width)
            *sheet_column = c;
    return which < 0 ? SHEET_TITLES : which;
}

static bool cell_has(const struct sheet *sheet, int index, int column, const char *search)
{
    size_t length;
    return find_in(cell_of(sheet, sheet->order[index], column)->text, search, &length) != NULL;
}

int sheet_match(const struct sheet *sheet, const char *search, int row, int column)
{
    if (column >= 0 && column < sheet->column_count && cell_has(sheet, row, column, search))
        return column;
    for (int c = 0; c < sheet->column_count; c++)
        if (cell_has(sheet, row, c, search))
            return c;
    return -1;
}

static bool row_has(const void *context, int index, const char *search)
{
    return sheet_match(context, search, index, 0) >= 0;
}

int sheet_search(const struct sheet *sheet, const char *search, int from, bool backward)
{
    return find_around(sheet->row_count, from, backward, row_has, sheet, search);
}

static bool on_row(const struct sheet *sheet, const struct sheet_cursor *cursor)
{
    return cursor->row >= 0 && cursor->row < sheet->row_count;
}

bool sheet_whole(const struct sheet *sheet, int columns)
{
    return all_fit(sheet, 0, columns - EDGE);
}

bool sheet_stacks(const struct sheet *sheet, int columns)
{
    bool any = false, compared = false;
    for (int c = 0; c < sheet->column_count; c++) {
        any |= sheet->columns[c].sentence;
        compared |= sheet->columns[c].compared;
    }
    return compared || (any && !sheet_whole(sheet, columns));
}

int sheet_described(const struct sheet *sheet, const struct sheet_cursor *cursor, int columns)
{
    int widest = -1, own = int_clamp(cursor->column, 0, sheet->column_count - 1);
    bool whole = sheet_whole(sheet, columns), text = !sheet->columns[own].number;
    if (text && (whole || sheet->columns[own].width > TEXT_MOST))
        return own;
    for (int c = 0; c < sheet->column_count && !whole; c++)
        if (!sheet->columns[c].number &&
            (widest < 0 || sheet->columns[c].width > sheet->columns[widest].width))
            widest = c;
    return widest;
}

int sheet_place(const struct sheet *sheet, const struct sheet_cursor *cursor)
{
    return on_row(sheet, cursor) ? cursor->row + 1 : 0;
}

const char *sheet_text(const struct sheet *sheet, const struct sheet_cursor *cursor)
{
    if (cursor->row < 0 && cursor->row >= -sheet->note_count)
        return sheet->notes[sheet->note_count + cursor->row];
    if (!on_row(sheet, cursor) || cursor->column < 0 || cursor->column >= sheet->column_count)
        return NULL;
    return cell_of(sheet, sheet->order[cursor->row], cursor->column)->text;
}

static const struct sheet_column *column_at(const struct sheet *sheet,
                                            const struct sheet_cursor *cursor)
{
    return cursor->column >= 0 && cursor->column < sheet->column_count
               ? &sheet->columns[cursor->column]
               : NULL;
}

const char *sheet_command(const struct sheet *sheet, const struct sheet_cursor *cursor)
{
    const struct sheet_column *column = column_at(sheet, cursor);
    if (!on_row(sheet, cursor))
        return NULL;
    const int row = sheet->order[cursor->row];
    return column && column->names_head && sheet->heads[row] ? sheet->heads[row]
                                                             : sheet->commands[row];
}

const char *sheet_command_rest(const struct sheet *sheet, const struct sheet_cursor *cursor)
{
    const struct sheet_column *column = column_at(sheet, cursor);
    return column && column->enter ? column->enter : "";
}
