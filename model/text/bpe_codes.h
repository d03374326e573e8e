/* Merge codes as tables: symbols by spelling, merges by pair of symbols. Read-only once opened. */
#ifndef ATTNSCOPE_BPE_CODES_H
#define ATTNSCOPE_BPE_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define BPE_WORD_END "</w>"

struct bpe_merge {
    int32_t left, right; // symbols
    int32_t rank;        // lower ranks merge first
    int32_t result;      // the merged symbol; -1 in unused slots of the table
};

enum bpe_word_end {
    WORD_END_ATTACHED, // the last character of a word carries "</w>" (version 0.2, fastBPE)
    WORD_END_APART,    // "</w>" is a separate symbol (version 0.1)
    WORD_END_NONE      // words end without a mark (GPT-2, Hugging Face)
};

struct bpe_codes {
    enum bpe_word_end word_end;
    bool counted; // a third column counts each merge (fastBPE)
    char *text;   // the codes; symbols point into it
    char *joined; // spellings of merged symbols
    struct bpe_symbol {
        const char *name; // not NUL-terminated
        int32_t length;   // 0: unused slot of the table
        int32_t id;
    } * symbols; // (symbols_size)
    size_t symbols_size;
    int32_t symbol_count;
    struct bpe_merge *merges; // (merges_size)
    size_t merges_size;
};

/* `plain`: words end without a mark; otherwise the codes decide. Messages begin with the line
 * ("line 17: …"). On failure *codes is empty again. */
bool bpe_codes_open(struct bpe_codes *codes, bool plain, const char *text, size_t bytes,
                    struct status *status);
void bpe_codes_close(struct bpe_codes *codes);

/* The symbol spelt `name`, or -1. */
int32_t bpe_codes_symbol(const struct bpe_codes *codes, const char *name, size_t length);

/* The merge of two symbols (-1: no symbol), or NULL. */
const struct bpe_merge *bpe_codes_merge(const struct bpe_codes *codes, int32_t left, int32_t right);

#endif
