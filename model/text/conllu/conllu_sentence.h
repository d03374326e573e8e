/* A sentence of a CoNLL-U file while its lines are read. */
#ifndef ATTNSCOPE_CONLLU_SENTENCE_H
#define ATTNSCOPE_CONLLU_SENTENCE_H

#include "model/text/buffer.h"
#include "model/text/conllu/conllu.h"
#include "model/text/conllu/conllu_row.h"

/* A token of the text that is several words. */
struct conllu_range {
    int first, last;   // numbers of its words; last 0: there is none
    size_t begin, end; // bytes of the spelling
};

/* Zero-initialise before the first use; conllu_draft_begin before each sentence. */
struct conllu_draft {
    struct conllu_word
        *words; // (count); begin and end are bytes of the spelling, forms are not set yet
    int count;
    size_t capacity;
    int line;                    // of the text, else of the first word; 0: neither has come
    struct text_buffer text;     // of the comment
    struct text_buffer spelling; // what the forms spell
    struct text_buffer forms;    // a NUL after each
    bool has_text;
    struct conllu_range range; // that words are expected of
};

bool conllu_draft_begin(struct conllu_draft *draft, struct status *status);
void conllu_draft_free(struct conllu_draft *draft);

/* The text of a comment. */
bool conllu_draft_text(struct conllu_draft *draft, const char *text, int line,
                       struct status *status);

/* A row; tag and relation are those of a word. */
bool conllu_draft_row(struct conllu_draft *draft, const struct conllu_row *row, int line, int tag,
                      int relation, struct status *status);

/* After the last row: checks the sentence, and moves its words to its text, which is returned; NULL: failure, in line
 * *line. */
const char *conllu_draft_end(struct conllu_draft *draft, int *line, struct status *status);

#endif
