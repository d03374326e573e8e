/* Groups of tokens by the part of speech of their word, in the order in which they are shown. */
#ifndef ATTNSCOPE_PARTS_OF_SPEECH_H
#define ATTNSCOPE_PARTS_OF_SPEECH_H

#include "model/text/conllu/conllu.h"
#include "tui/session/sentence_pair.h"

/* places: (tokens of the pair's source), the place of each token's part of speech; -1: special tokens, which have
 * none. Content words (open classes) come first, then function words (closed classes), then punctuation, symbols and
 * others, as Universal Dependencies classes its tags; then other tags in the order of the file; words without a tag are
 * between these and those. */
bool parts_of_speech(const struct sentence_pair *pair, const struct conllu *conllu,
                     const struct conllu_sentence *words, int *places, struct status *status);

/* Places are below this. */
int parts_of_speech_most(const struct conllu *conllu);
/* The name of a place: "NOUN"; "_": words without a tag. */
const char *part_of_speech_name(const struct conllu *conllu, int place);

#endif
