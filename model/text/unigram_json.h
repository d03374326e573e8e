/* The model of a tokenizer.json whose type is Unigram, for libsentencepiece: the same pieces and log-probabilities as a
 * SentencePiece model, without normalisation.
 */
#ifndef ATTNSCOPE_UNIGRAM_JSON_H
#define ATTNSCOPE_UNIGRAM_JSON_H

#include <jansson.h>

#include "model/text/sentencepiece_shim.h"

/* `root`: the whole file. No text becomes one of its added special tokens. NULL on failure. */
struct sentencepiece_model *unigram_json_open(const json_t *root, struct status *status);

#endif
