#include "model/formats/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/text/quote.h"

static const char *file_kind(mode_t mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

/* Only a regular file has a size that can be checked and pages that can be mapped. */
static bool map_descriptor(struct mapped_file *file, struct status *status)
{
    struct stat about;
    if (fstat(file->descriptor, &about) != 0)
        return status_fail(status, STATUS_IO, "cannot be examined: %s", strerror(errno));
    if (!S_ISREG(about.st_mode))
        return status_fail(status, STATUS_INVALID, "%s, expected a file", file_kind(about.st_mode));
    file->bytes = (size_t)about.st_size;
    file->modified = about.st_mtim;
    if (file->bytes == 0)
        return true;
    void *map = mmap(NULL, file->bytes, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
    if (map == MAP_FAILED)
        return status_fail(status, STATUS_IO, "cannot be mapped: %s", strerror(errno));
    file->data = map;
    return true;
}

/* O_NONBLOCK: opening a pipe without a writer would otherwise wait. */
static bool map_path(struct mapped_file *file, struct status *status)
{
    file->descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file->descriptor < 0)
        return status_fail(status, STATUS_IO, "cannot be opened: %s, expected a file",
                           strerror(errno));
    return map_descriptor(file, status);
}

struct mapped_file *mapped_file_open(const char *path, struct status *status)
{
    struct mapped_file *file = memory_new(1, sizeof *file, status);
    if (!file)
        return NULL;
    file->descriptor = -1;
    file->path = strdup(path);
    if ((file->path || status_no_memory(status)) && map_path(file, status))
        return file;
    mapped_file_close(file);
    return NULL;
}

void mapped_file_close(struct mapped_file *file)
{
    if (!file)
        return;
    if (file->data)
        munmap((void *)file->data, file->bytes);
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->path);
    free(file);
}

void mapped_file_release(const struct mapped_file *file, const void *data, size_t bytes)
{
    uintptr_t map = (uintptr_t)file->data, first = (uintptr_t)data;
    if (!file->data || first < map || first - map > file->bytes ||
        bytes > file->bytes - (first - map))
        return;
    /* Releases whole pages; a neighbour's part of them is read from the file again. */
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = first / page * page;
    madvise((void *)begin, first + bytes - begin, MADV_DONTNEED);
}

bool mapped_file_unchanged(const struct mapped_file *file, struct status *status)
{
    struct stat about;
    if (fstat(file->descriptor, &about) == 0 && (size_t)about.st_size == file->bytes &&
        about.st_mtim.tv_sec == file->modified.tv_sec &&
        about.st_mtim.tv_nsec == file->modified.tv_nsec)
        return true;
    return status_fail(status, STATUS_IO, "%s: the file has changed since it was loaded",
                       QUOTED_PATH(file->path));
}
