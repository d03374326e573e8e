/* BLEU (Papineni et al. 2002) as computed and printed by the sacreBLEU package 2.x (Post 2018).
 *
 *     bleu_count for each sentence; add the counts up; bleu_score for the sums
 *
 * Texts are valid UTF-8. Counts and scores are plain values.
 */
#ifndef ATTNSCOPE_BLEU_H
#define ATTNSCOPE_BLEU_H

#include <stdio.h>

#include "model/score/bleu_tokenizers.h"
#include "model/score/characters.h"
#include "model/score/metric.h"

enum { BLEU_ORDER = 4 };

/* Smoothing of n-gram orders without a match: Chen and Cherry 2014. */
enum bleu_smoothing {
    SMOOTH_EXP,   // half of the previous smoothed precision
    SMOOTH_FLOOR, // smooth_value matches
    SMOOTH_ADD_K, // smooth_value is added to all counts above the first order
    SMOOTH_NONE
};
extern const char *const bleu_smoothing_names[]; // NULL-terminated

struct bleu_options {
    enum bleu_tokenizer tokenizer;
    bool lowercase;
    enum bleu_smoothing smoothing;
    double smooth_value;  // for floor and add-k; 0: 0.1 and 1
    bool effective_order; // skips orders longer than the text: for single sentences
};

/* Counts of a sentence, or sums of them. */
enum {
    BLEU_LENGTH,    // tokens
    BLEU_REFERENCE, // tokens of the reference closest in length, the shorter of two
    BLEU_MATCHED,   // matching n-grams, n = 1 … 4
    BLEU_TOTAL = BLEU_MATCHED + BLEU_ORDER, // n-grams
    BLEU_COUNTS = BLEU_TOTAL + BLEU_ORDER
};

/* Counts of one sentence; references (reference_count), at least one. *length, unless NULL: tokens
 * of the first reference. */
bool bleu_count(const struct bleu_options *options, const char *text, const char *const *references,
                int reference_count, int64_t counts[BLEU_COUNTS], int *length,
                struct status *status);

struct bleu_score {
    double score;                  // 0 … 100
    double precisions[BLEU_ORDER]; // percent, smoothed
    double brevity;                // penalty
    int64_t length, reference;     // tokens
};
struct bleu_score bleu_score(const struct bleu_options *options, const int64_t counts[BLEU_COUNTS]);

/* For significance and groups; the options must outlive it. */
struct metric bleu_metric(const struct bleu_options *options);

/* "66.7/40.0/25.0/16.7 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)" */
void bleu_write_verbose(FILE *out, const struct bleu_score *score);

/* "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:VERSION"; `tests` is inserted after the
 * number of references: "" or "bs:1000|seed:12345|". */
void bleu_write_signature(FILE *out, const struct bleu_options *options, int references,
                          const char *tests, const char *version);

/* BLEU's tokenisers, as named and defined by the sacreBLEU package (Post 2018):
 *
 *   13a   mteval-v13a's: splits off ASCII punctuation, and periods and commas that are not between
 *         digits; decodes SGML entities
 *   intl  mteval-v14's: the same for all Unicode punctuation and symbols
 *   char  every character is a token
 *   zh    every Chinese character is a token, the rest as in 13a
 *   none  the text is already tokenised
 *   flores101, flores200  the pieces of a SentencePiece model (Goyal et al. 2022, NLLB 2022); spm
 *         is flores101
 *   ja-mecab, ko-mecab    the words of MeCab with its dictionaries of Japanese (IPA) and Korean
 *
 * The last four need files (bleu_files.h). The result is split at blanks.
 */

/* The characters of a token. */
struct token {
    size_t begin, length;
};

/* The tokens of several texts. Zero-initialise before the first use; free with bleu_tokens_free. */
struct bleu_tokens {
    struct characters text;
    struct token *tokens; // (count)
    int count;
    size_t capacity;
};
void bleu_tokens_free(struct bleu_tokens *tokens);  // leaves it empty
void bleu_tokens_clear(struct bleu_tokens *tokens); // to be used again

/* Adds the tokens of a text (valid UTF-8). */
bool bleu_tokens_add(struct bleu_tokens *tokens, enum bleu_tokenizer tokenizer, bool lowercase,
                     const char *text, struct status *status);

/* Returns a number for each token (count), equal for equal tokens. The caller frees them with
 * free(). NULL: out of memory. */
uint32_t *bleu_tokens_numbers(const struct bleu_tokens *tokens, struct status *status);

#endif
