/* Beam search once more, as section 2.6 of the design words it and in plain terms: over all
 * log-probabilities of the whole vocabulary, from forced passes of every prefix. It tells by how
 * much a search decided.
 *
 * The score of a hypothesis is summed in float, token by token, so that on the CPU, whose forced
 * passes give the bits that the search saw, the result is the search's to the bit.
 */
#ifndef ATTNSCOPE_TESTS_SEARCH_REPLAY_H
#define ATTNSCOPE_TESTS_SEARCH_REPLAY_H

#include "model/search/search.h"

struct replay {
    struct translation result; // best first, at most `beam`
    /* The least difference of scores that a decision hung on: of the last continuation that lived
     * on and the next; of one by end-of-sentence that was finished and the first beyond the beam,
     * or that was dropped and the last within; of hypotheses next to each other in the result. */
    double margin;
};

/* Fails the test where the model does. */
void replay_search(struct model *model, const struct sentence *source,
                   const struct search_options *options, struct replay *replay);
void replay_free(struct replay *replay);

#endif
