/* The program's own allocations, some of which fail. The file is linked with the program, and the
 * linker redirects calls of malloc and the like to it (-Wl,--wrap). Allocations of libraries are
 * not affected.
 *
 * Environment variables:
 *   ATTNSCOPE_TEST_FAILING=N    the N-th allocation fails, counted from 1
 *   ATTNSCOPE_TEST_FAILING=N-   it and all later ones fail
 *   ATTNSCOPE_TEST_COUNTED=FILE at its end the program writes the number of allocations to FILE
 * Tests can also choose the allocation themselves (failing_memory.h).
 */
#include "tests/tui/program/failing_memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t most);
int __real_vasprintf(char **text, const char *format, va_list arguments);
FILE *__real_open_memstream(char **text, size_t *size);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t most);
int __wrap_asprintf(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_vasprintf(char **text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
FILE *__wrap_open_memstream(char **text, size_t *size);

static atomic_long asked; // atomic, because threads allocate, too
static long first;        // the number of the first allocation that fails; 0: none
static int all_after;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("ATTNSCOPE_TEST_FAILING");
    char *end = NULL;
    first = text ? strtol(text, &end, 10) : 0;
    all_after = text && *end == '-';
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("ATTNSCOPE_TEST_COUNTED");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file)
        fprintf(file, "%ld\n", (long)asked);
    if (file)
        fclose(file);
}

void failing_memory_begin(long number)
{
    asked = 0;
    first = number;
    all_after = 0;
}

bool failing_memory_failed(void)
{
    return first > 0 && asked >= first;
}

static int fails(void)
{
    long number = atomic_fetch_add(&asked, 1) + 1;
    int failing = first && (number == first || (all_after && number > first));
    if (failing)
        errno = ENOMEM;
    return failing;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __real_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, bytes);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t most)
{
    return fails() ? NULL : __real_strndup(text, most);
}

int __wrap_vasprintf(char **text, const char *format, va_list arguments)
{
    return fails() ? -1 : __real_vasprintf(text, format, arguments);
}

int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = __wrap_vasprintf(text, format, arguments);
    va_end(arguments);
    return written;
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
    return fails() ? NULL : __real_open_memstream(text, size);
}
