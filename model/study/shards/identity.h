/* The identity of a result: the SHA-256 of everything that it is computed from, cut to 16 bytes.
 * Files of shards (shards.h) and the cache of a session (result_cache.h) find results by it.
 *
 *     identity_open for a kind of result and a state; identity_number, identity_text for what else
 *     all results of a
 * study depend on; identity_key for each sentence
 *
 * The contents of files count, not their names. The number of threads changes no result and is no
 * part of it; the batch is where the device's results depend on it. So are the program's version,
 * the device and its precision.
 */
#ifndef ATTNSCOPE_IDENTITY_H
#define ATTNSCOPE_IDENTITY_H

#include <nettle/sha2.h>

#include "model/search/state.h"
#include "model/study/shards/journal.h"

struct identity {
    struct sha256_ctx context;
};

/* The parts of the search that a result depends on besides model and head settings: all, or its
 * languages alone. */
enum identity_search { IDENTITY_SEARCH, IDENTITY_LANGUAGES };

/* kind: "translation". model: what tells one from another, as the digest of its files. */
void identity_open(struct identity *identity, const char *kind, const char *model,
                   const struct state *state, enum identity_search search);
void identity_number(struct identity *identity, double number);
void identity_text(struct identity *identity, const char *text); // NULL: other than any text

/* The key with these texts (count). */
struct journal_key identity_key(const struct identity *identity, const char *const *texts,
                                int count);

#endif
