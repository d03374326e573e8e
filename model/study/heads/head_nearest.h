/* How near a head comes to fixed patterns, row by row. For head_stats*.c alone; head_stats.h says what
 * the numbers mean.
 */
#ifndef ATTNSCOPE_HEAD_NEAREST_H
#define ATTNSCOPE_HEAD_NEAREST_H

#include <stdbool.h>

#include "model/study/heads/head_stats.h"

/* One row of the attention of all heads of a module, as head_stats_add.c has it. */
struct near_row {
    const float *weights;    // (columns, heads)
    const float *present;    // (count): 0 where a head has no weight
    int heads, count;        // padded, and selected
    int columns;             // that the row sees
    int position;            // of the row
    int word;                // of the row
    const int *column_words; // (columns); NULL: rows and columns are of two texts
};

/* Adds the nearness of each head that has weight to sums, (NEAR_PATTERNS, heads). scratch:
 * (columns) floats and int32, (heads) floats twice. */
struct near_scratch {
    float *pattern;
    int32_t *keys;
    float *shared, *totals;
};
void nearest_add(const struct near_row *row, const struct near_scratch *scratch, double *sums);

#endif
