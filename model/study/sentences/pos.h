/* Groups tokens by the part of speech (pos) of their word, in display order. */
#ifndef ATTNSCOPE_POS_H
#define ATTNSCOPE_POS_H

#include "model/study/walk.h"

/* Declares the field of a record: for each source token (dimension `rows`), the place of its
 * pos. */
bool pos_declare(const struct conllu *conllu, int rows, struct record_shape *shape,
                 struct status *status);
/* Writes that field: -1 for special tokens. As Universal Dependencies classifies its tags, content
 * words (open classes) come first, then function words (closed classes), then punctuation, symbols
 * and others. Words without a tag follow, then other tags in the order of the file. */
bool pos_put(const struct conllu *conllu, const struct walk_sentence *sentence, struct record *out,
             struct status *status);
/* The same as integers. places: (source tokens). */
bool pos_find(const struct conllu *conllu, const struct walk_sentence *sentence, int *places,
              struct status *status);

/* The upper bound (exclusive) of places. */
int pos_most(const struct conllu *conllu);
/* The name of a place: "NOUN"; "_": words without a tag. */
const char *pos_name(const struct conllu *conllu, int place);

/* Sums over the rows of each pos, of several heads; zero-initialise except `heads`. */
struct pos_sums {
    int heads, places;
    char (*names)[CONLLU_NAME_MOST + 1]; // (places): "": no row has it
    struct pos_sum {
        double sum;
        int64_t rows;
    } * sums; // (places, heads)
    size_t capacity[2];
};
/* Adds a head's sum over some rows. */
bool pos_sums_add(struct pos_sums *sums, const struct conllu *conllu, int place, int head,
                  double sum, int64_t rows, struct status *status);
int64_t pos_sums_rows(const struct pos_sums *sums, int place, int head);
double pos_sums_mean(const struct pos_sums *sums, int place, int head); // NaN: no rows
void pos_sums_free(struct pos_sums *sums);                              // leaves it empty

#endif
