/* Encoder passes over several sentences. Inside model/net and model/search alone. */
#ifndef ATTNSCOPE_ENCODER_H
#define ATTNSCOPE_ENCODER_H

#include "model/net/pass.h"

/* One sentence of an encoder pass. */
struct encoder_input {
    const struct sentence *sentence;
    int source;                                // its number among the source caches
    int variant;                               // the number of its head settings on the device
    const struct head_settings *head_settings; // the same settings; NULL: the checkpoint's own
};

/* Encodes `count` sentences of `rows` tokens in all (<= shape.rows) and fills their source caches,
 * after buffers_prepare and buffers_put_head_settings. Adjacent inputs of the same sentence (the
 * same address) share the layers below the first in which their head settings differ (stems.h). The
 * final encoder states of the first sentence are in buffers->normed (n, d). Enqueues work; fails
 * only when the host runs out of memory. */
bool encode(struct model *model, const struct encoder_input *inputs, int count, int rows,
            struct observer *observer, struct status *status);

/* The present pass of `count` sentences of `rows` rows in all, or of the first of them, as the host
 * has described them. stages: (layers + 1), of which the first is looked at here. */
struct pass encoder_pass(struct model *model, int count, int rows, const struct stage *stages,
                         struct observer *observer);

#endif
