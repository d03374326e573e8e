/* A sentence and its translations, found by search or given, under one state of a model: what the views
 * are views of.
 *
 * Subjects do not change, but for the hypothesis that is looked at; a change of state makes a new one. The
 * state must outlive the call alone.
 */
#ifndef ATTNSCOPE_SUBJECT_H
#define ATTNSCOPE_SUBJECT_H

#include "model/net/force.h"
#include "model/net/search.h"
#include "model/net/sentence.h"

/* Everything that a translation depends on besides its source. */
struct state {
    struct model *model;
    struct dials *dials;
    struct search_options search;
};

/* Tokens of a side of the pair, with the number of the word that each belongs to. */
struct token_list {
    int side;                 // SIDE_SOURCE or SIDE_TARGET
    const char *const *texts; // (count)
    const int *ids, *words;   // (count)
    int count;
};

struct subject {
    const struct checkpoint *checkpoint; // of the model that made it
    char *text;                          // of the source, as it was typed
    struct sentence source;
    bool forced;
    struct translation translation; // best first; forced: the given one alone
    char **texts;                   // (hypotheses) what they spell; forced: as it was typed
    int chosen;                     // the hypothesis that views are of; 0, the best, at first
    struct inputs {
        const char **texts; // start tokens and the chosen hypothesis without its last token
        int *ids, *words;
        int count;                // m
    } inputs;                     // of the decoder
    struct dials *dials;          // what it was made under, to know whether
    struct search_options search; // that still holds
};

/* Translates. NULL: failure or interruption. */
struct subject *subject_translate(const struct state *state, const char *text,
                                  struct status *status);
/* Forces `target` as the translation of `text`. */
struct subject *subject_force(const struct state *state, const char *text, const char *target,
                              struct status *status);
/* Forces the chosen hypothesis of `like`, token by token, as the translation of its source. A token that
 * the state's model does not have is an error (STATUS_INVALID). */
struct subject *subject_force_like(const struct state *state, const struct subject *like,
                                   struct status *status);
/* The same sentence, translated or forced likewise, under another state. */
struct subject *subject_again(const struct state *state, const struct subject *subject,
                              struct status *status);
void subject_free(struct subject *subject); // NULL: nothing

/* Makes hypothesis `index` (0-based, there is one) the one that views are of. */
bool subject_choose(struct subject *subject, int index, struct status *status);
const struct hypothesis *subject_hypothesis(const struct subject *subject);
const char *subject_target(const struct subject *subject); // what it spells

/* Whether `state` would make the same subject. */
bool subject_holds(const struct subject *subject, const struct state *state);

/* The forced pass over source and chosen translation; `capture` is freed with capture_free. */
bool subject_capture(const struct state *state, const struct subject *subject,
                     const struct capture_request *request, struct capture *capture,
                     struct status *status);

/* Tokens along the rows and columns of a module's weights. Borrowed from the subject. */
struct token_list subject_rows(const struct subject *subject, enum module module);
struct token_list subject_columns(const struct subject *subject, enum module module);

/* Whether two searches give the same results: the batch changes none. */
bool search_equal(const struct search_options *a, const struct search_options *b);

/* lp(length) of the search (search.h). */
double search_penalty(const struct search_options *search, int length);

/* Encodes a source, checks its length against max_positions. */
bool source_encode(const struct checkpoint *checkpoint, const char *text, struct sentence *sentence,
                   struct status *status);
/* Likewise a target; the count, or -1. */
int given_encode(const struct checkpoint *checkpoint, const char *text, int **ids,
                 struct status *status);

#endif
