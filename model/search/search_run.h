/* The state of a running search. Internal to model/search.
 *
 * search_run.c has helpers that only need the state; search_step.c computes decoding steps;
 * search_enter.c adds sentences to the batch; search_results.c reads finished hypotheses. search.c
 * calls them all: it opens a batch, then repeatedly adds sentences, computes a step and removes
 * finished sentences, until no job of the batch is left.
 *
 * A place holds one sentence of the batch from its entry until its result has been read; place[s]
 * is its job. is_gone[s] is true from its last step until its result has been read. `live` places
 * take part in steps, `gone` ones do not.
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
    float *lps;            // (count, 2B, T)
    size_t room;           // of tokens and lps, in elements
};

/* One call of search_run. */
struct run {
    struct model *model;
    struct search_job *jobs; // (count)
    const struct search_options *options;
    const struct search_listener *listener;
    struct status *status;
    int *order;   // (count) jobs in order of entry
    int *variant; // (count) number of each job's head settings on the device
    int count;    // jobs
    int entered;  // of order
    int last;     // end of this batch's jobs in `order`
    int *place;   // (sentences) the job in each place, or -1
    int sentences, live, gone;
    bool *is_gone;  // (sentences)
    int64_t *since; // (sentences) the first step of the job in each place
    int64_t steps;  // steps begun, counted from 1 over all batches
    int64_t read;   // steps whose `done` has been read; <= steps
    int32_t *done;  // (sentences) which of its own steps finished each one; 0: not finished
    struct finished finished;
    struct variants variants;
    bool rows_changed; // the live places have changed since they were last sent to the device
    int rows, width;   // of a decoding step: rows in total, and per sentence
};

/* search_run.c: */

/* The longest target that the options allow for a source, end-of-sentence included. */
int maximum_length(const struct run *run, const struct sentence *source);
/* Number of rows whose continuations are ranked at once: all rows of a step if the backend needs no
 * memory for logits, else those of whole sentences, at least one sentence. */
int ranked_rows(const struct run *run);
/* Writes `count` four-byte values to a tensor, starting at element `index`. */
void put_at(const struct run *run, struct tensor tensor, size_t index, const void *values,
            size_t count);

/* search_step.c: */

/* Sends the rows of all live places to the device. False if the host runs out of memory. */
bool put_live_rows(struct run *run);
/* Enqueues one decoding step for those rows. */
void decoding_step(struct run *run);

/* search_enter.c: */

/* If enough places are free, fills them with the next jobs of the batch: encodes their sources and
 * decodes their start tokens. If steps are not recorded, also computes their first step. */
bool enter(struct run *run);

/* search_results.c: */

/* Reads the number of finished hypotheses of each sentence, and their scores. Call after a step,
 * before read_result. */
bool read_finished(struct run *run);
void finished_free(struct finished *finished);
/* Reads up to `beam` hypotheses of a finished sentence, best first. The caller frees *result. */
bool read_result(struct run *run, int sentence, struct translation *result);

#endif
