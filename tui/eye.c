#include "tui/eye.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "tui/display.h"

#define WORD_MARK "\xE2\x96\x81" // ▁: SentencePiece's blank

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

/* A piece without its blank; one that continues a word says so, punctuation need not. */
static char *sentencepiece_label(const char *token)
{
    bool begins = strncmp(token, WORD_MARK, 3) == 0;
    if (begins && !token[3])
        return display_have(strdup(token));
    char *label = display_have(malloc(strlen(token) + 3));
    if (label)
        sprintf(label, "%s%s", begins || !is_letter(token) ? "" : "·", begins ? token + 3 : token);
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
        if (spells(checkpoint, side, config->special[s][side], token))
            return true;
    const struct id_list *lists[] = {side == SIDE_TARGET ? &config->start : &config->prefix,
                                     side == SIDE_TARGET ? &config->start : &config->suffix};
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < lists[l]->count; i++)
            if (spells(checkpoint, side, lists[l]->ids[i], token))
                return true;
    return false;
}

char *eye_label(const struct session *session, int side, bool word, const char *token)
{
    const struct checkpoint *checkpoint = session->loaded->checkpoint;
    const struct config *config = checkpoint->config;
    if (spells(checkpoint, side, config->special[SPECIAL_EOS][side], token))
        return display_have(strdup("⏎"));
    if (word || config->tokenizer != TOKENIZER_SENTENCEPIECE || is_special(checkpoint, side, token))
        return display_clean(token);
    char *label = sentencepiece_label(token);
    char *clean = label ? display_clean(label) : NULL;
    free(label);
    return clean;
}

char **eye_labels(const struct session *session, const struct labels *labels, bool word)
{
    int count = labels->texts.count;
    char **eyes = display_have(calloc((size_t)count + 1, sizeof *eyes));
    for (int i = 0; eyes && i < count; i++) {
        eyes[i] = eye_label(session, labels->side, word, labels->texts.text[i]);
        if (!eyes[i])
            eyes[i] = calloc(1, 1);
    }
    return eyes;
}

void eye_free(char **eyes, int count)
{
    for (int i = 0; eyes && i < count; i++)
        free(eyes[i]);
    free(eyes);
}
