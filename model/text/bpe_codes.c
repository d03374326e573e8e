#include "model/text/bpe_codes.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/buffer.h"
#include "model/text/text.h"

static const char version_mark[] = "#version:";

/* A line makes at most 3 symbols, and ids have 32 bits. */
enum { LINES_MOST = 1 << 28 };

static size_t symbol_place(const struct bpe_codes *codes, const char *name, size_t length)
{
    size_t mask = codes->symbols_size - 1;
    size_t place = bytes_hash(name, length) & mask;
    while (codes->symbols[place].length != 0 &&
           ((size_t)codes->symbols[place].length != length ||
            memcmp(codes->symbols[place].name, name, length) != 0))
        place = (place + 1) & mask;
    return place;
}

int32_t bpe_codes_symbol(const struct bpe_codes *codes, const char *name, size_t length)
{
    const struct bpe_symbol *symbol = &codes->symbols[symbol_place(codes, name, length)];
    return symbol->length != 0 ? symbol->id : -1;
}

/* Returns the id of a spelling, a new one if it had none; `name` must live as long as the codes. */
static int32_t symbol_intern(struct bpe_codes *codes, const char *name, size_t length)
{
    struct bpe_symbol *symbol = &codes->symbols[symbol_place(codes, name, length)];
    if (symbol->length == 0)
        *symbol = (struct bpe_symbol){name, (int32_t)length, codes->symbol_count++};
    return symbol->id;
}

static size_t merge_place(const struct bpe_codes *codes, int32_t left, int32_t right)
{
    size_t mask = codes->merges_size - 1;
    uint64_t pair = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    uint64_t hash = pair * 0x9E3779B97F4A7C15u;
    size_t place = (hash ^ hash >> 32) & mask;
    while (codes->merges[place].result >= 0 &&
           (codes->merges[place].left != left || codes->merges[place].right != right))
        place = (place + 1) & mask;
    return place;
}

const struct bpe_merge *bpe_codes_merge(const struct bpe_codes *codes, int32_t left, int32_t right)
{
    if (left < 0 || right < 0)
        return NULL;
    const struct bpe_merge *merge = &codes->merges[merge_place(codes, left, right)];
    return merge->result >= 0 ? merge : NULL;
}

/* Returns the bytes of a line without its last column. */
static size_t uncounted(const char *line, size_t length)
{
    size_t end = length;
    while (end > 0 && line[end - 1] >= '0' && line[end - 1] <= '9')
        end--;
    return end > 0 && end < length && line[end - 1] == ' ' ? end - 1 : length;
}

/* Reads one "left right" line; `joined` is where the spelling of both together goes. subword-nmt
 * ignores blanks and carriage returns around it. Returns the bytes written to `joined`, 0 on
 * failure. */
static size_t line_read(struct bpe_codes *codes, const char *line, size_t length, int number,
                        int rank, char *joined, struct status *status)
{
    while (length > 0 && strchr("\r\n ", *line))
        line++, length--;
    while (length > 0 && strchr("\r\n ", line[length - 1]))
        length--;
    if (codes->counted)
        length = uncounted(line, length);
    const char *blank = memchr(line, ' ', length);
    if (!blank || memchr(blank + 1, ' ', (size_t)(line + length - blank) - 1)) {
        status_fail(status, STATUS_INVALID,
                    "line %d: \"%.*s\", expected two symbols separated by one blank", number,
                    (int)(length < 80 ? length : 80), line);
        return 0;
    }
    size_t left_length = (size_t)(blank - line), right_length = length - left_length - 1;
    memcpy(joined, line, left_length);
    memcpy(joined + left_length, blank + 1, right_length);
    int32_t left = symbol_intern(codes, line, left_length);
    int32_t right = symbol_intern(codes, blank + 1, right_length);
    int32_t result = symbol_intern(codes, joined, length - 1);
    struct bpe_merge *merge = &codes->merges[merge_place(codes, left, right)];
    if (merge->result < 0)
        *merge = (struct bpe_merge){left, right, rank, result};
    return length - 1;
}

/* True if the first line is fastBPE's, which has no version. */
static bool is_counted(const char *text)
{
    size_t length = strcspn(text, "\r\n"), columns = 1;
    for (size_t i = 0; i < length; i++)
        columns += text[i] == ' ';
    return columns == 3 && uncounted(text, length) < length;
}

/* Reads "#version: X" if it is the first line, and how words end. Sets *length to the line's bytes,
 * 0 if it is a merge. */
static bool version_read(struct bpe_codes *codes, size_t *length, struct status *status)
{
    bool plain = codes->word_end == WORD_END_NONE;
    *length = 0;
    if (strncmp(codes->text, version_mark, strlen(version_mark)) != 0) {
        codes->counted = !plain && is_counted(codes->text);
        if (!plain && !codes->counted)
            codes->word_end = WORD_END_APART;
        return true;
    }
    *length = strcspn(codes->text, "\n");
    const char *version = codes->text + strlen(version_mark);
    const char *end = codes->text + *length;
    while (version < end && strchr(" \t\r", *version))
        version++;
    size_t used = (size_t)(end - version);
    while (used > 0 && strchr(" \t\r", version[used - 1]))
        used--;
    while (used > 2 && memcmp(version + used - 2, ".0", 2) == 0)
        used -= 2;
    bool apart = used == 3 && memcmp(version, "0.1", 3) == 0;
    if (apart && !plain)
        codes->word_end = WORD_END_APART;
    if (!apart && (used != 3 || memcmp(version, "0.2", 3) != 0))
        return status_fail(status, STATUS_INVALID,
                           "line 1: version \"%.*s\" of merge codes, expected 0.1 or 0.2",
                           (int)(used < 40 ? used : 40), version);
    return true;
}

/* Reads lines up to `bytes`, which leave out the line breaks at the end. */
static bool lines_read(struct bpe_codes *codes, size_t bytes, struct status *status)
{
    size_t skip, written = 0;
    if (!version_read(codes, &skip, status))
        return false;
    int number = skip > 0 ? 2 : 1, first = number;
    const char *line = codes->text + skip + (skip > 0), *end = codes->text + bytes;
    if (codes->word_end == WORD_END_NONE && skip > 0 && line >= end)
        return true; // without merges, every character is a piece
    do {
        const char *stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
        size_t length = line < end ? (size_t)((stop ? stop : end) - line) : 0;
        size_t joined =
            line_read(codes, line, length, number, number - first, codes->joined + written, status);
        if (joined == 0)
            return false;
        written += joined;
        number++;
        line += length + 1;
    } while (line < end);
    return true;
}

static bool text_check(const char *text, size_t bytes, size_t *lines, struct status *status)
{
    ptrdiff_t invalid = utf8_invalid(text, bytes);
    const char *nul = bytes > 0 ? memchr(text, '\0', bytes) : NULL;
    if (nul && (invalid < 0 || nul - text < invalid))
        invalid = nul - text;
    size_t number = 1, start = 0;
    for (size_t i = 0; i < (invalid < 0 ? bytes : (size_t)invalid); i++)
        if (text[i] == '\n')
            number++, start = i + 1;
    if (invalid >= 0)
        return status_fail(status, STATUS_INVALID, "line %zu: %s at byte %zu of the line", number,
                           nul && nul - text == invalid ? "NUL" : "invalid UTF-8",
                           (size_t)invalid - start);
    if (number > LINES_MOST || bytes > INT32_MAX)
        return status_fail(status, STATUS_INVALID, "merge codes of %zu bytes, expected at most %d",
                           bytes, INT32_MAX);
    *lines = number;
    return true;
}

static size_t power_of_two(size_t least)
{
    size_t size = 8;
    while (size < least)
        size *= 2;
    return size;
}

bool bpe_codes_open(struct bpe_codes *codes, bool plain, const char *text, size_t bytes,
                    struct status *status)
{
    size_t lines = 0;
    *codes = (struct bpe_codes){.word_end = plain ? WORD_END_NONE : WORD_END_ATTACHED};
    if (!text_check(text, bytes, &lines, status))
        return false;
    codes->symbols_size = power_of_two(6 * lines);
    codes->merges_size = power_of_two(2 * lines);
    codes->text = memory_new(bytes + 1, 1, status);
    codes->joined = memory_new(bytes + 1, 1, status);
    codes->symbols = memory_new(codes->symbols_size, sizeof *codes->symbols, status);
    codes->merges = memory_new(codes->merges_size, sizeof *codes->merges, status);
    if (codes->text && codes->joined && codes->symbols && codes->merges) {
        for (size_t i = 0; i < codes->merges_size; i++)
            codes->merges[i].result = -1;
        if (bytes > 0)
            memcpy(codes->text, text, bytes);
        while (bytes > 0 && text[bytes - 1] == '\n')
            bytes--;
        if (lines_read(codes, bytes, status))
            return true;
    }
    bpe_codes_close(codes);
    return false;
}

void bpe_codes_close(struct bpe_codes *codes)
{
    free(codes->text);
    free(codes->joined);
    free(codes->symbols);
    free(codes->merges);
    *codes = (struct bpe_codes){0};
}
