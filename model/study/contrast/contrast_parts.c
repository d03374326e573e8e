#include "model/study/contrast/contrast_parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static struct journal_key key_of(const struct contrast_parts *parts, int setting, int item,
                                 int candidate)
{
    const struct suite_item *of = &parts->suite->items[item];
    const char *const texts[] = {of->source, suite_candidate(of, candidate)};
    return key_scope_key(&parts->scopes[setting], texts, 2);
}

static bool open_scopes(struct contrast_parts *parts, struct status *status)
{
    parts->scopes = memory_new((size_t)parts->settings, sizeof *parts->scopes, status);
    for (int s = 0; parts->scopes && s < parts->settings; s++) {
        const struct head_settings *settings = parts->head_settings[s];
        const struct state state = {
            .model = parts->model,
            .head_settings =
                (struct head_settings *)(settings ? settings : model_head_settings(parts->model)),
            .search = {.languages = *parts->languages}};
        if (!parts_scope(parts->parts, "score", &state, KEY_LANGUAGES, &parts->scopes[s], status))
            return false;
    }
    return parts->scopes != NULL;
}

/* "LOGPROB TOKENS" */
static bool take_candidate(const struct contrast_parts *parts, int setting, int item, int candidate)
{
    const struct journal_key key = key_of(parts, setting, item, candidate);
    const char *value = parts_find(parts->parts, &key);
    char *end = NULL;
    if (!value)
        return false;
    double logprob = strtod(value, &end);
    long tokens = *end == ' ' ? strtol(end + 1, &end, 10) : 0;
    if (*end || tokens < 1 || tokens > INT_MAX) {
        parts_refuse(parts->parts);
        return false;
    }
    parts->scores[setting].candidates[parts->suite->items[item].first + candidate] =
        (struct candidate_score){logprob, (int)tokens};
    return true;
}

/* Of an item with one score missing all are computed. */
static void take_item(const struct contrast_parts *parts, int item)
{
    bool known = true;
    for (int s = 0; s < parts->settings; s++)
        for (int c = 0; c <= parts->suite->items[item].error_count; c++)
            if (!take_candidate(parts, s, item, c)) {
                parts_lack(parts->parts, item);
                known = false;
            }
    parts->known[item] = known;
}

bool contrast_parts_open(struct contrast_parts *parts, struct status *status)
{
    const struct suite *suite = parts->suite;
    int scored = parts->scores->items;
    parts->range = parts_range(parts->parts, suite->count);
    if (!parts->parts)
        return true;
    if (!parts_begin(parts->parts, suite->count, "items", status) || !open_scopes(parts, status))
        return false;
    parts->known = memory_new((size_t)suite->count, sizeof *parts->known, status);
    if (!parts->known)
        return false;
    for (int i = parts->range.first; i < parts->range.end; i++)
        if (i >= scored)
            take_item(parts, i);
    return parts_check(parts->parts, suite->sets[0].paths[0], status);
}

bool contrast_parts_keep(const struct contrast_parts *parts, int first, int end,
                         struct status *status)
{
    char value[80];
    for (int i = first; parts->parts && i < end; i++)
        for (int s = 0; s < parts->settings; s++)
            for (int c = 0; c <= parts->suite->items[i].error_count; c++) {
                const struct journal_key key = key_of(parts, s, i, c);
                const struct candidate_score *score =
                    &parts->scores[s].candidates[parts->suite->items[i].first + c];
                snprintf(value, sizeof value, "%a %d", score->logprob, score->tokens);
                if (!parts_keep(parts->parts, &key, value, status))
                    return false;
            }
    return true;
}

void contrast_parts_close(struct contrast_parts *parts)
{
    free(parts->scopes);
    free(parts->known);
    parts->scopes = NULL;
    parts->known = NULL;
}
