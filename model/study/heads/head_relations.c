#include "model/study/heads/head_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const relation_direction_names[] = {"head", "dependent", NULL};

void relations_free(struct head_relations *relations)
{
    for (int i = 0; i < relations->count; i++) {
        free(relations->sums[i].offsets);
        free(relations->sums[i].head_rows);
        free(relations->sums[i].hits);
    }
    free(relations->sums);
    *relations = (struct head_relations){.count = 0};
}

/* Room ----------------------------------------------------------------------------------------- */

static bool widen(struct relation_sums *sums, int span, struct status *status)
{
    if (sums->offsets && span <= sums->span)
        return true;
    int64_t *wider = memory_new(2 * (size_t)span + 1, sizeof *wider, status);
    if (!wider)
        return false;
    if (sums->offsets)
        memcpy(wider + (span - sums->span), sums->offsets,
               (2 * (size_t)sums->span + 1) * sizeof *wider);
    free(sums->offsets);
    sums->offsets = wider;
    sums->span = span;
    return true;
}

bool relations_make_room(struct head_relations *relations, int relation, int heads, int span,
                         struct status *status)
{
    const int wanted = (relation + 1) * RELATION_DIRECTIONS;
    if (!memory_grow((void **)&relations->sums, &relations->capacity, (size_t)wanted,
                     sizeof *relations->sums, status))
        return false;
    relations->count = wanted > relations->count ? wanted : relations->count;
    for (int d = 0; d < RELATION_DIRECTIONS; d++) {
        struct relation_sums *sums = &relations->sums[relation * RELATION_DIRECTIONS + d];
        if (!sums->head_rows)
            sums->head_rows = memory_new((size_t)heads, sizeof(int64_t), status);
        if (!sums->hits)
            sums->hits = memory_new((size_t)heads, sizeof(int64_t), status);
        if (!sums->head_rows || !sums->hits || !widen(sums, span, status))
            return false;
    }
    return true;
}

/* Rows ----------------------------------------------------------------------------------------- */

/* Which columns count as right for a row. */
struct search {
    const struct syntax *syntax;
    int token, word, relation;
    enum relation_direction direction;
};

static bool is_right(const struct search *search, int token)
{
    const struct syntax *syntax = search->syntax;
    const int other = syntax->words[token];
    if (other < 0)
        return false;
    if (search->direction == TO_HEAD)
        return other == syntax->heads[search->word];
    return syntax->heads[other] == search->word && syntax->relations[other] == search->relation;
}

/* A row counts only if some token is right. */
static void add_row(struct head_relations *relations, const struct search *search,
                    const int32_t *places, int heads)
{
    struct relation_sums *sums =
        &relations->sums[search->relation * RELATION_DIRECTIONS + (int)search->direction];
    bool any = false;
    for (int j = 0; j < search->syntax->tokens; j++)
        if (is_right(search, j)) {
            sums->offsets[sums->span + j - search->token]++;
            any = true;
        }
    if (!any)
        return;
    sums->rows++;
    for (int k = 0; k < heads; k++) {
        sums->head_rows[k] += places[k] >= 0;
        sums->hits[k] += places[k] >= 0 && is_right(search, places[k]);
    }
}

/* True if an earlier word depends on the same head by the same relation: both are found
 * together. */
static bool is_repeated(const struct syntax *syntax, int dependent)
{
    for (int d = 0; d < dependent; d++)
        if (syntax->heads[d] == syntax->heads[dependent] &&
            syntax->relations[d] == syntax->relations[dependent])
            return true;
    return false;
}

static void add_token(struct head_relations *relations, const struct syntax *syntax, int token,
                      const int32_t *places, int heads)
{
    const int word = syntax->words[token];
    if (word < 0)
        return;
    if (syntax->heads[word] >= 0 && syntax->relations[word] >= 0)
        add_row(relations, &(struct search){syntax, token, word, syntax->relations[word], TO_HEAD},
                places, heads);
    for (int d = 0; d < syntax->count; d++)
        if (syntax->heads[d] == word && syntax->relations[d] >= 0 && !is_repeated(syntax, d))
            add_row(relations,
                    &(struct search){syntax, token, word, syntax->relations[d], TO_DEPENDENT},
                    places, heads);
}

bool relations_add(struct head_relations *relations, const struct syntax *syntax,
                   const int32_t *places, int heads, struct status *status)
{
    for (int w = 0; w < syntax->count; w++)
        if (syntax->relations[w] >= 0 &&
            !relations_make_room(relations, syntax->relations[w], heads, syntax->tokens, status))
            return false;
    for (int i = 0; i < syntax->tokens; i++)
        add_token(relations, syntax, i, places + (size_t)i * (size_t)heads, heads);
    return true;
}

static void add_sums(struct relation_sums *to, const struct relation_sums *from, int heads)
{
    to->rows += from->rows;
    for (int o = -from->span; from->offsets && o <= from->span; o++)
        to->offsets[to->span + o] += from->offsets[from->span + o];
    for (int k = 0; from->head_rows && k < heads; k++) {
        to->head_rows[k] += from->head_rows[k];
        to->hits[k] += from->hits[k];
    }
}

bool relations_merge(struct head_relations *relations, const struct head_relations *others,
                     int heads, struct status *status)
{
    for (int i = 0; i < others->count; i++) {
        const struct relation_sums *from = &others->sums[i];
        if (!from->rows)
            continue;
        if (!relations_make_room(relations, i / RELATION_DIRECTIONS, heads, from->span, status))
            return false;
        add_sums(&relations->sums[i], from, heads);
    }
    return true;
}

/* Asking --------------------------------------------------------------------------------------- */

static const struct relation_sums *sums_of(const struct head_relations *relations, int relation,
                                           enum relation_direction direction)
{
    const int at = relation * RELATION_DIRECTIONS + (int)direction;
    return at < relations->count ? &relations->sums[at] : NULL;
}

int64_t relation_rows(const struct head_relations *relations, int relation,
                      enum relation_direction direction)
{
    const struct relation_sums *sums = sums_of(relations, relation, direction);
    return sums ? sums->rows : 0;
}

double relation_accuracy(const struct head_relations *relations, int relation,
                         enum relation_direction direction, int head)
{
    const struct relation_sums *sums = sums_of(relations, relation, direction);
    return sums && sums->rows && sums->head_rows[head]
               ? (double)sums->hits[head] / (double)sums->head_rows[head]
               : NAN;
}

double relation_baseline(const struct head_relations *relations, int relation,
                         enum relation_direction direction)
{
    const struct relation_sums *sums = sums_of(relations, relation, direction);
    int64_t best = 0;
    if (!sums || !sums->rows)
        return NAN;
    for (int i = 0; i <= 2 * sums->span; i++)
        best = sums->offsets[i] > best ? sums->offsets[i] : best;
    return (double)best / (double)sums->rows;
}
