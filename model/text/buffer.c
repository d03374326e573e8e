#include "model/text/buffer.h"

#include <string.h>

#include <utf8proc.h>

#include "model/text/utf8.h"

bool buffer_add(struct text_buffer *buffer, const char *bytes, size_t count, struct status *status)
{
    size_t needed;
    if (!size_add(buffer->count, count, &needed) || !size_add(needed, 1, &needed))
        return status_fail(status, STATUS_MEMORY, "out of memory: a text of %zu bytes", count);
    if (!memory_grow((void **)&buffer->data, &buffer->capacity, needed, 1, status))
        return false;
    if (count > 0)
        memcpy(buffer->data + buffer->count, bytes, count);
    buffer->count += count;
    buffer->data[buffer->count] = '\0';
    return true;
}

bool buffer_add_text(struct text_buffer *buffer, const char *text, struct status *status)
{
    return buffer_add(buffer, text, strlen(text), status);
}

bool buffer_add_character(struct text_buffer *buffer, uint32_t character, struct status *status)
{
    char bytes[4];
    return buffer_add(buffer, bytes, utf8_encode(character, bytes), status);
}

bool buffer_add_lowercase(struct text_buffer *buffer, const char *text, struct status *status)
{
    static const uint32_t capital_i_dot = 0x130, dot_above = 0x307;
    for (size_t length; *text; text += length) {
        uint32_t character = utf8_decode(text, &length);
        uint32_t lower = (uint32_t)utf8proc_tolower((utf8proc_int32_t)character);
        if (!buffer_add_character(buffer, lower, status) ||
            (character == capital_i_dot && !buffer_add_character(buffer, dot_above, status)))
            return false;
    }
    return true;
}

bool buffer_clear(struct text_buffer *buffer, struct status *status)
{
    buffer->count = 0;
    return buffer_add(buffer, NULL, 0, status);
}

void buffer_swap(struct text_buffer *a, struct text_buffer *b)
{
    struct text_buffer kept = *a;
    *a = *b;
    *b = kept;
}

uint64_t bytes_hash(const char *bytes, size_t count)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001B3u;
    return hash ^ hash >> 32;
}
