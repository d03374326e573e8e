#include "model/study/contrast/contrast_parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static struct journal_key key_of(const struct contrast_parts *shards, int setting, int item,
                                 int candidate)
{
    const struct suite_item *of = &shards->suite->items[item];
    const char *const texts[] = {of->source, suite_candidate(of, candidate)};
    return identity_key(&shards->scopes[setting], texts, 2);
}

static bool open_scopes(struct contrast_parts *shards, struct status *status)
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

/* "LOGPROB TOKENS" */
static bool take_candidate(const struct contrast_parts *shards, int setting, int item,
                           int candidate)
{
    const struct journal_key key = key_of(shards, setting, item, candidate);
    const char *value = shards_find(shards->shards, &key);
    char *end = NULL;
    if (!value)
        return false;
    double logprob = strtod(value, &end);
    long tokens = *end == ' ' ? strtol(end + 1, &end, 10) : 0;
    if (*end || tokens < 1 || tokens > INT_MAX) {
        shards_refuse(shards->shards);
        return false;
    }
    shards->scores[setting].candidates[shards->suite->items[item].first + candidate] =
        (struct candidate_score){logprob, (int)tokens};
    return true;
}

/* Of an item with one score missing all are computed. */
static void take_item(const struct contrast_parts *shards, int item)
{
    bool known = true;
    for (int s = 0; s < shards->settings; s++)
        for (int c = 0; c <= shards->suite->items[item].error_count; c++)
            if (!take_candidate(shards, s, item, c)) {
                shards_lack(shards->shards, item);
                known = false;
            }
    shards->known[item] = known;
}

bool contrast_parts_open(struct contrast_parts *shards, struct status *status)
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
    for (int i = shards->range.first; i < shards->range.end; i++)
        if (i >= scored)
            take_item(shards, i);
    return shards_check(shards->shards, suite->sets[0].paths[0], status);
}

bool contrast_parts_keep(const struct contrast_parts *shards, int first, int end,
                         struct status *status)
{
    char value[80];
    for (int i = first; shards->shards && i < end; i++)
        for (int s = 0; s < shards->settings; s++)
            for (int c = 0; c <= shards->suite->items[i].error_count; c++) {
                const struct journal_key key = key_of(shards, s, i, c);
                const struct candidate_score *score =
                    &shards->scores[s].candidates[shards->suite->items[i].first + c];
                snprintf(value, sizeof value, "%a %d", score->logprob, score->tokens);
                if (!shards_keep(shards->shards, &key, value, status))
                    return false;
            }
    return true;
}

void contrast_parts_close(struct contrast_parts *shards)
{
    free(shards->scopes);
    free(shards->known);
    shards->scopes = NULL;
    shards->known = NULL;
}
