#include "report/output/zip_archive.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The date of every member, in MS-DOS format: 1980-01-01. */
enum { FIRST_DAY = 1 << 5 | 1, MIDNIGHT = 0 };

/* The stream that libzip writes to ------------------------------------------------------------- */

static zip_int64_t fail_stream(struct zip_writer *zip, int code)
{
    zip_error_set(&zip->error, code, errno);
    return -1;
}

static zip_int64_t write_bytes(struct zip_writer *zip, const void *bytes, zip_uint64_t count)
{
    if (!pace_step(zip->pace, count / sizeof(float)))
        return fail_stream(zip, ZIP_ER_CANCELLED);
    return fwrite(bytes, 1, count, zip->stream) == count ? (zip_int64_t)count
                                                         : fail_stream(zip, ZIP_ER_WRITE);
}

static zip_int64_t seek(struct zip_writer *zip, void *data, zip_uint64_t bytes)
{
    const zip_source_args_seek_t *to =
        ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, bytes, &zip->error);
    if (!to)
        return -1;
    return fseeko(zip->stream, (off_t)to->offset, to->whence) == 0 ? 0
                                                                   : fail_stream(zip, ZIP_ER_SEEK);
}

static zip_int64_t tell(struct zip_writer *zip)
{
    off_t at = ftello(zip->stream);
    return at >= 0 ? at : fail_stream(zip, ZIP_ER_TELL);
}

/* Behaves like a file that does not exist yet. Whoever opened the stream removes it on failure. */
static zip_int64_t answer(void *writer, void *data, zip_uint64_t bytes, zip_source_cmd_t command)
{
    struct zip_writer *zip = writer;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;
    case ZIP_SOURCE_STAT:
        errno = ENOENT;
        return fail_stream(zip, ZIP_ER_READ);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&zip->error, data, bytes);
    case ZIP_SOURCE_WRITE:
        return write_bytes(zip, data, bytes);
    case ZIP_SOURCE_SEEK_WRITE:
        return seek(zip, data, bytes);
    case ZIP_SOURCE_TELL_WRITE:
        return tell(zip);
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_FREE:
        return 0;
    default:
        return fail_stream(zip, ZIP_ER_OPNOTSUPP);
    }
}

/* Writing -------------------------------------------------------------------------------------- */

static bool fail_libzip(zip_error_t *error, struct status *status)
{
    if (zip_error_code_zip(error) == ZIP_ER_MEMORY)
        return status_no_memory(status);
    return status_fail(status, STATUS_IO, "cannot be written: %s", zip_error_strerror(error));
}

bool zip_writer_open(struct zip_writer *zip, FILE *stream, struct pace *pace, struct status *status)
{
    zip_error_t error;
    zip_error_init(&error);
    *zip = (struct zip_writer){.stream = stream, .pace = pace};
    zip_error_init(&zip->error);
    zip_source_t *source = zip_source_function_create(answer, zip, &error);
    if (source)
        zip->archive = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (!zip->archive) {
        zip_source_free(source);
        fail_libzip(&error, status);
    }
    zip_error_fini(&error);
    return zip->archive;
}

FILE *zip_member_open(struct zip_writer *zip, struct status *status)
{
    zip->member = NULL;
    if (zip->count == ZIP_MEMBERS_MOST) {
        status_fail(status, STATUS_INVALID, "more than %d members", ZIP_MEMBERS_MOST);
        return NULL;
    }
    zip->member = open_memstream(&zip->content[zip->count], &zip->bytes[zip->count]);
    if (!zip->member)
        status_no_memory(status);
    return zip->member;
}

/* A member must not depend on where and when it was written. */
static bool set_attributes(zip_t *archive, zip_uint64_t member)
{
    return zip_set_file_compression(archive, member, ZIP_CM_STORE, 0) == 0 &&
           zip_file_set_dostime(archive, member, MIDNIGHT, FIRST_DAY, 0) == 0 &&
           zip_file_set_external_attributes(archive, member, 0, ZIP_OPSYS_DOS, 0) == 0;
}

static bool add_member(zip_t *archive, const char *name, const zip_buffer_fragment_t *parts,
                       int count, struct status *status)
{
    zip_source_t *source = zip_source_buffer_fragment(archive, parts, count, 0);
    zip_int64_t member = source ? zip_file_add(archive, name, source, 0) : -1;
    if (member < 0)
        zip_source_free(source);
    return (member >= 0 && set_attributes(archive, (zip_uint64_t)member)) ||
           fail_libzip(zip_get_error(archive), status);
}

bool zip_member_close(struct zip_writer *zip, const char *name, const void *values, size_t bytes,
                      struct status *status)
{
    bool written = !ferror(zip->member);
    if (fclose(zip->member) != 0 || !written) {
        free(zip->content[zip->count]);
        return status_no_memory(status);
    }
    int now = zip->count++, count = 0;
    // libzip 1.7 loses its place after an empty part.
    zip_buffer_fragment_t parts[2];
    if (zip->bytes[now])
        parts[count++] = (zip_buffer_fragment_t){(zip_uint8_t *)zip->content[now], zip->bytes[now]};
    if (bytes)
        parts[count++] = (zip_buffer_fragment_t){(zip_uint8_t *)values, bytes};
    return add_member(zip->archive, name, parts, count, status);
}

bool zip_writer_close(struct zip_writer *zip, bool ok, struct status *status)
{
    if (ok && zip_close(zip->archive) != 0) {
        ok = false;
        // If the user stopped it, the user has been told already.
        if (!zip->pace || !zip->pace->stopped)
            fail_libzip(zip_get_error(zip->archive), status);
        zip_discard(zip->archive);
    } else if (!ok) {
        zip_discard(zip->archive);
    }
    for (int i = 0; i < zip->count; i++)
        free(zip->content[i]);
    zip_error_fini(&zip->error);
    return ok;
}

/* Reading -------------------------------------------------------------------------------------- */

static bool fail_broken(struct status *status)
{
    return status_fail(status, STATUS_INVALID, "no ZIP archive, or a broken one");
}

static bool fail_reading(zip_error_t *error, struct status *status)
{
    return zip_error_code_zip(error) == ZIP_ER_MEMORY ? status_no_memory(status)
                                                      : fail_broken(status);
}

/* Takes the file. */
static zip_t *open_archive(FILE *file, struct status *status)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_t *archive = NULL;
    zip_source_t *source = zip_source_filep_create(file, 0, -1, &error);
    if (!source)
        fclose(file);
    else if (!(archive = zip_open_from_source(source, ZIP_RDONLY, &error)))
        zip_source_free(source);
    if (!archive)
        fail_reading(&error, status);
    zip_error_fini(&error);
    return archive;
}

static bool find_member(zip_t *archive, const char *name, size_t most, zip_stat_t *found,
                        struct status *status)
{
    if (zip_get_num_entries(archive, 0) == 0) // libzip accepts an empty file as an archive
        return fail_broken(status);
    if (zip_stat(archive, name, ZIP_FL_ENC_RAW, found) != 0)
        return zip_error_code_zip(zip_get_error(archive)) == ZIP_ER_NOENT
                   ? status_fail(status, STATUS_INVALID, "no entry \"%s\"", name)
                   : fail_reading(zip_get_error(archive), status);
    if (found->encryption_method != ZIP_EM_NONE || found->comp_method != ZIP_CM_STORE ||
        found->comp_size != found->size)
        return status_fail(status, STATUS_INVALID, "%s is compressed; expected uncompressed", name);
    if (found->size > most)
        return status_fail(status, STATUS_INVALID, "%s has %" PRIu64 " bytes, expected at most %zu",
                           name, found->size, most);
    return true;
}

/* libzip checks the sum when it reaches the member's end, so one more byte is read. */
static bool read_member(zip_t *archive, const zip_stat_t *member, char *text, struct status *status)
{
    zip_file_t *file = zip_fopen_index(archive, member->index, 0);
    if (!file)
        return fail_reading(zip_get_error(archive), status);
    bool ok = zip_fread(file, text, member->size + 1) == (zip_int64_t)member->size &&
              zip_fread(file, text + member->size, 1) == 0;
    bool memory = zip_error_code_zip(zip_file_get_error(file)) == ZIP_ER_MEMORY;
    zip_fclose(file);
    text[member->size] = '\0';
    if (memory)
        return status_no_memory(status);
    return ok || fail_broken(status);
}

char *zip_member_read(FILE *file, const char *name, size_t most, size_t *size,
                      struct status *status)
{
    zip_stat_t member;
    char *text = NULL;
    zip_t *archive = open_archive(file, status);
    if (archive && find_member(archive, name, most, &member, status))
        text = memory_new((size_t)member.size + 1, 1, status);
    bool ok = text && read_member(archive, &member, text, status);
    if (ok && size)
        *size = member.size;
    else if (ok && memchr(text, '\0', member.size))
        ok = fail_broken(status);
    if (!ok) {
        free(text);
        text = NULL;
    }
    if (archive)
        zip_discard(archive);
    return text;
}
