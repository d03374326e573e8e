/* The identity of a result: the SHA-256, truncated to 16 bytes, of everything that it is computed
 * from. Files of shards (shards.h) and a session's cache (result_cache.h) find results by it.
 *
 *     identity_open for a kind of result and a state; identity_number, identity_text for everything
 *     else that all results of a study depend on; identity_key for each sentence
 *
 * It includes the contents of files, not their names; the program's version; the device and its
 * precision; and the batch if the device's results depend on it. It excludes the number of threads,
 * which does not change results.
 */
#ifndef ATTNSCOPE_IDENTITY_H
#define ATTNSCOPE_IDENTITY_H

#include <nettle/sha2.h>

#include "model/search/state.h"
#include "model/study/shards/journal.h"

struct identity {
    struct sha256_ctx context;
};

/* The parts of the search that a result depends on besides model and head settings: all, or only
 * the languages. */
enum identity_search { IDENTITY_SEARCH, IDENTITY_LANGUAGES };

/* kind: "translation". model: distinguishes models, for example the digest of their files. */
void identity_open(struct identity *identity, const char *kind, const char *model,
                   const struct state *state, enum identity_search search);
void identity_number(struct identity *identity, double number);
void identity_text(struct identity *identity, const char *text); // NULL: differs from every text

/* The key for these texts (count). */
struct journal_key identity_key(const struct identity *identity, const char *const *texts,
                                int count);

#endif
