/* The result cache: ablations, prunings and statistics of heads. */
#include <stdlib.h>
#include <string.h>

#include "model/study/ablate.h"
#include "model/study/prune.h"
#include "model/study/result_cache_entries.h"

enum { PRUNINGS_KEPT = 2 };

static void add_ablations(struct identity *identity, const struct ablation_list *list)
{
    for (int i = 0; i < list->count; i++) {
        const struct ablation *one = &list->items[i];
        identity_number(identity, one->module);
        identity_number(identity, one->layer_count);
        for (int l = 0; l < one->layer_count; l++)
            identity_number(identity, one->layers[l]);
        identity_number(identity, one->head_count);
        for (int h = 0; h < one->head_count; h++)
            identity_number(identity, one->heads[h]);
    }
}

/* Returns the identity of BLEU with these ablations. */
static struct identity study_identity(enum cached_kind kind, const struct state *state,
                                      const struct ablation_list *heads,
                                      const struct study_settings *settings)
{
    struct identity identity = cache_identity(kind, state, IDENTITY_SEARCH);
    const struct bleu_options options = study_bleu_options(settings);
    identity_number(&identity, options.tokenizer);
    identity_number(&identity, options.lowercase);
    identity_number(&identity, options.smoothing);
    identity_number(&identity, options.smooth_value);
    identity_number(&identity, options.effective_order);
    add_ablations(&identity, heads);
    return identity;
}

struct result_key ablation_key(const struct state *state, const struct parallel *files,
                               const struct ablation_list *heads,
                               const struct study_settings *settings)
{
    struct identity identity = study_identity(CACHED_ABLATION, state, heads, settings);
    identity_number(&identity, settings->trials);
    identity_number(&identity, settings->seed);
    struct result_key key = cache_key(CACHED_ABLATION, state, &identity);
    key.files = files;
    return key;
}

struct result_key pruning_key(const struct state *state, const struct parallel *files,
                              const struct ablation_list *heads,
                              const struct study_settings *settings, enum prune_order order)
{
    struct identity identity = study_identity(CACHED_PRUNING, state, heads, settings);
    static const char *const orders[] = {
        [PRUNE_BY_GRADIENT] = "by gradient", [PRUNE_BY_IMPORTANCE] = "by importance"};
    identity_text(&identity, orders[order]);
    struct result_key key = cache_key(CACHED_PRUNING, state, &identity);
    key.files = files;
    return key;
}

/* Ablations ------------------------------------------------------------------------------------ */

struct cached_ablation *cache_ablation(struct result_cache *cache, const struct result_key *of)
{
    struct cached *entry = cache_find(cache, of);
    return entry ? &entry->ablation : NULL;
}

void cache_put_ablation(struct result_cache *cache, const struct result_key *of,
                        const struct ablate_result *result)
{
    const size_t count = (size_t)result->ablations.count;
    struct status unused;
    cache_forget(cache, CACHED_ABLATION);
    struct ablation_score *scores = memory_new(count, sizeof *scores, &unused);
    struct cached *entry = scores ? cache_add(cache, of, 1, &unused) : NULL;
    if (!entry) {
        free(scores);
        return;
    }
    memcpy(scores, result->scores, count * sizeof *scores);
    entry->ablation = (struct cached_ablation){.sentences = result->sentences,
                                               .lines = result->lines,
                                               .base = result->base,
                                               .scores = scores,
                                               .tested = result->tested};
}

struct cached_ablation *cache_last_ablation(const struct result_cache *cache)
{
    struct cached *entry = cache_at(cache, CACHED_ABLATION, 0);
    return entry ? &entry->ablation : NULL;
}

/* Prunings ------------------------------------------------------------------------------------- */

struct cached_pruning *cache_find_pruning(struct result_cache *cache, const struct result_key *of)
{
    struct cached *entry = cache_find(cache, of);
    return entry ? &entry->pruning : NULL;
}

struct cached_pruning *cache_pruning(struct result_cache *cache, const struct result_key *of,
                                     int heads, struct status *status)
{
    struct cached *entry = cache_find(cache, of);
    if (entry)
        return &entry->pruning;
    struct prune_step *steps = memory_new((size_t)heads, sizeof *steps, status);
    entry = steps ? cache_add(cache, of, PRUNINGS_KEPT, status) : NULL;
    if (!entry) {
        free(steps);
        return NULL;
    }
    entry->pruning.steps = steps;
    return &entry->pruning;
}

void cache_pruning_step(struct cached_pruning *pruning, double base, const struct prune_step *step)
{
    pruning->base = base;
    pruning->steps[pruning->count++] = *step;
}

struct cached_pruning *cache_last_pruning(const struct result_cache *cache)
{
    struct cached *entry = cache_at(cache, CACHED_PRUNING, 0);
    return entry ? &entry->pruning : NULL;
}

/* Statistics of heads -------------------------------------------------------------------------- */

static struct result_key head_stats_key(const struct state *state, const char *content)
{
    struct identity identity = cache_identity(CACHED_HEAD_STATS, state, IDENTITY_SEARCH);
    identity_text(&identity, content);
    return cache_key(CACHED_HEAD_STATS, state, &identity);
}

struct head_stats_result *cache_head_stats(struct result_cache *cache, const struct state *state,
                                           const char *content)
{
    const struct result_key key = head_stats_key(state, content);
    struct cached *entry = cache_find(cache, &key);
    return entry ? &entry->head_stats : NULL;
}

struct head_stats_result *cache_add_head_stats(struct result_cache *cache,
                                               const struct state *state, const char *content,
                                               struct status *status)
{
    const struct result_key key = head_stats_key(state, content);
    if (cache_find(cache, &key))
        cache_drop_first(cache);
    struct cached *entry = cache_add(cache, &key, HEAD_STATS_KEPT, status);
    return entry ? &entry->head_stats : NULL;
}
