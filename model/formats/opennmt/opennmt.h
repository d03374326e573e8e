/* State of reading an OpenNMT-py checkpoint. Private to the reader: opennmt*.c.
 *
 * Order of calls: onmt_read_options; onmt_read_vocabularies; onmt_put_weights.
 */
#ifndef ATTNSCOPE_OPENNMT_H
#define ATTNSCOPE_OPENNMT_H

#include "model/formats/archive/torch_file.h"
#include "model/formats/family.h"
#include "model/formats/modules.h"

struct onmt_reader {
    struct contents *contents;
    const char *folder, *file; // the folder, and the checkpoint's name in it
    bool in_folder;            // the path is the folder, so messages name the file
    struct torch_file *torch;
    const struct pickle_value *root, *options;
    struct plain_config plain;
    struct modules modules;
    bool old; // version 2 or earlier: vocabularies are torchtext objects
    struct piece_list pieces[2];
    char name[256]; // of the model
    struct status *status;
};

/* Reads sizes and conventions; refuses unsupported options by name. */
bool onmt_read_options(struct onmt_reader *reader);

/* Reads the pieces of both sides, and the ids of special ones. */
bool onmt_read_vocabularies(struct onmt_reader *reader);

/* Adds the weights in the checkpoint, or in safetensors files beside it. */
bool onmt_put_weights(struct onmt_reader *reader);

#endif
