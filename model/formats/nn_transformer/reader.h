/* State of reading a folder with attnscope.json. Private to the reader.
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
    const char *name;    // of the model, if the description has none
    const char *weights; // the name of the file with the weights, or NULL
    bool fixed;          // regardless of the description
    json_t *description;
    struct torch_file *torch; // of the weights; NULL: a safetensors file
    struct plain_config plain;
    struct modules modules;
    struct piece_list pieces[2];
    int64_t rows[2]; // of the embeddings
    bool shared;     // a single vocabulary, [0]
    struct status *status;
};

/* Reads sizes and conventions. Refuses members that are unknown or of the wrong type. */
bool nn_read_description(struct nn_reader *reader);
/* A member that is one value for both sides or {"source": …, "target": …}; NULL: absent or null. */
const json_t *nn_of_side(const json_t *value, int side);
/* Fails with the names of the description and of a member; returns false. */
bool nn_fail(struct nn_reader *reader, const char *member, const char *expected);

/* Adds the tensors of either layout under our names. */
bool nn_put_weights(struct nn_reader *reader);

/* Adds the pieces of both sides and the ids of special ones. Ids without a piece are named by
 * number, up to the rows of the embeddings. */
bool nn_put_vocabularies(struct nn_reader *reader);
bool nn_put_tokenizer(struct nn_reader *reader);

#endif
