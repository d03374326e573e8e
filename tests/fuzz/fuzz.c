#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/memory_files.h"

void fuzz_check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

void fuzz_refused(const struct status *status)
{
    fuzz_check(status->code != STATUS_OK, "a failure without a code");
    fuzz_check(status->message[0] != '\0', "a failure without a message");
    fuzz_check(!strchr(status->message, '\n'), "a message of two lines");
}

void fuzz_read(const void *data, size_t bytes)
{
    static volatile unsigned char sink; // volatile, so that the compiler keeps the reads
    for (size_t i = 0; i < bytes; i++)
        sink = ((const unsigned char *)data)[i];
    (void)sink;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    if (size && memchr(data, '\0', size))
        return NULL;
    char *text = malloc(size + 1);
    fuzz_check(text != NULL, "out of memory");
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* Files ---------------------------------------------------------------------------------------- */

const char *fuzz_write(const char *name, const uint8_t *data, size_t size)
{
    static char path[512], last[256];
    memory_file_remove("", last);
    memory_file_put("", name, data, size);
    snprintf(last, sizeof last, "%s", name);
    snprintf(path, sizeof path, MEMORY_FILES_ROOT "%s", name);
    return path;
}

bool fuzz_file(const uint8_t *data, size_t size, struct fuzz_file *file)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    size_t bytes = end ? (size_t)(end - data) : 0;
    if (bytes == 0 || bytes >= sizeof file->name || memchr(data, '\0', bytes))
        return false;
    memcpy(file->name, data, bytes);
    file->name[bytes] = '\0';
    file->data = end + 1;
    file->size = size - bytes - 1;
    return true;
}
