#include "model/study/heads/attended_sentence.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/utf8.h"

static bool side_allocate(struct attended_side *side, int count, struct status *status)
{
    const size_t wanted = (size_t)count;
    side->count = count;
    return memory_grow((void **)&side->eos, &side->capacity[0], wanted, sizeof(bool), status) &&
           memory_grow((void **)&side->punctuation, &side->capacity[1], wanted, sizeof(bool),
                       status) &&
           memory_grow((void **)&side->rare, &side->capacity[2], wanted, sizeof(bool), status) &&
           memory_grow((void **)&side->words, &side->capacity[3], wanted, sizeof(int), status) &&
           memory_grow((void **)&side->ids, &side->capacity[4], wanted, sizeof(int), status);
}

/* Punctuation ---------------------------------------------------------------------------------- */

/* True if the piece, without its tokeniser's marks, consists of punctuation. */
static bool is_punctuation(struct tokenizer *tokenizer, const char *piece, bool *punctuation,
                           struct status *status)
{
    char *text = tokenizer_join_word(tokenizer, &piece, 1, status);
    if (!text)
        return false;
    *punctuation = *text != '\0';
    for (size_t at = 0, bytes; text[at] && *punctuation; at += bytes)
        *punctuation = utf8_is_punctuation(utf8_decode(text + at, &bytes));
    free(text);
    return true;
}

/* Pieces of the vocabulary are checked once; others, each time. */
static bool find_punctuation(const struct checkpoint *checkpoint, int which,
                             struct attended_side *side, const char *const *pieces,
                             struct status *status)
{
    const struct vocabulary *vocabulary = checkpoint->vocabulary[which];
    const int unknown = checkpoint->config->special[SPECIAL_UNK][which];
    if (!side->known) {
        side->known = memory_new((size_t)vocabulary_size(vocabulary), 1, status);
        if (!side->known)
            return false;
        memset(side->known, -1, (size_t)vocabulary_size(vocabulary));
    }
    for (int i = 0; i < side->count; i++) {
        signed char *known = &side->known[side->ids[i]];
        if (*known < 0 || (pieces && side->ids[i] == unknown)) {
            const char *piece = pieces ? pieces[i] : vocabulary_piece(vocabulary, side->ids[i]);
            if (!is_punctuation(checkpoint->tokenizer[which], piece, &side->punctuation[i], status))
                return false;
            *known = side->punctuation[i];
        }
        side->punctuation[i] = *known;
    }
    return true;
}

/* Sides ---------------------------------------------------------------------------------------- */

/* Finds the rarest of the tokens first … last-1, wherever it occurs; special tokens do not
 * count. */
static void find_rarest(const struct config *config, int which, struct attended_side *side,
                        int first, int last)
{
    const int pad = config->special[SPECIAL_PAD][which], eos = config->special[SPECIAL_EOS][which];
    int rarest = -1;
    for (int i = first; i < last; i++)
        if (side->ids[i] > rarest && side->ids[i] != pad && side->ids[i] != eos)
            rarest = side->ids[i];
    for (int i = 0; i < side->count; i++) {
        side->rare[i] = i >= first && i < last && side->ids[i] == rarest;
        side->eos[i] = side->ids[i] == eos;
    }
}

static struct attended_tokens tokens_of(const struct attended_side *side)
{
    return (struct attended_tokens){side->eos, side->punctuation, side->rare, side->words,
                                    side->count};
}

static bool fill_source(const struct checkpoint *checkpoint, const struct sentence *source,
                        struct attended_side *side, struct status *status)
{
    const struct config *config = checkpoint->config;
    if (!side_allocate(side, source->count, status))
        return false;
    for (int i = 0; i < source->count; i++) {
        side->ids[i] = source->ids[i];
        side->words[i] = source->words[i];
    }
    find_rarest(config, SIDE_SOURCE, side, source->before, source->count - source->behind);
    return find_punctuation(checkpoint, SIDE_SOURCE, side, (const char *const *)source->pieces.text,
                            status);
}

/* The decoder reads the start tokens and the target without its last token. */
static bool fill_inputs(const struct checkpoint *checkpoint, const struct sentence *source,
                        const int *target, int count, struct attended_side *side,
                        struct status *status)
{
    const struct config *config = checkpoint->config;
    const int starts = config->start.count, all = starts + count - 1;
    if (!side_allocate(side, all, status))
        return false;
    for (int i = 0; i < all; i++)
        side->ids[i] = i < starts ? start_token(config, i, source) : target[i - starts];
    number_target_words(checkpoint, side->ids, all, side->words);
    find_rarest(config, SIDE_TARGET, side, starts, all);
    return find_punctuation(checkpoint, SIDE_TARGET, side, NULL, status);
}

/* Words count from 0 here, but from 1 in the file. */
static bool fill_syntax(const struct checkpoint *checkpoint, const struct forced_sentence *forced,
                        struct attended_syntax *out, struct status *status)
{
    const struct conllu_sentence *conllu = forced->conllu;
    const size_t tokens = (size_t)forced->source->count, words = (size_t)conllu->count;
    if (!memory_grow((void **)&out->words, &out->capacity[0], tokens, sizeof(int), status) ||
        !memory_grow((void **)&out->heads, &out->capacity[1], words, sizeof(int), status) ||
        !memory_grow((void **)&out->relations, &out->capacity[2], words, sizeof(int), status) ||
        !sentence_conllu_words(checkpoint, forced->source, forced->text, conllu, out->words,
                               status))
        return false;
    for (int w = 0; w < conllu->count; w++) {
        out->heads[w] = conllu->words[w].head > 0 ? conllu->words[w].head - 1 : -1;
        out->relations[w] = conllu->words[w].relation;
    }
    out->syntax = (struct syntax){out->words, forced->source->count, out->heads, out->relations,
                                  conllu->count};
    return true;
}

bool attended_fill(const struct checkpoint *checkpoint, const struct forced_sentence *forced,
                   struct attended_sentence *sentence, struct attended *out, struct status *status)
{
    struct attended_side *sides = sentence->sides;
    if (!fill_source(checkpoint, forced->source, &sides[SIDE_SOURCE], status) ||
        !fill_inputs(checkpoint, forced->source, forced->target, forced->count, &sides[SIDE_TARGET],
                     status) ||
        (forced->conllu && !fill_syntax(checkpoint, forced, &sentence->syntax, status)))
        return false;
    *out = (struct attended){.number = forced->number,
                             .source = tokens_of(&sides[SIDE_SOURCE]),
                             .inputs = tokens_of(&sides[SIDE_TARGET]),
                             .starts = checkpoint->config->start.count,
                             .syntax = forced->conllu ? &sentence->syntax.syntax : NULL};
    return true;
}

void attended_free(struct attended_sentence *sentence)
{
    for (int s = 0; s < 2; s++) {
        struct attended_side *side = &sentence->sides[s];
        free(side->eos);
        free(side->punctuation);
        free(side->rare);
        free(side->words);
        free(side->ids);
        free(side->known);
    }
    free(sentence->syntax.words);
    free(sentence->syntax.heads);
    free(sentence->syntax.relations);
    *sentence = (struct attended_sentence){0};
}
