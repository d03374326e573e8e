#include "model/study/contrast/contrast_groups.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const contrast_by_names[] = {"type",      "sense",    "pronoun",   "intrasegmental",
                                         "reference", "distance", "frequency", NULL};

enum { NO_KEY = SUITE_ABSENT, DISTANCES = 16 };  // 0 … 15, and all longer ones
enum { NEAR = 4, DISTANCE_FAR = DISTANCES + 1 }; // antecedents 0 … 3, and all farther ones

/* A bin holds frequencies above one number, up to the next bin's. The first bin is for senses. */
static const struct {
    int above;
    const char *name;
} bins[] = {{INT_MAX, "0-20"}, {-1, "0"},     {0, "1"},      {1, "2"},
            {2, ">2"},         {5, ">5"},     {10, ">10"},   {20, ">20"},
            {50, ">50"},       {100, ">100"}, {200, ">200"}, {500, ">500"},
            {1000, ">1k"},     {2000, ">2k"}, {5000, ">5k"}, {10000, ">10k"}};
enum { BINS = sizeof bins / sizeof *bins, BIN_ABOVE_10 = 6, BIN_OF_SENSES = 0 };

/* Keys ----------------------------------------------------------------------------------------- */

struct named {
    const char *text;
    int decision;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *one = a, *other = b;
    int order = strcmp(one->text, other->text);
    return order ? order : one->decision - other->decision;
}

static const char *text_of(const struct suite *suite, int decision, enum contrast_by by)
{
    const struct decision *one = &suite->decisions[decision];
    const struct suite_item *item = &suite->items[one->item];
    switch (by) {
    case BY_SENSE:
        return item->sense;
    case BY_PRONOUN:
        return item->pronouns;
    case BY_INTRASEGMENTAL:
        return item->intrasegmental;
    case BY_REFERENCE:
        return item->standard;
    default:
        return decision_type(suite, one);
    }
}

/* Gives equal texts the same key: 0, 1 … in order of appearance. */
static bool key_texts(const struct suite *suite, int decisions, enum contrast_by by, int *keys,
                      struct status *status)
{
    struct named *sorted = memory_new((size_t)decisions, sizeof *sorted, status);
    int count = 0, next = 0;
    if (!sorted)
        return false;
    for (int d = 0; d < decisions; d++) {
        const char *text = text_of(suite, d, by);
        keys[d] = NO_KEY;
        if (text)
            sorted[count++] = (struct named){text, d};
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_named);
    // Until the groups are numbered, the key is the first decision with that text.
    for (int i = 0; i < count; i++) {
        bool again = i > 0 && strcmp(sorted[i].text, sorted[i - 1].text) == 0;
        keys[sorted[i].decision] = again ? keys[sorted[i - 1].decision] : sorted[i].decision;
    }
    free(sorted);
    for (int d = 0; d < decisions; d++)
        if (keys[d] != NO_KEY)
            keys[d] = keys[d] == d ? next++ : keys[keys[d]];
    return true;
}

static int distance_key(const struct suite *suite, const struct decision *decision)
{
    int distance = decision_distance(suite, decision);
    if (suite->items[decision->item].distance != SUITE_ABSENT && distance >= NEAR)
        return DISTANCE_FAR;
    return distance < DISTANCES ? distance : DISTANCES; // absent ones stay NO_KEY
}

static int frequency_key(const struct suite *suite, const struct decision *decision)
{
    int frequency = decision_frequency(suite, decision), bin = BINS - 1;
    if (frequency == SUITE_ABSENT)
        return NO_KEY;
    while (bins[bin].above >= frequency)
        bin--;
    bool sense = suite->items[decision->item].sense != NULL;
    return sense && bin <= BIN_ABOVE_10 ? BIN_OF_SENSES : bin;
}

static bool make_keys(const struct suite *suite, int decisions, enum contrast_by by, int *keys,
                      struct status *status)
{
    if (by < BY_DISTANCE)
        return key_texts(suite, decisions, by, keys, status);
    for (int d = 0; d < decisions; d++) {
        const struct decision *decision = &suite->decisions[d];
        keys[d] =
            by == BY_DISTANCE ? distance_key(suite, decision) : frequency_key(suite, decision);
    }
    return true;
}

/* Groups --------------------------------------------------------------------------------------- */

static char *name_of(const struct suite *suite, int decision, enum contrast_by by, int key,
                     struct status *status)
{
    char text[20];
    const char *name = text;
    if (by == BY_DISTANCE)
        snprintf(text, sizeof text, key < DISTANCES ? "%d" : ">%d",
                 key < DISTANCES       ? key
                 : key == DISTANCE_FAR ? NEAR - 1
                                       : DISTANCES - 1);
    else if (by == BY_FREQUENCY)
        name = bins[key].name;
    else
        name = text_of(suite, decision, by);
    char *copy = strdup(name);
    if (!copy)
        status_no_memory(status);
    return copy;
}

/* How many decisions have each key. */
struct tally {
    int decisions, correct;
    int some; // one of them
};

static bool add_group(struct contrast_groups *out, const struct suite *suite, enum contrast_by by,
                      int key, const struct tally *tally, struct status *status)
{
    if (!memory_grow((void **)&out->groups, &out->capacity, (size_t)out->count + 1,
                     sizeof *out->groups, status))
        return false;
    char *name = name_of(suite, tally->some, by, key, status);
    if (name)
        out->groups[out->count++] =
            (struct contrast_group){by, name, key, tally->decisions, tally->correct};
    return name != NULL;
}

/* Adds the groups of one kind. tallies: zeroed, enough for every key. */
static bool add_groups(struct contrast_groups *out, const struct suite *suite,
                       const struct contrast_scores *scores, int decisions, enum contrast_by by,
                       enum contrast_normalize normalize, struct tally *tallies,
                       struct status *status)
{
    int keys = 0;
    for (int d = 0; d < decisions; d++) {
        int key = out->member[by][d];
        if (key == NO_KEY)
            continue;
        tallies[key].decisions++;
        tallies[key].correct += decision_correct(suite, scores, &suite->decisions[d], normalize);
        tallies[key].some = d;
        keys = key >= keys ? key + 1 : keys;
    }
    for (int key = 0; key < keys; key++)
        if (tallies[key].decisions && !add_group(out, suite, by, key, &tallies[key], status))
            return false;
    return true;
}

bool contrast_groups_make(const struct suite *suite, const struct contrast_scores *scores,
                          int decisions, enum contrast_normalize normalize,
                          struct contrast_groups *out, struct status *status)
{
    *out = (struct contrast_groups){0};
    size_t most = (size_t)decisions + DISTANCE_FAR + 1 + BINS;
    for (int by = 0; by < CONTRAST_BYS; by++) {
        int *keys = out->member[by] = memory_new((size_t)decisions, sizeof *keys, status);
        struct tally *tallies = memory_new(most, sizeof *tallies, status);
        bool ok = keys && tallies && make_keys(suite, decisions, by, keys, status) &&
                  add_groups(out, suite, scores, decisions, by, normalize, tallies, status);
        free(tallies);
        if (!ok)
            return false;
    }
    return true;
}

void contrast_groups_keep(struct contrast_groups *groups, enum contrast_by by)
{
    int kept = 0;
    for (int i = 0; i < groups->count; i++) {
        if (groups->groups[i].by == by)
            groups->groups[kept++] = groups->groups[i];
        else
            free(groups->groups[i].name);
    }
    groups->count = kept;
}

void contrast_groups_free(struct contrast_groups *groups)
{
    for (int i = 0; i < groups->count; i++)
        free(groups->groups[i].name);
    free(groups->groups);
    for (int by = 0; by < CONTRAST_BYS; by++)
        free(groups->member[by]);
    *groups = (struct contrast_groups){0};
}

bool contrast_group_has(const struct contrast_groups *groups, int group, int decision)
{
    const struct contrast_group *one = &groups->groups[group];
    return groups->member[one->by][decision] == one->key;
}
