/* Marian's .npz. */
#include <string.h>

#include "model/formats/archive/npy_header.h"
#include "model/formats/archive/zip_reader.h"
#include "model/formats/family.h"
#include "model/formats/marian/items.h"
#include "model/text/quote.h"

enum { MAX_ITEMS = 1 << 16 };

static const char configuration[] = "special:model.yml";

bool marian_npz_begins(const unsigned char head[16])
{
    return memcmp(head, "PK\3\4", 4) == 0;
}

/* Returns the length of "encoder_Wemb.npy" without the ending, if it has one. */
static size_t name_length(const char *member)
{
    size_t length = strlen(member);
    return name_ends(member, ".npy") ? length - strlen(".npy") : length;
}

static bool has_configuration(const struct zip_reader *zip)
{
    char member[sizeof configuration + 4];
    snprintf(member, sizeof member, "%s.npy", configuration);
    return zip_reader_has(zip, member) || zip_reader_has(zip, configuration);
}

bool marian_npz_recognise(const char *path)
{
    struct status status;
    struct mapped_file *file = mapped_file_open(path, &status);
    struct zip_reader *zip = file && file->bytes ? zip_reader_open(file, &status) : NULL;
    bool known = zip && has_configuration(zip);
    zip_reader_close(zip);
    mapped_file_close(file);
    return known;
}

static bool set_type(struct marian_item *item, const struct npy_header *header,
                     struct status *status)
{
    if (strcmp(header->type, "<f4") == 0)
        item->type = MARIAN_FLOAT32;
    else if (strcmp(header->type, "<f2") == 0)
        item->type = MARIAN_FLOAT16;
    else if (header->bytes == 1)
        item->type = MARIAN_TEXT;
    else
        return status_fail(status, STATUS_INVALID, "%s: elements of type %s, expected <f4 or <f2",
                           QUOTED(item->name), QUOTED(header->type));
    return !header->fortran ||
           status_fail(status, STATUS_INVALID, "%s: Fortran order; expected C order",
                       QUOTED(item->name));
}

static bool read_array(struct marian_item *item, const unsigned char *data, size_t bytes,
                       struct status *status)
{
    struct npy_header header;
    if (!npy_header_read(&header, data, bytes, status))
        return status_prefix(status, "%s", QUOTED(item->name));
    item->dimensions = header.dimensions;
    memcpy(item->shape, header.shape, sizeof item->shape);
    if (!set_type(item, &header, status) || !marian_item_count(item, status))
        return false;
    item->data = data + header.length;
    item->bytes = (size_t)item->elements * header.bytes;
    return item->bytes <= bytes - header.length ||
           status_fail(status, STATUS_INVALID, "%s: %zu bytes, expected %zu", QUOTED(item->name),
                       bytes - header.length, item->bytes);
}

bool marian_read_npz(struct marian_items *items, const struct mapped_file *file,
                     struct status *status)
{
    items->zip = zip_reader_open(file, status);
    if (!items->zip)
        return false;
    if (!has_configuration(items->zip))
        return status_fail(status, STATUS_INVALID, "%s: missing (every model of Marian has it)",
                           configuration);
    if (zip_reader_count(items->zip) > MAX_ITEMS)
        return status_fail(status, STATUS_INVALID, "more than %d arrays", MAX_ITEMS);
    for (int i = 0; i < zip_reader_count(items->zip); i++) {
        const char *name = zip_reader_name(items->zip, i);
        struct marian_item *item = marian_items_next(items, name, name_length(name), status);
        const unsigned char *data;
        size_t bytes;
        if (!item || !zip_reader_view(items->zip, name, &data, &bytes, status) ||
            !read_array(item, data, bytes, status))
            return false;
    }
    return true;
}
