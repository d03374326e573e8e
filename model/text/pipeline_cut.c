/* Splits text into pieces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/byte_level.h"
#include "model/text/pipeline_parts.h"
#include "model/text/utf8.h"

static bool is_known(const struct pipeline *pipeline, const char *piece)
{
    return !pipeline->vocabulary || vocabulary_find(pipeline->vocabulary, piece) >= 0;
}

/* Adds a character as its bytes if the vocabulary has all of them. */
static bool add_bytes(const struct pipeline *pipeline, const char *piece, struct strings *pieces,
                      bool *added, struct status *status)
{
    char name[8];
    *added = pipeline->byte_fallback;
    for (const char *c = piece; *c && *added; c++) {
        snprintf(name, sizeof name, "<0x%02X>", (unsigned char)*c);
        *added = is_known(pipeline, name);
    }
    for (const char *c = piece; *c && *added; c++) {
        snprintf(name, sizeof name, "<0x%02X>", (unsigned char)*c);
        if (!strings_add(pieces, name, strlen(name), status))
            return false;
    }
    return true;
}

/* Appends to the last piece. */
static bool extend(struct strings *pieces, const char *text, struct status *status)
{
    char **last = &pieces->text[pieces->count - 1];
    size_t bytes = strlen(*last);
    char *longer = realloc(*last, bytes + strlen(text) + 1);
    if (!longer)
        return status_no_memory(status);
    strcpy(longer + bytes, text);
    *last = longer;
    return true;
}

/* Adds the pieces of a word. Characters that are not in the vocabulary become bytes, vanish, or
 * stay, joined if the model says so. */
static bool cut_by_merges(struct pipeline *pipeline, const char *word, size_t bytes,
                          struct strings *pieces, struct status *status)
{
    bool unknown = false, added;
    strings_clear(&pipeline->cut);
    if (!bpe_split(pipeline->bpe, word, bytes, &pipeline->cut, status))
        return false;
    for (int i = 0; i < pipeline->cut.count; i++) {
        const char *piece = pipeline->cut.text[i];
        bool before = unknown;
        unknown = !is_known(pipeline, piece);
        if (unknown) {
            if (!add_bytes(pipeline, piece, pieces, &added, status))
                return false;
            if (added || pipeline->no_unknown) {
                unknown = added ? false : before;
                continue;
            }
        }
        if (!(unknown && before && pipeline->fuse
                  ? extend(pieces, piece, status)
                  : strings_add(pieces, piece, strlen(piece), status)))
            return false;
    }
    return true;
}

/* Splits one word; `word` must be NUL-terminated if the model is Unigram. */
static bool cut_word(struct pipeline *pipeline, const char *word, size_t bytes,
                     struct strings *pieces, struct status *status)
{
    if (bytes == 0)
        return true;
    return pipeline->unigram ? sentencepiece_split(pipeline->unigram, word, pieces, status)
                             : cut_by_merges(pipeline, word, bytes, pieces, status);
}

/* Splits the word at pipeline->part[from …], with a temporary NUL at its end. */
static bool cut_part(struct pipeline *pipeline, size_t from, size_t bytes, struct strings *pieces,
                     struct status *status)
{
    char *word = pipeline->part.data + from, after = word[bytes];
    word[bytes] = '\0';
    bool good = cut_word(pipeline, word, bytes, pieces, status);
    word[bytes] = after;
    return good;
}

/* Blanks become marks, and every mark begins a word. */
static bool cut_marked(struct pipeline *pipeline, const char *text, size_t bytes, bool first,
                       struct strings *pieces, struct status *status)
{
    struct text_buffer *part = &pipeline->part;
    bool prefix = pipeline->prefix == PREFIX_ALWAYS || (pipeline->prefix == PREFIX_FIRST && first);
    bool there = bytes > 0 && (*text == ' ' || strncmp(text, BLANK_MARK, 3) == 0);
    if (!buffer_clear(part, status) ||
        (prefix && !there && !buffer_add_text(part, BLANK_MARK, status)))
        return false;
    for (size_t i = 0; i < bytes; i++)
        if (!(text[i] == ' ' ? buffer_add_text(part, BLANK_MARK, status)
                             : buffer_add(part, text + i, 1, status)))
            return false;
    size_t from = 0;
    while (from < part->count) {
        const char *next = pipeline->split ? strstr(part->data + from + 1, BLANK_MARK) : NULL;
        size_t end = next ? (size_t)(next - part->data) : part->count;
        if (!cut_part(pipeline, from, end - from, pieces, status))
            return false;
        from = end;
    }
    return true;
}

static bool cut_bytes(struct pipeline *pipeline, const char *text, size_t bytes,
                      struct strings *pieces, struct status *status)
{
    struct text_buffer *work = &pipeline->work, *part = &pipeline->part;
    bool prefix = pipeline->prefix != PREFIX_NEVER && bytes > 0 && *text != ' ';
    if (!buffer_clear(work, status) || (prefix && !buffer_add(work, " ", 1, status)) ||
        !buffer_add(work, text, bytes, status))
        return false;
    for (size_t at = 0, length; at < work->count; at += length) {
        length = pipeline->split ? byte_level_word(work->data + at, work->count - at) : work->count;
        if (!buffer_clear(part, status) ||
            !byte_level_encode(work->data + at, length, part, status) ||
            !cut_part(pipeline, 0, part->count, pieces, status))
            return false;
    }
    return true;
}

/* Splits a text, or one of its words. */
static bool cut_text(struct pipeline *pipeline, const char *text, size_t bytes, bool first,
                     struct strings *pieces, struct status *status)
{
    if (pipeline->of_bytes)
        return cut_bytes(pipeline, text, bytes, pieces, status);
    if (pipeline->marked)
        return cut_marked(pipeline, text, bytes, first, pieces, status);
    return buffer_clear(&pipeline->part, status) &&
           buffer_add(&pipeline->part, text, bytes, status) &&
           cut_part(pipeline, 0, bytes, pieces, status);
}

/* Returns the bytes of the run of white space, or of other characters, at the beginning. */
static size_t span_of(const char *text, size_t bytes, bool space)
{
    size_t at = 0, length;
    while (at < bytes && utf8_is_space(utf8_decode(text + at, &length)) == space)
        at += length;
    return at;
}

bool pipeline_normalize(struct pipeline *pipeline, struct text_buffer *text, struct status *status)
{
    return normalizer_apply(pipeline->normalizer, text, &pipeline->work, status);
}

bool pipeline_cut(struct pipeline *pipeline, const char *text, size_t bytes, bool first,
                  struct strings *pieces, struct status *status)
{
    if (!pipeline->split_words)
        return bytes == 0 || cut_text(pipeline, text, bytes, first, pieces, status);
    for (size_t at = span_of(text, bytes, true), length; at < bytes;
         at += length + span_of(text + at + length, bytes - at - length, true)) {
        length = span_of(text + at, bytes - at, false);
        if (!cut_text(pipeline, text + at, length, first && at == 0, pieces, status))
            return false;
    }
    return true;
}
