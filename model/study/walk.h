/* Studies over the sentences of a file, or of a file and its translations. A study defines what it
 * measures in a sentence, as a record (shards/record.h), and how to add records up. The walk
 * handles reading, translating, progress, stops, shards on several machines, resuming stopped runs,
 * and the identity of results.
 *
 *     fill in the first part of struct study_walk; study_walk; the study finalises its sums
 *
 * A study does not read files or handle shards.
 */
#ifndef ATTNSCOPE_WALK_H
#define ATTNSCOPE_WALK_H

#include "model/net/force.h"
#include "model/study/shards/record.h"
#include "model/study/study_context.h"
#include "model/text/conllu/conllu.h"

/* A sentence under study. */
struct walk_sentence {
    const struct state *state;
    const struct watch *watch;
    int line;                            // line of the file, from 0
    const char *text;                    // of the source
    const struct conllu_sentence *words; // from a CoNLL-U file; NULL: not requested
    struct sentence source;
    const char *target; // its text: given, or the model's own; "" if only the encoder is needed
    int *ids;           // (count) of the target, end-of-sentence included
    int count;          // 0: not encoded or translated yet
};

/* The functions of a study; all are called with its `study`. */
struct study {
    /* Adds what its records depend on besides the state and the texts. */
    void (*identify)(const void *study, struct identity *identity);
    /* Declares the record of a sentence, of which only the source is known yet. */
    bool (*shape)(const void *study, const struct walk_sentence *sentence,
                  struct record_shape *shape, struct status *status);
    /* Only computes the numbers of a sentence. */
    bool (*measure)(void *study, const struct walk_sentence *sentence, struct record *out,
                    struct status *status);
    /* Adds them. The record has the declared `shape`. */
    bool (*add)(void *study, const struct walk_sentence *sentence, const struct record_shape *shape,
                const struct record *record, struct status *status);
};

struct study_walk {
    const char *path;    // one sentence per line; blank lines are skipped
    const char *targets; // translations to force, in the same format; NULL: use the model's own
    const struct lines *read[2]; // lines of both files if already read; else NULL
    bool both;                   // skip lines without a translation, like blank ones
    const char *kind;            // names results, and work in the progress line: "averaging gates"
    const char *done;            // "averaged": what was done to the sentences before a stop
    const char *words_for; // in messages, the work that needs words from CoNLL-U: "by pos"; or NULL
    bool encoder;          // only the encoder is needed: nothing is translated
    const struct study *study;
    void *of; // the first argument of its functions

    struct conllu conllu; // during the walk, if words are asked for
    int lines, sentences; // lines of the file; lines done, of which blank ones are not measured
    int taken;            // lines done that are not blank
};

/* Measures and adds every sentence. Messages begin with path and line. After a stop
 * (STATUS_CANCELLED) the sentences before it remain added if `taken` is not 0. A file without a
 * sentence fails with STATUS_INVALID. In a shard, sentences are measured but not added. */
bool study_walk(const struct study_context *context, struct study_walk *walk,
                struct status *status);

/* After study_walk: true if there are results to show, either all or (STATUS_CANCELLED) those
 * before a stop. A shard has none. */
bool study_walk_found(const struct study_context *context, const struct study_walk *walk, bool ok,
                      const struct status *status);

/* Captures a forced pass over the sentence and its target. If the watch stops it, it fails and
 * nothing is captured. */
bool walk_capture(const struct walk_sentence *sentence, const struct capture_request *request,
                  struct capture *capture, struct status *status);

/* Fails with STATUS_CANCELLED: "interrupted: the first 3 of 9 sentences are averaged"; of 0: the
 * total is unknown. */
bool study_interrupted(int done, int of, const char *unit, const char *what, struct status *status);

#endif
