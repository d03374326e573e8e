#include "tui/report/words.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/words/blank_words.h"
#include "tui/report/labels.h"

/* Special tokens are of no text. */
static bool is_special_text(const char *text)
{
    return *text == '<' && text[strlen(text) - 1] == '>';
}

/* Texts that were cut into words before have spaces: few letters a word. */
bool words_unspaced(const struct token_list *tokens)
{
    int letters = 0, words = 0, last = -1;
    for (int i = 0; i < tokens->count; i++) {
        int of_token = unspaced_letters(tokens->texts[i]);
        letters += of_token;
        words += of_token > 0 && tokens->words[i] != last;
        last = of_token > 0 ? tokens->words[i] : last;
    }
    bool alone = words == 1;
    for (int i = 0; i < tokens->count; i++)
        alone &= tokens->words[i] == last || is_special_text(tokens->texts[i]);
    return alone ? letters > 1 : letters > UNSPACED_LETTERS_MOST * words;
}

bool words_of(const struct token_list *tokens, struct word_list *words, struct status *status)
{
    bool unspaced = words_unspaced(tokens);
    words->count = 0;
    words->begin = memory_new((size_t)tokens->count + 1, sizeof *words->begin, status);
    if (!words->begin)
        return false;
    for (int i = 0; i < tokens->count; i++)
        if (i == 0 || unspaced || tokens->words[i] != tokens->words[i - 1])
            words->begin[words->count++] = i;
    words->begin[words->count] = tokens->count;
    return true;
}

/* The text of one word. Special tokens stand alone and are spelt as the vocabulary has them. */
static char *word_text(const struct checkpoint *checkpoint, const struct token_list *tokens,
                       int begin, int end, struct status *status)
{
    char *text = tokenizer_join_word(checkpoint->tokenizer[tokens->side], tokens->texts + begin,
                                     end - begin, status);
    if (text && end - begin == 1 && !*text) {
        free(text);
        return copy_text(tokens->texts[begin], status);
    }
    return text;
}

/* An unknown piece is one only where its text is not known either. */
static bool is_special(const struct checkpoint *checkpoint, int side, int id, const char *text)
{
    for (int s = 0; s < SPECIAL_COUNT; s++)
        if (id == checkpoint->config->special[s][side])
            return strcmp(text, vocabulary_piece(checkpoint->vocabulary[side], id)) == 0;
    return false;
}

bool words_label(const struct checkpoint *checkpoint, const struct token_list *tokens,
                 const struct word_list *words, struct labels *labels, struct status *status)
{
    labels->side = tokens->side;
    labels->role = tokens->role;
    labels->words = true;
    labels->unspaced = words_unspaced(tokens);
    for (int w = 0; w < words->count; w++) {
        int begin = words->begin[w], end = words->begin[w + 1];
        bool special = end - begin == 1 && is_special(checkpoint, tokens->side, tokens->ids[begin],
                                                      tokens->texts[begin]);
        char *text = special ? copy_text(tokens->texts[begin], status)
                             : word_text(checkpoint, tokens, begin, end, status);
        bool ok = text && strings_add(&labels->texts, text, strlen(text), status);
        free(text);
        if (!ok)
            return false;
    }
    return true;
}

/* (rows, columns) of tokens to (row words, column words). */
static void merge_matrix(const float *weights, const struct word_list *rows,
                         const struct word_list *columns, float *merged)
{
    int width = columns->begin[columns->count];
    for (int r = 0; r < rows->count; r++)
        for (int c = 0; c < columns->count; c++) {
            double sum = 0;
            for (int i = rows->begin[r]; i < rows->begin[r + 1]; i++)
                for (int j = columns->begin[c]; j < columns->begin[c + 1]; j++)
                    sum += weights[(size_t)i * width + j];
            merged[(size_t)r * columns->count + c] =
                (float)(sum / (rows->begin[r + 1] - rows->begin[r]));
        }
}

/* All matrices; NULL: out of memory. */
static float *merge_matrices(const float *weights, int count, const struct word_list *rows,
                             const struct word_list *columns, struct status *status)
{
    size_t tokens = (size_t)rows->begin[rows->count] * columns->begin[columns->count];
    size_t words = (size_t)rows->count * columns->count; // no more than tokens
    float *merged = memory_new(words * count, sizeof *merged, status);
    for (int i = 0; merged && i < count; i++)
        merge_matrix(weights + i * tokens, rows, columns, merged + i * words);
    return merged;
}

bool words_merge(const struct checkpoint *checkpoint, const struct token_list *rows,
                 const struct token_list *columns, int count, struct labels *row_labels,
                 struct labels *column_labels, float **weights, struct status *status)
{
    struct word_list row_words = {0}, column_words = {0};
    float *merged = NULL;
    if (words_of(rows, &row_words, status) && words_of(columns, &column_words, status) &&
        words_label(checkpoint, rows, &row_words, row_labels, status) &&
        words_label(checkpoint, columns, &column_words, column_labels, status))
        merged = merge_matrices(*weights, count, &row_words, &column_words, status);
    if (merged) {
        free(*weights);
        *weights = merged;
    }
    free(row_words.begin);
    free(column_words.begin);
    return merged != NULL;
}
