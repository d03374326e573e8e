#include "model/study/contrast/contrast_shards.h"

#include <limits.h>
#include <stdlib.h>

static struct journal_key key_of(const struct contrast_shards *shards, int setting, int item,
                                 int candidate)
{
    const struct suite_item *of = &shards->suite->items[item];
    const char *const texts[] = {of->source, suite_candidate(of, candidate)};
    return identity_key(&shards->scopes[setting], texts, 2);
}

static bool open_scopes(struct contrast_shards *shards, struct status *status)
{
    shards->scopes = memory_new((size_t)shards->settings, sizeof *shards->scopes, status);
    for (int s = 0; shards->scopes && s < shards->settings; s++) {
        const struct head_settings *settings = shards->head_settings[s];
        const struct state state = {
            .model = shards->model,
            .head_settings =
                (struct head_settings *)(settings ? settings : model_head_settings(shards->model)),
            .search = {.languages = *shards->languages}};
        if (!shards_scope(shards->shards, "score", &state, IDENTITY_LANGUAGES, &shards->scopes[s],
                          status))
            return false;
    }
    return shards->scopes != NULL;
}

/* Log-probability and number of tokens. */
static const struct record_shape score = {
    .fields = (struct record_field[]){{RECORD_ONE, 1, -1e30, 1e30, .whole = false},
                                      {RECORD_ONE, 1, 1, INT_MAX, .whole = true}},
    .count = 2};

/* *known: the shards have the score. */
static bool take_candidate(const struct contrast_shards *shards, int setting, int item,
                           int candidate, struct record *record, bool *known, struct status *status)
{
    const struct journal_key key = key_of(shards, setting, item, candidate);
    if (!shards_find_record(shards->shards, &key, &score, record, known, status))
        return false;
    if (*known)
        shards->scores[setting].candidates[shards->suite->items[item].first + candidate] =
            (struct candidate_score){record->numbers[0], (int)record->numbers[1]};
    return true;
}

/* If one score of an item is missing, all are computed. */
static bool take_item(const struct contrast_shards *shards, int item, struct record *record,
                      struct status *status)
{
    shards->known[item] = true;
    for (int s = 0; s < shards->settings; s++)
        for (int c = 0; c <= shards->suite->items[item].error_count; c++) {
            bool known;
            if (!take_candidate(shards, s, item, c, record, &known, status))
                return false;
            if (!known)
                shards_lack(shards->shards, item);
            shards->known[item] &= known;
        }
    return true;
}

static bool take_items(const struct contrast_shards *shards, int scored, struct status *status)
{
    struct record record = {.count = 0};
    bool ok = true;
    for (int i = shards->range.first; ok && i < shards->range.end; i++)
        ok = i < scored || take_item(shards, i, &record, status);
    record_free(&record);
    return ok;
}

bool contrast_shards_open(struct contrast_shards *shards, struct status *status)
{
    const struct suite *suite = shards->suite;
    int scored = shards->scores->items;
    shards->range = shards_range(shards->shards, suite->count);
    if (!shards->shards)
        return true;
    if (!shards_begin(shards->shards, suite->count, "items", status) ||
        !open_scopes(shards, status))
        return false;
    shards->known = memory_new((size_t)suite->count, sizeof *shards->known, status);
    if (!shards->known)
        return false;
    if (!take_items(shards, scored, status))
        return false;
    return shards_check(shards->shards, suite->sets[0].paths[0], status);
}

bool contrast_shards_keep(const struct contrast_shards *shards, int first, int end,
                          struct status *status)
{
    for (int i = first; shards->shards && i < end; i++)
        for (int s = 0; s < shards->settings; s++)
            for (int c = 0; c <= shards->suite->items[i].error_count; c++) {
                const struct journal_key key = key_of(shards, s, i, c);
                const struct candidate_score *of =
                    &shards->scores[s].candidates[shards->suite->items[i].first + c];
                double numbers[] = {of->logprob, of->tokens};
                const struct record record = {.numbers = numbers, .count = 2};
                if (!shards_keep_record(shards->shards, &key, &record, status))
                    return false;
            }
    return true;
}

void contrast_shards_close(struct contrast_shards *shards)
{
    free(shards->scopes);
    free(shards->known);
    shards->scopes = NULL;
    shards->known = NULL;
}
