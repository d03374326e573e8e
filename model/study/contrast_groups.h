/* Decisions of a contrastive suite in groups, as the suites' own evaluations make them: by type of error, by
 * sense, by distance (each up to 15, then all) and by frequency (of an error > 10000, > 5000 … 2, 1, 0;
 * of a sense the last is 0-20).
 *
 *     contrast_groups_make; contrast_group_has; contrast_groups_free
 */
#ifndef ATTNSCOPE_CONTRAST_GROUPS_H
#define ATTNSCOPE_CONTRAST_GROUPS_H

#include "model/study/contrast.h"

enum contrast_by { BY_TYPE, BY_SENSE, BY_DISTANCE, BY_FREQUENCY, CONTRAST_BYS };
extern const char *const contrast_by_names[]; // type, sense, distance, frequency

struct contrast_group {
    enum contrast_by by;
    char *name; // owned
    int key;    // among those of its kind, in their order
    int decisions, correct;
};

struct contrast_groups {
    struct contrast_group *groups; // (count), none is empty
    int count;
    size_t capacity;
    int *member[CONTRAST_BYS]; // (decisions): the key of the group of each kind, -1: none
};

/* The groups of the first `decisions`, kind after kind; types and senses as they come first in the suite,
 * distances and frequencies rising. contrast_groups_free in either case. */
bool contrast_groups_make(const struct suite *suite, const struct contrast_scores *scores,
                          int decisions, enum contrast_normalize normalize,
                          struct contrast_groups *out, struct status *status);
/* Leaves the groups of one kind alone, which are none where the suite does not tell of it. */
void contrast_groups_keep(struct contrast_groups *groups, enum contrast_by by);
void contrast_groups_free(struct contrast_groups *groups); // leaves it empty

/* Whether a decision is in group `group` (from 0). */
bool contrast_group_has(const struct contrast_groups *groups, int group, int decision);

#endif
