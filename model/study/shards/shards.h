/* Studies in parts, on one machine or many. Each process computes one of N parts, a contiguous run
 * of a study's sentences, and appends every result to a file (journal.h). A merge reads the files
 * of all parts; the same study then finds its results there instead of computing them. A part that
 * was stopped continues after what its file has.
 *
 *     shards_open_one, or shards_open_merge and shards_merge for each file; pass it to studies
 *     (study_context.h); shards_close
 *
 * In a study: shards_begin; for each sentence of the range, shards_find, or else compute the result
 * and shards_keep. In a merge, before anything is computed: shards_lack for each result that is not
 * found, then shards_check. A study of one part has no result beyond what it keeps.
 */
#ifndef ATTNSCOPE_SHARDS_H
#define ATTNSCOPE_SHARDS_H

#include "model/study/shards/identity.h"
#include "model/study/shards/record.h"
#include "model/text/text.h"

enum { SHARDS_MOST = 1000000 };

struct shards_spec {
    const char *folder; // where the files of all parts are; made if it is missing
    int part, count;    // which of how many, from 1
    const char *device; // that computes (device_describe): results of different ones are not mixed
};

struct shards;

/* Part `part` of `count`, whose file is FOLDER/PART-of-COUNT.part. One process at a time works on
 * it: where another one does, this fails. NULL: failure; messages begin with the path. */
struct shards *shards_open_one(const struct shards_spec *spec, const struct watch *watch,
                               struct status *status);
/* A merge, at first of nothing. */
struct shards *shards_open_merge(const char *device, struct status *status);
/* Adds the results of a file, or of every file NAME.part in a folder. */
bool shards_merge(struct shards *shards, const char *path, const struct watch *watch,
                  struct status *status);
/* NULL: nothing. */
void shards_close(struct shards *shards);

/* Lines about damaged files, for the user; they are told once. */
const struct strings *shards_notices(const struct shards *shards);

/* True if studies work on one part alone. parts NULL: false. */
bool shards_divided(const struct shards *shards);
/* For messages: which part of how many, its file. */
const struct shards_spec *shards_spec(const struct shards *shards);
const char *shards_path(const struct shards *shards);
/* The number of a merge's files, and of the results in them. */
int shards_files(const struct shards *shards);
int shards_results(const struct shards *shards);

/* In a study ----------------------------------------------------------------------------------- */

struct shard_range {
    int first, end; // sentences first … end-1, from 0
};
/* The sentences of `count` that are this part's: floor(count * (part-1) / N) and on, up to the next
 * part's. parts NULL, and a merge: all. */
struct shard_range shards_range(const struct shards *shards, int count);

/* Begins a study of so many sentences, or of what `unit` says: a constant, for messages. parts
 * NULL: nothing to do. */
bool shards_begin(struct shards *shards, int count, const char *unit, struct status *status);

/* Opens the scope of keys. */
bool shards_scope(struct shards *shards, const char *kind, const struct state *state,
                  enum identity_search search, struct identity *scope, struct status *status);

/* The value under a key, borrowed; NULL: none. */
const char *shards_find(struct shards *shards, const struct journal_key *key);
/* The same, but the result is not counted as found. */
const char *shards_peek(const struct shards *shards, const struct journal_key *key);
/* The value found last is not one that the study writes: counts it as damaged. The study computes
 * it again. */
void shards_refuse(struct shards *shards);

/* The same with records: *found, there is one of this shape under the key; what is none is refused.
 * Fails where memory is short. shards NULL: nothing is found, nothing is kept. */
bool shards_find_record(struct shards *shards, const struct journal_key *key,
                        const struct record_shape *shape, struct record *record, bool *found,
                        struct status *status);
bool shards_keep_record(struct shards *shards, const struct journal_key *key,
                        const struct record *record, struct status *status);

/* One result is missing: of a sentence, or of sentences first … end-1 together. */
void shards_lack(struct shards *shards, int sentence);
void shards_lack_range(struct shards *shards, int first, int end);
/* Fails in a merge if more results are missing than lines were damaged: only these are computed
 * again. The message begins with `path` and names the sentences and the parts that are missing. */
bool shards_check(const struct shards *shards, const char *path, struct status *status);

/* Since shards_forget_counts: how many studies were begun, the sentences of the last one, and how
 * many results were found and computed. */
struct shards_counts {
    int studies, sentences;
    const char *unit;
    long found, computed;
};
struct shards_counts shards_counts(const struct shards *shards);
void shards_forget_counts(struct shards *shards); // NULL: nothing

#endif
