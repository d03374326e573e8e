/* `:importance FILE by pos`: the mean importance of each head for the tokens of each part of speech.
 *
 * Zero-initialise before the first sentence, one for each layer; free with importance_pos_free.
 */
#ifndef ATTNSCOPE_IMPORTANCE_POS_H
#define ATTNSCOPE_IMPORTANCE_POS_H

#include "model/text/conllu/conllu.h"
#include "tui/report/report.h"

/* Of one part of speech. */
struct importance_part {
    char name[CONLLU_NAME_MOST + 1];
    double *sums; // (heads), over its tokens
    int64_t tokens;
};

/* Of a layer. */
struct importance_pos {
    struct importance_part *parts; // (count), by place (parts_of_speech.h); tokens 0: none has it
    int count, heads;
    size_t capacity;
};

/* Adds the tokens of a sentence. importance: (rows, heads); places: (rows), -1: left out. */
bool importance_pos_add(struct importance_pos *parts, const struct conllu *conllu,
                        const double *importance, const double *places, int rows, int heads,
                        struct status *status);
void importance_pos_free(struct importance_pos *parts);

/* Adds the table of the encoder's layers (layers), and a figure of each; those without tokens are left out. */
void importance_pos_report(struct report *report, const struct importance_pos *parts, int layers);

#endif
