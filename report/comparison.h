/* Two translations of a sentence: their scores, the edit script between them, and the
 * log-probability of each token in both. Text, screen and JSON all use this.
 *
 * comparison_make or comparison_of_pairs, then comparison_free, also after a failure. Texts are
 * copied.
 */
#ifndef ATTNSCOPE_COMPARISON_H
#define ATTNSCOPE_COMPARISON_H

#include "report/comparison.h"
#include "terminal/text/edit_script.h"

struct sentence_pair;

struct translation_text {
    const char *text;
    double score; // log-probability divided by the length penalty
};

/* The tokens of a translation, the end-of-sentence token included, and their log-probabilities. */
struct token_line {
    char **labels;   // (count), as shown to people
    float *logprobs; // (count), natural logarithms
    int count;       // 0: not known
};

struct comparison {
    const char *titles[2]; // of the texts: "before"; constants, or owned by the comparison's owner
    char *texts[2];
    double scores[2];
    struct edit_script script;
    struct token_line tokens[2];
    int alike; // number of leading tokens that both share
};

bool comparison_make(struct comparison *comparison, const char *const titles[2],
                     const struct translation_text translations[2], struct status *status);
/* The same for the translations that views show, with their tokens. */
bool comparison_of_pairs(struct comparison *comparison, const char *const titles[2],
                         const struct sentence_pair *const pairs[2], struct status *status);
bool comparison_copy(const struct comparison *from, struct comparison *to, struct status *status);
void comparison_free(struct comparison *comparison); // leaves it empty

/* True if there are two texts, and they differ. */
bool comparison_differs(const struct comparison *comparison);
/* True if the tokens are known and equal in both. */
bool comparison_same_tokens(const struct comparison *comparison);

/* Writes "3 words changed, 2 dropped; score −0.5303 (was −0.3093)", or "translation unchanged;
 * score …; stars −1.62 (was −0.40)", which names the token that moved most. */
enum { COMPARISON_BYTES = 400 };
void comparison_describe(const struct comparison *comparison, char text[COMPARISON_BYTES]);

/* Log-probabilities below their tokens, with two decimals, in lines of limited width. Equal tokens
 * stand once, above both numbers; otherwise each translation has its own lines. A number is marked
 * as [moved] if its printed value changed and all tokens up to it are equal: after a different
 * token the numbers are not comparable.
 *
 *              Sterne  am      Himmel
 *     before   -0.05   -1.17   -0.02
 *     after   [-0.31]  -1.17   -0.02
 */

/* Tokens first … end-1 of one translation, or of both (TOKENS_OF_BOTH). */
struct token_block {
    int side, first, end;
};
enum { TOKENS_OF_BOTH = 2 };

/* The block that begins with token `first`: as many tokens as fit into `columns`, at least one. */
struct token_block token_block_from(const struct comparison *comparison, int side, int first,
                                    int columns);
/* Passes on a row of the block (edit_script.h): the tokens, or the numbers of one translation, with
 * moved ones as EDIT_CHANGED. */
void token_block_tokens(const struct comparison *comparison, struct token_block block,
                        edit_put *put, void *data);
void token_block_numbers(const struct comparison *comparison, struct token_block block, int side,
                         edit_put *put, void *data);
/* True if a number in the block moved. */
bool token_block_moved(const struct comparison *comparison, struct token_block block);

#endif
