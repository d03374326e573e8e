#include "tui/report/display_label.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "model/text/byte_level.h"
#include "model/text/marks.h"
#include "tui/text/display.h"

#define DOTTED_CIRCLE "\xE2\x97\x8C"

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

/* `text` is a piece without the mark that begins a word. A piece that continues a word says so;
 * punctuation need not. */
static char *label_of(const char *text, bool begins)
{
    char *label = display_have(malloc(strlen(text) + 3));
    if (label)
        sprintf(label, "%s%s", begins || !is_letter(text) ? "" : "·", text);
    return label;
}

/* A mark alone stays, as it would not be seen otherwise. */
static char *sentencepiece_label(const char *token)
{
    bool begins = strncmp(token, BLANK_MARK, 3) == 0;
    if (begins && !token[3])
        return display_have(strdup(token));
    return label_of(begins ? token + 3 : token, begins);
}

/* Bytes that are no text by themselves, as of a character cut in two, stay as the vocabulary writes
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

/* A mark that has no letter before it is drawn on what the terminal shows to its left, or not at
 * all. Unicode's dotted circle stands for the letter. Takes `text` over. */
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
