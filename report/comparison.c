#include "report/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/checkpoint/checkpoint.h"
#include "report/labels.h"
#include "terminal/text/display.h"

#define MINUS "\xe2\x88\x92"

bool comparison_make(struct comparison *comparison, const char *const titles[2],
                     const struct translation_text translations[2], struct status *status)
{
    *comparison = (struct comparison){0};
    for (int i = 0; i < 2; i++) {
        comparison->titles[i] = titles[i];
        comparison->scores[i] = translations[i].score;
        comparison->texts[i] = strdup(translations[i].text);
        if (!comparison->texts[i])
            return status_no_memory(status);
    }
    return edit_script_make(comparison->texts[0], comparison->texts[1], &comparison->script,
                            status);
}

/* Tokens --------------------------------------------------------------------------------------- */

static bool token_line_new(struct token_line *line, int count, struct status *status)
{
    line->labels = memory_new((size_t)count, sizeof *line->labels, status);
    line->logprobs = memory_new((size_t)count, sizeof *line->logprobs, status);
    line->count = line->labels && line->logprobs ? count : 0;
    return line->count == count;
}

static bool take_tokens(const struct sentence_pair *pair, struct token_line *line,
                        struct status *status)
{
    const struct token_list tokens = pair_translated(pair);
    if (!token_line_new(line, tokens.count, status))
        return false;
    memcpy(line->logprobs, pair_hypothesis(pair)->logprobs,
           (size_t)tokens.count * sizeof *line->logprobs);
    for (int i = 0; i < tokens.count; i++) {
        line->labels[i] = display_label(pair->checkpoint, SIDE_TARGET, false, tokens.texts[i]);
        if (!line->labels[i])
            return status_no_memory(status);
    }
    return true;
}

bool comparison_of_pairs(struct comparison *comparison, const char *const titles[2],
                         const struct sentence_pair *const pairs[2], struct status *status)
{
    struct translation_text texts[2];
    for (int i = 0; i < 2; i++)
        texts[i] =
            (struct translation_text){pair_target(pairs[i]), pair_hypothesis(pairs[i])->score};
    if (!comparison_make(comparison, titles, texts, status) ||
        !take_tokens(pairs[0], &comparison->tokens[0], status) ||
        !take_tokens(pairs[1], &comparison->tokens[1], status))
        return false;
    comparison->alike = pair_tokens_alike(pairs[0], pairs[1]);
    return true;
}

static bool token_line_copy(const struct token_line *from, struct token_line *to,
                            struct status *status)
{
    if (!token_line_new(to, from->count, status))
        return false;
    if (from->count)
        memcpy(to->logprobs, from->logprobs, (size_t)from->count * sizeof *to->logprobs);
    for (int i = 0; i < from->count; i++) {
        to->labels[i] = strdup(from->labels[i]);
        if (!to->labels[i])
            return status_no_memory(status);
    }
    return true;
}

bool comparison_copy(const struct comparison *from, struct comparison *to, struct status *status)
{
    *to = (struct comparison){.titles = {from->titles[0], from->titles[1]},
                              .scores = {from->scores[0], from->scores[1]},
                              .alike = from->alike};
    for (int i = 0; i < 2; i++) {
        to->texts[i] = from->texts[i] ? strdup(from->texts[i]) : NULL;
        if (from->texts[i] && !to->texts[i])
            return status_no_memory(status);
        if (!token_line_copy(&from->tokens[i], &to->tokens[i], status))
            return false;
    }
    return edit_script_copy(&from->script, &to->script, status);
}

void comparison_free(struct comparison *comparison)
{
    for (int i = 0; i < 2; i++) {
        free(comparison->texts[i]);
        display_labels_free(comparison->tokens[i].labels, comparison->tokens[i].count);
        free(comparison->tokens[i].logprobs);
    }
    edit_script_free(&comparison->script);
    *comparison = (struct comparison){0};
}

/* Words about them ----------------------------------------------------------------------------- */

bool comparison_differs(const struct comparison *comparison)
{
    return comparison->texts[0] && comparison->texts[1] &&
           strcmp(comparison->texts[0], comparison->texts[1]) != 0;
}

bool comparison_same_tokens(const struct comparison *comparison)
{
    return comparison->alike > 0 && comparison->alike == comparison->tokens[0].count &&
           comparison->alike == comparison->tokens[1].count;
}

/* A difference as shown: "-0.42". */
enum { NUMBER_BYTES = 32 };
static void write_number(const struct comparison *comparison, int side, int token,
                         char text[NUMBER_BYTES])
{
    snprintf(text, NUMBER_BYTES, "%.2f", comparison->tokens[side].logprobs[token]);
    if (strcmp(text, "-0.00") == 0)
        strcpy(text, "0.00");
}

static bool has_moved(const struct comparison *comparison, int token)
{
    char before[NUMBER_BYTES], after[NUMBER_BYTES];
    if (token >= comparison->alike)
        return false;
    write_number(comparison, 0, token, before);
    write_number(comparison, 1, token, after);
    return strcmp(before, after) != 0;
}

/* Returns the token whose value changed most; -1: none did. */
static int furthest(const struct comparison *comparison)
{
    const float *before = comparison->tokens[0].logprobs, *after = comparison->tokens[1].logprobs;
    int most = -1;
    for (int i = 0; i < comparison->alike; i++)
        if (has_moved(comparison, i) &&
            (most < 0 || fabsf(after[i] - before[i]) > fabsf(after[most] - before[most])))
            most = i;
    return most;
}

static const char *sign(double value)
{
    return value < 0 ? MINUS : "";
}

static void describe_furthest(const struct comparison *comparison, char *text, size_t size)
{
    int token = furthest(comparison);
    *text = '\0';
    if (token < 0)
        return;
    double was = comparison->tokens[0].logprobs[token], now = comparison->tokens[1].logprobs[token];
    char *label = display_cut(comparison->tokens[1].labels[token], 20);
    if (label)
        snprintf(text, size, "; %s %s%.2f (was %s%.2f)", label, sign(now), fabs(now), sign(was),
                 fabs(was));
    free(label);
}

void comparison_describe(const struct comparison *comparison, char text[COMPARISON_BYTES])
{
    char words[80], token[200] = "";
    double was = comparison->scores[0], now = comparison->scores[1];
    edit_script_describe(&comparison->script, words, sizeof words);
    if (comparison_same_tokens(comparison))
        describe_furthest(comparison, token, sizeof token);
    snprintf(text, COMPARISON_BYTES, "%s; score %s%.4f (was %s%.4f)%s",
             *words                           ? words
             : comparison_differs(comparison) ? "only spaces changed"
                                              : "translation unchanged",
             sign(now), fabs(now), sign(was), fabs(was), token);
}

/* Lines of tokens ------------------------------------------------------------------------------ */

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Returns the columns of a token and its numbers, with room for a mark before and after them. */
static int token_columns(const struct comparison *comparison, int side, int token)
{
    char text[NUMBER_BYTES];
    bool both = side == TOKENS_OF_BOTH;
    int columns = 1 + display_width(comparison->tokens[both ? 1 : side].labels[token]);
    for (int i = both ? 0 : side; i <= (both ? 1 : side); i++) {
        write_number(comparison, i, token, text);
        columns = larger(columns, 2 + (int)strlen(text));
    }
    return columns;
}

struct token_block token_block_from(const struct comparison *comparison, int side, int first,
                                    int columns)
{
    const int count = comparison->tokens[side == TOKENS_OF_BOTH ? 1 : side].count;
    struct token_block block = {side, first, first};
    for (int used = 0; block.end < count; block.end++) {
        used += token_columns(comparison, side, block.end) + 1;
        if (block.end > first && used > columns + 1)
            break;
    }
    return block;
}

void token_block_tokens(const struct comparison *comparison, struct token_block block,
                        edit_put *put, void *data)
{
    const struct token_line *line =
        &comparison->tokens[block.side == TOKENS_OF_BOTH ? 1 : block.side];
    int column = 0;
    for (int i = block.first; i < block.end; i++) {
        put(data, column + 1, EDIT_KEPT, line->labels[i], strlen(line->labels[i]));
        column += token_columns(comparison, block.side, i) + 1;
    }
}

void token_block_numbers(const struct comparison *comparison, struct token_block block, int side,
                         edit_put *put, void *data)
{
    int column = 0;
    for (int i = block.first; i < block.end; i++) {
        char number[NUMBER_BYTES], marked[NUMBER_BYTES + 2];
        bool moved = side == 1 && has_moved(comparison, i);
        write_number(comparison, side, i, number);
        int bytes = snprintf(marked, sizeof marked, moved ? "[%s]" : "%s", number);
        put(data, column + !moved, moved ? EDIT_CHANGED : EDIT_KEPT, marked, (size_t)bytes);
        column += token_columns(comparison, block.side, i) + 1;
    }
}

bool token_block_moved(const struct comparison *comparison, struct token_block block)
{
    for (int i = block.first; i < block.end; i++)
        if (has_moved(comparison, i))
            return true;
    return false;
}
