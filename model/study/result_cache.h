/* A cache of results of studies, so that rows can be inspected, states compared and stopped studies
 * continued without computing again.
 *
 * The key of a result is everything that it depends on: the content of files, not their names.
 * Equal keys mean the same result. The cache keeps a few results of each kind and drops the least
 * recently used one. Results that a stop left unfinished are kept too, and can be continued.
 *
 *     zero-initialise; look a result up (cache_…) and complete it; result_cache_free
 */
#ifndef ATTNSCOPE_RESULT_CACHE_H
#define ATTNSCOPE_RESULT_CACHE_H

#include "model/score/bleu.h"
#include "model/search/state.h"
#include "model/study/ablation.h"
#include "model/study/contrast/contrast.h"
#include "model/study/shards/identity.h"
#include "model/study/study_settings.h"
#include "model/text/parallel.h"

enum cached_kind {
    CACHED_TRANSLATIONS,
    CACHED_SUITE,
    CACHED_ABLATION,
    CACHED_PRUNING,
    CACHED_HEAD_STATS,
    CACHED_WALK,
    CACHED_KINDS
};

/* Everything is borrowed. Fields that a result does not depend on are NULL or zero. */
struct result_key {
    enum cached_kind kind;
    struct journal_key identity;               // of all but the texts
    const struct head_settings *head_settings; // of the state, part of the identity
    const struct parallel *files;              // sources, references
    const struct suite *suite;
};

struct cached; // a result under its key (result_cache_entries.h)

struct result_cache {
    struct cached **entries; // (count), the most recently used first
    int count;
    size_t capacity;
    int wanted; // translations needed at once, set by cache_want
};
void result_cache_free(struct result_cache *cache); // leaves it empty
/* Drops all results of a kind. */
void cache_forget(struct result_cache *cache, enum cached_kind kind);
int cache_count(const struct result_cache *cache, enum cached_kind kind);

/* Translations of a file's lines --------------------------------------------------------------- */

enum { TRANSLATIONS_KEPT = 4 };

struct translated {
    const struct head_settings *head_settings;
    const struct lines *sources;
    char **texts; // (sources->count), NULL: not translated yet
};

/* Declares that `count` of the translations requested from now on are needed at the same time. The
 * cache keeps a few more than that. */
void cache_want(struct result_cache *cache, int count);

/* The translations of these lines in a state, as far as they exist. Owned by the cache until as
 * many others have been requested as it keeps (cache_want). NULL: out of memory. */
struct translated *cache_translations(struct result_cache *cache, const struct state *state,
                                      const struct lines *sources, struct status *status);

/* Marks them as recently used, if they exist. */
void cache_touch_translations(struct result_cache *cache, const struct state *state,
                              const struct lines *sources);

/* The translations with number `index`, the most recently used first. NULL: there are fewer. */
const struct translated *cache_translations_at(const struct result_cache *cache, int index);

/* Contrastive suites --------------------------------------------------------------------------- */

enum { SUITES_KEPT = 8, CANDIDATES_KEPT = 4 << 20 };

/* The scores of all items of a run's suite with other head settings. */
struct suite_variant {
    struct head_settings *head_settings;
    struct contrast_scores scores;
};

struct suite_run {
    const struct checkpoint *checkpoint; // of the model
    struct head_settings *head_settings;
    struct language_pair languages;
    struct suite suite;
    struct contrast_scores scores;
    struct strings files; // of the last request
    struct suite_variant
        *variants; // (variant_count); all runs together have at most CANDIDATES_KEPT candidates
    int variant_count;
    size_t variant_capacity;
    struct ablation_list stopped; // the ablations of a stopped study; empty: none
};

/* The run of the suite (taken, also on failure) in a state, with the scores computed so far and the
 * present names of its files. `files`: the files of the request. Owned by the cache until
 * SUITES_KEPT others are requested. Scores do not depend on the search, but for the languages.
 * NULL: out of memory. */
struct suite_run *cache_suite(struct result_cache *cache, const struct state *state,
                              const struct strings *files, struct suite *suite,
                              struct status *status);

/* A held run stays valid for those who show it, even after the cache has dropped it. May be called
 * from any thread. */
void suite_run_hold(const struct suite_run *run);
void suite_run_release(const struct suite_run *run);

/* The run requested last, and the previous run of the same suite in another state. NULL: none is
 * kept. */
struct suite_run *cache_last_suite(const struct result_cache *cache);
struct suite_run *cache_suite_before(const struct result_cache *cache, const struct suite_run *run);

/* The scores of the run with these head settings. NULL: not kept. Borrowed until others are
 * kept. */
const struct contrast_scores *suite_run_variant(const struct suite_run *run,
                                                const struct head_settings *head_settings);
/* Keeps scores with other head settings for a run. If there is room, takes head_settings and
 * scores; variants of other runs are dropped to make room. */
void cache_keep_variant(struct result_cache *cache, struct suite_run *run,
                        struct head_settings **head_settings, struct contrast_scores *scores);

/* Ablations and prunings: only the last of each ----------------------------------------------- */

/* The key of an ablation of files in a state. heads: the ablations; settings: those of scores and
 * their tests. */
struct result_key ablation_key(const struct state *state, const struct parallel *files,
                               const struct ablation_list *heads,
                               const struct study_settings *settings);
/* The key of a pruning. heads: those that may be pruned, before the first step; settings: those of
 * scores. */
struct result_key pruning_key(const struct state *state, const struct parallel *files,
                              const struct ablation_list *heads,
                              const struct study_settings *settings, enum prune_order order);

struct cached_ablation {
    int sentences, lines;
    double base;
    struct ablation_score *scores; // (heads.count)
    bool tested;
};

/* The cached ablation with this key; NULL: it is not the one that is kept. Borrowed until another
 * one is put. */
struct cached_ablation *cache_ablation(struct result_cache *cache, const struct result_key *of);
/* Keeps a copy of a result in place of the previous one. If memory runs out, nothing is kept. */
struct ablate_result;
void cache_put_ablation(struct result_cache *cache, const struct result_key *of,
                        const struct ablate_result *result);

/* The steps of a pruning do not depend on `until`, so that another one can continue them. */
struct cached_pruning {
    double base;              // BLEU with all heads; valid if there are steps
    struct prune_step *steps; // (heads)
    int count;
    bool stopped; // before BLEU fell by `until`
    double until;
};

/* The cached pruning with the steps taken so far, or a new one without steps. Two are kept, of the
 * two orders. Owned by the cache. heads: how many steps there may be. NULL: out of memory, nothing
 * is kept. */
struct cached_pruning *cache_pruning(struct result_cache *cache, const struct result_key *of,
                                     int heads, struct status *status);
/* The cached pruning with this key; NULL: none. */
struct cached_pruning *cache_find_pruning(struct result_cache *cache, const struct result_key *of);
struct prune_step;
void cache_pruning_step(struct cached_pruning *pruning, double base, const struct prune_step *step);
/* The pruning, and the ablation, requested last. NULL: none is kept. */
struct cached_pruning *cache_last_pruning(const struct result_cache *cache);
struct cached_ablation *cache_last_ablation(const struct result_cache *cache);

/* Sentences of walks (walk.h) --------------------------------------------------------------------- */

enum { WALKS_KEPT = 4 };

/* Opens the identity of a walk's records in a state, for a process that has no shards. */
struct identity cache_walk_identity(const char *kind, const struct state *state,
                                    enum identity_search search);
/* What a walk with this identity measured before it was stopped, as journal_find finds it; empty at
 * first. Owned by the cache until WALKS_KEPT others are requested. NULL: out of memory, nothing is
 * kept. */
struct journal *cache_walk(struct result_cache *cache, const struct state *state,
                           const struct identity *identity, struct status *status);
/* The walk requested last is done. */
void cache_drop_walk(struct result_cache *cache);

/* Statistics of heads -------------------------------------------------------------------------- */

enum { HEAD_STATS_KEPT = 2 };

/* The statistics of files with these digests in a state, which may have been stopped. Owned by the
 * cache until HEAD_STATS_KEPT others are added. NULL: not kept. */
struct head_stats_result;
struct head_stats_result *cache_head_stats(struct result_cache *cache, const struct state *state,
                                           const char *content);
/* Empty ones, in place of those of the same files and state. content "": they are not found
 * again. */
struct head_stats_result *cache_add_head_stats(struct result_cache *cache,
                                               const struct state *state, const char *content,
                                               struct status *status);

#endif
