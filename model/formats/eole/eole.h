/* State of reading an Eole folder. Private to the reader: eole*.c.
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
    const json_t *embeddings; // its embeddings
    const char *tables;       // the name of position tables; NULL: not in the file
    struct plain_config plain;
    struct modules modules;
    struct piece_list pieces[2];
    json_t *added; // end-of-sentence, which texts may contain
    struct status *status;
};

/* Reads sizes, conventions and the search; refuses unsupported options by name. */
bool eole_read_config(struct eole_reader *reader);

/* Reads the pieces of both sides, and the ids of special ones. */
bool eole_read_vocabularies(struct eole_reader *reader);

/* Reads the heads of guided alignment, once the weights give the number of layers. */
bool eole_read_alignment(struct eole_reader *reader);

/* Adds the weights in model.00.safetensors and the files that follow it. */
bool eole_put_weights(struct eole_reader *reader);

/* Adds the subword models that a transform names, if in the folder. */
bool eole_put_tokenizer(struct eole_reader *reader);
/* Reports the transforms that change text and are not supported. */
bool eole_tell_transforms(struct eole_reader *reader);

#endif
