/* libsentencepiece (0.1.97) for C. No exception leaves it, and nothing is printed. */
#ifndef ATTNSCOPE_SENTENCEPIECE_SHIM_H
#define ATTNSCOPE_SENTENCEPIECE_SHIM_H

#include "model/text/text.h"

struct sentencepiece_model;

/* `model` need not live after the call. NULL on failure. The library trusts its models, so those
 * are refused that fail sentencepiece_check. */
struct sentencepiece_model *sentencepiece_open(const char *model, size_t bytes,
                                               struct status *status);
void sentencepiece_close(struct sentencepiece_model *model); // NULL: nothing

/* True if pieces end in ▁ where a word ends, and do not begin with it
 * (--treat_whitespace_as_suffix). */
bool sentencepiece_marks_ends(const struct sentencepiece_model *model);

/* Appends the model's own pieces, in the order of their ids. */
bool sentencepiece_list(const struct sentencepiece_model *model, struct strings *pieces,
                        struct status *status);

/* Appends the pieces of `text` (valid UTF-8). */
bool sentencepiece_split(const struct sentencepiece_model *model, const char *text,
                         struct strings *pieces, struct status *status);

/* The text of `count` pieces as the library decodes them, but that the unknown piece is shown as it
 * is spelt (not as " ⁇ "), and that ▁ is a blank also in pieces that the model does not have. The
 * caller frees the result; NULL on failure. */
char *sentencepiece_join(const struct sentencepiece_model *model, const char *const *pieces,
                         int count, struct status *status);

/* Refuses models on which the library would read outside its memory, loop or abort: the tables of
 * its normalisation are used unchecked, and its tries hold C strings. What it does check itself
 * (the Protocol Buffers format, missing or duplicate pieces, …) is left to it. */
bool sentencepiece_check(const char *model, size_t bytes, struct status *status);
/* Returns the answer of sentencepiece_marks_ends for a model that passes that. */
bool sentencepiece_ends_words(const char *model, size_t bytes);

#endif
