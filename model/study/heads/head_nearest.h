/* How near a head is to fixed patterns, row by row. Only for head_stats*.c; head_stats.h defines
 * the numbers.
 */
#ifndef ATTNSCOPE_HEAD_NEAREST_H
#define ATTNSCOPE_HEAD_NEAREST_H

#include <stdbool.h>

#include "model/study/heads/head_stats.h"

/* One row of attention of all heads of a module, as prepared by head_stats_add.c. */
struct near_row {
    const float *weights;    // (columns, heads)
    const float *present;    // (count): 0 if a head has no weight
    int heads, count;        // padded, and selected
    int columns;             // visible to the row
    int position;            // of the row
    int word;                // of the row
    const int *column_words; // (columns); NULL: rows and columns belong to different texts
};

/* Adds the nearness of each head that has weight to sums (NEAR_PATTERNS, heads). scratch: (columns)
 * floats and int32, and two arrays of (heads) floats. */
struct near_scratch {
    float *pattern;
    int32_t *keys;
    float *shared, *totals;
};
void nearest_add(const struct near_row *row, const struct near_scratch *scratch, double *sums);

#endif
