/* The running state of one search. Inside model/net alone.
 *
 * search.c decides which sentences are in the batch, search_results.c takes out what is finished.
 */
#ifndef ATTNSCOPE_SEARCH_RUN_H
#define ATTNSCOPE_SEARCH_RUN_H

#include "model/net/search.h"
#include "model/net/transformer.h"
#include "model/net/variants.h"

/* One run: jobs in the order they enter, and the sentence places of the batch. */
struct run {
    struct model *model;
    struct search_job *jobs;
    const struct search_options *options;
    const struct search_listener *listener;
    struct status *status;
    int *order;               // (count) jobs, longest sources first
    int *variant;             // (count) by job
    int count, entered, last; // jobs in all, entered so far, of this batch
    int *place;               // (sentences) the job in each place, or -1
    int sentences, live;
    int32_t *done; // (sentences)
    struct variants variants;
    bool rows_changed; // the live places are not what the device knows
    int rows;          // of a decoding step
};

/* Takes the hypotheses of a finished sentence off the device, best first, at most `beam`. */
bool read_result(const struct run *run, int sentence, struct translation *result);

#endif
