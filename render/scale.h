/* Ranges of a figure's scales, and the ticks of their colour bars and axes. Pure functions; they
 * never fail. */
#ifndef ATTNSCOPE_SCALE_H
#define ATTNSCOPE_SCALE_H

#include "render/figure.h"

struct scale_range {
    double least, most; // least < most, finite; above 0 if logarithmic
    bool logarithmic;
};

/* The position of a value in the range: 0 at `least`, 1 at `most`; NaN for NaN. */
double scale_position(struct scale_range range, double value);

/* The range of a scale. If it would be empty (no numbers, or all equal), `most` is
 * `least + max(1, |least|)`. */
struct scale_range scale_find_range(const struct figure *figure, int scale);

/* The divisor that normalises values before lookup in the range: 1, or the maximum of the matrix
 * (scale_divisor; compute it once) or of the row. */
double scale_divisor(const struct figure *figure, const struct figure_matrix *matrix);
double scale_row_divisor(const struct figure *figure, const struct figure_matrix *matrix, int row,
                         double divisor);

/* The range of a plot's y axis: the given one, or one that includes all values and the mean, and 0
 * unless without_zero. */
struct scale_range scale_plot_range(const struct figure_plot *plot);

enum { TICKS_MOST = 12 };

struct tick {
    double value;
    char text[32]; // with U+2212 for minus
};

/* The number of decimals for values of the range in cells: 2 for shares. */
int scale_decimals(struct scale_range range);

/* Writes `value` with U+2212 for minus. */
void scale_write(double value, int decimals, char *text, size_t size);

/* Returns the least step, 1, 2 or 5 times a power of ten, with at most `most` multiples in the
 * range. */
double scale_step(struct scale_range range, int most);
/* Writes as many ticks as fit, 1 to `most` (<= TICKS_MOST), at multiples of 1, 2 or 5 times a power
 * of ten, of logarithmic ranges perhaps only at powers of ten; if fewer than two of these, at the
 * range's ends. Returns their number. */
int scale_ticks(struct scale_range range, int most, struct tick *ticks);

#endif
