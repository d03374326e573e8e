/* The layout since PyTorch 1.6: NAME/data.pkl, and NAME/data/KEY for each storage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/archive/torch_storage.h"
#include "model/text/quote.h"

static const char pickle_name[] = "data.pkl";

/* Finds the folder of data.pkl, with the slash. */
static bool find_prefix(struct torch_file *torch, struct status *status)
{
    size_t end = strlen(pickle_name);
    for (int i = 0; i < zip_reader_count(torch->zip); i++) {
        const char *name = zip_reader_name(torch->zip, i);
        size_t length = strlen(name);
        if (length <= end || name[length - end - 1] != '/' ||
            strcmp(name + length - end, pickle_name) != 0)
            continue;
        torch->prefix = strndup(name, length - end);
        return torch->prefix || status_no_memory(status);
    }
    return status_fail(status, STATUS_INVALID,
                       "a zip archive without data.pkl, expected a file of PyTorch; a package "
                       "or model in an archive opens as a folder: unpack it");
}

/* Returns "NAME/MEMBER"; the caller frees it. */
static char *member_name(const struct torch_file *torch, const char *folder, const char *member,
                         struct status *status)
{
    char *name;
    if (asprintf(&name, "%s%s%s", torch->prefix, folder, member) >= 0)
        return name;
    status_no_memory(status);
    return NULL;
}

static bool view(struct torch_file *torch, const char *folder, const char *member,
                 const unsigned char **data, size_t *bytes, struct status *status)
{
    char *name = member_name(torch, folder, member, status);
    bool good = name && zip_reader_view(torch->zip, name, data, bytes, status);
    free(name);
    return good;
}

static bool has(struct torch_file *torch, const char *member)
{
    struct status status;
    char *name = member_name(torch, "", member, &status);
    bool found = name && zip_reader_has(torch->zip, name);
    free(name);
    return found;
}

/* TorchScript writes constants.pkl, torch.save does not. */
static bool check_kind(struct torch_file *torch, struct status *status)
{
    const unsigned char *order;
    size_t bytes;
    if (has(torch, "constants.pkl"))
        return status_fail(status, STATUS_INVALID,
                           "a program of TorchScript, expected a checkpoint of torch.save");
    if (!has(torch, "byteorder"))
        return true;
    if (!view(torch, "", "byteorder", &order, &bytes, status))
        return false;
    return (bytes == strlen("little") && memcmp(order, "little", bytes) == 0) ||
           status_fail(status, STATUS_INVALID,
                       "byteorder: not little, expected the order of this machine");
}

bool torch_zip_read(struct torch_file *torch, struct status *status)
{
    const unsigned char *data;
    size_t bytes, end;
    torch->zip = zip_reader_open(torch->file, status);
    if (!torch->zip || !find_prefix(torch, status) || !check_kind(torch, status) ||
        !view(torch, "", pickle_name, &data, &bytes, status))
        return false;
    torch->pickle = pickle_read(data, bytes, &end, status);
    return torch->pickle || status_prefix(status, "%s", pickle_name);
}

bool torch_zip_storage(struct torch_file *torch, const struct torch_identity *identity,
                       struct torch_storage *storage, struct status *status)
{
    size_t bytes, expected;
    if (!view(torch, "data/", identity->key, &storage->data, &bytes, status))
        return false;
    if (!size_multiply((size_t)identity->elements, identity->type->bytes, &expected) ||
        bytes != expected)
        return status_fail(
            status, STATUS_INVALID, "data/%s: %zu bytes, expected %lld elements of %zu bytes",
            QUOTED(identity->key), bytes, (long long)identity->elements, identity->type->bytes);
    storage->type = identity->type;
    storage->elements = identity->elements;
    return true;
}
