/* Where the letters of pieces stand in the text that they were cut from: with as few edits as possible, where a
 * tokeniser has changed letters, left some out or added some.
 */
#ifndef ATTNSCOPE_LETTER_PLACES_H
#define ATTNSCOPE_LETTER_PLACES_H

#include "model/text/words/piece_letters.h"

/* places: (pieces->count) gets the letter of the text, from 0, that each letter of the pieces is or has taken the place
 * of; -1: one that was added. Where several letters stand for one, it is the first of them that takes its place. Where
 * text and pieces differ over thousands of letters, these are placed in proportion. */
bool letter_places(const struct letters *text, const struct letters *pieces, int *places,
                   struct status *status);

#endif
