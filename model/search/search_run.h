/* The state of a running search. Inside model/search alone.
 *
 * search_run.c has what follows from the state alone; search_step.c computes decoding steps;
 * search_enter.c lets sentences into the batch; search_results.c reads finished hypotheses.
 * search.c calls all of them: a batch is opened, then sentences enter, a step is computed and
 * finished sentences leave, until no job of the batch is left.
 *
 * A place holds one sentence of the batch, from its entry until its result has been read; place[s]
 * is its job. is_gone[s] is true from its last step until then. `live` places take part in steps,
 * `gone` ones do not.
 */
#ifndef ATTNSCOPE_SEARCH_RUN_H
#define ATTNSCOPE_SEARCH_RUN_H

#include "model/net/pass.h"
#include "model/net/variants.h"
#include "model/search/search.h"

/* Finished hypotheses, as read from the device. */
struct finished {
    unsigned char *counts; // (buffers->finished_bytes): how many, their lengths and scores
    int first, count;      // sentences whose tokens have been read
    int32_t *tokens;       // (count, 2B, T)
    float *lps;            // likewise
    size_t room;           // of tokens and lps, in elements
};

/* One call of search_run. */
struct run {
    struct model *model;
    struct search_job *jobs; // (count)
    const struct search_options *options;
    const struct search_listener *listener;
    struct status *status;
    int *order;   // (count) jobs in the order in which they enter
    int *variant; // (count) of each job: the number of its head settings on the device
    int count;    // jobs
    int entered;  // of order
    int last;     // where the jobs of this batch end in order
    int *place;   // (sentences) the job in each place, or -1
    int sentences, live, gone;
    bool *is_gone;  // (sentences)
    int64_t *since; // (sentences) the first step that the job in each place takes part in
    int64_t steps;  // begun, from 1 on, over all batches
    int64_t read;   // steps whose `done` has been read; <= steps
    int32_t *done;  // (sentences) in which of its own steps each was finished; 0: not yet
    struct finished finished;
    struct variants variants;
    bool rows_changed; // the live places have changed since the device was told
    int rows, width;   // of a decoding step: rows in all, and of a sentence
};

/* search_run.c: */

/* The longest target that the options allow for a source, end-of-sentence included. */
int maximum_length(const struct run *run, const struct sentence *source);
/* Rows whose continuations are ranked at once: all rows of a step where the backend needs no memory
 * for logits; else those of whole sentences, at least one. */
int ranked_rows(const struct run *run);
/* Puts `count` values of four bytes into a tensor from element `index` on. */
void put_at(const struct run *run, struct tensor tensor, size_t index, const void *values,
            size_t count);

/* search_step.c: */

/* Tells the device the rows of all live places. False when the host runs out of memory. */
bool put_live_rows(struct run *run);
/* Enqueues one decoding step of the rows that the device was told. */
void decoding_step(struct run *run);

/* search_enter.c: */

/* Fills free places with the next jobs of the batch, when enough places are free: encodes their
 * sources and reads their start tokens. Where steps are not recorded, also computes their first
 * step. */
bool enter(struct run *run);

/* search_results.c: */

/* Reads how many hypotheses of each sentence are finished, and their scores. After a step, before
 * read_result. */
bool read_finished(struct run *run);
void finished_free(struct finished *finished);
/* Reads the hypotheses of a finished sentence, best first, at most `beam`. The caller frees
 * *result. */
bool read_result(struct run *run, int sentence, struct translation *result);

#endif
