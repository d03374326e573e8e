/* Groups of sentences by length, as in the compare-mt package (Neubig et al. 2019): cutoffs 10, 20
 * give the groups of lengths < 10, [10, 20) and >= 20. */
#ifndef ATTNSCOPE_LENGTH_GROUPS_H
#define ATTNSCOPE_LENGTH_GROUPS_H

#include <stdbool.h>

#include "base/status.h"

enum { CUTOFFS_MOST = 64 };

struct length_groups {
    int cutoffs[CUTOFFS_MOST]; // (count), ascending
    int count;                 // of cutoffs; the number of groups is count + 1
};

/* Cutoffs for `parts` (2 … CUTOFFS_MOST + 1) groups of about equal size: the least lengths at or
 * above the quantiles of `lengths` (count, >= 1). Gives fewer groups if many sentences have the
 * same length, as no group may be empty. */
bool length_groups_quantiles(const int *lengths, int count, int parts, struct length_groups *out,
                             struct status *status);

/* Parses "10,20,30": ascending integers >= 1. */
bool length_groups_parse(const char *text, struct length_groups *out, struct status *status);

/* The 0-based group of a length. */
int length_groups_find(const struct length_groups *groups, int length);

/* "<10", "[10,20)", ">=20"; "10" for a single length; "all" for a single group. */
enum { GROUP_NAME_SIZE = 32 };
void length_groups_name(const struct length_groups *groups, int group, char name[GROUP_NAME_SIZE]);
/* Converts such a name to words: "7-8", "20 or more", "up to 6". Other names are copied, truncated
 * to GROUP_NAME_SIZE. */
void length_name_words(const char *name, char words[GROUP_NAME_SIZE]);

#endif
