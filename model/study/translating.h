/* Translates the lines of a file in chunks: translating_all.
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

/* Translates all lines, or those of the part, with the states (count) that have not translated them
 * yet: `together` in the same batches, where they are of one model, or state after state in every
 * chunk, so that after a stop all have translated about as much. Lines, parts, watch and follower
 * of states together are those of the first; the progress is one of all. `chunks`, which may be
 * NULL, is called after every chunk, also after one that failed. After a failure, finished
 * translations stay. */
bool translating_all(struct translating *states, int count, bool together,
                     const struct follower *chunks, struct status *status);

/* Returns how many lines to translate at once with `count` states. The search begins with the
 * longest lines of a chunk, so that after a stop few of its first lines are finished. In the
 * first chunk it therefore takes few lines at first, then twice as many. */
int translating_step(const struct state *state, int count);

/* Translates the lines first … last-1, with a progress. */
struct work_progress translating_progress(void);
bool translating_chunk(struct translating *states, int count, int first, int last,
                       struct status *status);

#endif
