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
        words_for; // the work that needs the words of a CoNLL-U file, for messages: "by pos"; NULL: none does
    bool encoder;                        // only the encoder is needed: nothing is translated
    int sentences;                       // the number of lines done so far
    int lines;                           // lines of the file
    int taken;                           // the number of sentences among the lines done
    struct conllu conllu;                // while the file is walked through, if words are needed
    const struct conllu_sentence *words; // of the sentence that is taken; else NULL
};

/* Adds one sentence to the averages. On failure nothing of it may have been added. */
typedef bool take_sentence_of_file(const struct state *state, const struct sentence_pair *pair,
                                   void *context, struct status *status);

/* Passes every sentence to `take`. Messages begin with path and line. After Ctrl-C it fails with STATUS_CANCELLED;
 * the sentences taken before stay. A file without a sentence is STATUS_INVALID. */
bool sentence_file_walk(const struct session *session, struct sentence_file *file,
                        take_sentence_of_file *take, void *context, struct status *status);

#endif
