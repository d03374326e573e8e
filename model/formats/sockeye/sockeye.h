/* State of reading a Sockeye 3 folder. Private to the reader: sockeye*.c.
 *
 * Order of calls: sockeye_read_config; sockeye_read_vocabularies; sockeye_put_weights.
 */
#ifndef ATTNSCOPE_SOCKEYE_H
#define ATTNSCOPE_SOCKEYE_H

#include "model/formats/family.h"
#include "model/formats/modules.h"

struct sockeye_reader {
    struct contents *contents;
    const char *folder, *name; // the name of the model
    json_t *config;
    const json_t *stacks[2]; // config_encoder, config_decoder
    struct plain_config plain;
    struct modules modules;
    struct piece_list pieces[2];
    json_t *ends; // ids at which the search ends
    struct status *status;
};

/* Reads sizes, conventions and the search; refuses unsupported options by name. */
bool sockeye_read_config(struct sockeye_reader *reader);

/* Reads the pieces of both sides, whose special tokens have fixed ids. */
bool sockeye_read_vocabularies(struct sockeye_reader *reader);

bool sockeye_put_weights(struct sockeye_reader *reader);

#endif
