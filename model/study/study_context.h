/* The context that a study runs in. */
#ifndef ATTNSCOPE_STUDY_CONTEXT_H
#define ATTNSCOPE_STUDY_CONTEXT_H

#include "base/watch.h"
#include "model/search/state.h"
#include "model/study/result_cache.h"
#include "model/study/shards/shards.h"

struct study_context {
    struct state state;         // the model, head settings and search to study
    struct result_cache *cache; // results of earlier studies; new ones are added
    const struct watch *watch;  // NULL: none
    struct shards *shards;      // NULL: the work is not divided
};

#endif
