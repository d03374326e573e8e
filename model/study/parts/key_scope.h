/* Keys of a journal: SHA-256 of everything that a result depends on, cut to 16 bytes.
 *
 *     key_scope_open for a kind of result and a state; key_scope_number, key_scope_text for what else all results of a
 * study depend on; key_scope_key for each sentence
 *
 * The contents of files count, not their names. Neither the batch nor the number of threads changes a result, and so
 * they are no part of a key; the version of the program is.
 */
#ifndef ATTNSCOPE_KEY_SCOPE_H
#define ATTNSCOPE_KEY_SCOPE_H

#include <nettle/sha2.h>

#include "model/search/state.h"
#include "model/study/parts/journal.h"

struct key_scope {
    struct sha256_ctx context;
};

/* What a result depends on besides model and head settings: all of the search, or its languages alone. */
enum key_search { KEY_SEARCH, KEY_LANGUAGES };

/* kind: "translation". model: the digest of the model's files. */
void key_scope_open(struct key_scope *scope, const char *kind, const char *model,
                    const struct state *state, enum key_search search);
void key_scope_number(struct key_scope *scope, double number);
void key_scope_text(struct key_scope *scope, const char *text); // NULL: other than any text

/* The key with these texts (count). */
struct journal_key key_scope_key(const struct key_scope *scope, const char *const *texts,
                                 int count);

#endif
