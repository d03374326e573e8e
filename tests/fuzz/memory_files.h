/* Files in memory, for readers that take paths. System calls would take most of an execution.
 *
 * In fuzz programs the linker redirects open, stat, mmap and the like to this file (FILE_CALLS in
 * the Makefile). Paths below MEMORY_FILES_ROOT are served from memory, all others by the system. A
 * mapped file is a block of exactly its size, so that a sanitizer detects a read beyond its end,
 * which is impossible within the last page of a real mapping.
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

/* Adds a file or replaces one; "" is the top folder. The bytes are borrowed until the file is
 * removed or replaced. Names have no slashes. */
void memory_file_put(const char *folder, const char *name, const void *data, size_t size);
/* Returns a file's number, or -1 if there is no such file. The number is valid until this file, or
 * one that was added before it, is removed. */
int memory_file_find(const char *folder, const char *name);
/* Returns the contents of the file with this number. */
const void *memory_file_data(int number, size_t *size);
/* Removes a file if it exists. */
void memory_file_remove(const char *folder, const char *name);
/* Returns the number of files in a folder. */
int memory_files_count(const char *folder);

#endif
