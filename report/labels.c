#include "report/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "model/text/byte_level.h"
#include "model/text/marks.h"
#include "model/text/words/blank_words.h"
#include "terminal/text/display.h"

char *copy_text(const char *text, struct status *status)
{
    char *copy = strdup(text);
    if (!copy)
        status_no_memory(status);
    return copy;
}

bool labels_of_tokens(const struct token_list *tokens, struct labels *labels, struct status *status)
{
    labels->side = tokens->side;
    labels->role = tokens->role;
    for (int i = 0; i < tokens->count; i++)
        if (!strings_add(&labels->texts, tokens->texts[i], strlen(tokens->texts[i]), status))
            return false;
    return true;
}

const char *labels_title(const struct labels *labels)
{
    static const char *const sources[2] = {"source", "source words"};
    static const char *const targets[][2] = {
        [TOKENS_OF_TEXT] = {"target", "target words"},
        [TOKENS_READ] = {"target (input)", "target words (input)"},
        [TOKENS_PREDICTED] = {"target (predicted)", "target words (predicted)"}};
    return labels->side == SIDE_SOURCE ? sources[labels->words]
                                       : targets[labels->role][labels->words];
}

bool labels_equal(const struct labels *a, const struct labels *b)
{
    if (a->texts.count != b->texts.count)
        return false;
    for (int i = 0; i < a->texts.count; i++)
        if (strcmp(a->texts.text[i], b->texts.text[i]) != 0)
            return false;
    return true;
}

#define DOTTED_CIRCLE "\xE2\x97\x8C"

/* For the eye ---------------------------------------------------------------------------------- */

static bool is_letter(const char *text)
{
    utf8proc_int32_t character;
    if (utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &character) <= 0)
        return false;
    switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
        return true;
    default:
        return false;
    }
}

/* `text` is a piece without its word mark. A letter that continues a word gets a dot in front;
 * punctuation does not need one. */
static char *label_of(const char *text, bool begins)
{
    char *label = display_have(malloc(strlen(text) + 3));
    if (label)
        sprintf(label, "%s%s", begins || !is_letter(text) ? "" : "·", text);
    return label;
}

/* A lone word mark stays, as an empty label would not be seen. */
static char *sentencepiece_label(const char *token)
{
    bool begins = strncmp(token, BLANK_MARK, 3) == 0;
    if (begins && !token[3])
        return display_have(strdup(token));
    return label_of(begins ? token + 3 : token, begins);
}

/* Bytes that are not text by themselves, such as half a character, stay as the vocabulary writes
 * them. */
static char *bytes_label(const char *token)
{
    struct status status;
    struct text_buffer text = {0};
    char *label = NULL;
    bool begins = strncmp(token, BYTE_LEVEL_BLANK, strlen(BYTE_LEVEL_BLANK)) == 0;
    if (buffer_clear(&text, &status) && byte_level_decode(token, &text, &status)) {
        const char *plain = text.data + begins;
        bool readable = *plain && utf8_invalid(plain, strlen(plain)) < 0;
        label = readable ? label_of(plain, begins) : display_have(strdup(token));
    }
    free(text.data);
    return label;
}

static bool spells(const struct checkpoint *checkpoint, int side, int id, const char *token)
{
    return strcmp(vocabulary_piece(checkpoint->vocabulary[side], id), token) == 0;
}

static bool is_special(const struct checkpoint *checkpoint, int side, const char *token)
{
    const struct config *config = checkpoint->config;
    for (int s = 0; s < SPECIAL_COUNT; s++)
        if (config->special[s][side] >= 0 &&
            spells(checkpoint, side, config->special[s][side], token))
            return true;
    for (int i = 0; i < config->languages.count; i++)
        if (spells(checkpoint, side, config->languages.ids[i][side], token))
            return true;
    const struct id_list *lists[] = {side == SIDE_TARGET ? &config->start : &config->prefix,
                                     side == SIDE_TARGET ? &config->start : &config->suffix};
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < lists[l]->count; i++)
            if (lists[l]->ids[i] >= 0 && spells(checkpoint, side, lists[l]->ids[i], token))
                return true;
    return false;
}

/* The terminal would draw a mark without a letter before it on whatever stands to its left, or not
 * at all. Unicode's dotted circle stands in for the letter. Takes `text`. */
static char *carry_mark(char *text)
{
    utf8proc_int32_t character;
    char *carried = NULL;
    if (!text || utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &character) <= 0)
        return text;
    utf8proc_category_t category = utf8proc_category(character);
    if (category != UTF8PROC_CATEGORY_MN && category != UTF8PROC_CATEGORY_ME)
        return text;
    if (asprintf(&carried, "%s%s", DOTTED_CIRCLE, text) < 0)
        carried = NULL;
    free(text);
    return display_have(carried);
}

char *display_label(const struct checkpoint *checkpoint, int side, bool word, const char *token)
{
    enum piece_marks marks = tokenizer_marks(checkpoint->tokenizer[side]);
    bool bytes = marks == MARKS_BYTE_BPE;
    if (word || (marks != MARKS_SENTENCEPIECE && !bytes) || is_special(checkpoint, side, token))
        return carry_mark(display_clean(token));
    char *label = bytes ? bytes_label(token) : sentencepiece_label(token);
    char *clean = label ? display_clean(label) : NULL;
    free(label);
    return carry_mark(clean);
}

char **display_labels(const struct session *session, const struct labels *labels, bool word)
{
    int count = labels->texts.count;
    char **texts = display_have(calloc((size_t)count + 1, sizeof *texts));
    for (int i = 0; texts && i < count; i++) {
        texts[i] =
            display_label(session->loaded->checkpoint, labels->side, word, labels->texts.text[i]);
        if (!texts[i])
            texts[i] = calloc(1, 1);
    }
    return texts;
}

void display_labels_free(char **texts, int count)
{
    for (int i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}

/* Words ---------------------------------------------------------------------------------------- */

/* Special tokens are not part of the text. */
static bool is_special_text(const char *text)
{
    return *text == '<' && text[strlen(text) - 1] == '>';
}

/* Text that was split into words beforehand has spaces: few letters per word. */
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

/* Returns the text of one word. Special tokens are words of their own, spelt as in the
 * vocabulary. */
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

/* The unknown piece is special only if its text is not known either. */
static bool is_special_id(const struct checkpoint *checkpoint, int side, int id, const char *text)
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
    labels->by_script =
        !labels->unspaced && tokenizer_unspaced(checkpoint->tokenizer[tokens->side]);
    for (int w = 0; w < words->count; w++) {
        int begin = words->begin[w], end = words->begin[w + 1];
        bool special = end - begin == 1 && is_special_id(checkpoint, tokens->side,
                                                         tokens->ids[begin], tokens->texts[begin]);
        char *text = special ? copy_text(tokens->texts[begin], status)
                             : word_text(checkpoint, tokens, begin, end, status);
        bool ok = text && strings_add(&labels->texts, text, strlen(text), status);
        free(text);
        if (!ok)
            return false;
    }
    return true;
}

/* Merges (rows, columns) of tokens into (row words, column words). */
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

/* Merges all matrices; NULL: out of memory. */
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
