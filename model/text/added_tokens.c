#include "model/text/added_tokens.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "model/text/utf8.h"

bool added_tokens_have(const struct added_tokens *tokens, const char *piece)
{
    for (size_t i = 0; i < tokens->count && tokens->begins[(unsigned char)*piece]; i++)
        if (strcmp(tokens->list[i].text, piece) == 0)
            return true;
    return false;
}

static bool has_token(const struct added_tokens *tokens, const char *text)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (strcmp(tokens->list[i].text, text) == 0)
            return true;
    return false;
}

bool added_tokens_add(struct added_tokens *tokens, const struct added_token *token,
                      const char *spelt, struct status *status)
{
    if (!*token->text || !*spelt || has_token(tokens, token->text))
        return true;
    if (!memory_grow((void **)&tokens->list, &tokens->capacity, tokens->count + 1,
                     sizeof *tokens->list, status))
        return false;
    struct added_entry *entry = &tokens->list[tokens->count++];
    *entry = (struct added_entry){strdup(token->text), strdup(spelt), *token};
    if (!entry->text || !entry->spelt)
        return status_no_memory(status);
    tokens->begins[(unsigned char)*entry->text] = tokens->begins[(unsigned char)*spelt] = true;
    return true;
}

void added_tokens_free(struct added_tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        free(tokens->list[i].text);
        free(tokens->list[i].spelt);
    }
    free(tokens->list);
    *tokens = (struct added_tokens){.count = 0};
}

/* Scanning ------------------------------------------------------------------------------------- */

/* Returns the character that ends before text[at]; 0 < at. */
static uint32_t character_before(const char *text, size_t at, size_t *length)
{
    size_t begin = at - 1;
    while (begin > 0 && ((unsigned char)text[begin] & 0xC0) == 0x80)
        begin--;
    uint32_t character = utf8_decode(text + begin, length);
    *length = at - begin;
    return character;
}

/* True if a regular expression's \w matches it. */
static bool is_word(uint32_t character)
{
    switch (utf8proc_category((utf8proc_int32_t)character)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
        return true;
    default:
        return false;
    }
}

static bool within_word(const struct token_scan *scan, size_t begin, size_t end)
{
    size_t length;
    return (begin > 0 && is_word(character_before(scan->text, begin, &length))) ||
           (end < scan->bytes && is_word(utf8_decode(scan->text + end, &length)));
}

/* Returns the longest token at a place, or NULL. */
static const struct added_entry *token_at(const struct token_scan *scan, size_t at)
{
    const struct added_entry *longest = NULL;
    size_t most = 0;
    for (size_t i = 0; i < scan->tokens->count; i++) {
        const struct added_entry *entry = &scan->tokens->list[i];
        size_t length = strlen(entry->spelt);
        if (entry->how.normalized == scan->normalized && length > most &&
            length <= scan->bytes - at && memcmp(scan->text + at, entry->spelt, length) == 0) {
            longest = entry;
            most = length;
        }
    }
    return longest;
}

/* Takes the white space that belongs to a token from beside it, unless an earlier token has taken
 * it. */
static void strip(const struct token_scan *scan, const struct added_token *how,
                  struct text_part *part)
{
    size_t length;
    while (how->strip_left && part->begin > scan->from &&
           utf8_is_space(character_before(scan->text, part->begin, &length)))
        part->begin -= length;
    while (how->strip_right && part->end < scan->bytes &&
           utf8_is_space(utf8_decode(scan->text + part->end, &length)))
        part->end += length;
}

static bool find_token(const struct token_scan *scan, struct text_part *part)
{
    for (size_t at = scan->from; at < scan->bytes; at++) {
        const struct added_entry *entry =
            scan->tokens->begins[(unsigned char)scan->text[at]] ? token_at(scan, at) : NULL;
        if (!entry)
            continue;
        size_t end = at + strlen(entry->spelt);
        if (entry->how.single_word && within_word(scan, at, end)) {
            at = end - 1;
            continue;
        }
        *part = (struct text_part){at, end, entry->text};
        strip(scan, &entry->how, part);
        return true;
    }
    return false;
}

bool token_scan_next(struct token_scan *scan, struct text_part *part)
{
    if (!scan->next.token && !find_token(scan, &scan->next))
        scan->next = (struct text_part){scan->bytes, scan->bytes, NULL};
    if (scan->from < scan->next.begin) {
        *part = (struct text_part){scan->from, scan->next.begin, NULL};
    } else {
        *part = scan->next;
        scan->next.token = NULL;
    }
    scan->from = part->end;
    return part->begin < part->end;
}
