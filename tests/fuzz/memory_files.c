#include "tests/fuzz/memory_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

int __real_open(const char *path, int flags, ...);
int __real_close(int file);
ssize_t __real_read(int file, void *data, size_t bytes);
ssize_t __real_pread(int file, void *data, size_t bytes, off_t from);
int __real_poll(struct pollfd *files, nfds_t count, int milliseconds);
int __real_stat(const char *path, struct stat *about);
int __real_fstat(int file, struct stat *about);
void *__real_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t from);
int __real_munmap(void *address, size_t bytes);
FILE *__real_fopen(const char *path, const char *mode);
DIR *__real_opendir(const char *path);
struct dirent *__real_readdir(DIR *listing);
int __real_closedir(DIR *listing);

int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int file);
ssize_t __wrap_read(int file, void *data, size_t bytes);
ssize_t __wrap_pread(int file, void *data, size_t bytes, off_t from);
int __wrap_poll(struct pollfd *files, nfds_t count, int milliseconds);
int __wrap_stat(const char *path, struct stat *about);
int __wrap_fstat(int file, struct stat *about);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t from);
int __wrap_munmap(void *address, size_t bytes);
FILE *__wrap_fopen(const char *path, const char *mode);
DIR *__wrap_opendir(const char *path);
struct dirent *__wrap_readdir(DIR *listing);
int __wrap_closedir(DIR *listing);

enum { OPEN_MOST = 32, FIRST_DESCRIPTOR = 1 << 20, ALIGNMENT = 64 };

/* Files ---------------------------------------------------------------------------------------- */

/* Most look-ups are of names that do not exist; hashes make them fast. */
struct memory_file {
    size_t path, folder; // hashes of the path and the folder below the root
    char name[NAME_MAX + 1];
    const void *data;
    size_t size;
};

static struct memory_file files[MEMORY_FILES_MOST];
static int file_count;

static size_t hash_byte(size_t value, char byte)
{
    return (value ^ (unsigned char)byte) * 0x100000001b3;
}

/* Repeated and trailing slashes are skipped. */
static size_t hash(size_t value, const char *text)
{
    for (; *text; text++)
        if (*text != '/' || (text[1] && text[1] != '/'))
            value = hash_byte(value, *text);
    return value;
}

/* Hashes "FOLDER/NAME", or the name if there is no folder. */
static size_t hash_path(const char *folder, const char *name)
{
    size_t value = hash(0xcbf29ce484222325, folder);
    return hash(*folder ? hash_byte(value, '/') : value, name);
}

static struct memory_file *find(size_t path)
{
    for (int i = 0; i < file_count; i++)
        if (files[i].path == path)
            return &files[i];
    return NULL;
}

static bool in_memory(const char *path)
{
    return strncmp(path, MEMORY_FILES_ROOT, strlen(MEMORY_FILES_ROOT)) == 0;
}

/* Returns the file at a path below the root, or NULL. */
static struct memory_file *find_file(const char *path)
{
    struct memory_file *file = find(hash_path("", path + strlen(MEMORY_FILES_ROOT)));
    if (!file)
        errno = ENOENT;
    return file;
}

static int count_files(size_t folder)
{
    int count = 0;
    for (int i = 0; i < file_count; i++)
        count += files[i].folder == folder;
    return count;
}

static bool has_folder(const char *path)
{
    errno = ENOENT;
    return count_files(hash_path("", path + strlen(MEMORY_FILES_ROOT))) > 0;
}

void memory_file_put(const char *folder, const char *name, const void *data, size_t size)
{
    const size_t path = hash_path(folder, name);
    struct memory_file *file = find(path);
    if (!file) {
        fuzz_check(file_count < MEMORY_FILES_MOST, "too many files in memory");
        file = &files[file_count++];
    }
    *file = (struct memory_file){path, hash_path("", folder), "", data, size};
    snprintf(file->name, sizeof file->name, "%s", name);
}

int memory_file_find(const char *folder, const char *name)
{
    const struct memory_file *file = find(hash_path(folder, name));
    return file ? (int)(file - files) : -1;
}

const void *memory_file_data(int number, size_t *size)
{
    *size = files[number].size;
    return files[number].data;
}

int memory_files_count(const char *folder)
{
    return count_files(hash_path("", folder));
}

void memory_file_remove(const char *folder, const char *name)
{
    struct memory_file *file = find(hash_path(folder, name));
    if (file)
        *file = files[--file_count];
}

/* Descriptors ---------------------------------------------------------------------------------- */

static struct {
    const void *data; // NULL: free
    size_t size, at;
} opened[OPEN_MOST];

static bool is_descriptor(int file)
{
    return file >= FIRST_DESCRIPTOR;
}

static int open_file(const char *path)
{
    const struct memory_file *file = find_file(path);
    int place = 0;
    if (!file)
        return -1;
    while (place < OPEN_MOST && opened[place].data)
        place++;
    fuzz_check(place < OPEN_MOST, "too many open files, or files that are not closed");
    opened[place].data = file->data ? file->data : "";
    opened[place].size = file->size;
    opened[place].at = 0;
    return FIRST_DESCRIPTOR + place;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const bool creates = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
    const mode_t mode = creates ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return in_memory(path) ? open_file(path) : __real_open(path, flags, mode);
}

int __wrap_close(int file)
{
    if (!is_descriptor(file))
        return __real_close(file);
    opened[file - FIRST_DESCRIPTOR].data = NULL;
    return 0;
}

ssize_t __wrap_read(int file, void *data, size_t bytes)
{
    if (!is_descriptor(file))
        return __real_read(file, data, bytes);
    const int place = file - FIRST_DESCRIPTOR;
    const size_t rest = opened[place].size - opened[place].at;
    const size_t count = bytes < rest ? bytes : rest;
    memcpy(data, (const char *)opened[place].data + opened[place].at, count);
    opened[place].at += count;
    return (ssize_t)count;
}

ssize_t __wrap_pread(int file, void *data, size_t bytes, off_t from)
{
    if (!is_descriptor(file))
        return __real_pread(file, data, bytes, from);
    fuzz_check(from == 0, "what is not a file's beginning");
    const int place = file - FIRST_DESCRIPTOR;
    const size_t count = bytes < opened[place].size ? bytes : opened[place].size;
    memcpy(data, opened[place].data, count);
    return (ssize_t)count;
}

int __wrap_poll(struct pollfd *polled, nfds_t count, int milliseconds)
{
    if (count != 1 || !is_descriptor(polled->fd))
        return __real_poll(polled, count, milliseconds);
    polled->revents = POLLIN;
    return 1;
}

static void describe(struct stat *about, mode_t kind, size_t size)
{
    *about = (struct stat){.st_mode = kind | S_IRUSR, .st_nlink = 1, .st_size = (off_t)size};
}

int __wrap_fstat(int file, struct stat *about)
{
    if (!is_descriptor(file))
        return __real_fstat(file, about);
    describe(about, S_IFREG, opened[file - FIRST_DESCRIPTOR].size);
    return 0;
}

int __wrap_stat(const char *path, struct stat *about)
{
    if (!in_memory(path))
        return __real_stat(path, about);
    const struct memory_file *file = find_file(path);
    if (!file && !has_folder(path))
        return -1;
    describe(about, file ? S_IFREG : S_IFDIR, file ? file->size : 0);
    return 0;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    if (!in_memory(path))
        return __real_fopen(path, mode);
    const struct memory_file *file = find_file(path);
    fuzz_check(*mode == 'r', "a file in memory that is written to");
    return file ? fmemopen((void *)file->data, file->size, mode) : NULL;
}

/* Mappings ------------------------------------------------------------------------------------- */

static void *mapped[OPEN_MOST];

void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t from)
{
    int place = 0;
    void *block;
    if (!is_descriptor(file))
        return __real_mmap(address, bytes, protection, flags, file, from);
    while (place < OPEN_MOST && mapped[place])
        place++;
    fuzz_check(place < OPEN_MOST, "files that are not unmapped");
    fuzz_check(from == 0 && bytes == opened[file - FIRST_DESCRIPTOR].size, "a part of a file");
    if (!(block = aligned_alloc(ALIGNMENT, bytes)))
        return MAP_FAILED;
    memcpy(block, opened[file - FIRST_DESCRIPTOR].data, bytes);
    return mapped[place] = block;
}

int __wrap_munmap(void *address, size_t bytes)
{
    for (int place = 0; place < OPEN_MOST; place++)
        if (address && mapped[place] == address) {
            mapped[place] = NULL;
            free(address);
            return 0;
        }
    return __real_munmap(address, bytes);
}

/* Folders -------------------------------------------------------------------------------------- */

/* Only one folder is open at a time. */
static struct {
    size_t folder;
    int next; // the next file to list; -1: the folder is not open
    struct dirent entry;
} listing = {.next = -1};

DIR *__wrap_opendir(const char *path)
{
    if (!in_memory(path))
        return __real_opendir(path);
    if (!has_folder(path))
        return NULL;
    fuzz_check(listing.next < 0, "a folder that is not closed");
    listing.folder = hash_path("", path + strlen(MEMORY_FILES_ROOT));
    listing.next = 0;
    return (DIR *)&listing;
}

struct dirent *__wrap_readdir(DIR *folder)
{
    if (folder != (DIR *)&listing)
        return __real_readdir(folder);
    while (listing.next < file_count) {
        const struct memory_file *file = &files[listing.next++];
        if (file->folder != listing.folder)
            continue;
        snprintf(listing.entry.d_name, sizeof listing.entry.d_name, "%s", file->name);
        return &listing.entry;
    }
    return NULL;
}

int __wrap_closedir(DIR *folder)
{
    if (folder != (DIR *)&listing)
        return __real_closedir(folder);
    listing.next = -1;
    return 0;
}
