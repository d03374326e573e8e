/* Scores of a suite that other parts, or an earlier run of this one, have computed (model/study/shards/shards.h). For
 * contrast.c alone.
 *
 *     contrast_parts_open; contrast_parts_keep for items that are scored; contrast_parts_close
 */
#ifndef ATTNSCOPE_CONTRAST_PARTS_H
#define ATTNSCOPE_CONTRAST_PARTS_H

#include "model/study/contrast/contrast.h"
#include "model/study/shards/shards.h"

/* The subject of the scores, filled in. */
struct contrast_parts {
    struct shards *shards; // NULL: none, and nothing happens
    const struct suite *suite;
    struct model *model;
    const struct language_pair *languages;
    const struct head_settings *const *head_settings; // (settings); NULL: those of the checkpoint
    int settings;
    struct contrast_scores *scores; // (settings), with room for all candidates

    struct shard_range range; // of the items to score
    struct identity *scopes;  // (settings)
    bool *known;              // (items): those that are scored; NULL: none
};

/* Takes the scores of items from scores->items on that the parts have. contrast_parts_close in either case. */
bool contrast_parts_open(struct contrast_parts *shards, struct status *status);
bool contrast_parts_keep(const struct contrast_parts *shards, int first, int end,
                         struct status *status);
void contrast_parts_close(struct contrast_parts *shards);

#endif
