/* Shares encoder layers between passes of one source under several head settings. Internal to
 * model/net.
 *
 * If the head settings of two inputs agree in the lower layers, these layers are computed once. The
 * inputs that share them form a tree: a stem copies the results of its parent before the first
 * layer in which their settings differ.
 *
 * The rows of an encoder pass are ordered by that layer, so that every layer computes a prefix of
 * the rows. Before the layer at which a stem starts, its rows become copies of its parent's.
 */
#ifndef ATTNSCOPE_STEMS_H
#define ATTNSCOPE_STEMS_H

#include "model/net/encoder.h"

/* One sentence of a pass. */
struct stem {
    int parent; // an earlier sentence of the pass, or its own number: no parent
    int layer;  // the first with its own rows, or the number of layers: none
    int number; // its index in the order of rows
    int row;    // its first row
};

/* The extent of a layer's computation: how many of the first rows and sentences of the pass. */
struct stage {
    int rows, sentences;
};

/* inputs, stems: (count); stages: (encoder layers + 1); the last has all rows of the pass. Adjacent
 * inputs with the same address are the same sentence. Never fails. */
void stems_find(const struct model *model, const struct encoder_input *inputs, int count,
                struct stem *stems, struct stage *stages);

/* Before an encoder layer reads its input: adds the rows that start at this layer, as copies of
 * their parents' rows. It copies what this layer and those above read from the layers below: the
 * layer's input (with deep contexts, the inputs of all layers so far), the residual stream, and
 * global contexts. */
void stems_fork(struct pass *pass, int layer);

/* Copies rows stem[first … end-1] of a matrix to its rows first … end-1; columns 0 … columns-1.
 * stem: (end). */
void stems_copy_rows(const struct pass *pass, struct row_matrix matrix, int columns,
                     struct tensor stem, int first, int end);

#endif
