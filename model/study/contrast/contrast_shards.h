/* Scores of a suite that other parts, or an earlier run of this one, have computed
 * (model/study/shards/shards.h). For contrast.c alone.
 *
 *     contrast_shards_open; contrast_shards_keep for items that are scored; contrast_shards_close
 */
#ifndef ATTNSCOPE_CONTRAST_SHARDS_H
#define ATTNSCOPE_CONTRAST_SHARDS_H

#include "model/study/contrast/contrast.h"
#include "model/study/shards/shards.h"

/* The subject of the scores, filled in. */
struct contrast_shards {
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

/* Takes the scores of items from scores->items on that the parts have. contrast_shards_close in
 * either case. */
bool contrast_shards_open(struct contrast_shards *shards, struct status *status);
bool contrast_shards_keep(const struct contrast_shards *shards, int first, int end,
                          struct status *status);
void contrast_shards_close(struct contrast_shards *shards);

#endif
