/* Bytes on their way to readline, which must never have to wait for the rest of a sequence.
 *
 * Bytes are ready up to the first incomplete character or paste. Zero-initialise before the first
 * use.
 */
#ifndef ATTNSCOPE_LINE_QUEUE_H
#define ATTNSCOPE_LINE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct line_queue {
    unsigned char *bytes;
    size_t capacity;
    size_t checked;           // bytes before this are valid UTF-8
    size_t first, ready, end; // bytes[first … ready) may be taken, bytes[ready … end) wait for more
};
void queue_free(struct line_queue *queue); // leaves it empty

/* Reserves memory so that adding up to that many bytes cannot fail. */
bool queue_reserve(struct line_queue *queue, size_t bytes, struct status *status);
/* False: out of memory, nothing is added. */
bool queue_add(struct line_queue *queue, const unsigned char *bytes, int count);
void queue_clear(struct line_queue *queue);

bool queue_ready(const struct line_queue *queue);
bool queue_empty(const struct line_queue *queue);
/* True if a paste has begun whose end has not come. */
bool queue_pasting(const struct line_queue *queue);
/* The number of all bytes, ready or not. */
int queue_count(const struct line_queue *queue);

/* The next byte; EOF (stdio.h): none is ready. */
int queue_peek(const struct line_queue *queue);
int queue_take(struct line_queue *queue);

#endif
