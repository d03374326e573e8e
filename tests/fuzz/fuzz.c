#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    static volatile unsigned char sink; // the compiler must not leave the reads out
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

/* Files ------------------------------------------------------------------------------------------ */

static char folder[64];

static void empty(const char *path)
{
    DIR *listing = opendir(path);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        char inner[512];
        struct stat about;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (lstat(inner, &about) == 0 && S_ISDIR(about.st_mode)) {
            empty(inner);
            rmdir(inner);
        } else {
            unlink(inner);
        }
    }
    if (listing)
        closedir(listing);
}

static void remove_folder(void)
{
    empty(folder);
    rmdir(folder);
}

const char *fuzz_folder(void)
{
    if (*folder)
        return folder;
    snprintf(folder, sizeof folder, "%s/attnscope-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    fuzz_check(mkdtemp(folder) != NULL, "no folder for files");
    atexit(remove_folder);
    return folder;
}

const char *fuzz_write(const char *name, const uint8_t *data, size_t size)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    /* Written again where it is, which is quicker than a new file; not through a link. */
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        unlink(path);
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    fuzz_check(file >= 0, "no file to write to");
    const bool written = write(file, data, size) == (ssize_t)size;
    fuzz_check(close(file) == 0 && written, "a file that cannot be written");
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
