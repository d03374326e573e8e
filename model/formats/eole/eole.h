/* A folder of Eole while it is read. Inside the reader: eole*.c.
 *
 * Order of calls: eole_read_config; eole_read_vocabularies; eole_put_weights;
 * eole_read_alignment; eole_put_tokenizer.
 */
#ifndef ATTNSCOPE_EOLE_H
#define ATTNSCOPE_EOLE_H

#include "model/formats/family.h"
#include "model/formats/modules.h"

struct eole_reader {
    struct contents *contents;
    const char *folder, *name; // the name of the model
    json_t *config, *vocabularies;
    const json_t *model;      // of config.json
    const json_t *stacks[2];  // its encoder and decoder
    const json_t *embeddings; // likewise
    const char *tables;       // the name of tables of positions; NULL: none are in the file
    struct plain_config plain;
    struct modules modules;
    struct piece_list pieces[2];
    json_t *added; // end-of-sentence, which texts may have
    struct status *status;
};

/* Sizes, conventions and the search; refuses by its name what is not computed here. */
bool eole_read_config(struct eole_reader *reader);

/* The pieces of both sides, and the ids of special ones. */
bool eole_read_vocabularies(struct eole_reader *reader);

/* The heads of guided alignment, once the weights have told the layers. */
bool eole_read_alignment(struct eole_reader *reader);

/* From model.00.safetensors and the files that follow it. */
bool eole_put_weights(struct eole_reader *reader);

/* The subword models that a transform names, where they are in the folder. */
bool eole_put_tokenizer(struct eole_reader *reader);
/* Adds the transforms that change text and are not done here to what is told. */
bool eole_tell_transforms(struct eole_reader *reader);

#endif
