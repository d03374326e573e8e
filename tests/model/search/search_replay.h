/* A second beam search, a plain implementation of what search.h says: over all
 * log-probabilities of the whole vocabulary, from forced passes of every prefix. It also finds how
 * narrow the search's decisions were.
 *
 * The score of a hypothesis is summed in float, token by token. On the CPU forced passes give the
 * bits that the search saw, so that there the result equals the search's bit by bit.
 */
#ifndef ATTNSCOPE_TESTS_SEARCH_REPLAY_H
#define ATTNSCOPE_TESTS_SEARCH_REPLAY_H

#include "model/search/search.h"

struct replay {
    struct translation result; // best first, at most `beam`
    /* The smallest difference of scores that decided anything: between the last continuation that
     * lived on and the next one; between one by end-of-sentence that was finished and the first
     * beyond the beam, or that was dropped and the last within; between neighbouring hypotheses of
     * the result. */
    double margin;
};

/* Fails the test if the model fails. */
void replay_search(struct model *model, const struct sentence *source,
                   const struct search_options *options, struct replay *replay);
void replay_free(struct replay *replay);

#endif
