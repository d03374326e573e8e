/* The running state of one search. Inside model/net alone.
 *
 * search.c has the batch and its steps, search_enter.c lets sentences in, each with a first step of its own where
 * steps are not recorded, search_results.c takes out what is finished.
 */
#ifndef ATTNSCOPE_SEARCH_RUN_H
#define ATTNSCOPE_SEARCH_RUN_H

#include "model/net/search.h"
#include "model/net/transformer.h"
#include "model/net/variants.h"

/* What was read of finished hypotheses since the last step. */
struct finished {
    unsigned char *counts; // (buffers->finished_bytes): how many, how long, their scores
    int first, count;      // sentences whose tokens are here
    int32_t *tokens;       // (count, 2B, T)
    float *lps;            // likewise
    size_t room;           // of tokens and lps, in elements
};

/* One run: jobs in the order they enter, and the sentence places of the batch. */
struct run {
    struct model *model;
    struct search_job *jobs;
    const struct search_options *options;
    const struct search_listener *listener;
    struct status *status;
    int *order;               // (count) jobs by turns, in each longest sources first
    int *variant;             // (count) by job
    int count, entered, last; // jobs in all, entered so far, of this batch
    int *place;               // (sentences) the job in each place, or -1
    int sentences, live, gone;
    bool *is_gone;  // (sentences) of the jobs in places: finished, and its result not read yet
    int64_t *since; // (sentences) the first of `steps` that the job in each place takes part in
    int64_t steps;  // of the whole batch, begun; the flags of how many of them have been read
    int64_t read;
    int32_t *done; // (sentences) after the last of these
    struct finished finished;
    struct variants variants;
    bool rows_changed; // the live places are not what the device knows
    int rows, width;   // of a decoding step: in all, and of a sentence
};

/* One decoding step of the rows whose lanes the device was given. */
void decoding_step(struct run *run);
/* Lets sentences in where places are free (search_enter.c). */
bool enter(struct run *run);

/* The longest target of a source that the options allow, end-of-sentence included. */
int maximum_length(const struct run *run, const struct sentence *source);
/* Puts `count` values of four bytes into a tensor from `index` on. */
void put_at(const struct run *run, struct tensor tensor, size_t index, const void *values,
            size_t count);
/* Reads which hypotheses are finished, of all sentences; after a step, before read_result. */
bool read_finished(struct run *run);
void finished_free(struct finished *finished);
/* Takes the hypotheses of a finished sentence off the device, best first, at most `beam`. */
bool read_result(struct run *run, int sentence, struct translation *result);

#endif
