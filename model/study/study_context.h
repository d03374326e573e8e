/* The context of a study. */
#ifndef ATTNSCOPE_STUDY_CONTEXT_H
#define ATTNSCOPE_STUDY_CONTEXT_H

#include "base/watch.h"
#include "model/search/state.h"
#include "model/study/result_cache.h"
#include "model/study/shards/shards.h"

struct study_context {
    struct state state;         // the model, head settings and search to study
    struct result_cache *cache; // results of earlier studies; new ones are added
    const struct watch *watch;  // NULL: nobody watches
    struct shards *shards;      // of the work; NULL: it is not divided
};

#endif
