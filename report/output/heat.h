/* Numbers as text: a shaded matrix, and a table. */
#ifndef ATTNSCOPE_HEAT_H
#define ATTNSCOPE_HEAT_H

#include <stdbool.h>
#include <stdio.h>

/* Labels are already cleaned for display, without the tokeniser's marks. */
struct heat {
    const char *const *rows, *const *columns; // (row_count), (column_count)
    int row_count, column_count;
    const float *values; // (row_count, column_count), >= 0
};

/* Draws cells two columns wide, shaded by their share of the greatest value; column labels run
 * downwards. A matrix wider than `width` continues in further blocks. */
void heat_draw(FILE *stream, const struct heat *heat, int width);

/* Writes a matrix's legend: the place of its greatest weight, and the mean entropy of its rows if
 * these are distributions. */
void heat_legend(FILE *stream, const struct heat *heat, int width);

/* The columns that heat_draw needs for the whole matrix if it may use `width`. */
int heat_width(const struct heat *heat, int width);

/* The same for values of either sign: a cell is the sign and the shade of its share of the greatest
 * magnitude; the legend names that cell. */
void difference_draw(FILE *stream, const struct heat *heat, int width);
void difference_legend(FILE *stream, const struct heat *heat, int width);
/* The character of one column for a value, shaded by its share of `most`. */
const char *heat_shade(float value, float most);

/* Draws the same numbers with three decimals, columns under their labels; NaN shows as "-". */
void table_draw(FILE *stream, const struct heat *heat, int width);

/* Mean entropy of the rows, in bits, without rows of zeros. NaN: a row has
 * no sum of 1, or a value below 0. */
double heat_entropy(const struct heat *heat);

#endif
