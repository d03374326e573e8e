/* Groups of sentences by length, as the compare-mt package (Neubig et al. 2019) makes them: cutoffs
 * 10, 20 are the groups of lengths < 10, [10, 20) and >= 20. */
#ifndef ATTNSCOPE_LENGTH_GROUPS_H
#define ATTNSCOPE_LENGTH_GROUPS_H

#include <stdbool.h>

#include "base/status.h"

enum { CUTOFFS_MOST = 64 };

struct length_groups {
    int cutoffs[CUTOFFS_MOST]; // (count), rising
    int count;                 // of cutoffs; there is one more group
};

/* Cutoffs that make `parts` (2 … CUTOFFS_MOST + 1) groups of about as many sentences: the least
 * lengths at or above the quantiles of all (count, >= 1). Fewer groups where many sentences have
 * the same length, as no group may be empty. */
bool length_groups_quantiles(const int *lengths, int count, int parts, struct length_groups *out,
                             struct status *status);

/* Reads "10,20,30": whole numbers >= 1, rising. */
bool length_groups_parse(const char *text, struct length_groups *out, struct status *status);

/* The group that a length is in, 0-based. */
int length_groups_find(const struct length_groups *groups, int length);

/* "<10", "[10,20)", ">=20"; of one length alone "10"; of a single group "all". */
enum { GROUP_NAME_SIZE = 32 };
void length_groups_name(const struct length_groups *groups, int group, char name[GROUP_NAME_SIZE]);
/* The same as people say it, of such a name: "7-8", "20 or more", "up to 6". Others stay as they
 * are, cut to GROUP_NAME_SIZE. */
void length_name_words(const char *name, char words[GROUP_NAME_SIZE]);

#endif
