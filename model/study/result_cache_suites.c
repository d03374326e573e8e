/* The result cache: contrastive suites and their scores. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/result_cache_entries.h"

/* Takes the present names of the files, whatever they were when it was scored. Equal suites have
 * equal items, in equal sets. */
static void take_names(struct suite_run *run, struct suite *suite)
{
    struct suite_set *sets = run->suite.sets;
    int count = run->suite.set_count;
    size_t capacity = run->suite.set_capacity;
    run->suite.sets = suite->sets;
    run->suite.set_count = suite->set_count;
    run->suite.set_capacity = suite->set_capacity;
    suite->sets = sets;
    suite->set_count = count;
    suite->set_capacity = capacity;
}

static bool copy_files(const struct strings *files, struct strings *copy, struct status *status)
{
    for (int i = 0; i < files->count; i++)
        if (!strings_add(copy, files->text[i], strlen(files->text[i]), status))
            return false;
    return true;
}

/* Apart from the languages, the search has no part in a score. */
static struct result_key suite_key(const struct state *state, const struct suite *suite)
{
    const struct identity identity = cache_identity(CACHED_SUITE, state, IDENTITY_LANGUAGES);
    struct result_key key = cache_key(CACHED_SUITE, state, &identity);
    key.suite = suite;
    return key;
}

static struct suite_run *get(struct result_cache *cache, const struct state *state,
                             struct suite *suite, struct status *status)
{
    const struct result_key key = suite_key(state, suite);
    struct cached *entry = cache_find(cache, &key);
    if (entry) {
        take_names(&entry->run, suite);
        return &entry->run;
    }
    entry = cache_add(cache, &key, SUITES_KEPT, status);
    if (!entry)
        return NULL;
    entry->run = (struct suite_run){.checkpoint = model_checkpoint(state->model),
                                    .head_settings = entry->head_settings,
                                    .languages = state->search.languages,
                                    .suite = *suite};
    *suite = (struct suite){0};
    entry->key.suite = &entry->run.suite;
    return &entry->run;
}

struct suite_run *cache_suite(struct result_cache *cache, const struct state *state,
                              const struct strings *files, struct suite *suite,
                              struct status *status)
{
    struct strings copy = {0};
    struct suite_run *run =
        copy_files(files, &copy, status) ? get(cache, state, suite, status) : NULL;
    suite_free(suite);
    if (run) {
        strings_free(&run->files);
        run->files = copy;
    } else {
        strings_free(&copy);
    }
    return run;
}

/* Returns number `index` in the order of requests; NULL: there are fewer. */
static struct suite_run *run_at(const struct result_cache *cache, int index)
{
    struct cached *entry = cache_at(cache, CACHED_SUITE, index);
    return entry ? &entry->run : NULL;
}

struct suite_run *cache_last_suite(const struct result_cache *cache)
{
    return run_at(cache, 0);
}

struct suite_run *cache_suite_before(const struct result_cache *cache, const struct suite_run *run)
{
    struct suite_run *other;
    int i = 0;
    while ((other = run_at(cache, i)) && other != run)
        i++;
    while (other && (other = run_at(cache, ++i)))
        if (suite_equal(&other->suite, &run->suite))
            return other;
    return NULL;
}

static struct cached *entry_of(const struct suite_run *run)
{
    return (struct cached *)((char *)run - offsetof(struct cached, run));
}

void suite_run_hold(const struct suite_run *run)
{
    atomic_fetch_add(&entry_of(run)->users, 1);
}

void suite_run_release(const struct suite_run *run)
{
    entry_leave(entry_of(run));
}

/* Variants ------------------------------------------------------------------------------------- */

const struct contrast_scores *suite_run_variant(const struct suite_run *run,
                                                const struct head_settings *head_settings)
{
    for (int i = 0; i < run->variant_count; i++)
        if (head_settings_equal(run->variants[i].head_settings, head_settings))
            return &run->variants[i].scores;
    return NULL;
}

static double candidates_kept(const struct result_cache *cache)
{
    const struct suite_run *run;
    double count = 0;
    for (int i = 0; (run = run_at(cache, i)); i++)
        count += (double)run->variant_count * run->suite.candidates;
    return count;
}

/* The least recently used one goes first. */
static bool make_room(struct result_cache *cache, const struct suite_run *run)
{
    double most = (double)CANDIDATES_KEPT - run->suite.candidates;
    for (int i = cache_count(cache, CACHED_SUITE) - 1; i >= 0 && candidates_kept(cache) > most; i--)
        if (run_at(cache, i) != run)
            suite_run_drop_variants(run_at(cache, i));
    return candidates_kept(cache) <= most;
}

void cache_keep_variant(struct result_cache *cache, struct suite_run *run,
                        struct head_settings **head_settings, struct contrast_scores *scores)
{
    struct status unused;
    if (suite_run_variant(run, *head_settings) || !make_room(cache, run) ||
        !memory_grow((void **)&run->variants, &run->variant_capacity,
                     (size_t)run->variant_count + 1, sizeof *run->variants, &unused))
        return;
    run->variants[run->variant_count++] = (struct suite_variant){*head_settings, *scores};
    *head_settings = NULL;
    *scores = (struct contrast_scores){0};
}
