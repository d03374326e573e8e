/* A contrastive test suite: source sentences, each with its reference and contrastive translations
 * that contain an error. A model's decision is correct if it scores the reference higher.
 *
 *     zero-initialise; suite_add_json or suite_add_texts, any number of times; suite_finish;
 *     suite_free
 *
 * JSON layouts, as a list of objects with `source`, `reference` and `errors`, each of these with
 * `contrastive`:
 *   LingEval97 (Sennrich 2017)  each error is one decision, with `type`, `distance` and `frequency`
 *   ContraWSD (Rios Gonzales et al. 2017), MuCoW (Raganato et al. 2019)  objects with `ambig word`
 *       and `sense` are one decision each, correct if the reference is better than all contrastive
 *       translations, as in their own evaluation; `frequency of sense/…` "N/M" has the sense's
 *       frequency, N
 *   ContraPro (Müller et al. 2018)  objects with `src segment`, `ref segment`, `src pronoun`, `ref
 *       pronoun`, `ante distance` and `intrasegmental`; each is one decision against all of its
 *       errors, as in its own evaluation
 *   consistency of deixis, ellipsis and lexical cohesion (Voita et al. 2019)  objects with `src`,
 *       translations `dst`, of which number `true_ind` is right, and `ctx_dist`; each is one
 *       decision against all others
 * An object of numbered blocks instead of a list is DiscEvalMT (Bawden et al. 2018): `src` and
 * `trg`, or `examples` of them; every pair of `correct` or `semi-correct` and `incorrect` is a
 * decision, with `type`. The last three are read without preceding sentences (their context), as a
 * sentence-level model sees them. Other JSON members are ignored.
 *
 * Texts: the lines i of all files belong together, and each i is one decision.
 */
#ifndef ATTNSCOPE_SUITE_H
#define ATTNSCOPE_SUITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { SUITE_ABSENT = -1 }; // the suite has no such distance or frequency

struct suite_error {
    char *text; // the contrastive translation
    char *type; // NULL: none
    int distance, frequency;
};

struct suite_item {
    int set, number; // its place: index of the set, and line or object in it, from 1
    char *source, *reference;
    struct suite_error *errors; // (error_count)
    int error_count;
    size_t error_capacity;
    bool whole;                 // one decision for all errors instead of one per error
    char *sense;                // "bank: Ufer|Flussufer"; NULL: none
    char *pronouns;             // "it:sie"; NULL: none
    const char *intrasegmental; // of an antecedent: "true" or "false"; NULL: unknown; a constant
    const char *standard; // of the reference: "correct" or "semi-correct"; NULL: none; a constant
    int distance;  // of an antecedent, in sentences; SUITE_ABSENT: only errors have distances, if
                   // any
    int frequency; // of the sense
    int first;     // index of its reference among all candidates; its errors follow
};

/* Files that were read together. */
struct suite_set {
    char **paths; // (path_count): a JSON file; or the source, reference, contrastive translations …
    int path_count;
    bool lines; // items are lines, not objects
};

/* The reference against errors first … first+count-1 of an item. */
struct decision {
    int item, first, count;
};

struct suite {
    struct suite_set *sets; // (set_count)
    int set_count;
    size_t set_capacity;
    struct suite_item *items; // (count)
    int count;
    size_t capacity;
    struct decision *decisions; // (decision_count); suite_finish makes them
    int decision_count;
    int candidates;       // references and contrastive translations
    bool without_context; // sentences of documents, read without preceding ones
};

/* Adds a JSON file's items; `path` is for messages: "FILE: item 3: …". */
bool suite_add_json(struct suite *suite, const char *path, const char *text, size_t bytes,
                    struct status *status);

/* Sentences as lines (files, count): text[0] are the sources, text[1] the references, the others
 * contrastive translations, all valid UTF-8. type: of all errors; NULL: none. */
struct suite_texts {
    const char *const *paths; // (files), for messages
    const char *const *const *text;
    int files, count; // files >= 3
    const char *type;
};
bool suite_add_texts(struct suite *suite, const struct suite_texts *texts, struct status *status);

/* Call after adding the last item. Creates the decisions; fails if there are none. */
bool suite_finish(struct suite *suite, struct status *status);
void suite_free(struct suite *suite); // leaves it empty

/* True if two suites have the same texts and decisions, regardless of their files. */
bool suite_equal(const struct suite *a, const struct suite *b);

/* Candidate c of an item: 0 is the reference. */
const char *suite_candidate(const struct suite_item *item, int candidate);

/* Properties by which decisions are grouped. NULL or SUITE_ABSENT: not recorded in the suite. */
const char *decision_type(const struct suite *suite, const struct decision *decision);
int decision_distance(const struct suite *suite, const struct decision *decision);
int decision_frequency(const struct suite *suite, const struct decision *decision);

/* Prefixes the message with the place of an item's source (candidate -1) or candidate: "FILE: item
 * 3: …" or "FILE:3: …". Returns false. */
bool suite_fail_at(const struct suite *suite, int item, int candidate, struct status *status);

#endif
