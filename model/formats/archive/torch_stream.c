/* The layout before PyTorch 1.6: five pickles (a number, a version, the system, the values, the
 * keys of the storages), then each key's number of elements and bytes. */
#include <stdlib.h>
#include <string.h>

#include "model/formats/archive/torch_storage.h"
#include "model/text/quote.h"

enum { VERSION = 1001 };

/* The fourth pickle holds the values. */
struct stream {
    struct torch_file *torch;
    size_t at; // in the file
    struct status *status;
};

static struct pickle *read_next(struct stream *stream, const char *what)
{
    const struct mapped_file *file = stream->torch->file;
    size_t end = 0;
    struct pickle *pickle =
        pickle_read(file->data + stream->at, file->bytes - stream->at, &end, stream->status);
    if (!pickle)
        status_prefix(stream->status, "%s", what);
    stream->at += end;
    return pickle;
}

/* Reads 0x1950a86a20f9469cfc6c, which torch_begins compares, the version, and the byte order. */
static bool read_preamble(struct stream *stream)
{
    struct pickle *magic = read_next(stream, "magic number");
    struct pickle *version = magic ? read_next(stream, "version") : NULL;
    struct pickle *system = version ? read_next(stream, "system") : NULL;
    int64_t number = 0;
    bool good = system;
    if (good && (!pickle_integer(pickle_root(version), &number) || number != VERSION))
        good = status_fail(stream->status, STATUS_INVALID,
                           "version: not %d, expected the stream of PyTorch before 1.6", VERSION);
    if (good && !pickle_flag_of(pickle_root(system), "little_endian", true))
        good = status_fail(stream->status, STATUS_INVALID,
                           "little_endian: false, expected the order of this machine");
    pickle_close(magic);
    pickle_close(version);
    pickle_close(system);
    return good;
}

/* Storages ------------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    const struct torch_range *first = a, *second = b;
    return strcmp(first->key, second->key);
}

static struct torch_range *find(const struct torch_file *torch, const char *key)
{
    const struct torch_range wanted = {.key = key};
    return torch->range_count
               ? bsearch(&wanted, torch->ranges, torch->range_count, sizeof wanted, by_key)
               : NULL;
}

/* Collects every storage that the values name, once, sorted by key. A storage has one type and one
 * size. */
static bool collect(struct torch_file *torch, struct status *status)
{
    size_t count = pickle_persistent_count(torch->pickle), kept = 0;
    torch->ranges = memory_new(count, sizeof *torch->ranges, status);
    if (!torch->ranges)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct torch_identity identity;
        if (!torch_identity_read(pickle_persistent(torch->pickle, i), &identity, status))
            return false;
        torch->ranges[i] =
            (struct torch_range){identity.key, identity.type, NULL, identity.elements};
    }
    qsort(torch->ranges, count, sizeof *torch->ranges, by_key);
    for (size_t i = 0; i < count; i++) {
        const struct torch_range *range = &torch->ranges[i], *last = &torch->ranges[kept - !!kept];
        if (!kept || strcmp(last->key, range->key) != 0)
            torch->ranges[kept++] = *range;
        else if (last->type != range->type || last->elements != range->elements)
            return status_fail(status, STATUS_INVALID,
                               "storage %s: two types or sizes; expected one of each",
                               QUOTED(range->key));
    }
    torch->range_count = kept;
    return true;
}

static bool fail_short(struct stream *stream, const char *key)
{
    return status_fail(stream->status, STATUS_INVALID,
                       "storage %s: goes beyond the end of the file, expected a whole file",
                       QUOTED(key));
}

/* Reads the number of elements, and so many elements. */
static bool place(struct stream *stream, const char *key)
{
    const struct mapped_file *file = stream->torch->file;
    struct torch_range *range = find(stream->torch, key);
    int64_t elements;
    size_t bytes;
    if (!range || range->data)
        return status_fail(stream->status, STATUS_INVALID,
                           "storage %s: not of a tensor, or there twice, expected each once",
                           QUOTED(key));
    if (file->bytes - stream->at < sizeof elements)
        return fail_short(stream, key);
    memcpy(&elements, file->data + stream->at, sizeof elements);
    stream->at += sizeof elements;
    if (elements != range->elements)
        return status_fail(stream->status, STATUS_INVALID,
                           "storage %s: %lld elements, expected %lld", QUOTED(key),
                           (long long)elements, (long long)range->elements);
    if (!size_multiply((size_t)elements, range->type->bytes, &bytes) ||
        bytes > file->bytes - stream->at)
        return fail_short(stream, key);
    range->data = file->data + stream->at;
    stream->at += bytes;
    return true;
}

static bool place_all(struct stream *stream, const struct pickle_value *keys)
{
    for (size_t i = 0; i < pickle_count(keys); i++) {
        const char *key = pickle_text(pickle_item(keys, i));
        if (!key)
            return status_fail(stream->status, STATUS_INVALID,
                               "the key of a storage is not text, expected keys");
        if (!place(stream, key))
            return false;
    }
    return true;
}

bool torch_stream_read(struct torch_file *torch, struct status *status)
{
    struct stream stream = {torch, 0, status};
    if (!read_preamble(&stream))
        return false;
    torch->pickle = read_next(&stream, "values");
    if (!torch->pickle || !collect(torch, status))
        return false;
    struct pickle *keys = read_next(&stream, "keys of storages");
    bool good = keys && place_all(&stream, pickle_root(keys));
    pickle_close(keys);
    return good;
}

/* Narrows a storage to a view of it: (key, offset, elements). */
static bool narrow(const struct pickle_value *view, struct torch_storage *storage,
                   struct status *status)
{
    int64_t offset = 0, elements = 0;
    if (!pickle_integer(pickle_item(view, 1), &offset) ||
        !pickle_integer(pickle_item(view, 2), &elements) || offset < 0 || elements < 0 ||
        offset > storage->elements || elements > storage->elements - offset)
        return status_fail(status, STATUS_INVALID,
                           "a view beyond its storage, expected a part of it");
    storage->data += (size_t)offset * storage->type->bytes;
    storage->elements = elements;
    return true;
}

bool torch_stream_storage(const struct torch_file *torch, const struct torch_identity *identity,
                          struct torch_storage *storage, struct status *status)
{
    const struct torch_range *range = find(torch, identity->key);
    if (!range || !range->data)
        return status_fail(status, STATUS_INVALID, "storage %s: missing in the file",
                           QUOTED(identity->key));
    *storage = (struct torch_storage){range->type, range->data, range->elements};
    return pickle_none(identity->view) || narrow(identity->view, storage, status);
}
