/* A sentence and its translations, found by search or given, in one state of a model. Views show
 * sentence pairs.
 *
 * A pair is immutable, except for the hypothesis that views show and the cached results of a forced
 * pass; a change of state makes a new pair. A state passed in is needed only during the call.
 */
#ifndef ATTNSCOPE_SENTENCE_PAIR_H
#define ATTNSCOPE_SENTENCE_PAIR_H

#include <stdatomic.h>

#include "model/net/force.h"
#include "model/net/sentence.h"
#include "model/search/state.h"

/* The role of a list's tokens in the decoder: each row of its attention belongs to the token read
 * there and to the next one, which is predicted. */
enum token_role { TOKENS_OF_TEXT, TOKENS_READ, TOKENS_PREDICTED };

/* The tokens of one side of a pair. `words` has the number of the word that each token belongs
 * to. */
struct token_list {
    int side; // SIDE_SOURCE or SIDE_TARGET
    enum token_role role;
    const char *const *texts; // (count)
    const int *ids, *words;   // (count)
    int count;
};

struct sentence_pair {
    const struct checkpoint *checkpoint; // of the model that made it
    char *text;                          // of the source, as typed
    struct sentence source;
    bool forced;
    struct translation translation; // best first; forced: only the given one
    char **texts;                   // (hypotheses) their texts; forced: the text as typed
    int chosen;                     // the hypothesis that views show; 0, the best, at first
    struct inputs {
        const char **texts;              // (count + 1): start tokens and the chosen hypothesis
        int *ids, *words;                // (count + 1)
        int count;                       // m: the last token is predicted, never read
    } inputs;                            // of the decoder
    struct head_settings *head_settings; // the heads and the search it was made
    struct search_options search;        // with, for pair_holds
    struct capture *held; // all weights, importance and gates of the chosen hypothesis; empty: none
    atomic_int others;    // holders besides the first (pair_hold)
};

/* Translates. NULL: failure or interruption. */
struct sentence_pair *pair_translate(const struct state *state, const char *text,
                                     struct status *status);
/* Forces `target` as the translation of `text`. */
struct sentence_pair *pair_force(const struct state *state, const char *text, const char *target,
                                 struct status *status);
/* Forces the chosen hypothesis of `like`, token by token, as the translation of its source. Fails
 * with STATUS_INVALID if the state's model lacks one of its tokens. */
struct sentence_pair *pair_force_like(const struct state *state, const struct sentence_pair *like,
                                      struct status *status);
/* The same sentence in another state: translated again, or forced to the same target. */
struct sentence_pair *pair_again(const struct state *state, const struct sentence_pair *pair,
                                 struct status *status);
/* pair_hold adds a holder and returns the pair. Every holder calls pair_free; the last call frees
 * it. NULL: nothing. */
struct sentence_pair *pair_hold(struct sentence_pair *pair);
void pair_free(struct sentence_pair *pair);

/* Makes the existing hypothesis `index` (0-based) the one that views show. */
bool pair_choose(struct sentence_pair *pair, int index, struct status *status);
const struct hypothesis *pair_hypothesis(const struct sentence_pair *pair);
const char *pair_target(const struct sentence_pair *pair); // its text

/* True if the pair is still valid in `state`, which would make the same pair. */
bool pair_holds(const struct sentence_pair *pair, const struct state *state);

/* True if the pair holds the weights of all heads, so that pair_capture returns them without a
 * pass: after the first pass, unless the sentence is long. */
bool pair_holds_weights(const struct sentence_pair *pair);
/* Captures what a forced pass over source and chosen translation computes; runs it unless the pair
 * holds everything requested. The caller frees `capture` with capture_free before the pair
 * changes. */
bool pair_capture(const struct state *state, const struct sentence_pair *pair,
                  const struct capture_request *request, struct capture *capture,
                  struct status *status);

/* The tokens that label the rows and columns of a module's weights. Borrowed from the pair. In the
 * decoder and in cross-attention pair_rows labels rows by the tokens read, pair_predicted by the
 * tokens predicted. */
struct token_list pair_rows(const struct sentence_pair *pair, enum module module);
struct token_list pair_predicted(const struct sentence_pair *pair);
/* Only the tokens of the translation, for which the hypothesis has log-probabilities. */
struct token_list pair_translated(const struct sentence_pair *pair);
struct token_list pair_columns(const struct sentence_pair *pair, enum module module);

/* The number of leading tokens that the translations of two pairs share; their models may
 * differ. */
int pair_tokens_alike(const struct sentence_pair *a, const struct sentence_pair *b);

#endif
