/* Heatmaps on the screen, for tests: what their cells must look like, from numbers that --json
 * gives.
 *
 * A share of the greatest value has entry min(255, floor(256 share)) of the colour map: its colour
 * in truecolor, of 256 that of a ramp (palette.h, which test_colours holds), in 16 colours one of
 * 13 equal steps, without colours a shade of fifths, in ASCII of tenths. Nothing is taken from the
 * screen but where the cursor is.
 */
#ifndef ATTNSCOPE_TESTS_SCREEN_CELLS_H
#define ATTNSCOPE_TESTS_SCREEN_CELLS_H

#include "tests/tui/screen/screen_support.h"

/* A heatmap that is seen, alone or beside others. */
struct matrix {
    int rows, columns;
    double *values;          // (rows, columns); NaN: none
    double most;             // the scale goes from 0, of differences from -most
    bool difference;         // bluered instead of viridis
    bool shares;             // rows and columns have an entropy
    char **row_labels;       // (rows), as they are shown
    char **column_labels;    // (columns)
    const char *panel;       // its name before the cursor's value; "": it is alone
    const char *column_unit; // before column labels there: "head "; "": nothing
    /* Before all else on its rows; between panels; not there: those of the panel before hold. */
    enum { LABELS_LEFT, LABELS_BETWEEN, LABELS_ABSENT } row_labels_are;
};

/* Of tokens and weights of an object; words: as they stand. Freed with matrix_free. */
struct matrix matrix_of(const json_t *object);
/* From parts: weights [row][column], labels as JSON has them (what is no text has none yet). */
struct matrix matrix_make(const json_t *weights, const json_t *rows, const json_t *columns);
/* For others to fill in; labels empty, to be owned by it. */
struct matrix matrix_new(int rows, int columns);
void matrix_scale(struct matrix *matrix); // its greatest value is the most
void matrix_label(char **label, const char *format, ...) __attribute__((format(printf, 2, 3)));
void matrix_free(struct matrix *matrix);

/* With the cursor in the heatmap: goes to its first and its last cell, and waits until there what
 * stands below, the numbers at the right, the cells that are seen and their labels are as they must
 * be. At least `rows` by `columns` cells must be seen, or all. Leaves the cursor on the first
 * cell. */
void stage_check_matrix(const struct stage *stage, const struct matrix *matrix, int rows,
                        int columns);

/* Waits until the cursor is in this cell, as far as the line below says. */
void stage_expect_cursor(const struct stage *stage, const struct matrix *matrix, int row,
                         int column);
/* Where the cursor's cell is on the screen, and how large cells are; fails when there is none. */
struct cursor {
    int row, column, wide, tall;
};
struct cursor stage_find_cursor(const struct stage *stage);

/* Waits until the overview shows every head of the object of `:heads`, all of which must be seen:
 * its name, its greatest weight, and its cells; where there is no room for all, that the strongest
 * is still seen. */
void stage_check_overview(const struct stage *stage, const json_t *object);

/* How strong the cell at that place is: entry of the colour map (truecolor), or step of the shade;
 * -1: it is nothing of the kind. And the strength that a share of the most must have. 256 colours
 * have no order: there it is the colour's number. */
int stage_strength(const struct stage *stage, const struct tmux_screen *screen, int row,
                   int column);
int stage_strength_of(const struct stage *stage, double share);

#endif
