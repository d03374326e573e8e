#include "tui/screen/line/line_queue.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/status.h"
#include "base/system.h"
#include "terminal/key_codes.h"

void queue_free(struct line_queue *queue)
{
    free(queue->bytes);
    *queue = (struct line_queue){0};
}

void queue_clear(struct line_queue *queue)
{
    queue->first = queue->ready = queue->checked = queue->end = 0;
}

bool queue_ready(const struct line_queue *queue)
{
    return queue->first < queue->ready;
}

bool queue_empty(const struct line_queue *queue)
{
    return queue->first == queue->end;
}

bool queue_pasting(const struct line_queue *queue)
{
    return queue->end - queue->first >= PASTE_MARK && !queue_ready(queue) &&
           memcmp(queue->bytes + queue->first, PASTE_BEGINS, PASTE_MARK) == 0;
}

int queue_count(const struct line_queue *queue)
{
    return (int)(queue->end - queue->first);
}

/* Returns the length in bytes of the character with that first byte. */
static size_t character_bytes(unsigned char first)
{
    return first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* True if these bytes are not a character but could become one when more arrive. */
static bool is_half_character(const unsigned char *bytes, size_t count)
{
    if (*bytes > 0xF4 || count >= character_bytes(*bytes))
        return false;
    for (size_t i = 1; i < count; i++)
        if ((bytes[i] & 0xC0) != 0x80)
            return false;
    return true;
}

/* Replaces bytes that are not UTF-8 by "?" and drops NUL (Ctrl-Space): they make readline loop
 * forever. */
static void check_characters(struct line_queue *queue)
{
    while (queue->checked < queue->end) {
        unsigned char *bytes = queue->bytes + queue->checked;
        size_t count = queue->end - queue->checked;
        utf8proc_int32_t unused;
        if (*bytes == '\0') {
            memmove(bytes, bytes + 1, count - 1);
            queue->end--;
            continue;
        }
        utf8proc_ssize_t length = utf8proc_iterate(bytes, (utf8proc_ssize_t)count, &unused);
        if (length <= 0 && is_half_character(bytes, count))
            return;
        if (length <= 0)
            *bytes = '?';
        queue->checked += length > 0 ? (size_t)length : 1;
    }
}

/* Returns the length of the unit at the beginning of `bytes`: a byte, or a whole paste; 0: the end
 * of the paste has not arrived yet. */
static size_t unit_bytes(const unsigned char *bytes, size_t count)
{
    size_t begun = count < PASTE_MARK ? count : PASTE_MARK;
    if (begun > 1 && memcmp(bytes, PASTE_BEGINS, begun) == 0) {
        const unsigned char *end =
            begun == PASTE_MARK
                ? memory_find(bytes + PASTE_MARK, count - PASTE_MARK, PASTE_ENDS, PASTE_MARK)
                : NULL;
        return end ? (size_t)(end - bytes) + PASTE_MARK : 0;
    }
    return 1;
}

static void find_ready(struct line_queue *queue)
{
    size_t unit;
    while (queue->ready < queue->checked &&
           (unit = unit_bytes(queue->bytes + queue->ready, queue->checked - queue->ready)) > 0)
        queue->ready += unit;
}

bool queue_reserve(struct line_queue *queue, size_t bytes, struct status *status)
{
    return memory_grow((void **)&queue->bytes, &queue->capacity, bytes, 1, status);
}

bool queue_add(struct line_queue *queue, const unsigned char *bytes, int count)
{
    struct status unused;
    if (queue->first > 0) {
        memmove(queue->bytes, queue->bytes + queue->first, queue->end - queue->first);
        queue->ready -= queue->first;
        queue->checked -= queue->first;
        queue->end -= queue->first;
        queue->first = 0;
    }
    if (queue->end > INT_MAX - (size_t)count ||
        !memory_grow((void **)&queue->bytes, &queue->capacity, queue->end + (size_t)count, 1,
                     &unused))
        return false;
    memcpy(queue->bytes + queue->end, bytes, (size_t)count);
    queue->end += (size_t)count;
    check_characters(queue);
    find_ready(queue);
    return true;
}

int queue_peek(const struct line_queue *queue)
{
    return queue_ready(queue) ? queue->bytes[queue->first] : EOF;
}

int queue_take(struct line_queue *queue)
{
    return queue_ready(queue) ? queue->bytes[queue->first++] : EOF;
}
