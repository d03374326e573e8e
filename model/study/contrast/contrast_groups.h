/* Groups the decisions of a contrastive suite like the suites' own evaluation scripts: by type of
 * error; by sense; by the pronouns of source and reference; by whether an antecedent is in the same
 * sentence; by whether the reference is correct or partly correct; by distance (one group each up
 * to 15, for antecedents up to 3, then one for the rest); by frequency (errors: > 10000, > 5000 …
 * 2, 1, 0; senses: the last group is 0-20).
 *
 *     contrast_groups_make; contrast_group_has; contrast_groups_free
 */
#ifndef ATTNSCOPE_CONTRAST_GROUPS_H
#define ATTNSCOPE_CONTRAST_GROUPS_H

#include "model/study/contrast/contrast.h"

enum contrast_by {
    BY_TYPE,
    BY_SENSE,
    BY_PRONOUN,
    BY_INTRASEGMENTAL,
    BY_REFERENCE,
    BY_DISTANCE,
    BY_FREQUENCY,
    CONTRAST_BYS
};
extern const char *const contrast_by_names[]; // "type", "sense", ...; NULL-terminated

struct contrast_group {
    enum contrast_by by;
    char *name; // owned
    int key;    // its order within the kind
    int decisions, correct;
};

struct contrast_groups {
    struct contrast_group *groups; // (count), never empty
    int count;
    size_t capacity;
    int *member[CONTRAST_BYS]; // (decisions): the key of its group of each kind; -1: none
};

/* Groups the first `decisions`, one kind after another. Types and senses are in order of first
 * occurrence in the suite; distances and frequencies ascend. Call contrast_groups_free in either
 * case. */
bool contrast_groups_make(const struct suite *suite, const struct contrast_scores *scores,
                          int decisions, enum contrast_normalize normalize,
                          struct contrast_groups *out, struct status *status);
/* Keeps only the groups of one kind: none if the suite does not record it. */
void contrast_groups_keep(struct contrast_groups *groups, enum contrast_by by);
void contrast_groups_free(struct contrast_groups *groups); // leaves it empty

/* True if a decision is in group `group` (0-based). */
bool contrast_group_has(const struct contrast_groups *groups, int group, int decision);

#endif
