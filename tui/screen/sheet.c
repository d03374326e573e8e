#include "tui/screen/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/display.h"
#include "tui/screen/find.h"
#include "tui/screen/find_mark.h"

enum {
    GAP = 2,       // columns between the table's
    EDGE = 1,      // at the right, for a sort mark
    TEXT_MOST = 24 // what a text has at least where not all columns fit
};

/* Order ------------------------------------------------------------------------------------------ */

static const struct sheet_cell *cell_of(const struct sheet *sheet, int row, int column)
{
    return &sheet->cells[(size_t)row * (size_t)sheet->column_count + (size_t)column];
}

/* Numbers that are none come last whichever way, as rows that are equal stay as they came. */
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
        qsort_r(sheet->order, (size_t)sheet->row_count, sizeof *sheet->order, compare_rows, sheet);
}

/* Columns ---------------------------------------------------------------------------------------- */

/* Where a column is drawn. */
struct slot {
    int x, width;
    bool whole; // nothing more would be given to it
};

static bool all_fit(const struct sheet *sheet, int left, int room)
{
    long needed = -GAP;
    for (int c = left; c < sheet->column_count; c++)
        needed += sheet->columns[c].width + GAP;
    return needed <= room;
}

/* Texts share what there is; a number needs all of its width. */
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

/* False: the column is not in sight. The last one that is gets what is left. */
static bool place_column(const struct sheet *sheet, struct area area, int left, int column,
                         struct slot *slot)
{
    int room = area.columns > EDGE ? area.columns - EDGE : 0;
    bool all = all_fit(sheet, left, room);
    int cap = all ? room : room / 2 > TEXT_MOST ? room / 2 : TEXT_MOST;
    *slot = (struct slot){0};
    for (int c = left; c < sheet->column_count; c++) {
        int wanted = wanted_width(sheet, c, cap), rest = room - slot->x;
        if (rest <= 0 || (c > left && rest < least_width(sheet, c, wanted)))
            return false;
        int after = rest - wanted - GAP;
        if (c + 1 == sheet->column_count ||
            after < least_width(sheet, c + 1, wanted_width(sheet, c + 1, cap)))
            wanted = sheet->columns[c].width < rest ? sheet->columns[c].width : rest;
        slot->width = wanted;
        slot->whole = wanted >= wanted_width(sheet, c, cap);
        if (c == column)
            return true;
        slot->x += wanted + GAP;
    }
    return false;
}

/* What is seen ----------------------------------------------------------------------------------- */

static int clamp(int value, int least, int most)
{
    value = value > most ? most : value;
    return value < least ? least : value;
}

/* Notes, titles and rows are lines from 0 on; `top` counts without the titles, which stay as the first that
 * is seen. The line that is seen in row `k` of the area: */
static int line_at(const struct sheet *sheet, int top, int k)
{
    return k == 0 && top > sheet->note_count ? sheet->note_count : top + k;
}

static void settle_rows(const struct sheet *sheet, int rows, struct sheet_spot *spot)
{
    int notes = sheet->note_count;
    spot->row = clamp(spot->row, -notes, sheet->row_count - 1);
    spot->top = clamp(spot->top, 0, notes + 1 + sheet->row_count - rows);
    if (rows <= 0)
        return;
    int line = notes + spot->row; // without the titles
    if (spot->top > line)
        spot->top = line;
    int below = line + (spot->row >= 0) - (rows - 1);
    if (spot->top < below)
        spot->top = below;
}

static void settle_columns(const struct sheet *sheet, struct area area, struct sheet_spot *spot)
{
    struct slot slot;
    spot->column = clamp(spot->column, 0, sheet->column_count - 1);
    spot->left = clamp(spot->left, 0, spot->column);
    while (spot->left < spot->column &&
           !(place_column(sheet, area, spot->left, spot->column, &slot) && slot.whole))
        spot->left++;
    while (spot->left > 0 && all_fit(sheet, spot->left - 1, area.columns - EDGE))
        spot->left--;
}

/* Drawing ---------------------------------------------------------------------------------------- */

static void draw_title(const struct sheet *sheet, const struct look *look, struct canvas *canvas,
                       struct area area, int row, int column, struct slot slot)
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
                   sheet->descending ? look_text(look, "▼", "v") : look_text(look, "▲", "^"));
}

static void draw_titles(const struct sheet *sheet, const struct look *look, struct canvas *canvas,
                        struct area area, int row, int left)
{
    struct slot slot;
    for (int c = left; place_column(sheet, area, left, c, &slot); c++)
        draw_title(sheet, look, canvas, area, row, c, slot);
}

/* In the cursor's row what is found stands out as it is not reversed. */
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
                     const struct sheet_spot *spot, int which, const char *search)
{
    struct slot slot;
    struct style style = {.reverse = which == spot->row};
    canvas_restyle(canvas, (struct area){row, area.column, 1, area.columns}, style);
    for (int c = spot->left; place_column(sheet, area, spot->left, c, &slot); c++) {
        style.underline = style.reverse && c == spot->column;
        draw_cell(sheet, canvas, (struct area){row, area.column + slot.x, 1, slot.width},
                  cell_of(sheet, sheet->order[which], c), c, style, search);
    }
}

static void draw_note(const struct sheet *sheet, struct canvas *canvas, struct area area, int row,
                      const struct sheet_spot *spot, int note)
{
    canvas_put(canvas, row, area.column, area.columns, (struct style){0}, sheet->notes[note]);
    if (note - sheet->note_count == spot->row)
        canvas_restyle(canvas, (struct area){row, area.column, 1, area.columns},
                       (struct style){.reverse = true});
}

void sheet_draw(const struct sheet *sheet, const struct look *look, struct canvas *canvas,
                struct area area, struct sheet_spot *spot, const char *search)
{
    settle_rows(sheet, area.rows, spot);
    settle_columns(sheet, area, spot);
    for (int k = 0; k < area.rows && area.columns > 0; k++) {
        int line = line_at(sheet, spot->top, k), which = line - sheet->note_count - 1;
        if (line < sheet->note_count)
            draw_note(sheet, canvas, area, area.row + k, spot, line);
        else if (which < 0)
            draw_titles(sheet, look, canvas, area, area.row + k, spot->left);
        else if (which < sheet->row_count)
            draw_row(sheet, canvas, area, area.row + k, spot, which, search);
    }
}

/* Asking ----------------------------------------------------------------------------------------- */

int sheet_find(const struct sheet *sheet, struct area area, const struct sheet_spot *spot, int row,
               int column, int *sheet_column)
{
    struct slot slot;
    *sheet_column = -1;
    row -= area.row;
    column -= area.column;
    if (row < 0 || row >= area.rows || column < 0 || column >= area.columns)
        return SHEET_NOTHING;
    int which = line_at(sheet, spot->top, row) - sheet->note_count - 1;
    if (which < -1 || which >= sheet->row_count)
        return SHEET_NOTHING;
    for (int c = spot->left; place_column(sheet, area, spot->left, c, &slot); c++)
        if (column >= slot.x && column < slot.x + slot.width)
            *sheet_column = c;
    return which < 0 ? SHEET_TITLES : which;
}

static bool row_has(const void *context, int index, const char *search)
{
    const struct sheet *sheet = context;
    size_t length;
    for (int c = 0; c < sheet->column_count; c++)
        if (find_in(cell_of(sheet, sheet->order[index], c)->text, search, &length))
            return true;
    return false;
}

int sheet_search(const struct sheet *sheet, const char *search, int from, bool backward)
{
    return find_around(sheet->row_count, from, backward, row_has, sheet, search);
}

static bool on_row(const struct sheet *sheet, const struct sheet_spot *spot)
{
    return spot->row >= 0 && spot->row < sheet->row_count;
}

const char *sheet_text(const struct sheet *sheet, const struct sheet_spot *spot)
{
    if (spot->row < 0 && spot->row >= -sheet->note_count)
        return sheet->notes[sheet->note_count + spot->row];
    if (!on_row(sheet, spot) || spot->column < 0 || spot->column >= sheet->column_count)
        return NULL;
    return cell_of(sheet, sheet->order[spot->row], spot->column)->text;
}

const char *sheet_command(const struct sheet *sheet, const struct sheet_spot *spot)
{
    return on_row(sheet, spot) ? sheet->commands[sheet->order[spot->row]] : NULL;
}
