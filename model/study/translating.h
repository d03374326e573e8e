/* Translates the lines of a file in chunks: translating_all.
 *
 * A translation is one line (line_of_text). Several states of one model that differ only in their
 * head settings are translated together: they share batches, and a source is read once for all of
 * them. A blank line has an empty translation. With shards, only the lines of the current part are
 * translated, and earlier translations of them are reused.
 */
#ifndef ATTNSCOPE_TRANSLATING_H
#define ATTNSCOPE_TRANSLATING_H

#include "base/watch.h"
#include "model/search/state.h"
#include "model/study/shards/shards.h"
#include "model/text/lines.h"

/* A follower processes translations as they arrive, so that little work is left at the end or after
 * a stop. It receives results; the watch receives progress. */
struct follower {
    /* Called on the calling thread after each translation has been added to the texts. Returning
     * false ends the work with `status`. */
    bool (*follow)(void *context, struct status *status);
    void *context;
};

struct translating {
    const struct state *state; // the state to translate in
    const char *path;          // of the lines, for messages
    const struct lines *lines;
    char **texts;                   // (lines->count), owned by the caller; NULL: not translated yet
    int64_t tokens;                 // of the new translations, including end-of-sentence
    struct work_progress *progress; // over all lines to translate: source tokens, sentences
    const struct watch *watch;      // NULL: none
    const struct follower *follower; // NULL: none
    struct shards *shards;           // NULL: none
    struct identity scope;           // of keys, with shards
};

/* Translates all lines, or those of the current part, in each of `states` (count) that has not
 * translated them yet. With `together`, states of one model share batches; otherwise each chunk is
 * translated in one state after another, so that all are about equally far after a stop. With
 * `together`, lines, shards, watch and follower are those of the first state. All states share one
 * progress. `chunks`, which may be NULL, is called after every chunk, even a failed one. Finished
 * translations survive a failure. */
bool translating_all(struct translating *states, int count, bool together,
                     const struct follower *chunks, struct status *status);

/* Returns how many lines to translate at once in `count` states. The search begins with the longest
 * lines of a chunk, so after a stop few of the chunk's first lines are finished. The first chunk
 * therefore starts with few lines, then doubles them. */
int translating_step(const struct state *state, int count);

/* Translates lines first … last-1, reporting to a progress. */
struct work_progress translating_progress(void);
bool translating_chunk(struct translating *states, int count, int first, int last,
                       struct status *status);

#endif
