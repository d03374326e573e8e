/* Splits Japanese and Korean into words like MeCab 0.996 (Kudo et al. 2004) and its fork mecab-ko
 * 0.9.2, with a compiled dictionary: the least-cost path through the possible words of the text.
 *
 *     struct mecab *mecab = mecab_open(folder, status);
 *     mecab_split(mecab, text, &words, status), from any thread
 *     mecab_close(mecab);
 *
 * A dictionary is a folder with sys.dic, unk.dic, matrix.bin, char.bin and dicrc, in UTF-8 (built
 * by mecab-dict-index). left-space-penalty-factor of dicrc, specific to mecab-ko, adds to the cost
 * of words after a blank.
 */
#ifndef ATTNSCOPE_MECAB_H
#define ATTNSCOPE_MECAB_H

#include <stdint.h>

#include "model/text/text.h"

struct mecab;

/* NULL on failure; the message begins with the file. */
struct mecab *mecab_open(const char *folder, struct status *status);
void mecab_close(struct mecab *mecab); // NULL: nothing

/* Returns the number of words in the dictionary. */
uint32_t mecab_size(const struct mecab *mecab);

/* Appends the words of a text, valid UTF-8, without the blanks between them. STATUS_INVALID: the
 * dictionary is damaged. */
bool mecab_split(const struct mecab *mecab, const char *text, struct strings *words,
                 struct status *status);

#endif
