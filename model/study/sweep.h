/* Translates a test set with many head settings at once. Their sentences share batches, and the
 * lower encoder layers in which the head settings agree (search.h). On the CPU every translation is
 * bit-identical to one made alone; on a GPU it depends on its batch (search.h).
 *
 *     sweep_open; sweep_translate; sweep_texts of each; sweep_free
 */
#ifndef ATTNSCOPE_SWEEP_H
#define ATTNSCOPE_SWEEP_H

#include "model/study/study_context.h"
#include "model/study/translating.h"
#include "model/text/lines.h"

/* Roughly how many texts of finished sweeps stay in the cache, for later studies and their
 * examples. */
enum { SWEEP_TEXTS_KEPT = 1000000 };

struct sweep {
    const char *path; // of the sources, for messages
    const struct lines *sources;
    struct head_settings *const *head_settings; // (count); borrowed until the sweep is finished
    int count;
    int kept;                 // other cached translations that must be kept as well
    struct translated **made; // (count); owned by the cache until others are requested
    int64_t tokens;           // of new translations, including end-of-sentence
};

/* Finds the cached translations. The caller has filled in path, sources, head_settings, count and
 * kept, and calls sweep_free even after a failure. */
bool sweep_open(const struct study_context *context, struct sweep *sweep, struct status *status);
void sweep_free(struct sweep *sweep);

/* Translates the sentences that are not cached, with the model and search of the context. Finished
 * translations survive a failure, including a stop (STATUS_CANCELLED). follower: see translating.h;
 * NULL: none. */
bool sweep_translate(const struct study_context *context, struct sweep *sweep,
                     const struct follower *follower, struct status *status);

/* (count, sources): the translations with each of head_settings; NULL elements: not yet translated.
 * The caller frees the list with free(). NULL: out of memory. */
const char *const **sweep_texts(const struct sweep *sweep, struct status *status);

/* Call after using the texts, before sweep_free. If there are too many texts, keeps only those of
 * head_settings 0 and the last ones. */
void sweep_leave(const struct study_context *context, const struct sweep *sweep);

#endif
