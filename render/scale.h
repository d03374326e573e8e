/* Scales of a figure, as numbers: how far they reach, and where their bars have ticks.
 * Pure functions; they never fail. */
#ifndef ATTNSCOPE_SCALE_H
#define ATTNSCOPE_SCALE_H

#include "render/figure.h"

struct scale_range {
    double least, most; // least < most, finite
};

/* What the scale of that index covers. A range that would be empty (no numbers, or all the same)
 * reaches 1 further up. */
struct scale_range scale_find_range(const struct figure *figure, int scale);

enum { TICKS_MOST = 12 };

struct tick {
    double value;
    char text[32]; // with U+2212 for minus
};

/* Writes 1 to `most` (<= TICKS_MOST) ticks at multiples of 1, 2 or 5 times a power of ten, as many
 * as there is room for; returns their number. */
int scale_ticks(struct scale_range range, int most, struct tick *ticks);

#endif
