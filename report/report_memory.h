/* The memory of a report, for the files that fill it (report*.c); the rest is in report.h. */
#ifndef ATTNSCOPE_REPORT_MEMORY_H
#define ATTNSCOPE_REPORT_MEMORY_H

#include <stdarg.h>

#include "report/report.h"

/* Returns a list in the report's memory with room for one more; a full list moves to twice the
 * capacity. NULL: out of memory. */
void *report_grow(struct report *report, void *list, size_t count, size_t *capacity, size_t size);

/* Like vsnprintf; "" if out of memory. */
const char *report_format_list(struct report *report, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Appends a block to the open group. NULL: out of memory. */
struct block *report_add_block(struct report *report, enum block_kind kind, unsigned in);

/* Releases kept data (report_keep) before the report is freed. */
void report_let_go(struct report *report, void *data);

/* Returns the data kept last with that release. NULL: none. */
void *report_held(const struct report *report, void (*release)(void *data));

/* Frees all memory and releases all kept data. */
void report_memory_free(struct report *report);

#endif
