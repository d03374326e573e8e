/* Our own format: a safetensors file with the configuration in its metadata. */
#include <stdlib.h>
#include <string.h>

#include "model/formats/family.h"
#include "model/formats/formats.h"
#include "model/text/file_kind.h"
#include "model/text/quote.h"

bool own_begins(const char *path)
{
    struct status status;
    struct safetensors *file = safetensors_open(path, &status);
    bool own = file && safetensors_metadata(file, "attnscope.version");
    safetensors_close(file);
    return own;
}

static bool folder_holds_own(const char *folder)
{
    struct status status;
    char *path = family_path(folder, "model.bin", &status);
    bool own = path && own_begins(path);
    free(path);
    return own;
}

/* Accepts a file, or a folder with a file named as scripts/train.py names it. */
static bool recognise(const struct candidate *candidate)
{
    return !candidate->is_folder || folder_holds_own(candidate->folder);
}

static bool read_config(struct contents *contents, const struct safetensors *file,
                        struct status *status)
{
    const char *version = safetensors_metadata(file, "attnscope.version");
    const char *json = safetensors_metadata(file, "attnscope.config");
    if (!version)
        return status_fail(status, STATUS_INVALID,
                           "__metadata__.attnscope.version: missing, expected \"1\"");
    if (strcmp(version, "1") != 0)
        return status_fail(status, STATUS_INVALID,
                           "__metadata__.attnscope.version: \"%s\", expected \"1\"",
                           QUOTED(version));
    if (!json)
        return status_fail(status, STATUS_INVALID,
                           "__metadata__.attnscope.config: missing, expected the configuration");
    contents->config = strdup(json);
    return contents->config || status_no_memory(status);
}

/* True if the file begins like a safetensors file, with the length of a header in braces. */
static bool is_like_own(const struct mapped_file *file)
{
    return file->bytes <= 8 || file->data[7] == 0 || file->data[8] == '{';
}

/* Refuses archives and pickles that are not PyTorch files, and text in wide characters. */
static bool check_kind(const struct mapped_file *file, struct status *status)
{
    bool header = file->bytes > 8 && file->data[7] == 0 && file->data[8] == '{';
    return header || file_kind_check(file->data, file->bytes, FILE_OF_TEXT, status);
}

static bool read_own(struct contents *contents, const struct candidate *candidate,
                     struct status *status)
{
    const struct mapped_file *mapped =
        candidate->is_folder ? family_file(contents, candidate->folder, "model.bin", status)
                             : contents_file(contents, candidate->path, status);
    if (!mapped || !check_kind(mapped, status))
        return false;
    if (!is_like_own(mapped))
        return status_fail(status, STATUS_INVALID,
                           "not a model: expected the file of one, or the folder "
                           "that its files are in; see README, Your own model");
    const struct safetensors *file = contents_part(contents, mapped, status);
    if (!file || !read_config(contents, file, status))
        return false;
    for (int i = 0; i < safetensors_count(file); i++) {
        const struct stored_tensor *tensor = safetensors_tensor(file, i);
        if (!contents_add(contents, tensor->name, tensor, status))
            return false;
    }
    return true;
}

const struct family family_own = {"attnscope", recognise, read_own};
