/* A folder with attnscope.json while it is read. Inside the reader.
 *
 * Order of calls: nn_read_description; nn_put_weights; nn_put_vocabularies;
 * nn_put_tokenizer.
 */
#ifndef ATTNSCOPE_NN_TRANSFORMER_H
#define ATTNSCOPE_NN_TRANSFORMER_H

#include "model/formats/family.h"
#include "model/formats/modules.h"
#include "model/formats/options.h"

extern const char nn_description[]; // "attnscope.json"
extern const char *const nn_sides[2];

struct nn_reader {
    struct contents *contents;
    const char *folder;
    const char *name;    // of the model, where the description has none
    const char *weights; // the name of the file with the weights, or NULL
    bool fixed;          // whatever the description says
    json_t *description;
    struct torch_file *torch; // of the weights; NULL: they are a safetensors file
    struct plain_config plain;
    struct modules modules;
    struct piece_list pieces[2];
    int64_t rows[2]; // of the embeddings
    bool shared;     // one vocabulary, [0]
    struct status *status;
};

/* Sizes and conventions. Refuses members that are unknown, or of another kind. */
bool nn_read_description(struct nn_reader *reader);
/* A member that may be one for both sides, or {"source": …, "target": …}; NULL: absent or null. */
const json_t *nn_of_side(const json_t *value, int side);
/* Fails with the description's name and a member's; returns false. */
bool nn_fail(struct nn_reader *reader, const char *member, const char *expected);

/* The tensors of either layout under our names. */
bool nn_put_weights(struct nn_reader *reader);

/* The pieces of both sides, and the ids of special ones. Ids without a piece are named by their
 * numbers, up to the rows of the embeddings. */
bool nn_put_vocabularies(struct nn_reader *reader);
bool nn_put_tokenizer(struct nn_reader *reader);

#endif
