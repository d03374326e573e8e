/* The files of a compiled MeCab dictionary, read by dictionary.c. Internal to model/score/mecab.
 *
 * Files are mapped and untrusted: entries outside a table are treated as absent.
 */
#ifndef ATTNSCOPE_MECAB_DICTIONARY_H
#define ATTNSCOPE_MECAB_DICTIONARY_H

#include "model/formats/mapped_file.h"
#include "model/score/mecab/mecab.h"

/* One reading of a word. */
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
    uint32_t kinds;    // a bit for each of its categories
    unsigned category; // the first of them
    unsigned length;   // maximum number of characters in unknown words
    bool group;        // unknown words take whole runs of characters of its kind
    bool invoke;       // unknown words even if the dictionary has words here
};

enum { MECAB_PENALTIES_MOST = 32, MECAB_CATEGORIES_MOST = 256 };

struct mecab {
    struct mecab_words known, unknown;
    struct mapped_file *matrix, *kinds;
    uint16_t lefts,
        rights; // size of the matrix: right connections of the first word, left ones of the second
    const unsigned char *costs, *kind_of;
    struct mecab_word of_category[MECAB_CATEGORIES_MOST]; // unknown words
    struct {
        int part, cost;
    } penalties[MECAB_PENALTIES_MOST]; // (penalty_count), after a blank
    int penalty_count;
};

/* Calls `found` for each word at the beginning of `text`, shortest first. */
bool mecab_find(const struct mecab_words *words, const char *text, size_t bytes,
                bool (*found)(void *context, const struct mecab_word *word, struct status *status),
                void *context, struct status *status);

/* False if the dictionary has no such token, or if the token has no place in the matrix. */
bool mecab_token(const struct mecab *mecab, const struct mecab_words *words, size_t index,
                 struct mecab_token *out);

/* The kind of the character at `text`, which must not be `end`, and its size in bytes. */
struct mecab_kind mecab_kind_at(const struct mecab *mecab, const char *text, const char *end,
                                size_t *bytes);

/* Returns the cost of connecting a word with right connection `right` to a next word with
 * `left`. */
int mecab_connect(const struct mecab *mecab, uint16_t right, uint16_t left);

#endif
