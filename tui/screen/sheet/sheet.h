/* Tables that sort and scroll: results that are lists of things with numbers.
 *
 * sheet_of_report makes one from a report (the hypotheses of a sentence, a score's tokens, states,
 * scores by length, sentences of a comparison, the heads of a token view, …); sheet_sort;
 * sheet_draw with a cursor that the caller keeps. Notes, what is known beside the table, stand
 * above the columns' titles and scroll away with the rows; the titles stay. Notes are wrapped;
 * while the cursor is on a row they leave half of the area to the rows, and what is not seen of
 * them is seen when the cursor goes up there. Texts that are wider than there is room for are cut,
 * numbers never.
 */
#ifndef ATTNSCOPE_SHEET_H
#define ATTNSCOPE_SHEET_H

#include "report/report.h"
#include "tui/screen/canvas/canvas.h"
#include "tui/screen/canvas/style.h"

struct sheet_column {
    const char *title; // of a constant
    bool number;       // right-aligned, sorts by value
    int width;         // of the widest text in it, title included
    const char *enter; // of a constant: what Enter there adds to the row's command; NULL: nothing
    bool names_head;   // Enter there shows the row's head
    bool names;        // it may name the row, as the first columns do: no measure, no sentence
    bool sentence;     // it stands below the table, too, as far as that cuts it
    bool compared;     // with the next one, there: words that differ are marked
};
struct sheet_cell {
    char *text;    // owned; as it is shown
    double number; // of number columns; NaN sorts last
};
struct sheet {
    struct sheet_column *columns; // (column_count)
    struct sheet_cell *cells;     // (row_count, column_count)
    char **commands; // (row_count): what Enter runs, such as ":hypothesis 2"; NULL: nothing
    char **heads;    // (row_count): likewise where a column names the row's head
    int *order;      // (row_count): which row stands where
    char **notes;    // (note_count), one line each
    int column_count, row_count, note_count;
    int sorted; // by this column; -1: as they came
    bool descending;
    size_t cell_capacity, command_capacity, head_capacity, order_capacity, note_capacity;
};
/* Notes count as rows above the first one: the last note is row -1, the first is row
 * -note_count. */
struct sheet_cursor {
    int row, column; // the cursor: row in the order shown, and a column
    int top, left;   // first line (notes, then rows) and first column that are seen
};

void sheet_free(struct sheet *sheet); // leaves it empty

/* Sorts by a column: first ascending, again descending, a third time in the original order. The
 * sort is stable; numbers are compared by value, texts by bytes. */
void sheet_sort(struct sheet *sheet, int column);

/* Draws the visible part, always with the first columns that name rows, and highlights every match of `search` (NULL: none) in the rows. Moves
 * `cursor` inside the table and scrolls so that it is visible. */
void sheet_draw(const struct sheet *sheet, const struct screen_style *screen_style,
                struct canvas *canvas, struct area area, struct sheet_cursor *cursor,
                const char *search);
enum { SHEET_NOTHING = -1, SHEET_TITLES = -2 };
/* The row, in the order shown, that is drawn at (row, column) of the canvas, or one of these
 * constants; *sheet_column: the column there, or -1. `cursor`: as it was drawn. */
int sheet_find(const struct sheet *sheet, struct area area, const struct sheet_cursor *cursor,
               int row, int column, int *sheet_column);
/* The next row, in the order shown, with a match of `search`, from row `from` on (`backward`: up to
 * it), wrapping around; -1: none. Case as in find.h. */
int sheet_search(const struct sheet *sheet, const char *search, int from, bool backward);

/* True if all columns, and all that is in them, are seen at that width. */
bool sheet_whole(const struct sheet *sheet, int columns);
/* True if sentences of the cursor's row are to stand below the table at that width, one above the
 * other: some are cut, or are compared. */
bool sheet_stacks(const struct sheet *sheet, int columns);
/* The column whose text in the cursor's row a reader cannot do without: the cursor's own where it
 * is a long one or all is seen at that width, else the widest text. -1: none. */
int sheet_described(const struct sheet *sheet, const struct sheet_cursor *cursor, int columns);
/* The number of the cursor's row, from 1; 0: it is on a note, or there are no rows. */
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

/* `columns`: titles and which are numbers; copied. */
bool sheet_begin(struct sheet *sheet, const struct sheet_column *columns, int count,
                 struct status *status);

/* Adds a row with empty cells and no command. */
bool sheet_row(struct sheet *sheet, struct status *status);
/* Fills in a cell of the last row: the number that it is sorted by (NaN: none), and its text. */
bool sheet_put(struct sheet *sheet, int column, double number, const char *text,
               struct status *status);
/* Sets the command that Enter runs on the last row; taken, also on failure. */
bool sheet_put_command(struct sheet *sheet, char *command, struct status *status);

/* Adds a note for each line of `text`. */
bool sheet_note(struct sheet *sheet, const char *text, struct status *status);

/* Measures the columns; to be called last. */
void sheet_end(struct sheet *sheet);

/* Makes one of a report: of the last table that is part of the screen, with fields and lines as
 * notes. */
bool sheet_of_report(struct sheet *sheet, const struct report *report, struct status *status);

#endif
