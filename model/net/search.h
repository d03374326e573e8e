/* Beam search over many sentences at once: sentences enter and leave a running batch.
 *
 * A job is one source sentence under one setting of dials; jobs of one call may have different dials. Jobs of one
 * source (the same address), one after the other, share the layers of the encoder below the first in which their
 * dials differ, where they enter together.
 * Results are the same whatever the batch size and the order of the jobs. A sentence that does not fit
 * into the device's memory by itself is an error.
 * Scores: Σ log p / lp(length), length with end-of-sentence and without start tokens; lp = 1 (none),
 * length^alpha (average), ((5+length)/6)^alpha (wu: Wu et al. 2016, eq. 14).
 */
#ifndef ATTNSCOPE_SEARCH_H
#define ATTNSCOPE_SEARCH_H

#include "model/net/model.h"

struct search_options {
    int beam;  // hypotheses kept, 1 … CONFIG_MAX_BEAM; 1 is greedy search
    int batch; // sentences at once, >= 1; fewer where the device's memory does not suffice
    enum length_penalty penalty;
    double alpha, factor;
    int plus; // maximum length = max(1, min(floor(factor*n) + plus, max_positions - starts + 1))
};

/* The checkpoint's own settings, batch 64. */
struct search_options search_defaults(const struct config *config);

struct hypothesis {
    int *ids;        // (count), end-of-sentence included
    float *logprobs; // (count)
    int count;
    float logprob; // summed
    double score;  // what the ranking is by
};

struct translation {
    struct hypothesis *hypotheses; // (count), best first
    int count;
};
void translation_free(struct translation *translation); // leaves it empty

struct search_job {
    const struct sentence *source;
    const struct dials *dials; // NULL: the checkpoint's own
    /* Jobs of a lower turn enter the batch before those of a higher one, among equals those of the longest
     * sources: what is in the first turns is finished soon, of however many there are. */
    int turn;
    struct translation result; // written when the job finishes; the caller frees it
};

/* Called on the calling thread whenever a job has finished, in the order of finishing, and at least
 * once a step of the whole batch with job -1. Returning false stops the search (STATUS_CANCELLED). */
struct search_listener {
    bool (*finished)(void *context, int job);
    void *context;
};

/* Runs all jobs. On failure finished jobs keep their results, the others have none (count 0).
 * A source longer than max_positions is an error before anything runs; the message begins with
 * "sentence N: " (1-based) when there is more than one job. `listener` may be NULL. */
bool search_run(struct model *model, struct search_job *jobs, int count,
                const struct search_options *options, const struct search_listener *listener,
                struct status *status);

#endif
