/* Many matrices as text: small, shaded, side by side. */
#ifndef ATTNSCOPE_GRID_H
#define ATTNSCOPE_GRID_H

#include <stdbool.h>
#include <stdio.h>

/* Layers of heads; all matrices have the same rows and columns. */
struct grid {
    const int *layers, *heads; // (layer_count), (head_count): their numbers, 0-based
    int layer_count, head_count;
    const bool *off; // (layer_count, head_count)
    int rows, columns;
    const float *values; // (layer_count, head_count, rows, columns), >= 0
};

/* How matrices are shrunk to fit: a character stands for a block of cells, its shade is that of the greatest
 * of them, so that a lone strong cell is still seen. A character is about twice as high as wide. */
struct grid_shape {
    int per_line;      // matrices side by side
    int width, height; // of one, in characters
};

/* The widest matrices, up to a character a column, with which all heads of a layer fit side by side into
 * `width`; where that would be less than 7 characters, fewer heads in several lines. */
struct grid_shape grid_shape(const struct grid *grid, int width);

/* Draws layer by layer: head number and greatest weight (or "off") over each matrix, shaded by the share of
 * that weight. Ends with a legend. */
void grid_draw(FILE *stream, const struct grid *grid, int width);

#endif
