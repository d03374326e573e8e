/* A checkpoint of random weights, for measuring models without training one.
 *
 * It is the Transformer of Vaswani et al. 2017 with one tied embedding, stored as F16 like released
 * models. End-of-sentence is practically never chosen, so that every sentence runs to its maximum
 * length.
 */
#ifndef ATTNSCOPE_RANDOM_MODEL_H
#define ATTNSCOPE_RANDOM_MODEL_H

#include "model/checkpoint/checkpoint.h"

/* All at least 1; d is even and a multiple of heads, pieces more than the three special ones. */
struct random_size {
    int d, ffn, layers, heads, pieces; // layers: of either stack
    int plus; // tokens that a translation may have beyond those of its source; may be 0
};

/* The base model of that paper: d 512, ffn 2048, 6+6 layers, 8 heads; 32000 pieces, plus 5. */
extern const struct random_size random_base;

/* Opens a random checkpoint, from a temporary file that is removed again. NULL on failure. */
struct checkpoint *random_model_open(const struct random_size *size, struct status *status);

/* Returns a sentence of `length` words that the model knows, the same for the same seed. The caller
 * frees it; NULL if out of memory. */
char *random_sentence(const struct random_size *size, int length, unsigned seed,
                      struct status *status);

#endif
