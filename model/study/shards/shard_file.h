/* The file of one part, which results are added to as they are made.
 *
 *     shard_file_open; shard_file_add; shard_file_close
 */
#ifndef ATTNSCOPE_SHARD_FILE_H
#define ATTNSCOPE_SHARD_FILE_H

#include "model/study/shards/journal.h"

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

#endif
