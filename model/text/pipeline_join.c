/* Joins pieces to text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/byte_level.h"
#include "model/text/pipeline_parts.h"

/* Appends the bytes that a piece is made of: "<0xC3>", "<0x0A><0x0A>". *made: false if it is
 * text. */
static bool add_byte_pieces(const char *piece, struct text_buffer *bytes, bool *made,
                            struct status *status)
{
    enum { SPELT = 6 };
    const size_t before = bytes->count, length = strlen(piece);
    unsigned byte;
    *made = length > 0 && length % SPELT == 0;
    for (size_t at = 0; *made && at < length; at += SPELT) {
        int end = 0;
        *made = sscanf(piece + at, "<0x%2X>%n", &byte, &end) == 1 && end == SPELT;
        const char one = (char)byte;
        if (*made && !buffer_add(bytes, &one, 1, status))
            return false;
    }
    if (!*made)
        bytes->count = before;
    return true;
}

/* Bytes that are not text become one replacement character each. */
static bool add_fallback(const struct text_buffer *bytes, struct text_buffer *out,
                         struct status *status)
{
    if (utf8_invalid(bytes->data, bytes->count) < 0 && !memchr(bytes->data, '\0', bytes->count))
        return buffer_add(out, bytes->data, bytes->count, status);
    for (size_t i = 0; i < bytes->count; i++)
        if (!buffer_add_character(out, 0xFFFD, status))
            return false;
    return true;
}

/* Adds a piece with blanks for its marks; `first`: a mark at its beginning gives none. */
static bool add_unmarked(const char *piece, bool first, struct text_buffer *out,
                         struct status *status)
{
    const char *text = piece;
    for (const char *mark; (mark = strstr(text, BLANK_MARK)); text = mark + strlen(BLANK_MARK))
        if (!buffer_add(out, text, (size_t)(mark - text), status) ||
            (!(first && mark == piece) && !buffer_add(out, " ", 1, status)))
            return false;
    return buffer_add_text(out, text, status);
}

static bool join_marked(const struct pipeline *pipeline, const char *const *pieces, int count,
                        struct text_buffer *out, struct text_buffer *bytes, struct status *status)
{
    for (int i = 0; i < count; i++) {
        bool made;
        if (!add_byte_pieces(pieces[i], bytes, &made, status) ||
            (!made && !(add_fallback(bytes, out, status) && buffer_clear(bytes, status) &&
                        add_unmarked(pieces[i], i == 0 && !pipeline->keep_first, out, status))))
            return false;
    }
    return add_fallback(bytes, out, status);
}

/* Returns how many bytes, at least 1, look like the beginning of a character, in text that does not
 * begin with a whole one. */
static size_t broken_length(const unsigned char *text, size_t bytes)
{
    unsigned char lead = *text;
    unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    size_t length = 2, wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || bytes < 2 || text[1] < low || text[1] > high)
        return 1;
    while (length < wanted && length < bytes && (text[length] & 0xC0) == 0x80)
        length++;
    return length;
}

/* Appends bytes that should be UTF-8. Invalid ones become U+FFFD, one for each longest beginning of
 * a character. */
static bool add_repaired(const char *bytes, size_t count, struct text_buffer *out,
                         struct status *status)
{
    while (count > 0) {
        ptrdiff_t invalid = utf8_invalid(bytes, count);
        size_t good = invalid < 0 ? count : (size_t)invalid;
        if (!buffer_add(out, bytes, good, status))
            return false;
        bytes += good;
        count -= good;
        if (count == 0)
            break;
        size_t broken = broken_length((const unsigned char *)bytes, count);
        if (!buffer_add_character(out, 0xFFFD, status))
            return false;
        bytes += broken;
        count -= broken;
    }
    return true;
}

static bool join_bytes(const char *const *pieces, int count, struct text_buffer *out,
                       struct text_buffer *bytes, struct status *status)
{
    for (int i = 0; i < count; i++)
        if (!byte_level_decode(pieces[i], bytes, status))
            return false;
    return add_repaired(bytes->data, bytes->count, out, status);
}

char *pipeline_join(const struct pipeline *pipeline, const char *const *pieces, int count,
                    struct status *status)
{
    struct text_buffer out = {0}, bytes = {0};
    bool good = buffer_clear(&out, status) && buffer_clear(&bytes, status) &&
                (pipeline->of_bytes ? join_bytes(pieces, count, &out, &bytes, status)
                                    : join_marked(pipeline, pieces, count, &out, &bytes, status));
    free(bytes.data);
    if (good)
        return out.data;
    free(out.data);
    return NULL;
}

char *pipeline_join_marks(bool of_bytes, const char *const *pieces, int count,
                          struct status *status)
{
    const struct pipeline pipeline = {.of_bytes = of_bytes};
    return pipeline_join(&pipeline, pieces, count, status);
}
