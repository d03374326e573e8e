/* A cache of study results, so that rows can be inspected, states compared and stopped studies
 * continued without recomputing.
 *
 * The key of a result is everything that it depends on, such as the content of files, but not their
 * names. Equal keys mean the same result. The cache keeps a few results of each kind and drops the
 * least recently used one. It also keeps unfinished results of stopped studies, which can be
 * continued.
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
    struct journal_key identity;               // of everything except the texts
    const struct head_settings *head_settings; // of the state, part of the identity
    const struct parallel *files;              // sources, references
    const struct suite *suite;
};

struct cached; // a result under its key (result_cache_entries.h)

struct result_cache {
    struct cached **entries; // (count), most recently used first
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

/* Declares that `count` of the translations requested from now on are needed simultaneously. The
 * cache keeps a few more than that. */
void cache_want(struct result_cache *cache, int count);

/* The translations of these lines in a state, as far as they exist. Owned by the cache, and valid
 * until as many others have been requested as it keeps (cache_want). NULL: out of memory. */
struct translated *cache_translations(struct result_cache *cache, const struct state *state,
                                      const struct lines *sources, struct status *status);

/* Marks them as recently used, if they exist. */
void cache_touch_translations(struct result_cache *cache, const struct state *state,
                              const struct lines *sources);

/* The translations at `index`, most recently used first. NULL: there are fewer. */
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

/* The run of the suite in a state, with the scores computed so far and the current names of its
 * files. Takes ownership of `suite`, also on failure. `files`: the files of the request. Owned by
 * the cache, and valid until SUITES_KEPT others are requested. Of the search, scores depend only on
 * the languages. NULL: out of memory. */
struct suite_run *cache_suite(struct result_cache *cache, const struct state *state,
                              const struct strings *files, struct suite *suite,
                              struct status *status);

/* A held run stays valid for its holders even after the cache has dropped it. May be called from
 * any thread. */
void suite_run_hold(const struct suite_run *run);
void suite_run_release(const struct suite_run *run);

/* The run requested last, and the previous run of the same suite in another state. NULL: none
 * kept. */
struct suite_run *cache_last_suite(const struct result_cache *cache);
struct suite_run *cache_suite_before(const struct result_cache *cache, const struct suite_run *run);

/* The scores of the run with these head settings. NULL: not kept. Valid until others are kept. */
const struct contrast_scores *suite_run_variant(const struct suite_run *run,
                                                const struct head_settings *head_settings);
/* Keeps scores of a run with other head settings. Drops variants of other runs to make room; if
 * there is room, takes head_settings and scores. */
void cache_keep_variant(struct result_cache *cache, struct suite_run *run,
                        struct head_settings **head_settings, struct contrast_scores *scores);

/* Ablations and prunings: only the last of each ----------------------------------------------- */

/* The key of an ablation of files in a state. heads: the ablations; settings: those of scores and
 * their tests. */
struct result_key ablation_key(const struct state *state, const struct parallel *files,
                               const struct ablation_list *heads,
                               const struct study_settings *settings);
/* The key of a pruning. heads: the heads that may be pruned, before the first step; settings: those
 * of scores. */
struct result_key pruning_key(const struct state *state, const struct parallel *files,
                              const struct ablation_list *heads,
                              const struct study_settings *settings, enum prune_order order);

struct cached_ablation {
    int sentences, lines;
    double base;
    struct ablation_score *scores; // (heads.count)
    bool tested;
};

/* The cached ablation with this key; NULL: not cached. Valid until another one is put. */
struct cached_ablation *cache_ablation(struct result_cache *cache, const struct result_key *of);
/* Replaces the cached ablation with a copy of a result. If memory runs out, nothing is kept. */
struct ablate_result;
void cache_put_ablation(struct result_cache *cache, const struct result_key *of,
                        const struct ablate_result *result);

/* The steps of a pruning do not depend on `until`, so a pruning with another `until` can continue
 * them. */
struct cached_pruning {
    double base;              // BLEU with all heads; valid if there are steps
    struct prune_step *steps; // (heads)
    int count;
    bool stopped; // stopped before BLEU fell by `until`
    double until;
};

/* The cached pruning with the steps taken so far, or a new one without steps. Owned by the cache,
 * which keeps two, one per order. heads: the maximum number of steps. NULL: out of memory, nothing
 * is kept. */
struct cached_pruning *cache_pruning(struct result_cache *cache, const struct result_key *of,
                                     int heads, struct status *status);
/* The cached pruning with this key; NULL: none. */
struct cached_pruning *cache_find_pruning(struct result_cache *cache, const struct result_key *of);
struct prune_step;
void cache_pruning_step(struct cached_pruning *pruning, double base, const struct prune_step *step);
/* The pruning and the ablation requested last. NULL: none kept. */
struct cached_pruning *cache_last_pruning(const struct result_cache *cache);
struct cached_ablation *cache_last_ablation(const struct result_cache *cache);

/* Sentences of walks (walk.h) ------------------------------------------------------------------ */

enum { WALKS_KEPT = 4 };

/* Opens the identity of a walk's records in a state, for a process without shards. */
struct identity cache_walk_identity(const char *kind, const struct state *state,
                                    enum identity_search search);
/* The records that a walk with this identity measured before it was stopped, for journal_find;
 * empty at first. Owned by the cache, and valid until WALKS_KEPT others are requested. NULL: out of
 * memory, nothing is kept. */
struct journal *cache_walk(struct result_cache *cache, const struct state *state,
                           const struct identity *identity, struct status *status);
/* Drops the walk requested last, which is done. */
void cache_drop_walk(struct result_cache *cache);

/* Statistics of heads -------------------------------------------------------------------------- */

enum { HEAD_STATS_KEPT = 2 };

/* The statistics of files with these digests in a state, possibly unfinished. Owned by the cache,
 * and valid until HEAD_STATS_KEPT others are added. NULL: not kept. */
struct head_stats_result;
struct head_stats_result *cache_head_stats(struct result_cache *cache, const struct state *state,
                                           const char *content);
/* Adds empty statistics, replacing those of the same files and state. content "": they cannot be
 * found again. */
struct head_stats_result *cache_add_head_stats(struct result_cache *cache,
                                               const struct state *state, const char *content,
                                               struct status *status);

#endif
