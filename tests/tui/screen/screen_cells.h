/* Heatmaps on the screen, for tests: what their cells must look like, given the numbers from
 * --json.
 *
 * A share of the greatest value has entry min(255, floor(256 share)) of the colour map: in
 * truecolor its colour, with 256 colours one of a ramp (palette.h, tested by test_colours), with 16
 * colours one of 13 equal steps, without colours one of 5 shades, in ASCII one of 10. Nothing is
 * taken from the screen except the cursor's place.
 */
#ifndef ATTNSCOPE_TESTS_SCREEN_CELLS_H
#define ATTNSCOPE_TESTS_SCREEN_CELLS_H

#include "tests/tui/screen/screen_support.h"

/* A heatmap on the screen, alone or beside others. */
struct matrix {
    int rows, columns;
    double *values;          // (rows, columns); NaN: no value
    double most;             // the end of the scale, which begins at 0, for differences at -most
    bool difference;         // bluered instead of viridis
    bool shares;             // rows and columns have an entropy
    char **row_labels;       // (rows), as shown
    char **column_labels;    // (columns)
    const char *panel;       // its name before the cursor's value; "": it is the only one
    const char *column_unit; // before column labels there: "head "; "": nothing
    /* Where the row labels are: left of the panel; between panels; absent, if those of the previous
     * panel apply. */
    enum { LABELS_LEFT, LABELS_BETWEEN, LABELS_ABSENT } row_labels_are;
};

/* Makes a matrix from the tokens and weights of an object. Labels that are words stay as they are.
 * Freed with matrix_free. */
struct matrix matrix_of(const json_t *object);
/* Makes a matrix from parts: weights [row][column], and labels from JSON (those that are not texts
 * stay empty). */
struct matrix matrix_make(const json_t *weights, const json_t *rows, const json_t *columns);
/* Makes a matrix for others to fill in. Labels are empty; the matrix owns those set later. */
struct matrix matrix_new(int rows, int columns);
void matrix_scale(struct matrix *matrix); // sets `most` to its greatest value
void matrix_label(char **label, const char *format, ...) __attribute__((format(printf, 2, 3)));
void matrix_free(struct matrix *matrix);

/* With the cursor in the heatmap: moves to its first and last cells, and waits until the line
 * below, the numbers at the right, the visible cells and their labels are right. At least `rows` by
 * `columns` cells must be visible, or all. Leaves the cursor on the first cell. */
void stage_check_matrix(const struct stage *stage, const struct matrix *matrix, int rows,
                        int columns);

/* Waits until the line below says that the cursor is in this cell. */
void stage_expect_cursor(const struct stage *stage, const struct matrix *matrix, int row,
                         int column);
/* The place of the cursor's cell on the screen, and the size of cells; fails if there is none. */
struct cursor {
    int row, column, wide, tall;
};
struct cursor stage_find_cursor(const struct stage *stage);

/* Waits until the overview shows every head of the object of `:heads`: its name, its greatest
 * weight, and its cells. All heads must be visible; if there is no room for all cells, the
 * strongest must still be visible. */
void stage_check_overview(const struct stage *stage, const json_t *object);

/* Returns the strength of the cell at that place: an entry of the colour map (truecolor) or a step
 * of the shade; -1 if it is neither. stage_strength_of returns the strength that a share of the
 * maximum must have. 256 colours have no order; there it is the colour's number. */
int stage_strength(const struct stage *stage, const struct tmux_screen *screen, int row,
                   int column);
int stage_strength_of(const struct stage *stage, double share);

#endif
