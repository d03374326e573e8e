/* Tokens outside a subword model, and where a text spells them: the earliest one first, the longest
 * of those that begin there, as in AddedVocabulary of Hugging Face's tokenizers package.
 */
#ifndef ATTNSCOPE_ADDED_TOKENS_H
#define ATTNSCOPE_ADDED_TOKENS_H

#include "model/text/text.h"

/* Zero-initialise before the first use. */
struct added_tokens {
    struct added_entry {
        char *text, *spelt; // the token, and its spelling in texts
        struct added_token how;
    } * list; // (count)
    size_t count, capacity;
    bool begins[256]; // the bytes with which tokens begin
};

/* Adds a token; skips duplicates and tokens without text. `spelt`: its spelling in text, after a
 * normalizer. */
bool added_tokens_add(struct added_tokens *tokens, const struct added_token *token,
                      const char *spelt, struct status *status);
bool added_tokens_have(const struct added_tokens *tokens, const char *piece);
void added_tokens_free(struct added_tokens *tokens); // leaves it empty

/* Part of a text: a token with the white space that belongs to it, or text between tokens. */
struct text_part {
    size_t begin, end; // bytes; begin < end
    const char *token; // NULL: text between tokens
};

/* A walk through the parts of a text (valid UTF-8, `bytes` long). Set the first four members, then
 * call token_scan_next until it returns false. */
struct token_scan {
    const struct added_tokens *tokens;
    const char *text;
    size_t bytes;
    bool normalized; // true: finds only tokens matched after a normalizer; false: only the others
    size_t from;     // end of the previous part
    struct text_part next;
};
bool token_scan_next(struct token_scan *scan, struct text_part *part);

#endif
