#include "base/status.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shortens a message that filled its buffer to the last whole UTF-8 character. */
static void cut_at_character(char *text, size_t size)
{
    size_t end = strlen(text);
    if (end + 1 < size)
        return;
    size_t start = end;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (start - 1 + length > end)
        text[start - 1] = '\0';
}

bool status_fail(struct status *status, enum status_code code, const char *format, ...)
{
    if (!status)
        return false;
    va_list arguments;
    va_start(arguments, format);
    status->code = code;
    vsnprintf(status->message, sizeof status->message, format, arguments);
    va_end(arguments);
    cut_at_character(status->message, sizeof status->message);
    return false;
}

bool status_no_memory(struct status *status)
{
    return status_fail(status, STATUS_MEMORY, "out of memory");
}

/* Appends as much of `text` as fits. */
static void append(char *message, size_t size, const char *text)
{
    size_t used = strlen(message), length = strlen(text);
    if (length > size - 1 - used)
        length = size - 1 - used;
    memcpy(message + used, text, length);
    message[used + length] = '\0';
}

bool status_prefix(struct status *status, const char *format, ...)
{
    if (!status)
        return false;
    char message[sizeof status->message];
    memcpy(message, status->message, sizeof message);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(status->message, sizeof status->message, format, arguments);
    va_end(arguments);
    append(status->message, sizeof status->message, ": ");
    append(status->message, sizeof status->message, message);
    cut_at_character(status->message, sizeof status->message);
    return false;
}

bool size_multiply(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

bool size_add(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

void *memory_new(size_t count, size_t size, struct status *status)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        status_fail(status, STATUS_MEMORY, "out of memory: %zu objects of %zu bytes", count, size);
    return memory;
}

bool memory_grow(void **pointer, size_t *capacity, size_t needed, size_t size,
                 struct status *status)
{
    if (needed <= *capacity)
        return true;
    size_t grown = *capacity < SIZE_MAX / 2 ? *capacity * 2 : SIZE_MAX;
    if (grown < needed)
        grown = needed;
    size_t bytes;
    void *memory = size_multiply(grown, size, &bytes) ? realloc(*pointer, bytes ? bytes : 1) : NULL;
    if (!memory)
        return status_fail(status, STATUS_MEMORY, "out of memory: %zu objects of %zu bytes", grown,
                           size);
    memset((char *)memory + *capacity * size, 0, bytes - *capacity * size);
    *pointer = memory;
    *capacity = grown;
    return true;
}
