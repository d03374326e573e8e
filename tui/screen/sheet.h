/* Tables that sort and scroll: results that are lists of things with numbers.
 *
 * sheet_make from a result (the hypotheses of a sentence, a score's tokens, states, scores by length, sentences
 * of a comparison, the heads of a token view, …); sheet_sort; sheet_draw with a spot that the caller keeps.
 * Notes, what is known beside the table, stand above the columns' titles and scroll away with the rows; the
 * titles stay. Texts that are wider than there is room for are cut, numbers never.
 */
#ifndef ATTNSCOPE_SHEET_H
#define ATTNSCOPE_SHEET_H

#include "tui/result.h"
#include "tui/screen/canvas.h"
#include "tui/screen/look.h"

struct sheet_column {
    const char *title; // of a constant
    bool number;       // right-aligned, sorts by value
    int width;         // of the widest text in it, title included
};
struct sheet_cell {
    char *text;    // owned; as it is shown
    double number; // of number columns; NaN sorts last
};
struct sheet {
    struct sheet_column *columns; // (column_count)
    struct sheet_cell *cells;     // (row_count, column_count)
    char **commands; // (row_count): what Enter runs, such as ":hypothesis 2"; NULL: nothing
    int *order;      // (row_count): which row stands where
    char **notes;    // (note_count), one line each
    int column_count, row_count, note_count;
    int sorted; // by this column; -1: as they came
    bool descending;
    size_t cell_capacity, command_capacity, order_capacity, note_capacity;
};
/* Notes are rows above the first: the last of them -1, the first -note_count. */
struct sheet_spot {
    int row, column; // the cursor: row in the order shown, and a column
    int top, left;   // first line (notes, then rows) and first column that are seen
};

/* Whether results of that kind are tables. */
bool sheet_can(const struct result *result);
bool sheet_make(struct sheet *sheet, const struct session *session, const struct result *result,
                struct status *status);
void sheet_free(struct sheet *sheet); // leaves it empty

/* Sorts by a column, stable; by the same one again: the other way round; a third time: as they came. Numbers
 * by value, texts by their bytes. */
void sheet_sort(struct sheet *sheet, int column);

/* Draws what is seen; every place where `search` (NULL: none) stands in a row is marked. Keeps `spot` inside, and the
 * cursor in sight. */
void sheet_draw(const struct sheet *sheet, const struct look *look, struct canvas *canvas,
                struct area area, struct sheet_spot *spot, const char *search);
enum { SHEET_NOTHING = -1, SHEET_TITLES = -2 };
/* The row, in the order shown, that is drawn at that place, or one of these; *sheet_column: the column there,
 * or -1. `spot` as drawn. */
int sheet_find(const struct sheet *sheet, struct area area, const struct sheet_spot *spot, int row,
               int column, int *sheet_column);
/* The next row, in the order shown, with `search` in one of its texts, from row `from` on (`backward`: up to
 * it), going on at the other end; or -1. Case as in find.h. */
int sheet_search(const struct sheet *sheet, const char *search, int from, bool backward);

/* Under the cursor: the whole text, and what Enter runs. NULL: nothing. Borrowed. */
const char *sheet_text(const struct sheet *sheet, const struct sheet_spot *spot);
const char *sheet_command(const struct sheet *sheet, const struct sheet_spot *spot);

#endif
