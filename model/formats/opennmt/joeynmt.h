/* State of reading a JoeyNMT folder. Private to the reader: joeynmt*.c.
 *
 * Order of calls: joey_read_vocabularies; joey_read_config; joey_put_weights.
 */
#ifndef ATTNSCOPE_JOEYNMT_H
#define ATTNSCOPE_JOEYNMT_H

#include "model/formats/archive/torch_file.h"
#include "model/formats/family.h"
#include "model/formats/modules.h"

struct joey_reader {
    struct contents *contents;
    const char *folder, *file;       // the folder, and the checkpoint's name in it
    const char *name;                // of the model, if config.yaml has none
    json_t *config;                  // config.yaml
    const json_t *model, *stacks[2]; // its parts: model, model.encoder, model.decoder
    struct torch_file *torch;
    struct plain_config plain;
    struct modules modules;
    struct piece_list pieces[2];
    json_t *excluded; // ids that no translation contains
    struct status *status;
};

/* Reads the pieces of both sides in the toolkit's order, and the ids of special ones. */
bool joey_read_vocabularies(struct joey_reader *reader);

/* Reads sizes and conventions from the configuration and the set of tensors; refuses unsupported
 * options by name. */
bool joey_read_config(struct joey_reader *reader);

bool joey_put_weights(struct joey_reader *reader);

/* True if the configuration has version 1, in which data.src is a name. */
bool joey_is_version_1(const struct joey_reader *reader);

/* The value at a path of keys, "data.src.lang"; NULL: absent. */
const json_t *joey_get(const struct joey_reader *reader, const char *path);

#endif
