/* Numbers as text: a shaded matrix, and a table. */
#ifndef ATTNSCOPE_HEAT_H
#define ATTNSCOPE_HEAT_H

#include <stdbool.h>
#include <stdio.h>

/* Labels are for the eye already: clean, without the tokeniser's marks. */
struct heat {
    const char *const *rows, *const *columns; // (row_count), (column_count)
    int row_count, column_count;
    const float *values; // (row_count, column_count), >= 0
};

/* Draws cells of two columns, shaded by their share of the greatest value; column labels run
 * downwards. What is wider than `width` goes on in further blocks. */
void heat_draw(FILE *stream, const struct heat *heat, int width);

/* The legend of a matrix: where its greatest weight is, and the mean entropy of its rows. */
void heat_legend(FILE *stream, const struct heat *heat, int width);

/* Columns that heat_draw takes for the whole matrix where it may use `width`. */
int heat_width(const struct heat *heat, int width);

/* The same for values of either sign: a cell is the sign and the shade of its share of the greatest
 * magnitude; the legend names that cell. */
void difference_draw(FILE *stream, const struct heat *heat, int width);
void difference_legend(FILE *stream, const struct heat *heat, int width);
/* The character of one column for a value, shaded by its share of `most`. */
const char *heat_shade(float value, float most);

/* The same numbers with three decimals, columns under their labels; NaN shows as "-". */
void table_draw(FILE *stream, const struct heat *heat, int width);

/* Mean of the entropies of the rows' shares, in bits; rows of zeros are left out. */
double heat_entropy(const struct heat *heat);

#endif
