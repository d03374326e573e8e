/* The common part of shards.c and shards_missing.c. */
#ifndef ATTNSCOPE_SHARDS_FIELDS_H
#define ATTNSCOPE_SHARDS_FIELDS_H

#include "model/checkpoint/digests.h"
#include "model/study/shards/journal.h"
#include "model/study/shards/shards.h"

/* The file of one part, which results are added to as they are made.
 *
 *     shard_file_open; shard_file_add; shard_file_close
 */

struct shard_file {
    char *path; // owned
    int descriptor;
    int64_t bytes;
};

/* Opens or makes the file at `path` (taken, also on failure), locks it against other processes
 * until it is closed, adds what it holds to the journal, and cuts off a line that was not written
 * to its end. A file with another heading is refused. *damaged, *damaged_line: as journal_file has
 * them. Messages begin with the path; on failure nothing is open. */
bool shard_file_open(char *path, const char *heading, const struct watch *watch,
                     struct journal *journal, struct shard_file *file, int *damaged,
                     int *damaged_line, struct status *status);
/* If the whole line cannot be written, nothing of it is left in the file. */
bool shard_file_add(struct shard_file *file, const struct journal_key *key, const char *value,
                    struct status *status);
void shard_file_close(struct shard_file *file);

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
