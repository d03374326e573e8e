/* Studies in parts, on one machine or many. Each process computes one of N parts, a contiguous run
 * of a study's sentences, and appends every result to a file (journal.h). A merge reads the files
 * of all parts; the same study then finds its results there instead of computing them. A stopped
 * part resumes after the results in its file.
 *
 *     shards_open_one, or shards_open_merge and shards_merge for each file; pass it to studies
 *     (study_context.h); shards_close
 *
 * In a study: shards_begin; for each sentence of the range, shards_find, or else compute the result
 * and shards_keep. In a merge, before anything is computed: shards_lack for each missing result,
 * then shards_check. A study of one part produces no result except what it keeps.
 */
#ifndef ATTNSCOPE_SHARDS_H
#define ATTNSCOPE_SHARDS_H

#include "model/study/shards/identity.h"
#include "model/study/shards/record.h"
#include "model/text/text.h"

enum { SHARDS_MOST = 1000000 };

struct shards_spec {
    const char *folder; // holds the files of all parts; created if missing
    int part, count;    // part `part` (from 1) of `count`
    const char *device; // the computing device (device_describe); results of different devices are
                        // not mixed
};

struct shards;

/* Part `part` of `count`, whose file is FOLDER/PART-of-COUNT.part. Fails if another process is
 * working on it. NULL on failure; messages begin with the path. */
struct shards *shards_open_one(const struct shards_spec *spec, const struct watch *watch,
                               struct status *status);
/* An empty merge. */
struct shards *shards_open_merge(const char *device, struct status *status);
/* Adds the results of a file, or of every file NAME.part in a folder. */
bool shards_merge(struct shards *shards, const char *path, const struct watch *watch,
                  struct status *status);
/* NULL: nothing. */
void shards_close(struct shards *shards);

/* Lines about damaged files, for the user; each is reported once. */
const struct strings *shards_notices(const struct shards *shards);

/* True if studies compute a single part. shards NULL: false. */
bool shards_divided(const struct shards *shards);
/* For messages: the part and the number of parts; its file. */
const struct shards_spec *shards_spec(const struct shards *shards);
const char *shards_path(const struct shards *shards);
/* The number of files in a merge, and of results in them. */
int shards_files(const struct shards *shards);
int shards_results(const struct shards *shards);

/* In a study ----------------------------------------------------------------------------------- */

struct shard_range {
    int first, end; // sentences first … end-1, from 0
};
/* This part's range of `count` sentences: from floor(count * (part-1) / N) to the beginning of the
 * next part. shards NULL or a merge: all. */
struct shard_range shards_range(const struct shards *shards, int count);

/* Begins a study of `count` sentences, or of whatever `unit` names: a constant, for messages.
 * shards NULL: does nothing. */
bool shards_begin(struct shards *shards, int count, const char *unit, struct status *status);

/* Opens the scope of keys. */
bool shards_scope(struct shards *shards, const char *kind, const struct state *state,
                  enum identity_search search, struct identity *scope, struct status *status);

/* The value under a key, borrowed; NULL: none. */
const char *shards_find(struct shards *shards, const struct journal_key *key);
/* The same, without counting the result as found. */
const char *shards_peek(const struct shards *shards, const struct journal_key *key);
/* Counts the value found last as refused, because the study would not write it. The study then
 * recomputes it, and its command warns of it. */
void shards_refuse(struct shards *shards);

/* The same with records. *found: a record of this shape exists under the key; any other value is
 * refused. Fails only if memory runs out. shards NULL: nothing is found or kept. */
bool shards_find_record(struct shards *shards, const struct journal_key *key,
                        const struct record_shape *shape, struct record *record, bool *found,
                        struct status *status);
bool shards_keep_record(struct shards *shards, const struct journal_key *key,
                        const struct record *record, struct status *status);

/* Reports a missing result: of one sentence, or of sentences first … end-1 together. */
void shards_lack(struct shards *shards, int sentence);
void shards_lack_range(struct shards *shards, int first, int end);
/* In a merge, fails if more results are missing than lines are damaged, as only damaged ones are
 * recomputed. The message begins with `path` and names the missing sentences and parts. */
bool shards_check(const struct shards *shards, const char *path, struct status *status);

/* Since shards_forget_counts: the number of studies begun, sentences of the last one, and results
 * found, computed and refused. */
struct shards_counts {
    int studies, sentences;
    const char *unit;
    long found, computed, refused;
};
struct shards_counts shards_counts(const struct shards *shards);
void shards_forget_counts(struct shards *shards); // NULL: nothing

#endif
