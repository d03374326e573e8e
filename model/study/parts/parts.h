/* Studies in parts, on one machine or many. A process works on one part of N, a run of a study's sentences, and adds each
 * result to a file (journal.h); merging reads the files of all parts, and then the same study finds its results there
 * instead of computing them. A part that was stopped goes on after what its file has.
 *
 *     parts_open_part, or parts_open_merge and parts_merge for each file; give them to studies (study_context.h);
 * parts_close
 *
 * In a study: parts_begin; for each sentence of the range, parts_find, or else compute it and parts_keep; in a merge, before
 * anything is computed, parts_lack for each that is not found and parts_check. A study that works on a part has no
 * result of its own beyond that.
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
const struct pieces *parts_notices(const struct parts *parts);

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
/* The same, which counts as none that was found. */
const char *parts_peek(const struct parts *parts, const struct journal_key *key);
/* Keeps a new result; a part adds it to its file. */
bool parts_keep(struct parts *parts, const struct journal_key *key, const char *value,
                struct status *status);
/* Says that a value that was found is not what the study writes: it counts as damaged, and will be computed. */
void parts_refuse(struct parts *parts);

/* One result is missing: of a sentence, or of sentences first … end-1 together. */
void parts_lack(struct parts *parts, int sentence);
void parts_lack_range(struct parts *parts, int first, int end);
/* Fails in a merge in which results are missing, unless so many lines were damaged: those are computed again. The message
 * begins with `path` and names the sentences, and what is missing of the parts. */
bool parts_check(const struct parts *parts, const char *path, struct status *status);

/* Since parts_forget_counts: studies that were begun, the sentences of the last one, and results that were found and computed. */
struct parts_counts {
    int studies, sentences;
    const char *unit;
    long found, computed;
};
struct parts_counts parts_counts(const struct parts *parts);
void parts_forget_counts(struct parts *parts); // NULL: nothing

#endif
