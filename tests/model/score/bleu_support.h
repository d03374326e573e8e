/* Texts of tests/golden/bleu.json.gz and their counts, for tests of scores. Every function fails
 * the running test if it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_BLEU_SUPPORT_H
#define ATTNSCOPE_TESTS_BLEU_SUPPORT_H

#include <jansson.h>

#include "model/score/corpus.h"

/* Returns the whole file; the caller frees it with json_decref. */
json_t *bleu_golden(void);

/* Makes a corpus from lists of strings: texts (sentences), references (references, sentences). */
struct corpus bleu_corpus(const struct corpus_options *options, const json_t *texts,
                          const json_t *references);

/* Returns the options that an object of the file names. */
struct bleu_options bleu_options_of(const json_t *score);

/* Captures what a function of bleu.h or chrf.h writes to `out`. bleu_written returns it, valid
 * until the next capture. */
#define BLEU_WRITTEN(out, call)                                                                    \
    do {                                                                                           \
        FILE *out = bleu_written_begin();                                                          \
        call;                                                                                      \
        bleu_written_end(out);                                                                     \
    } while (0)
FILE *bleu_written_begin(void);
void bleu_written_end(FILE *out);
const char *bleu_written(void);

#endif
