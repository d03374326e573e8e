/* A checkpoint of OpenNMT-py while it is read. Inside the reader: opennmt*.c.
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
    const char *folder, *file; // the folder, and the name of the checkpoint in it
    bool in_folder;            // the path is the folder, so that messages name the file
    struct torch_file *torch;
    const struct pickle_value *root, *options;
    struct plain_config plain;
    struct modules modules;
    bool old; // of versions 1 and 2, or before: vocabularies are objects of torchtext
    struct piece_list pieces[2];
    char name[256]; // of the model
    struct status *status;
};

/* Sizes and conventions; refuses by its name what is not computed here. */
bool onmt_read_options(struct onmt_reader *reader);

/* The pieces of both sides, and the ids of special ones. */
bool onmt_read_vocabularies(struct onmt_reader *reader);

/* From the checkpoint, or files of safetensors beside it. */
bool onmt_put_weights(struct onmt_reader *reader);

#endif
