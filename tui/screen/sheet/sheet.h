/* Tables that sort and scroll: results that are lists of things with numbers.
 *
 * sheet_of_report makes one from a report (the hypotheses of a sentence, a score's tokens, states,
 * scores by length, sentences of a comparison, the heads of a token view, …); sheet_sort;
 * sheet_draw with a cursor that the caller keeps. Notes are above the columns' titles and scroll
 * away with the rows; the titles stay. Notes are wrapped; while the cursor is on a row they leave
 * half of the area to the rows, and moving the cursor up reveals the rest. Texts that do not fit
 * are cut, numbers never.
 */
#ifndef ATTNSCOPE_SHEET_H
#define ATTNSCOPE_SHEET_H

#include "report/report.h"
#include "tui/screen/canvas/canvas.h"
#include "tui/screen/canvas/style.h"

struct sheet_column {
    const char *title; // of a constant
    bool number;       // right-aligned, sorts by value
    int width;         // of its widest text, including the title
    const char *enter; // a constant: what Enter there appends to the row's command; NULL: nothing
    bool names_head;   // Enter there shows the row's head
    bool names;        // may name the row, as the first columns do: neither a measure nor a
                       // sentence
    bool sentence;     // also shown below the table if cut there
    bool compared;     // with the next one, below the table: words that differ are marked
};
struct sheet_cell {
    char *text;    // owned; as shown
    double number; // of number columns; NaN sorts last
};
struct sheet {
    struct sheet_column *columns; // (column_count)
    struct sheet_cell *cells;     // (row_count, column_count)
    char **commands; // (row_count): what Enter runs, such as ":hypothesis 2"; NULL: nothing
    char **heads;    // (row_count): the same on columns that name the row's head
    int *order;      // (row_count): the rows in the order shown
    char **notes;    // (note_count), one line each
    int column_count, row_count, note_count;
    int sorted; // by this column; -1: in original order
    bool descending;
    size_t cell_capacity, command_capacity, head_capacity, order_capacity, note_capacity;
};
/* Notes count as rows above the first one: the last note is row -1, the first is row
 * -note_count. */
struct sheet_cursor {
    int row, column; // the cursor: row in the order shown, and a column
    int top, left;   // first visible line (notes, then rows) and first visible column
};

void sheet_free(struct sheet *sheet); // leaves it empty

/* Sorts by a column: first ascending, again descending, a third time in the original order. The
 * sort is stable; numbers are compared by value, texts by bytes. */
void sheet_sort(struct sheet *sheet, int column);

/* Draws the visible part, always including the first columns that name rows, and highlights every
 * match of `search` (NULL: none) in the rows. Clamps `cursor` to the table and scrolls it into
 * view. */
void sheet_draw(const struct sheet *sheet, const struct screen_style *screen_style,
                struct canvas *canvas, struct area area, struct sheet_cursor *cursor,
                const char *search);
enum { SHEET_NOTHING = -1, SHEET_TITLES = -2 };
/* The row, in the order shown, that is drawn at (row, column) of the canvas, or one of these
 * constants; *sheet_column: the column there, or -1. `cursor`: as drawn. */
int sheet_find(const struct sheet *sheet, struct area area, const struct sheet_cursor *cursor,
               int row, int column, int *sheet_column);
/* The next row, in the order shown, with a match of `search`, from row `from` on (`backward`: up to
 * it), wrapping around; -1: none. Case as in find.h. */
int sheet_search(const struct sheet *sheet, const char *search, int from, bool backward);
/* The column of a match in the row: `column` if it has one, else the first that has; -1: none. */
int sheet_match(const struct sheet *sheet, const char *search, int row, int column);

/* True if all columns and their whole content are visible at that width. */
bool sheet_whole(const struct sheet *sheet, int columns);
/* True if sentences of the cursor's row belong below the table at that width, one above the other,
 * because some are cut or compared. */
bool sheet_stacks(const struct sheet *sheet, int columns);
/* The column whose text in the cursor's row must be shown in full: the cursor's own if it is a long
 * one or everything is visible at that width, else the one with the widest text. -1: none. */
int sheet_described(const struct sheet *sheet, const struct sheet_cursor *cursor, int columns);
/* The number of the cursor's row, from 1; 0: on a note, or no rows. */
int sheet_place(const struct sheet *sheet, const struct sheet_cursor *cursor);
/* The whole text of the cell at the cursor, and the command that Enter runs in its row; NULL: none.
 * Both are borrowed. */
const char *sheet_text(const struct sheet *sheet, const struct sheet_cursor *cursor);
const char *sheet_command(const struct sheet *sheet, const struct sheet_cursor *cursor);
/* Returns the words that the cursor's column adds to that command; "": none. */
const char *sheet_command_rest(const struct sheet *sheet, const struct sheet_cursor *cursor);

/* Filling a table: sheet_begin, then for every row sheet_row and its cells from the left,
 * notes at any time, sheet_end. After a failure sheet_free.
 */

/* `columns`: titles, and which are numbers; copied. */
bool sheet_begin(struct sheet *sheet, const struct sheet_column *columns, int count,
                 struct status *status);

/* Adds a row with empty cells and no command. */
bool sheet_row(struct sheet *sheet, struct status *status);
/* Fills in a cell of the last row: the number to sort by (NaN: none) and its text. */
bool sheet_put(struct sheet *sheet, int column, double number, const char *text,
               struct status *status);
/* Sets the command that Enter runs on the last row; taken, also on failure. */
bool sheet_put_command(struct sheet *sheet, char *command, struct status *status);

/* Adds a note for each line of `text`. */
bool sheet_note(struct sheet *sheet, const char *text, struct status *status);

/* Measures the columns; call it last. */
void sheet_end(struct sheet *sheet);

/* Makes a sheet from a report: from its last table for the screen, with fields and lines as
 * notes. */
bool sheet_of_report(struct sheet *sheet, const struct report *report, struct status *status);

#endif
