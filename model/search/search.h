/* Beam search over many sentences at once: sentences enter and leave a running batch.
 *
 * A job is one source sentence with one choice of head settings, which may differ between the jobs
 * of one call. Adjacent jobs of one source (the same address) that enter the batch together share
 * the encoder layers below the first in which their head settings differ.
 * On the CPU results depend neither on the batch size nor on the order of the jobs. On a GPU, in
 * every precision, rows of other batches round otherwise (gpu/backend.h): scores differ in their
 * last digits, and where those of two hypotheses are nearly equal, another one may be the best. The
 * same jobs with the same options give the same bits again: the size of a batch is set, and depends
 * on the kind of GPU, but not on how much of its memory is free. A batch for which that is too
 * little is an error, as is a sentence that does not fit into the memory by itself. Scores: Σ log p
 * / lp(length), the length with end-of-sentence and without start tokens, but for those that
 * `offset` counts; see search_penalty.
 */
#ifndef ATTNSCOPE_SEARCH_H
#define ATTNSCOPE_SEARCH_H

#include "model/checkpoint/config_languages.h"
#include "model/net/model.h"

struct search_options {
    int beam;  // hypotheses kept, 1 … CONFIG_MAX_BEAM; 1 is greedy search
    int batch; // sentences at once, >= 1; fewer where they would take a quarter of a GPU's memory
    enum length_penalty penalty;
    int offset; // tokens that the length penalty counts besides those of a hypothesis, 0 or more
    double alpha, factor;
    int plus; // maximum length = max(1, min(floor(factor*n) + plus, max_positions - starts + 1))
    int most; // and no more than that; 0: no such limit
    int min_length; // tokens before end-of-sentence; less where the maximum length is reached
    enum search_limit at_limit; // how translations of the maximum length end
    enum endings endings; // which of the hypotheses that end are kept (model/checkpoint/config.h)
    /* For the caller, who encodes sources with them (source_encode); the search reads the languages
     * of each sentence. */
    struct language_pair languages;
};

/* The checkpoint's own settings, batch 64. */
struct search_options search_defaults(const struct config *config);

/* Everything that changes the results of a search besides the languages; the batch does on a GPU
 * alone. */
enum { SEARCH_NUMBERS = 10 };
void search_numbers(const struct search_options *options, double numbers[SEARCH_NUMBERS]);
/* True if two searches are the same, the batch apart. */
bool search_equal(const struct search_options *a, const struct search_options *b);

/* The length penalty lp(length) that log-probabilities are divided by, with n = length + offset: 1
 * (none), n^alpha (average), ((5+n)/6)^alpha (wu: Wu et al. 2016, eq. 14). length >= 1. */
double search_penalty(const struct search_options *options, int length);

struct hypothesis {
    int *ids;        // (count), end-of-sentence included
    float *logprobs; // (count)
    int count;
    float logprob; // summed
    double score;  // the ranking is by this
};

struct translation {
    struct hypothesis *hypotheses; // (count), best first
    int count;
};
void translation_free(struct translation *translation); // leaves it empty

struct search_job {
    const struct sentence *source;
    const struct head_settings *head_settings; // NULL: the checkpoint's own
    /* Jobs enter the batch in the order of their turns, within a turn those of the longest sources
     * first. Jobs of the first turn are thus finished early, however many jobs there are. */
    int turn;
    struct translation result; // written when the job finishes; the caller frees it
};

/* `finished` is called on the thread of search_run: with the job's number when a job has finished,
 * and with -1 at least once per step. Returning false stops the search (STATUS_CANCELLED). */
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
