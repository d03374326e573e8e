/* Walks through the sentences of a file in the state of the session, to average over them. */
#ifndef ATTNSCOPE_SENTENCE_FILE_H
#define ATTNSCOPE_SENTENCE_FILE_H

#include "model/text/conllu/conllu.h"
#include "tui/session/session.h"

struct sentence_file {
    const char *path; // one sentence a line; blank lines are skipped
    const char *
        targets; // their translations, likewise, which are forced; NULL: the model's own are looked at
    const char *what; // the name of the work in the line of progress: "averaging gates"
    const char *
        asked; // other settings that numbers of sentences depend on, beside the state: "enc q layer"; with parts
    const char *
        words_for; // the work that needs the words of a CoNLL-U file, for messages: "by pos"; NULL: none does
    bool encoder;                        // only the encoder is needed: nothing is translated
    int sentences;                       // the number of lines done so far
    int lines;                           // lines of the file
    int taken;                           // the number of sentences among the lines done
    struct conllu conllu;                // while the file is walked through, if words are needed
    const struct conllu_sentence *words; // of the sentence that is taken; else NULL
};

/* The numbers measured of one sentence. */
struct sentence_numbers {
    double *numbers; // (count)
    int count;
    size_t capacity;
    int line;                    // of the file, from 1
    const char *source, *target; // texts; valid during the call
};
bool sentence_numbers_put(struct sentence_numbers *out, double number, struct status *status);

struct sentence_work {
    /* Computes the numbers of a sentence: only these, so that a part of the file may be measured in another process
     * (model/study/shards/shards.h). */
    bool (*measure)(const struct state *state, const struct sentence_pair *pair, void *context,
                    struct sentence_numbers *out, struct status *status);
    /* Adds them to the averages. STATUS_INVALID: they are none that `measure` gives, and nothing was added. */
    bool (*add)(void *context, const struct sentence_numbers *numbers, struct status *status);
    void *context;
};

/* Measures and adds every sentence. Messages begin with path and line. After Ctrl-C it fails with STATUS_CANCELLED; the
 * sentences added before stay. A file without a sentence is STATUS_INVALID. Where the session works on a part, those of
 * the part are measured and none is added. */
bool sentence_file_walk(const struct session *session, struct sentence_file *file,
                        const struct sentence_work *work, struct status *status);

#endif
