/* Finds the words that a text may consist of, and the cheapest path through them (Viterbi). Ties
 * are decided as in MeCab: of words that end at the same place, the one added last is tried
 * first. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/score/mecab/dictionary.h"

enum {
    NONE = -1,
    GROUPED_MOST = 24, // most characters of one kind that form an unknown word
    AHEAD_MOST = 65535 // bytes searched for words
};

/* A word at its place, with the best path to it. */
struct node {
    struct mecab_token token;
    int64_t cost;      // of the path
    int before;        // the node before it on that path
    int same_end;      // another node that ends at its end
    size_t begin, end; // in the text, without the blanks before it
};

struct lattice {
    const struct mecab *mecab;
    const char *text;
    size_t bytes;
    struct node *nodes;
    int count;
    size_t capacity;
    int *ends; // (bytes + 1): the last node that ends there
};

/* The words that begin at one place. */
struct place {
    struct lattice *lattice;
    const struct mecab_words *words;
    size_t at, begin; // where the word before ends; the place after the blanks
};

static bool fail_damaged(struct status *status)
{
    return status_fail(status, STATUS_INVALID, "MeCab's dictionary is damaged");
}

static bool add_node(const struct place *place, size_t index, size_t bytes, struct status *status)
{
    struct lattice *lattice = place->lattice;
    struct mecab_token token;
    if (!mecab_token(lattice->mecab, place->words, index, &token) ||
        bytes > lattice->bytes - place->begin)
        return fail_damaged(status);
    if (lattice->count == INT_MAX)
        return status_no_memory(status);
    if (!memory_grow((void **)&lattice->nodes, &lattice->capacity, (size_t)lattice->count + 1,
                     sizeof *lattice->nodes, status))
        return false;
    lattice->nodes[lattice->count++] = (struct node){
        .token = token, .before = NONE, .begin = place->begin, .end = place->begin + bytes};
    return true;
}

static bool add_word(void *context, const struct mecab_word *word, struct status *status)
{
    const struct place *place = context;
    for (size_t i = 0; word->bytes && i < word->count; i++)
        if (!add_node(place, word->first + i, word->bytes, status))
            return false;
    return true;
}

/* Unknown words -------------------------------------------------------------------------------- */

static bool add_unknown(const struct place *place, unsigned category, const char *end,
                        struct status *status)
{
    const struct lattice *lattice = place->lattice;
    struct place unknown = *place;
    struct mecab_word word = lattice->mecab->of_category[category];
    unknown.words = &lattice->mecab->unknown;
    word.bytes = (size_t)(end - lattice->text) - place->begin;
    return add_word(&unknown, &word, status);
}

/* Returns the end of a run of characters. Each must share a kind with the one before. *count: how
 * many they are. */
static const char *skip_kind(const struct mecab *mecab, const char *text, const char *end,
                             uint32_t kinds, size_t *count)
{
    size_t bytes;
    for (*count = 0; text < end; ++*count, text += bytes) {
        struct mecab_kind kind = mecab_kind_at(mecab, text, end, &bytes);
        if (!(kind.kinds & kinds))
            break;
        kinds = kind.kinds;
    }
    return text;
}

/* Adds unknown words: a run of one kind, and one, two, ... characters, as the first character's
 * kind requires. */
static bool add_all_unknown(const struct place *place, const char *end, struct status *status)
{
    const struct lattice *lattice = place->lattice;
    const struct mecab *mecab = lattice->mecab;
    const int before = lattice->count;
    const char *begin = lattice->text + place->begin, *grouped = NULL;
    size_t bytes, count;
    const struct mecab_kind first = mecab_kind_at(mecab, begin, end, &bytes);
    const char *next = begin + bytes;
    if (first.group) {
        grouped = skip_kind(mecab, next, end, first.kinds, &count);
        if (count <= GROUPED_MOST && !add_unknown(place, first.category, grouped, status))
            return false;
    }
    for (unsigned i = 1; i <= first.length; i++) {
        if (next == grouped)
            continue;
        if (!add_unknown(place, first.category, next, status))
            return false;
        if (next == end || !(mecab_kind_at(mecab, next, end, &bytes).kinds & first.kinds))
            break;
        next += bytes;
    }
    return lattice->count > before || add_unknown(place, first.category, next, status);
}

/* Paths ---------------------------------------------------------------------------------------- */

static int penalty_of(const struct mecab *mecab, uint16_t part)
{
    for (int i = 0; i < mecab->penalty_count; i++)
        if (mecab->penalties[i].part == part)
            return mecab->penalties[i].cost;
    return 0;
}

/* Joins a node to the best of the nodes that end at `at`. */
static void connect(struct lattice *lattice, int number, size_t at)
{
    struct node *node = &lattice->nodes[number];
    int own = node->token.cost;
    if (node->begin > at)
        own += penalty_of(lattice->mecab, node->token.part);
    for (int i = lattice->ends[at]; i != NONE; i = lattice->nodes[i].same_end) {
        int64_t cost =
            lattice->nodes[i].cost + own +
            mecab_connect(lattice->mecab, lattice->nodes[i].token.right, node->token.left);
        if (node->before == NONE || cost < node->cost) {
            node->before = i;
            node->cost = cost;
        }
    }
}

/* Words of the dictionary are tried in reverse order of finding. */
static void connect_all(struct lattice *lattice, int first, size_t at)
{
    for (int i = lattice->count - 1; i >= first; i--) {
        struct node *node = &lattice->nodes[i];
        connect(lattice, i, at);
        node->same_end = lattice->ends[node->end];
        lattice->ends[node->end] = i;
    }
}

static bool look_up(struct lattice *lattice, size_t at, struct status *status)
{
    static const char blank[] = " ";
    const struct mecab *mecab = lattice->mecab;
    size_t ahead = lattice->bytes - at < AHEAD_MOST ? lattice->bytes - at : AHEAD_MOST, unused;
    const char *begin = lattice->text + at, *end = begin + ahead;
    const char *word = skip_kind(mecab, begin, end,
                                 mecab_kind_at(mecab, blank, blank + 1, &unused).kinds, &unused);
    const struct place place = {lattice, &mecab->known, at, (size_t)(word - lattice->text)};
    const int first = lattice->count;
    if (word == end)
        return true;
    if (!mecab_find(&mecab->known, word, (size_t)(end - word), add_word, (void *)&place, status))
        return false;
    bool invoke = mecab_kind_at(mecab, word, end, &unused).invoke;
    if ((lattice->count == first || invoke) && !add_all_unknown(&place, end, status))
        return false;
    connect_all(lattice, first, at);
    return true;
}

static bool build(struct lattice *lattice, struct status *status)
{
    lattice->ends = memory_new(lattice->bytes + 1, sizeof *lattice->ends, status);
    lattice->nodes = memory_new(1, sizeof *lattice->nodes, status);
    if (!lattice->ends || !lattice->nodes)
        return false;
    for (size_t i = 0; i <= lattice->bytes; i++)
        lattice->ends[i] = NONE;
    lattice->capacity = lattice->count = 1;
    lattice->nodes[0] = (struct node){.before = NONE, .same_end = NONE};
    lattice->ends[0] = 0;
    for (size_t at = 0; at < lattice->bytes; at++)
        if (lattice->ends[at] != NONE && !look_up(lattice, at, status))
            return false;
    return true;
}

/* Returns the last node before the end of the sentence, which costs nothing itself. */
static int find_last(const struct lattice *lattice)
{
    size_t at = lattice->bytes;
    int best = NONE;
    int64_t least = 0;
    while (lattice->ends[at] == NONE)
        at--;
    for (int i = lattice->ends[at]; i != NONE; i = lattice->nodes[i].same_end) {
        int64_t cost = lattice->nodes[i].cost +
                       mecab_connect(lattice->mecab, lattice->nodes[i].token.right, 0);
        if (best == NONE || cost < least) {
            best = i;
            least = cost;
        }
    }
    return best;
}

static bool add_path(const struct lattice *lattice, struct strings *words, struct status *status)
{
    int length = 0, at = 0;
    for (int i = find_last(lattice); i > 0; i = lattice->nodes[i].before)
        length++;
    int *path = memory_new((size_t)length, sizeof *path, status);
    bool ok = path != NULL;
    for (int i = ok ? find_last(lattice) : 0; i > 0; i = lattice->nodes[i].before)
        path[at++] = i;
    while (ok && at-- > 0) {
        const struct node *node = &lattice->nodes[path[at]];
        ok = strings_add(words, lattice->text + node->begin, node->end - node->begin, status);
    }
    free(path);
    return ok;
}

bool mecab_split(const struct mecab *mecab, const char *text, struct strings *words,
                 struct status *status)
{
    struct lattice lattice = {.mecab = mecab, .text = text, .bytes = strlen(text)};
    bool ok = build(&lattice, status) && add_path(&lattice, words, status);
    free(lattice.nodes);
    free(lattice.ends);
    return ok;
}
