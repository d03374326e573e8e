/* Wraps calls that only the GNU C library or Linux has; everything else is C11, POSIX, or available
 * on BSDs and macOS. A port to another system replaces system.c. Functions that fail set errno,
 * like the underlying calls.
 */
#ifndef ATTNSCOPE_SYSTEM_H
#define ATTNSCOPE_SYSTEM_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Returns the first occurrence of the bytes, or the last of a byte; NULL: none. */
void *memory_find(const void *memory, size_t bytes, const void *wanted, size_t count);
void *memory_find_last(const void *memory, int byte, size_t bytes);

/* Like qsort, with a context for the comparison. */
typedef int compare_function(const void *a, const void *b, void *context);
void sort_with(void *items, size_t count, size_t bytes, compare_function *compare, void *context);

/* Orders names numerically, for scandir: "2" comes before "10". */
int compare_numbered(const struct dirent **a, const struct dirent **b);

/* A stream that reads with `read` and closes with `close`. NULL on failure, without calling
 * `close`. */
typedef ssize_t stream_read(void *context, char *out, size_t bytes);
typedef int stream_close(void *context);
FILE *stream_open(void *context, stream_read *read, stream_close *close);

/* A pipe whose ends are not inherited by other programs; `waits` false: both ends are
 * non-blocking. */
bool pipe_open(int ends[2], bool waits);

/* Opens an unnamed file in a folder. -1: not supported by the filesystem. */
int file_open_nameless(const char *folder, mode_t mode);

/* The number of processors this process may use; less than 1: unknown. */
long processors_allowed(void);

#endif
