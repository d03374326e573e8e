/* Adds sentences to statistics of heads on a thread of its own, while the caller computes the next
 * one.
 *
 *     adder_open; for each sentence adder_take; adder_finish; adder_close
 *
 * Sentences are added in the order in which they are taken, so that the sums are the same as
 * without the thread.
 */
#ifndef ATTNSCOPE_HEAD_STATS_ADDER_H
#define ATTNSCOPE_HEAD_STATS_ADDER_H

#include "model/study/heads/attended_sentence.h"
#include "model/study/heads/head_stats_result.h"

struct adder;

/* The result is the adder's until it is finished. Where no thread can be started, adder_take does
 * the work. NULL: out of memory. */
struct adder *adder_open(struct head_stats_result *result, struct status *status);
void adder_close(struct adder *adder); // NULL: nothing

/* Adds a sentence with its capture, which is taken, also on failure; the sentence is needed during
 * the call alone. A failure of an earlier one is told here; nothing after it is added. */
bool adder_take(struct adder *adder, const struct checkpoint *checkpoint,
                const struct forced_sentence *forced, struct capture *capture,
                struct status *status);

/* Waits until all that was taken is added. */
bool adder_finish(struct adder *adder, struct status *status);

#endif
