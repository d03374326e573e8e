#include "tui/screen/canvas/cell_row.h"

#include <string.h>

#include "tui/screen/canvas/colours.h"
#include "tui/screen/canvas/pen.h"
#include "tui/screen/canvas/sent.h"
#include "tui/text/display.h"

// Last, as it defines "columns" and many other words.
#define NCURSES_NOMACROS
#include <ncurses.h>
#include <term.h>
#undef columns

/* So many unchanged columns cost as much as a movement of the cursor. */
enum { GAP = 8 };

struct row {
    int number, columns;
    const struct cell *cells, *shown;
};

static bool same_style(const struct style *a, const struct style *b)
{
    return a->ink == b->ink && a->ground == b->ground && a->reverse == b->reverse &&
           a->underline == b->underline && a->filled == b->filled && a->fill.red == b->fill.red &&
           a->fill.green == b->fill.green && a->fill.blue == b->fill.blue;
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
    return strcmp(a->text, b->text) == 0 && same_style(&a->style, &b->style);
}

/* The first column from `column` on that the terminal does not have; at most row->columns. */
static int next_change(const struct row *row, int column)
{
    while (row->shown && column < row->columns &&
           same_cell(&row->cells[column], &row->shown[column]))
        column++;
    return column;
}

static bool is_even(const struct cell *cells, int columns)
{
    for (int i = 0; i < columns; i++)
        if (!display_is_even(cells[i].text))
            return false;
    return true;
}

static int width_at(const struct row *row, int column)
{
    int end = column + 1;
    while (end < row->columns && !*row->cells[end].text)
        end++;
    return end - column;
}

void cell_row_move(int row, int column)
{
    if (!move_standout_mode)
        pen_plain();
    tputs(tparm(cursor_address, (long)row, (long)column), 1, sent_byte);
}

static bool follows_open(const struct row *row, int column)
{
    while (column > 0 && !*row->cells[--column].text)
        continue;
    const char *text = row->cells[column].text;
    return display_is_open(text, strlen(text));
}

/* If a grapheme takes fewer columns than are kept for it, the others are blank. True: the cursor is
 * behind it. */
static bool send_text(const struct row *row, int column, int width)
{
    const char *text = *row->cells[column].text ? row->cells[column].text : " ";
    bool even = display_is_even(text) && !follows_open(row, column);
    if (!even) {
        for (int i = 0; i < width; i++)
            sent_byte(' ');
        cell_row_move(row->number, column);
    }
    sent_add(text, strlen(text));
    return even && column + width < row->columns;
}

void cell_row_send(int number, const struct cell *cells, const struct cell *shown, int columns)
{
    const struct row row = {number, columns, cells, shown};
    bool even = is_even(cells, columns) && (!shown || is_even(shown, columns));
    int cursor = -1;
    for (int at = next_change(&row, 0); at < columns;) {
        while (at > 0 && !*cells[at].text)
            at--;
        if (at != cursor)
            cell_row_move(number, at);
        pen_set(colours_look(&cells[at].style));
        int width = width_at(&row, at);
        cursor = send_text(&row, at, width) ? at + width : -1;
        at += width;
        int next = even ? next_change(&row, at) : at;
        at = next - at > GAP || next == columns ? next : at;
    }
}
