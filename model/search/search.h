/* Beam search over many sentences at once: sentences enter and leave a running batch.
 *
 * A job is one source sentence with one choice of head settings; the jobs of one call may have
 * different settings. Adjacent jobs with the same source (the same address) that enter the batch
 * together share the encoder layers below the first in which their head settings differ.
 * On the CPU, results do not depend on the batch size or the order of the jobs. On a GPU, in every
 * precision, rounding depends on the batch (gpu/backend.h): scores differ in their last digits, and
 * when two hypotheses score nearly the same, a different one may win. The same jobs with the same
 * options give the same bits again: the batch size depends on the options and the kind of GPU, not
 * on its free memory. If the batch, or a single sentence, does not fit into memory, the search
 * fails. Scores are Σ log p / lp(length), where length includes end-of-sentence and excludes start
 * tokens, except those counted by `offset`; see search_penalty.
 */
#ifndef ATTNSCOPE_SEARCH_H
#define ATTNSCOPE_SEARCH_H

#include "model/checkpoint/config_languages.h"
#include "model/net/model.h"

struct search_options {
    int beam;  // hypotheses kept, 1 … CONFIG_MAX_BEAM; 1 is greedy search
    int batch; // sentences at once, >= 1; fewer if they would take over a quarter of a GPU's memory
    enum length_penalty penalty;
    int offset; // tokens that the length penalty counts besides those of a hypothesis, 0 or more
    double alpha, factor;
    int plus; // maximum length = max(1, min(floor(factor*n) + plus, max_positions - starts + 1))
    int most; // upper bound on the maximum length; 0: none
    int min_length; // tokens before end-of-sentence; fewer if the maximum length is reached
    enum search_limit at_limit; // how translations of the maximum length end
    enum endings endings;       // which ended hypotheses are kept (model/checkpoint/config.h)
    /* For the caller, who passes them to source_encode; the search reads the languages of each
     * sentence. */
    struct language_pair languages;
};

/* The checkpoint's own settings, batch 64. */
struct search_options search_defaults(const struct config *config);

/* Everything except the languages that changes the results of a search; the batch does so only on a
 * GPU. */
enum { SEARCH_NUMBERS = 10 };
void search_numbers(const struct search_options *options, double numbers[SEARCH_NUMBERS]);
/* True if two searches have equal options, ignoring the batch. */
bool search_equal(const struct search_options *a, const struct search_options *b);

/* The length penalty lp(length) by which log-probabilities are divided, with n = length + offset: 1
 * (none), n^alpha (average), ((5+n)/6)^alpha (wu: Wu et al. 2016, eq. 14). length >= 1. */
double search_penalty(const struct search_options *options, int length);

struct hypothesis {
    int *ids;        // (count), end-of-sentence included
    float *logprobs; // (count)
    int count;
    float logprob; // summed
    double score;  // used for ranking
};

struct translation {
    struct hypothesis *hypotheses; // (count), best first
    int count;
};
void translation_free(struct translation *translation); // leaves it empty

struct search_job {
    const struct sentence *source;
    const struct head_settings *head_settings; // NULL: the checkpoint's own
    /* Jobs enter the batch in order of `turn`, and longest source first within a turn. Jobs of the
     * first turn thus finish early, however many jobs follow. */
    int turn;
    struct translation result; // written when the job finishes; the caller frees it
};

/* search_run calls `finished` on its own thread: with a job's number when that job has finished,
 * and with -1 at least once per step. Returning false stops the search (STATUS_CANCELLED). */
struct search_listener {
    bool (*finished)(void *context, int job);
    void *context;
};

/* Runs all jobs. On failure, finished jobs keep their results and the others have none (count 0).
 * If a source is longer than max_positions, it fails before anything runs; with more than one job,
 * the message begins with "sentence N: " (1-based). `listener` may be NULL. */
bool search_run(struct model *model, struct search_job *jobs, int count,
                const struct search_options *options, const struct search_listener *listener,
                struct status *status);

#endif
