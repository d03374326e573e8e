/* Entries of the result cache, for model/study/result_cache*.c only. */
#ifndef ATTNSCOPE_RESULT_CACHE_ENTRIES_H
#define ATTNSCOPE_RESULT_CACHE_ENTRIES_H

#include <stdatomic.h>

#include "model/study/heads/head_stats_result.h"
#include "model/study/result_cache.h"

/* Files shared by several results. */
struct shared_files {
    struct parallel files;
    int users;
};

struct cached {
    struct result_key key; // points into the fields below
    struct head_settings *head_settings;
    struct shared_files *files; // NULL: the key has none
    atomic_int users;           // the cache, and holders of the run (suite_run_hold)
    union {
        struct translated translated;
        struct suite_run run;
        struct cached_ablation ablation;
        struct cached_pruning pruning;
        struct head_stats_result head_stats;
        struct journal walk;
    };
};

/* Finds the entry with this key and moves it to the front. NULL: none. */
struct cached *cache_find(struct result_cache *cache, const struct result_key *key);
/* Removes the first entry, for example the one that cache_find has moved there. */
void cache_drop_first(struct result_cache *cache);
/* Adds an entry with a zero result. If there are `most` entries of its kind, it replaces the least
 * recently used one. The caller keeps the suite of the key. NULL: out of memory. */
struct cached *cache_add(struct result_cache *cache, const struct result_key *key, int most,
                         struct status *status);
/* The entry at `index` of a kind, most recently used first. NULL: there are fewer. */
struct cached *cache_at(const struct result_cache *cache, enum cached_kind kind, int index);

/* Begins the identity of a result in a state; cache_key completes it. The model is identified by
 * its address. */
struct identity cache_identity(enum cached_kind kind, const struct state *state,
                               enum identity_search search);
struct result_key cache_key(enum cached_kind kind, const struct state *state,
                            const struct identity *identity);

/* Frees the entry, unless others still use it. */
void entry_leave(struct cached *entry);

/* Frees a run's scores with other head settings. */
void suite_run_drop_variants(struct suite_run *run);

#endif
