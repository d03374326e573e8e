/* A checkpoint of random weights, for measuring models that nobody needs to train.
 *
 * The base Transformer of Vaswani et al. 2017: d 512, ffn 2048, 6+6 layers, 8 heads, 32000 pieces, one
 * tied embedding; stored as F16, as trained models are shipped. End-of-sentence is all but forbidden,
 * so that every sentence runs to its maximum length, source length + 5.
 */
#ifndef ATTNSCOPE_RANDOM_MODEL_H
#define ATTNSCOPE_RANDOM_MODEL_H

#include "gpu/status.h"

/* Writes the checkpoint to `path`. */
bool random_model_write(const char *path, struct status *status);

/* A sentence of `length` words that the model knows, the same for the same seed. Freed by the caller;
 * NULL: out of memory. */
char *random_sentence(int length, unsigned seed, struct status *status);

#endif
