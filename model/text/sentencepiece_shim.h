/* libsentencepiece (0.1.97) for C. Throws no exceptions and prints nothing. */
#ifndef ATTNSCOPE_SENTENCEPIECE_SHIM_H
#define ATTNSCOPE_SENTENCEPIECE_SHIM_H

#include "model/text/text.h"

struct sentencepiece_model;

/* `model` need not outlive the call. NULL on failure. The library trusts its models, so models that
 * fail sentencepiece_check are refused. */
struct sentencepiece_model *sentencepiece_open(const char *model, size_t bytes,
                                               struct status *status);
void sentencepiece_close(struct sentencepiece_model *model); // NULL: nothing

/* True if ▁ ends pieces at word ends instead of beginning pieces (--treat_whitespace_as_suffix). */
bool sentencepiece_marks_ends(const struct sentencepiece_model *model);

/* Appends the model's own pieces, in the order of their ids. */
bool sentencepiece_list(const struct sentencepiece_model *model, struct strings *pieces,
                        struct status *status);

/* Appends the pieces of `text` (valid UTF-8). */
bool sentencepiece_split(const struct sentencepiece_model *model, const char *text,
                         struct strings *pieces, struct status *status);

/* The text of `count` pieces as the library decodes them, except that the unknown piece keeps its
 * spelling (not " ⁇ "), and that ▁ is a blank even in pieces that the model lacks. The caller frees
 * the result; NULL on failure. */
char *sentencepiece_join(const struct sentencepiece_model *model, const char *const *pieces,
                         int count, struct status *status);

/* Refuses models on which the library would read outside its memory, loop or abort: the tables of
 * its normalisation are used unchecked, and its tries hold C strings. The library's own checks (the
 * Protocol Buffers format, missing or duplicate pieces, …) are left to it. */
bool sentencepiece_check(const char *model, size_t bytes, struct status *status);
/* sentencepiece_marks_ends for the bytes of a model that passes sentencepiece_check. */
bool sentencepiece_ends_words(const char *model, size_t bytes);

#endif
