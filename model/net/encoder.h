/* Encoder passes over several sentences. Internal to model/net and model/search. */
#ifndef ATTNSCOPE_ENCODER_H
#define ATTNSCOPE_ENCODER_H

#include "model/net/pass.h"

/* One sentence of an encoder pass. */
struct encoder_input {
    const struct sentence *sentence;
    int source;                                // its index in the source caches
    int variant;                               // the number of its head settings on the device
    const struct head_settings *head_settings; // the same settings; NULL: the checkpoint's own
};

/* Encodes `count` sentences with `rows` tokens in total (<= shape.rows) and fills their source
 * caches. Call after buffers_prepare and buffers_put_head_settings. Adjacent inputs with the same
 * sentence (the same address) share the layers below the first in which their head settings differ
 * (stems.h). The final encoder states of the first sentence are in buffers->normed (n, d). Only
 * enqueues work; fails only if the host runs out of memory. */
bool encode(struct model *model, const struct encoder_input *inputs, int count, int rows,
            struct observer *observer, struct status *status);

/* The current pass, whose fields the host has written for `count` sentences with `rows` rows in
 * total. stages: (layers + 1); the pass begins with the rows and sentences of the first. */
struct pass encoder_pass(struct model *model, int count, int rows, const struct stage *stages,
                         struct observer *observer);

#endif
