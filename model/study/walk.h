/* Studies over the sentences of a file, or of a file and its translations. A study says what it
 * measures of a sentence, as a record (shards/record.h), and how records add up; the
 * walk handles reading, translating, progress, stops, shards of several machines, what a stopped
 * run has left behind, and the identity of results.
 *
 *     fill in the first part of struct study_walk; study_walk; the study finishes what it has added
 *
 * A study reads no files and knows no shards.
 */
#ifndef ATTNSCOPE_WALK_H
#define ATTNSCOPE_WALK_H

#include "model/net/force.h"
#include "model/study/shards/record.h"
#include "model/study/study_context.h"
#include "model/text/conllu/conllu.h"

/* A sentence that is studied. */
struct walk_sentence {
    const struct state *state;
    const struct watch *watch;
    int line;                            // of the file's lines, from 0
    const char *text;                    // of the source
    const struct conllu_sentence *words; // of a CoNLL-U file; NULL: none are asked for
    struct sentence source;
    const char *target; // its text: given, or the model's own; "" where only the encoder is needed
    int *ids;           // (count) of the target, end-of-sentence included
    int count;          // 0: it has not been encoded, nor translated
};

/* The functions of a study; all are called with its `study`. */
struct study {
    /* Adds the other things that its records depend on, beside the state and the texts. */
    void (*identify)(const void *study, struct identity *identity);
    /* Declares the record of a sentence, which has its source's tokens alone. NULL: `shape` of
     * all */
    bool (*shape)(const void *study, const struct walk_sentence *sentence,
                  struct record_shape *shape, struct status *status);
    /* Computes the numbers of a sentence, and nothing else. */
    bool (*measure)(void *study, const struct walk_sentence *sentence, struct record *out,
                    struct status *status);
    /* Adds them. `shape` is what it has declared, and holds. */
    bool (*add)(void *study, const struct walk_sentence *sentence, const struct record_shape *shape,
                const struct record *record, struct status *status);
};

struct study_walk {
    const char *path;    // one sentence a line; blank lines are skipped
    const char *targets; // their translations, likewise, which are forced; NULL: the model's own
    const struct lines *read[2]; // lines of both, where they are read already; else NULL
    bool both;                   // a line that has no translation is skipped as a blank one is
    const char *kind; // of results, and of work in the line of progress: "averaging gates"
    const char *done; // "averaged": what the sentences before a stop are
    const char
        *words_for; // in messages, the work that needs the words of CoNLL-U: "by pos"; or NULL
    bool encoder;   // only the encoder is needed: nothing is translated
    const struct study *study;
    void *of; // the first argument of its functions

    struct conllu conllu; // during the walk, if words are asked for
    int lines, sentences; // of the file; those done, of which blank ones are not measured
    int taken;            // those that are not blank
};

/* Measures and adds every sentence. Messages begin with path and line. After a stop
 * (STATUS_CANCELLED) the sentences before it stay added, if `taken` is not 0. A file without a
 * sentence is STATUS_INVALID. Of a shard the sentences are measured, and none is added. */
bool study_walk(const struct study_context *context, struct study_walk *walk,
                struct status *status);

/* After study_walk: whether there are results to show, all of them or (STATUS_CANCELLED) those
 * before a stop. Of a shard there are none. */
bool study_walk_found(const struct study_context *context, const struct study_walk *walk, bool ok,
                      const struct status *status);

/* Writes the captures of a forced pass over the sentence and its target. A stop of the watch is a
 * failure, too, after which nothing is captured. */
bool walk_capture(const struct walk_sentence *sentence, const struct capture_request *request,
                  struct capture *capture, struct status *status);

/* Fails with STATUS_CANCELLED: "interrupted: the first 3 of 9 sentences are averaged"; of 0: it is
 * not known of how many. */
bool study_interrupted(int done, int of, const char *unit, const char *what, struct status *status);

#endif
