/* Gradients of heads in parts (model/study/shards/shards.h): what head_gradients_run keeps of each sentence.
 *
 *     gradient_parts_open; head_gradients_run with &parts.memory
 */
#ifndef ATTNSCOPE_GRADIENT_PARTS_H
#define ATTNSCOPE_GRADIENT_PARTS_H

#include "model/attribution/head_gradients.h"
#include "model/study/study_context.h"

struct gradient_parts {
    struct shards *shards;
    const struct lines *sources, *targets;
    struct identity scope;
    struct gradient_memory memory;
};

/* All is borrowed, `out` itself too. In a merge it fails where sentences are missing; the message begins with `path`. */
bool gradient_parts_open(struct gradient_parts *out, const struct study_context *context,
                         const struct head_gradients *gradients, const char *path,
                         const struct lines *sources, const struct lines *targets,
                         struct status *status);

#endif
