/* Calls that only GNU's C library or Linux has: everything else is C11, POSIX, or on BSDs and macOS as
 * well. A port to another system replaces system.c. Functions that fail set errno, like the calls
 * behind them.
 */
#ifndef ATTNSCOPE_SYSTEM_H
#define ATTNSCOPE_SYSTEM_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Where the bytes are first, or a byte is last; NULL: nowhere. */
void *memory_find(const void *memory, size_t bytes, const void *wanted, size_t count);
void *memory_find_last(const void *memory, int byte, size_t bytes);

/* qsort, whose comparison has a context. */
typedef int compare_function(const void *a, const void *b, void *context);
void sort_with(void *items, size_t count, size_t bytes, compare_function *compare, void *context);

/* Names in the order of their numbers, for scandir: "2" is before "10". */
int compare_numbered(const struct dirent **a, const struct dirent **b);

/* A stream that reads with `read` and ends with `close`. NULL: failure, and nothing is closed. */
typedef ssize_t stream_read(void *context, char *out, size_t bytes);
typedef int stream_close(void *context);
FILE *stream_open(void *context, stream_read *read, stream_close *close);

/* A pipe whose ends no other program inherits; `waits` false: neither end waits. */
bool pipe_open(int ends[2], bool waits);

/* A file in a folder that has no name. -1: the filesystem has none. */
int file_open_nameless(const char *folder, mode_t mode);

/* Processors that this process may use; less than 1: not known. */
long processors_allowed(void);

#endif
