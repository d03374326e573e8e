/* Heads switched off one after the other, each time the one that the score misses least: what `:prune` is asked
 * for, and what it found out.
 */
#ifndef ATTNSCOPE_PRUNE_H
#define ATTNSCOPE_PRUNE_H

#include "tui/ablate.h"

struct prune_request {
    struct pieces files; // SRC, REF…
    double until;        // BLEU below that of all heads
    struct selectors selectors;
    int shown; // the step whose sentences are listed, from 1; 0: none
};

/* SRC REF… until DELTA [SELECTOR or …] [show N]. On failure nothing needs to be freed. */
bool prune_request_parse(const struct pieces *words, struct prune_request *out,
                         struct status *status);
void prune_request_free(struct prune_request *request); // leaves it empty

struct prune_step {
    enum module module;
    int layer, head; // 0-based, switched off in this step and all after it
    int left;        // heads that are still on, of those selected
    double score, delta;
};

struct prune_result {
    struct prune_request request;
    struct study_settings settings;
    struct bleu_options options;
    int references, sentences;
    int heads;                // selected, that are on at first
    double base;              // BLEU with them
    struct prune_step *steps; // (count)
    int count;
    bool partial; // stopped by Ctrl-C: more heads might have gone
    struct study_result
        shown; // the sentences of request.shown: a with all heads, b after that step
};
void prune_result_free(struct prune_result *result); // leaves it empty

/* Whether the last step is the one that fell too far. */
bool prune_fell(const struct prune_result *result);

/* The signature with which the scores can be made again. */
void prune_write_signature(FILE *out, const struct prune_result *result);

#endif
