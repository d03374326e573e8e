/* Adds sentences to statistics of heads on a separate thread while the caller computes the next
 * one.
 *
 *     adder_open; for each sentence adder_take; adder_finish; adder_close
 *
 * Sentences are added in the order of adder_take, so the sums are the same as without the thread.
 */
#ifndef ATTNSCOPE_HEAD_STATS_ADDER_H
#define ATTNSCOPE_HEAD_STATS_ADDER_H

#include "model/study/heads/attended_sentence.h"
#include "model/study/heads/head_stats_result.h"

struct adder;

/* The adder owns the result until it is finished. If no thread can be started, adder_take does the
 * work. NULL: out of memory. */
struct adder *adder_open(struct head_stats_result *result, struct status *status);
void adder_close(struct adder *adder); // NULL: nothing

/* Adds a sentence with its capture. Takes ownership of the capture, also on failure; the sentence
 * is only needed during the call. Reports the failure of an earlier sentence; nothing after that is
 * added. */
bool adder_take(struct adder *adder, const struct checkpoint *checkpoint,
                const struct forced_sentence *forced, struct capture *capture,
                struct status *status);

/* Waits until all sentences are added. */
bool adder_finish(struct adder *adder, struct status *status);

#endif
