/* A checkpoint: the contents of a model's files (model/formats), with every shape, dtype, name,
 * rule and id checked.
 *
 * checkpoint_open maps and checks; the tensors point into the files until checkpoint_close.
 * Messages begin with the path: "model.bin: encoder.layers.0.norm1.weight: shape [16], expected
 * [32]".
 */
#ifndef ATTNSCOPE_CHECKPOINT_H
#define ATTNSCOPE_CHECKPOINT_H

#include <stdint.h>

#include "base/status.h"
#include "base/watch.h"
#include "model/checkpoint/config.h"
#include "model/formats/contents.h"
#include "model/text/text.h"

struct checkpoint {
    struct contents *contents;
    struct config *config;
    struct vocabulary *vocabulary[2]; // [SIDE_SOURCE], [SIDE_TARGET]; the same pointer if shared
    struct tokenizer *tokenizer[2];   // the same
    int64_t parameters;               // elements of all float tensors
    const struct watch *watch; // for slow work with this checkpoint, set by the caller; or NULL
};

/* Tokeniser files to use instead of the model's own, as some toolkits keep them elsewhere. NULL:
 * none for that side. */
struct tokenizer_files {
    const char *paths[2]; // SIDE_SOURCE, SIDE_TARGET
};

/* NULL on failure. `tokenizers` may be NULL. */
struct checkpoint *checkpoint_open(const char *path, struct status *status);
struct checkpoint *checkpoint_open_with(const char *path, const struct tokenizer_files *tokenizers,
                                        struct status *status);
void checkpoint_close(struct checkpoint *checkpoint); // NULL: nothing

/* True if matrices have 8-bit integers besides their floats (struct stored_integers). */
bool checkpoint_has_integers(const struct checkpoint *checkpoint);

/* True if a model of another toolkit came without a tokeniser for a side: its text is then read as
 * pieces separated by blanks. */
bool checkpoint_in_pieces(const struct checkpoint *checkpoint, int side);

/* The tensor whose name is given in printf format; NULL if the file does not have it, such as an
 * optional bias. */
const struct stored_tensor *checkpoint_tensor(const struct checkpoint *checkpoint,
                                              const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
