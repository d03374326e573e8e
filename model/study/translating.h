/* Translates the lines of a file in chunks.
 *
 *     progress = translating_progress(); translating_measure; translating_chunk for lines 0 …
 *     step-1, step … and so on, where step is that of translating_step; the caller reports the end
 *     of the progress (watch_fail)
 *
 * A translation is one line (line_of_text). Several states of one model that differ only in their
 * head settings are translated together: they share batches, and a source is read once for all of
 * them. A blank line has an empty translation. With parts, only the lines of the part are
 * translated, and what they have of earlier is taken.
 */
#ifndef ATTNSCOPE_TRANSLATING_H
#define ATTNSCOPE_TRANSLATING_H

#include "base/watch.h"
#include "model/search/state.h"
#include "model/study/shards/shards.h"
#include "model/text/lines.h"

/* A follower processes translations as they arrive, so that little work is left at the end or after
 * a stop. It gets results; progress goes to the watch. */
struct follower {
    /* Called on the calling thread after every translation, when it is among the texts. False: the
     * work ends with `status`. */
    bool (*follow)(void *context, struct status *status);
    void *context;
};

struct translating {
    const struct state *state; // the state that translates
    const char *path;          // of the lines, for messages
    const struct lines *lines;
    char **texts;   // (lines->count), strings of the caller; NULL: not translated yet
    int64_t tokens; // of the new translations, including end-of-sentence
    struct work_progress *progress;  // of all lines to translate: source tokens, sentences
    const struct watch *watch;       // NULL: nobody watches
    const struct follower *follower; // NULL: none
    struct shards *shards;           // NULL: none
    struct identity scope;           // of keys, with parts
};

struct work_progress translating_progress(void);

/* Takes from the parts what they have. Checks every other line that at least one of the states
 * (count) has not translated yet, and adds its source tokens to the progress, once for each such
 * state. Parts, progress, watch and follower are those of the first state. */
bool translating_measure(struct translating *states, int count, struct status *status);

/* The lines to translate: all, or those of the part. */
struct shard_range translating_range(const struct translating *states);

/* Returns how many lines to translate at once with `count` states. The search begins with the
 * longest lines of a chunk, so that after a stop few of its first lines are finished. In the
 * first chunk it therefore takes few lines at first, then twice as many. */
int translating_step(const struct state *state, int count);

/* Translates the lines first … last-1 with the states that have not translated them yet. Lines,
 * parts, progress, watch and follower are those of the first state. After a failure, finished
 * translations stay. */
bool translating_chunk(struct translating *states, int count, int first, int last,
                       struct status *status);

#endif
