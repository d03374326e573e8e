#include "tui/report/parts_of_speech.h"

#include <string.h>

/* https://universaldependencies.org/u/pos: open classes, closed classes, others. */
static const char *const universal[] = {"ADJ",  "ADV",   "INTJ",  "NOUN", "PROPN", "VERB",
                                        "ADP",  "AUX",   "CCONJ", "DET",  "NUM",   "PART",
                                        "PRON", "SCONJ", "PUNCT", "SYM",  "X",     "_"};
enum { UNIVERSAL = sizeof universal / sizeof *universal };

static int place_of(const struct conllu *conllu, int tag)
{
    const char *name = tag < 0 ? "_" : conllu->tags.text[tag];
    for (int i = 0; i < UNIVERSAL; i++)
        if (strcmp(universal[i], name) == 0)
            return i;
    return UNIVERSAL + tag;
}

bool parts_of_speech(const struct sentence_pair *pair, const struct conllu *conllu,
                     const struct conllu_sentence *words, int *places, struct status *status)
{
    if (!sentence_conllu_words(pair->checkpoint, &pair->source, pair->text, words, places, status))
        return false;
    for (int i = 0; i < pair->source.count; i++)
        if (places[i] >= 0)
            places[i] = place_of(conllu, words->words[places[i]].upos);
    return true;
}

int parts_of_speech_most(const struct conllu *conllu)
{
    return UNIVERSAL + conllu->tags.count;
}

const char *part_of_speech_name(const struct conllu *conllu, int place)
{
    return place < UNIVERSAL ? universal[place] : conllu->tags.text[place - UNIVERSAL];
}
