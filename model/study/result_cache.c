#include "model/study/result_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/result_cache_entries.h"

/* Keys ----------------------------------------------------------------------------------------- */

/* Parts with the same address are equal; so are two absent ones. */
static bool result_key_equal(const struct result_key *a, const struct result_key *b)
{
    if (a->kind != b->kind || memcmp(&a->identity, &b->identity, sizeof a->identity) != 0 ||
        !a->files != !b->files || !a->suite != !b->suite)
        return false;
    return (a->files == b->files || parallel_equal(a->files, b->files)) &&
           (a->suite == b->suite || suite_equal(a->suite, b->suite));
}

/* The model is identified by its address. */
static struct identity open_named(const char *kind, const struct state *state,
                                  enum identity_search search)
{
    char model[40];
    struct identity identity;
    snprintf(model, sizeof model, "%p", (const void *)model_checkpoint(state->model));
    identity_open(&identity, kind, model, state, search);
    return identity;
}

struct identity cache_identity(enum cached_kind kind, const struct state *state,
                               enum identity_search search)
{
    char name[40];
    snprintf(name, sizeof name, "cached %d", kind);
    return open_named(name, state, search);
}

struct identity cache_walk_identity(const char *kind, const struct state *state,
                                    enum identity_search search)
{
    return open_named(kind, state, search);
}

struct result_key cache_key(enum cached_kind kind, const struct state *state,
                            const struct identity *identity)
{
    return (struct result_key){.kind = kind,
                               .identity = identity_key(identity, NULL, 0),
                               .head_settings = state->head_settings};
}

static struct result_key key_of_state(enum cached_kind kind, const struct state *state)
{
    const struct identity identity = cache_identity(kind, state, IDENTITY_SEARCH);
    return cache_key(kind, state, &identity);
}

/* Entries -------------------------------------------------------------------------------------- */

static void files_leave(struct shared_files *files)
{
    if (!files || --files->users)
        return;
    parallel_free(&files->files);
    free(files);
}

void suite_run_drop_variants(struct suite_run *run)
{
    for (int i = 0; i < run->variant_count; i++) {
        head_settings_free(run->variants[i].head_settings);
        contrast_scores_free(&run->variants[i].scores);
    }
    free(run->variants);
    run->variants = NULL;
    run->variant_count = 0;
    run->variant_capacity = 0;
}

static void close_run(struct suite_run *run)
{
    suite_free(&run->suite);
    contrast_scores_free(&run->scores);
    strings_free(&run->files);
    suite_run_drop_variants(run);
    ablation_list_free(&run->stopped);
}

static void free_own(struct cached *entry)
{
    switch (entry->key.kind) {
    case CACHED_TRANSLATIONS:
        for (int i = 0; entry->translated.texts && i < entry->translated.sources->count; i++)
            free(entry->translated.texts[i]);
        free(entry->translated.texts);
        break;
    case CACHED_SUITE:
        close_run(&entry->run);
        break;
    case CACHED_ABLATION:
        free(entry->ablation.scores);
        break;
    case CACHED_PRUNING:
        free(entry->pruning.steps);
        break;
    case CACHED_HEAD_STATS:
        head_stats_result_free(&entry->head_stats);
        break;
    case CACHED_WALK:
        journal_free(&entry->walk);
        break;
    case CACHED_KINDS:
        break;
    }
}

/* Called by the cache, or later by the last holder. */
void entry_leave(struct cached *entry)
{
    if (atomic_fetch_sub(&entry->users, 1) > 1)
        return;
    free_own(entry);
    files_leave(entry->files);
    head_settings_free(entry->head_settings);
    free(entry);
}

/* Returns the same files of another entry, or a copy. */
static struct shared_files *files_share(const struct result_cache *cache,
                                        const struct parallel *wanted, struct status *status)
{
    for (int i = 0; i < cache->count; i++) {
        struct shared_files *files = cache->entries[i]->files;
        if (!files || !parallel_equal(&files->files, wanted))
            continue;
        files->users++;
        return files;
    }
    struct shared_files *files = memory_new(1, sizeof *files, status);
    if (!files)
        return NULL;
    files->users = 1;
    if (parallel_copy(wanted, &files->files, status))
        return files;
    free(files);
    return NULL;
}

/* Copies what a key points to. */
static bool own_key(const struct result_cache *cache, struct cached *entry,
                    const struct result_key *key, struct status *status)
{
    entry->key = *key;
    entry->key.suite = NULL;
    entry->head_settings = head_settings_copy(key->head_settings, status);
    if (!entry->head_settings)
        return false;
    if (key->files && !(entry->files = files_share(cache, key->files, status)))
        return false;
    entry->key.head_settings = entry->head_settings;
    entry->key.files = key->files ? &entry->files->files : NULL;
    return true;
}

/* Moves the entry at place `at` to the front. */
static struct cached *put_first(struct result_cache *cache, int at)
{
    struct cached *entry = cache->entries[at];
    memmove(cache->entries + 1, cache->entries, (size_t)at * sizeof(struct cached *));
    return cache->entries[0] = entry;
}

struct cached *cache_find(struct result_cache *cache, const struct result_key *key)
{
    for (int i = 0; i < cache->count; i++)
        if (result_key_equal(&cache->entries[i]->key, key))
            return put_first(cache, i);
    return NULL;
}

static void remove_at(struct result_cache *cache, int at)
{
    entry_leave(cache->entries[at]);
    cache->count--;
    memmove(cache->entries + at, cache->entries + at + 1,
            (size_t)(cache->count - at) * sizeof(struct cached *));
}

void cache_drop_first(struct result_cache *cache)
{
    remove_at(cache, 0);
}

/* Removes the least recently used entries of a kind until `most` are left. */
static void remove_last(struct result_cache *cache, enum cached_kind kind, int most)
{
    int count = cache_count(cache, kind);
    for (int i = cache->count - 1; i >= 0 && count > most; i--)
        if (cache->entries[i]->key.kind == kind) {
            remove_at(cache, i);
            count--;
        }
}

struct cached *cache_add(struct result_cache *cache, const struct result_key *key, int most,
                         struct status *status)
{
    if (!memory_grow((void **)&cache->entries, &cache->capacity, (size_t)cache->count + 1,
                     sizeof(struct cached *), status))
        return NULL;
    struct cached *entry = memory_new(1, sizeof *entry, status);
    if (!entry)
        return NULL;
    atomic_init(&entry->users, 1);
    if (!own_key(cache, entry, key, status)) {
        entry_leave(entry);
        return NULL;
    }
    remove_last(cache, key->kind, most - 1);
    cache->entries[cache->count] = entry;
    return put_first(cache, cache->count++);
}

struct cached *cache_at(const struct result_cache *cache, enum cached_kind kind, int index)
{
    for (int i = 0; i < cache->count; i++)
        if (cache->entries[i]->key.kind == kind && index-- == 0)
            return cache->entries[i];
    return NULL;
}

int cache_count(const struct result_cache *cache, enum cached_kind kind)
{
    int count = 0;
    for (int i = 0; i < cache->count; i++)
        count += cache->entries[i]->key.kind == kind;
    return count;
}

void cache_forget(struct result_cache *cache, enum cached_kind kind)
{
    remove_last(cache, kind, 0);
}

void result_cache_free(struct result_cache *cache)
{
    for (int i = 0; i < cache->count; i++)
        entry_leave(cache->entries[i]);
    free(cache->entries);
    *cache = (struct result_cache){0};
}

/* Walks ---------------------------------------------------------------------------------------- */

struct journal *cache_walk(struct result_cache *cache, const struct state *state,
                           const struct identity *identity, struct status *status)
{
    const struct result_key key = cache_key(CACHED_WALK, state, identity);
    struct cached *entry = cache_find(cache, &key);
    if (!entry)
        entry = cache_add(cache, &key, WALKS_KEPT, status);
    return entry ? &entry->walk : NULL;
}

void cache_drop_walk(struct result_cache *cache)
{
    struct cached *entry = cache_at(cache, CACHED_WALK, 0);
    for (int i = 0; entry && i < cache->count; i++)
        if (cache->entries[i] == entry) {
            remove_at(cache, i);
            return;
        }
}

/* Translations --------------------------------------------------------------------------------- */

void cache_want(struct result_cache *cache, int count)
{
    cache->wanted = count;
}

/* Returns the lines as files of a key. */
static struct parallel files_of(const struct lines *sources)
{
    return (struct parallel){.lines = (struct lines *)sources, .count = 1};
}

struct translated *cache_translations(struct result_cache *cache, const struct state *state,
                                      const struct lines *sources, struct status *status)
{
    const struct parallel files = files_of(sources);
    struct result_key key = key_of_state(CACHED_TRANSLATIONS, state);
    key.files = &files;
    struct cached *entry = cache_find(cache, &key);
    if (entry)
        return &entry->translated;
    char **texts = memory_new((size_t)sources->count, sizeof *texts, status);
    entry = texts ? cache_add(cache, &key, cache->wanted + TRANSLATIONS_KEPT, status) : NULL;
    if (!entry) {
        free(texts);
        return NULL;
    }
    entry->translated =
        (struct translated){entry->head_settings, &entry->files->files.lines[0], texts};
    return &entry->translated;
}

void cache_touch_translations(struct result_cache *cache, const struct state *state,
                              const struct lines *sources)
{
    const struct parallel files = files_of(sources);
    struct result_key key = key_of_state(CACHED_TRANSLATIONS, state);
    key.files = &files;
    cache_find(cache, &key);
}

const struct translated *cache_translations_at(const struct result_cache *cache, int index)
{
    const struct cached *entry = cache_at(cache, CACHED_TRANSLATIONS, index);
    return entry ? &entry->translated : NULL;
}
