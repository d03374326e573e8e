/* Sources under several settings of dials, as trees: where the heads of the encoder's layers are alike, a source
 * is computed once, up to the layer at which two settings part. Inside model/net alone.
 *
 * Rows of an encoder pass lie in the order in which they come to be: at every layer those that are computed are
 * the first ones. A sentence that parts from another before some layer gets rows of its own there, with a copy of
 * what the other has been given so far.
 */
#ifndef ATTNSCOPE_STEMS_H
#define ATTNSCOPE_STEMS_H

#include "model/net/transformer.h"

/* One sentence of a pass. */
struct stem {
    int parent; // an earlier sentence of the pass; itself: none
    int layer; // the first with rows of its own; below it they are the parent's, whose layer is a lower one.
        // The number of layers: none
    int number; // in the order of their rows
    int row;    // the first of its rows
};

/* What a layer computes: the first rows and sentences of the pass. */
struct stage {
    int rows, sentences;
};

/* inputs, stems: (count); stages: (encoder layers + 1), the last one's are all of the pass. Sentences are the same
 * where they have the same address and come one after the other. */
void stems_find(const struct model *model, const struct encoder_input *inputs, int count,
                struct stem *stems, struct stage *stages);

#endif
