/* Studies in parts, on one machine or many. Each process computes one of N parts, a contiguous run of a study's
 * sentences, and appends every result to a file (journal.h). A merge reads the files of all parts; the same study then
 * finds its results there instead of computing them. A part that was stopped continues after what its file has.
 *
 *     parts_open_part, or parts_open_merge and parts_merge for each file; pass it to studies (study_context.h);
 *     parts_close
 *
 * In a study: parts_begin; for each sentence of the range, parts_find, or else compute the result and parts_keep. In a
 * merge, before anything is computed: parts_lack for each result that is not found, then parts_check. A study of one
 * part has no result beyond what it keeps.
 */
#ifndef ATTNSCOPE_PARTS_H
#define ATTNSCOPE_PARTS_H

#include "model/study/parts/key_scope.h"
#include "model/text/text.h"

enum { PARTS_MOST = 1000000 };

struct parts_spec {
    const char *folder; // where the files of all parts are; made if it is missing
    int part, count;    // which of how many, from 1
    const char *device; // that computes: results of different ones are not mixed
};

struct parts;

/* Part `part` of `count`, whose file is FOLDER/PART-of-COUNT.part. One process at a time works on it: where another one
 * does, this fails. NULL: failure; messages begin with the path. */
struct parts *parts_open_part(const struct parts_spec *spec, const struct watch *watch,
                              struct status *status);
/* A merge, at first of nothing. */
struct parts *parts_open_merge(const char *device, struct status *status);
/* Adds the results of a file, or of every file NAME.part in a folder. */
bool parts_merge(struct parts *parts, const char *path, const struct watch *watch,
                 struct status *status);
/* NULL: nothing. */
void parts_close(struct parts *parts);

/* Lines about damaged files, for the user; they are told once. */
const struct strings *parts_notices(const struct parts *parts);

/* Whether studies work on one part alone. parts NULL: no. */
bool parts_divided(const struct parts *parts);
/* For messages: which part of how many, its file. */
const struct parts_spec *parts_spec(const struct parts *parts);
const char *parts_path(const struct parts *parts);
/* Of a merge: how many files it has, and results in them. */
int parts_files(const struct parts *parts);
int parts_results(const struct parts *parts);

/* In a study ---------------------------------------------------------------------------------------- */

struct parts_range {
    int first, end; // sentences first … end-1, from 0
};
/* The sentences of `count` that are this part's: floor(count * (part-1) / N) and on, up to the next part's. parts NULL,
 * and a merge: all. */
struct parts_range parts_range(const struct parts *parts, int count);

/* Begins a study of so many sentences, or of what `unit` says: a constant, for messages. parts NULL: nothing to do. */
bool parts_begin(struct parts *parts, int count, const char *unit, struct status *status);

/* Opens the scope of keys. */
bool parts_scope(struct parts *parts, const char *kind, const struct state *state,
                 enum key_search search, struct key_scope *scope, struct status *status);

/* The value under a key, borrowed; NULL: none. */
const char *parts_find(struct parts *parts, const struct journal_key *key);
/* The same, but the result is not counted as found. */
const char *parts_peek(const struct parts *parts, const struct journal_key *key);
/* Keeps a new result; a part adds it to its file. */
bool parts_keep(struct parts *parts, const struct journal_key *key, const char *value,
                struct status *status);
/* The value found last is not one that the study writes: counts it as damaged. The study computes it again. */
void parts_refuse(struct parts *parts);

/* One result is missing: of a sentence, or of sentences first … end-1 together. */
void parts_lack(struct parts *parts, int sentence);
void parts_lack_range(struct parts *parts, int first, int end);
/* Fails in a merge if more results are missing than lines were damaged, or if parts of another device lack any: only
 * results of damaged lines are computed again. The message begins with `path` and names the sentences and the parts that
 * are missing. */
bool parts_check(const struct parts *parts, const char *path, struct status *status);

/* Since parts_forget_counts: how many studies were begun, the sentences of the last one, and how many results were found
 * and computed. */
struct parts_counts {
    int studies, sentences;
    const char *unit;
    long found, computed;
};
struct parts_counts parts_counts(const struct parts *parts);
void parts_forget_counts(struct parts *parts); // NULL: nothing

#endif
