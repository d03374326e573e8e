/* The files of a compiled dictionary of MeCab, as dictionary.c reads them. For model/score/mecab
 * only.
 *
 * Files are mapped, and nothing in them is trusted: what lies outside of a table is not found.
 */
#ifndef ATTNSCOPE_MECAB_DICTIONARY_H
#define ATTNSCOPE_MECAB_DICTIONARY_H

#include "model/formats/mapped_file.h"
#include "model/score/mecab/mecab.h"

/* A word in one of its readings. */
struct mecab_token {
    uint16_t left, right; // its connections: rows and columns of the matrix
    uint16_t part;        // of speech
    int16_t cost;
};

/* sys.dic or unk.dic: a trie as a double array, and the tokens of its words. */
struct mecab_words {
    struct mapped_file *file;
    const unsigned char *units, *tokens;
    size_t unit_count, token_count;
    uint32_t size; // words
};

/* The tokens of one word: `count` from `first` on. */
struct mecab_word {
    size_t first, count;
    size_t bytes; // of the word
};

/* The entry of a character in char.bin. */
struct mecab_kind {
    uint32_t kinds;    // a bit for each category it belongs to
    unsigned category; // the first of them
    unsigned length;   // unknown words of up to so many characters
    bool group;        // unknown words of all characters of its kind in a row
    bool invoke;       // also where the dictionary has words
};

enum { MECAB_PENALTIES_MOST = 32, MECAB_CATEGORIES_MOST = 256 };

struct mecab {
    struct mecab_words known, unknown;
    struct mapped_file *matrix, *kinds;
    uint16_t lefts,
        rights; // of the matrix: right connections of the word before, left ones of the word after
    const unsigned char *costs, *kind_of;
    struct mecab_word of_category[MECAB_CATEGORIES_MOST]; // unknown words
    struct {
        int part, cost;
    } penalties[MECAB_PENALTIES_MOST]; // (penalty_count), after a blank
    int penalty_count;
};

/* Calls `found` for each word that `text` begins with, the shortest first. */
bool mecab_find(const struct mecab_words *words, const char *text, size_t bytes,
                bool (*found)(void *context, const struct mecab_word *word, struct status *status),
                void *context, struct status *status);

/* False: the dictionary has no such token, or one without a place in the matrix. */
bool mecab_token(const struct mecab *mecab, const struct mecab_words *words, size_t index,
                 struct mecab_token *out);

/* The character at `text`, not at its end, and its bytes. */
struct mecab_kind mecab_kind_at(const struct mecab *mecab, const char *text, const char *end,
                                size_t *bytes);

/* Returns the cost of a word with the right connection `right` before one with `left`. */
int mecab_connect(const struct mecab *mecab, uint16_t right, uint16_t left);

#endif
