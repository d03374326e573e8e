/* Tokens that stand outside a subword model, and where a text spells them: the earliest of them, of
 * those that begin there the longest, as the tokenizers package of Hugging Face finds them
 * (AddedVocabulary).
 */
#ifndef ATTNSCOPE_ADDED_TOKENS_H
#define ATTNSCOPE_ADDED_TOKENS_H

#include "model/text/text.h"

/* Zero-initialise before the first use. */
struct added_tokens {
    struct added_entry {
        char *text, *spelt; // the token, and what a text spells it as
        struct added_token how;
    } * list; // (count)
    size_t count, capacity;
    bool begins[256]; // which bytes tokens begin with
};

/* Adds a token; one that is there already, and one without text, is passed over. `spelt`: what text
 * spells it as, behind a normalizer. */
bool added_tokens_add(struct added_tokens *tokens, const struct added_token *token,
                      const char *spelt, struct status *status);
bool added_tokens_have(const struct added_tokens *tokens, const char *piece);
void added_tokens_free(struct added_tokens *tokens); // leaves it empty

/* Part of a text: a token, with the white space that belongs to it, or what is between tokens. */
struct text_part {
    size_t begin, end; // bytes; begin < end
    const char *token; // NULL: text between tokens
};

/* A walk through a text (valid UTF-8, `bytes` long) by its parts. Set the first four members, then
 * call token_scan_next until it returns false. */
struct token_scan {
    const struct added_tokens *tokens;
    const char *text;
    size_t bytes;
    bool
        normalized; // looks for those tokens alone that are looked for behind a normalizer, else for the others
    size_t from; // end of the part before
    struct text_part next;
};
bool token_scan_next(struct token_scan *scan, struct text_part *part);

#endif
