/* The common part of shards.c and shards_missing.c. */
#ifndef ATTNSCOPE_SHARDS_FIELDS_H
#define ATTNSCOPE_SHARDS_FIELDS_H

#include "model/checkpoint/digests.h"
#include "model/study/shards/shard_file.h"
#include "model/study/shards/shards.h"

/* The identity of a model; its files are read once. */
struct known_model {
    const struct checkpoint *checkpoint;
    char digest[DIGEST_DIGITS + 1];
};

/* A file of a merge. */
struct merged_part {
    int part, count;
};

struct shards {
    struct shards_spec spec; // folder and device owned; count 0: a merge
    struct journal journal;
    struct shard_file file;     // of a part
    struct merged_part *merged; // (merged_count)
    int merged_count;
    size_t merged_capacity;
    int damaged;   // lines whose results have not been computed again
    bool *lacking; // (sentences): in a merge, whether a result is missing
    long lacked;   // results that are
    size_t lacking_room;
    struct shards_counts counts;
    struct known_model *models; // (model_count)
    int model_count;
    size_t model_capacity;
    struct strings notices;
};

/* The first sentence of `part` (from 1) of `parts`, of `count` sentences. */
int shards_first(int part, int shards, int count);

#endif
