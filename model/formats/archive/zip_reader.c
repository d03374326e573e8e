#include "model/formats/archive/zip_reader.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "model/text/quote.h"

struct zip_reader {
    const struct mapped_file *file;
    zip_t *archive;
    size_t position;  // of libzip in the file
    size_t last_read; // where the last read ended
    zip_error_t error;
};

/* The mapped file, as libzip reads it ---------------------------------------------------------- */

static zip_int64_t read_bytes(struct zip_reader *zip, void *to, zip_uint64_t count)
{
    size_t rest = zip->file->bytes - zip->position;
    size_t bytes = count < rest ? (size_t)count : rest;
    if (bytes)
        memcpy(to, zip->file->data + zip->position, bytes);
    zip->last_read = zip->position;
    zip->position += bytes;
    return (zip_int64_t)bytes;
}

static zip_int64_t seek(struct zip_reader *zip, void *data, zip_uint64_t bytes)
{
    zip_int64_t to =
        zip_source_seek_compute_offset(zip->position, zip->file->bytes, data, bytes, &zip->error);
    if (to < 0)
        return -1;
    zip->position = (size_t)to;
    return 0;
}

static zip_int64_t describe(const struct zip_reader *zip, void *data)
{
    zip_stat_t *about = data;
    zip_stat_init(about);
    about->valid = ZIP_STAT_SIZE;
    about->size = zip->file->bytes;
    return sizeof *about;
}

static zip_int64_t answer(void *reader, void *data, zip_uint64_t bytes, zip_source_cmd_t command)
{
    struct zip_reader *zip = reader;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_SEEKABLE;
    case ZIP_SOURCE_OPEN:
        zip->position = 0;
        return 0;
    case ZIP_SOURCE_READ:
        return read_bytes(zip, data, bytes);
    case ZIP_SOURCE_SEEK:
        return seek(zip, data, bytes);
    case ZIP_SOURCE_TELL:
        return (zip_int64_t)zip->position;
    case ZIP_SOURCE_STAT:
        return describe(zip, data);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&zip->error, data, bytes);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
        return 0;
    default:
        zip_error_set(&zip->error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
}

/* Opening -------------------------------------------------------------------------------------- */

static bool fail_libzip(zip_error_t *error, struct status *status)
{
    if (zip_error_code_zip(error) == ZIP_ER_MEMORY)
        return status_no_memory(status);
    const char *message = zip_error_strerror(error); // valid until the next call
    return status_fail(status, STATUS_INVALID, "%s, expected a zip archive that is whole",
                       QUOTED(message));
}

static bool open_archive(struct zip_reader *zip, struct status *status)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_function_create(answer, zip, &error);
    if (source)
        zip->archive = zip_open_from_source(source, ZIP_RDONLY, &error);
    if (!zip->archive) {
        zip_source_free(source);
        fail_libzip(&error, status);
    }
    zip_error_fini(&error);
    return zip->archive;
}

struct zip_reader *zip_reader_open(const struct mapped_file *file, struct status *status)
{
    struct zip_reader *zip = memory_new(1, sizeof *zip, status);
    if (!zip)
        return NULL;
    zip->file = file;
    zip_error_init(&zip->error);
    if (open_archive(zip, status))
        return zip;
    zip_reader_close(zip);
    return NULL;
}

void zip_reader_close(struct zip_reader *zip)
{
    if (!zip)
        return;
    if (zip->archive)
        zip_discard(zip->archive);
    zip_error_fini(&zip->error);
    free(zip);
}

/* Members -------------------------------------------------------------------------------------- */

int zip_reader_count(const struct zip_reader *zip)
{
    zip_int64_t count = zip_get_num_entries(zip->archive, 0);
    return count > INT_MAX ? INT_MAX : (int)count;
}

const char *zip_reader_name(const struct zip_reader *zip, int member)
{
    const char *name = zip_get_name(zip->archive, (zip_uint64_t)member, 0);
    return name ? name : "";
}

bool zip_reader_has(const struct zip_reader *zip, const char *name)
{
    return zip_name_locate(zip->archive, name, 0) >= 0;
}

/* Finds a member that is not encrypted and whose sizes are known. */
static bool find(struct zip_reader *zip, const char *name, zip_stat_t *about, struct status *status)
{
    enum { NEEDED = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_INDEX };
    zip_stat_init(about);
    if (zip_stat(zip->archive, name, 0, about) != 0)
        return status_fail(status, STATUS_INVALID, "%s: missing in the archive", QUOTED(name));
    if ((about->valid & NEEDED) != NEEDED ||
        ((about->valid & ZIP_STAT_ENCRYPTION_METHOD) && about->encryption_method != ZIP_EM_NONE))
        return status_fail(status, STATUS_INVALID,
                           "%s: encrypted, or without a size, expected a plain member",
                           QUOTED(name));
    return true;
}

static bool fail_member(struct zip_reader *zip, const char *name, struct status *status)
{
    fail_libzip(zip_get_error(zip->archive), status);
    return status_prefix(status, "%s", QUOTED(name));
}

/* libzip does not say where a member's data begin, but its first read shows it. */
static bool find_data(struct zip_reader *zip, const zip_stat_t *about, const char *name,
                      size_t *place, struct status *status)
{
    unsigned char first;
    zip_file_t *file = zip_fopen_index(zip->archive, about->index, ZIP_FL_COMPRESSED);
    zip_int64_t got = file ? zip_fread(file, &first, 1) : -1;
    *place = zip->last_read;
    bool good = got == 1 && *place < zip->file->bytes && zip->file->data[*place] == first;
    if (file)
        zip_fclose(file);
    if (!file)
        return fail_member(zip, name, status);
    return good ||
           status_fail(status, STATUS_INVALID,
                       "%s: not within the file, expected an archive that is whole", QUOTED(name));
}

bool zip_reader_view(struct zip_reader *zip, const char *name, const unsigned char **data,
                     size_t *bytes, struct status *status)
{
    static const unsigned char none;
    zip_stat_t about;
    size_t place = 0;
    if (!find(zip, name, &about, status))
        return false;
    if (about.comp_method != ZIP_CM_STORE)
        return status_fail(status, STATUS_INVALID, "%s: compressed; expected uncompressed",
                           QUOTED(name));
    *data = &none;
    *bytes = (size_t)about.size;
    if (about.size == 0)
        return true;
    if (!find_data(zip, &about, name, &place, status))
        return false;
    *data = zip->file->data + place;
    return (about.size == about.comp_size && about.size <= zip->file->bytes - place) ||
           status_fail(status, STATUS_INVALID, "%s: %llu bytes, expected at most the file's",
                       QUOTED(name), (unsigned long long)about.size);
}
