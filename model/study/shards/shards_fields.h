/* Shared by shards.c and shards_missing.c. */
#ifndef ATTNSCOPE_SHARDS_FIELDS_H
#define ATTNSCOPE_SHARDS_FIELDS_H

#include "model/checkpoint/digests.h"
#include "model/study/shards/journal.h"
#include "model/study/shards/shards.h"

/* The file of one part, to which results are appended as they are computed.
 *
 *     shard_file_open; shard_file_add; shard_file_close
 */

struct shard_file {
    char *path; // owned
    int descriptor;
    int64_t bytes;
};

/* Opens or creates the file at `path`, locks it against other processes until it is closed, adds
 * its contents to the journal, and truncates an incompletely written last line. Takes ownership of
 * `path`, also on failure. Refuses a file with a different heading. *damaged, *damaged_line: as in
 * journal_file. Messages begin with the path; on failure nothing is open. */
bool shard_file_open(char *path, const char *heading, const struct watch *watch,
                     struct journal *journal, struct shard_file *file, int *damaged,
                     int *damaged_line, struct status *status);
/* Appends a whole line or, on failure, nothing. */
bool shard_file_add(struct shard_file *file, const struct journal_key *key, const char *value,
                    struct status *status);
void shard_file_close(struct shard_file *file);

/* The identity of a model, whose files are read only once. */
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
    int damaged;   // damaged lines whose results have not been recomputed
    bool *lacking; // (sentences): in a merge, true if a result is missing
    long lacked;   // missing results
    size_t lacking_room;
    struct shards_counts counts;
    struct known_model *models; // (model_count)
    int model_count;
    size_t model_capacity;
    struct strings notices;
};

/* The first sentence of `part` (from 1) out of `shards` parts of `count` sentences. */
int shards_first(int part, int shards, int count);

#endif
