/* Files in memory, for readers that take paths. The system's own calls would cost most of an
 * execution.
 *
 * In fuzz programs the linker leads open, stat, mmap and the like here (FILE_CALLS in the
 * Makefile): paths below MEMORY_FILES_ROOT are served from memory, all others by the system. A
 * mapped file is a block of exactly its size, so that a sanitizer notices a read beyond its end,
 * which within the last page of a real mapping it cannot.
 *
 *     memory_file_put("model", "config.json", data, size);
 *     ... readers of "/memory-files/model/config.json", and of the folder "/memory-files/model" ...
 *     memory_file_remove("model", "config.json");
 */
#ifndef ATTNSCOPE_MEMORY_FILES_H
#define ATTNSCOPE_MEMORY_FILES_H

#include <stdbool.h>
#include <stddef.h>

#define MEMORY_FILES_ROOT "/memory-files/"
enum { MEMORY_FILES_MOST = 512 };

/* Puts a file there, or replaces one; "" is the folder above all. The bytes are borrowed until it
 * is removed or replaced. Names have no slashes. */
void memory_file_put(const char *folder, const char *name, const void *data, size_t size);
/* Where a file is: a number that it has until it is removed, or a file that was put before it. -1:
 * there is none. */
int memory_file_find(const char *folder, const char *name);
/* The bytes of the file with this number. */
const void *memory_file_data(int number, size_t *size);
/* What is not there need not be removed. */
void memory_file_remove(const char *folder, const char *name);
/* How many files a folder has. */
int memory_files_count(const char *folder);

#endif
