#include "report/report_memory.h"

#include <stdlib.h>
#include <string.h>

#include "terminal/text/arguments.h"

enum { CHUNK_BYTES = 16 << 10, ALIGNMENT = _Alignof(max_align_t) };

/* A report's memory, allocated from the front; large pieces have their own chunk. */
struct chunk {
    struct chunk *next;
    size_t used, size;
    max_align_t bytes[];
};

struct release {
    struct release *next;
    void *data;
    void (*release)(void *data);
};

static void *lack(struct report *report)
{
    report->lacking = true;
    return NULL;
}

static struct chunk *chunk_new(size_t size)
{
    struct chunk *made = size <= SIZE_MAX - sizeof *made ? calloc(1, sizeof *made + size) : NULL;
    if (made)
        made->size = size;
    return made;
}

static struct chunk *chunk_for(struct report *report, size_t bytes)
{
    struct chunk *chunk = report->chunks;
    if (chunk && chunk->size - chunk->used >= bytes)
        return chunk;
    size_t size = bytes > CHUNK_BYTES / 4 ? bytes : CHUNK_BYTES;
    struct chunk *made = chunk_new(size);
    if (!made)
        return lack(report);
    if (size == bytes && chunk) { // full at once: the current one stays the first
        made->next = chunk->next;
        chunk->next = made;
    } else {
        made->next = chunk;
        report->chunks = made;
    }
    return made;
}

void *report_new(struct report *report, size_t count, size_t size)
{
    size_t bytes;
    if (report->lacking || !size_multiply(count, size, &bytes) || bytes > SIZE_MAX - ALIGNMENT)
        return lack(report);
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    bytes = bytes ? bytes : ALIGNMENT;
    struct chunk *chunk = chunk_for(report, bytes);
    if (!chunk)
        return NULL;
    void *memory = (char *)chunk->bytes + chunk->used;
    chunk->used += bytes;
    return memory;
}

/* If there is no memory for a usual chunk, there may be enough for this one. */
static struct release *release_new(struct report *report)
{
    struct release *one = report_new(report, 1, sizeof *one);
    struct chunk *chunk = one ? NULL : chunk_new(sizeof *one);
    if (!chunk)
        return one;
    chunk->used = chunk->size;
    chunk->next = report->chunks;
    report->chunks = chunk;
    return (struct release *)chunk->bytes;
}

void report_keep(struct report *report, void *data, void (*release)(void *data))
{
    struct release *one = release_new(report);
    if (!one) // the data stay: the caller goes on reading them
        return;
    *one = (struct release){report->release, data, release};
    report->release = one;
}

void *report_hold(struct report *report, size_t size, void (*release)(void *data))
{
    void *data = report_new(report, 1, size);
    if (data)
        report_keep(report, data, release);
    return report->lacking ? NULL : data;
}

void *report_held(const struct report *report, void (*release)(void *data))
{
    for (const struct release *one = report->release; one; one = one->next)
        if (one->release == release)
            return one->data;
    return NULL;
}

const char *report_copy(struct report *report, const char *text)
{
    if (!text)
        return NULL;
    char *copy = report->lacking ? NULL : report_new(report, strlen(text) + 1, 1);
    return copy ? strcpy(copy, text) : "";
}

const char *report_format_list(struct report *report, const char *format, va_list arguments)
{
    va_list again;
    if (report->lacking)
        return "";
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? lack(report) : report_new(report, (size_t)length + 1, 1);
    if (!text)
        return "";
    vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

const char *report_format(struct report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = report_format_list(report, format, arguments);
    va_end(arguments);
    return text;
}

const char *report_take_text(struct report *report, char *text)
{
    const char *copy = text ? report_copy(report, text) : "";
    if (!text)
        lack(report);
    free(text);
    return copy;
}

FILE *report_write(struct report_writer *writer, struct report *report)
{
    *writer = (struct report_writer){.report = report};
    if (report->lacking)
        return NULL;
    writer->out = open_memstream(&writer->text, &writer->size);
    if (!writer->out)
        lack(report);
    return writer->out;
}

const char *report_written(struct report_writer *writer)
{
    const char *text = "";
    if (!writer->out)
        return text;
    if (fclose(writer->out) == 0) {
        if (writer->size > 0 && writer->text[writer->size - 1] == '\n')
            writer->text[writer->size - 1] = '\0';
        text = report_copy(writer->report, writer->text);
    } else {
        lack(writer->report);
    }
    free(writer->text);
    return text;
}

const char *report_exactly(struct report *report, double number)
{
    char text[EXACT_BYTES];
    return report_copy(report, exact_double(number, text));
}

const char *report_quoted(struct report *report, const char *text)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        arguments_quote(out, text);
    return report_written(&writer);
}

/* Grows a list in the report's memory: a full list moves to twice the capacity. */
void *report_grow(struct report *report, void *list, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return list;
    size_t more = *capacity ? 2 * *capacity : 8;
    void *moved = report_new(report, more, size);
    if (!moved)
        return NULL;
    if (count)
        memcpy(moved, list, count * size);
    *capacity = more;
    return moved;
}

void report_memory_free(struct report *report)
{
    for (struct release *one = report->release; one; one = one->next)
        if (one->data)
            one->release(one->data);
    for (struct chunk *chunk = report->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
}

void report_let_go(struct report *report, void *data)
{
    for (struct release *one = report->release; one; one = one->next)
        if (one->data == data) {
            one->data = NULL;
            one->release(data);
            return;
        }
}
