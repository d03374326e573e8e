/* Scales of a figure, as numbers: how far they reach, and where their bars have ticks.
 * Pure functions; they never fail. */
#ifndef ATTNSCOPE_SCALE_H
#define ATTNSCOPE_SCALE_H

#include "render/figure.h"

struct scale_range {
    double least, most; // least < most, finite; above 0 where it is logarithmic
    bool logarithmic;
};

/* Where a value lies: 0 at the least, 1 at the most. NaN has no place: NaN. */
double scale_position(struct scale_range range, double value);

/* What the scale of that index covers. A range that would be empty (no numbers, or all the same)
 * reaches 1 further up. */
struct scale_range scale_find_range(const struct figure *figure, int scale);

/* What a row's values are divided by before they are looked up in the scale's range: 1, or the greatest of
 * the matrix (scale_divisor, found once) or of the row. */
double scale_divisor(const struct figure *figure, const struct figure_matrix *matrix);
double scale_row_divisor(const struct figure *figure, const struct figure_matrix *matrix, int row,
                         double divisor);

/* What the y axis of a plot covers: what is given, else 0 and all its values and its mean. */
struct scale_range scale_plot_range(const struct figure_plot *plot);

enum { TICKS_MOST = 12 };

struct tick {
    double value;
    char text[32]; // with U+2212 for minus
};

/* Decimals that tell values of the range apart in cells: 2 for shares. */
int scale_decimals(struct scale_range range);

/* Writes `value` with U+2212 for minus. */
void scale_write(double value, int decimals, char *text, size_t size);

/* Writes 1 to `most` (<= TICKS_MOST) ticks at multiples of 1, 2 or 5 times a power of ten, as many
 * as there is room for (logarithmic: or of every power of ten alone; fewer than two: the range's ends);
 * returns their number. */
int scale_ticks(struct scale_range range, int most, struct tick *ticks);

#endif
