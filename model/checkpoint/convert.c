#include "model/checkpoint/convert.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/formats/new_file.h"
#include "model/text/quote.h"

/* Configuration -------------------------------------------------------------------------------- */

/* Returns NULL if memory runs out. Names that are not UTF-8 are escaped, as JSON cannot hold
 * them. */
static json_t *origin_json(const struct checkpoint *checkpoint, const struct digests *digests)
{
    json_t *files = json_array();
    for (int i = 0; i < checkpoint->contents->file_count; i++) {
        struct quoted name;
        json_t *file =
            json_pack("{s:s, s:s}", "name", quote_message(&name, digests_name(checkpoint, i)),
                      "sha256", digests->files[i]);
        if (json_array_append_new(files, file) != 0) {
            json_decref(files);
            return NULL;
        }
    }
    return json_pack("{s:s, s:o}", "family", checkpoint->contents->family, "files", files);
}

/* Returns the configuration's text with the origin; the caller frees it. */
static char *config_text(const struct checkpoint *checkpoint, const struct digests *digests,
                         struct status *status)
{
    const struct contents *contents = checkpoint->contents;
    char *text = NULL;
    if (contents->own) {
        text = strdup(contents->config);
    } else {
        json_t *config = json_loads(contents->config, 0, NULL);
        if (json_object_set_new(config, "origin", origin_json(checkpoint, digests)) == 0)
            text = json_dumps(config, JSON_REAL_PRECISION(17));
        json_decref(config);
    }
    if (!text)
        status_no_memory(status);
    return text;
}

/* Tensors -------------------------------------------------------------------------------------- */

static size_t element_bytes(const struct stored_tensor *tensor)
{
    return tensor->elements ? tensor->bytes / (size_t)tensor->elements : 1;
}

/* Tensors with larger elements come first, so that all tensors are aligned. */
static bool add_tensors(struct safetensors_writer *writer, const struct contents *contents,
                        struct status *status)
{
    for (size_t bytes = 8; bytes > 0; bytes /= 2)
        for (int i = 0; i < contents->count; i++)
            if (element_bytes(&contents->tensors[i]) == bytes &&
                !safetensors_borrow(writer, &contents->tensors[i], status))
                return false;
    return true;
}

/* The file ------------------------------------------------------------------------------------- */

/* A mapped file must not be replaced while it is read, and a model must not lose one of its
 * files. */
static bool check_path(const struct contents *contents, const char *path, struct status *status)
{
    struct stat target, about;
    if (stat(path, &target) != 0)
        return true;
    for (int i = 0; i < contents->file_count; i++)
        if (stat(contents->files[i]->path, &about) == 0 && about.st_ino == target.st_ino &&
            about.st_dev == target.st_dev)
            return status_fail(status, STATUS_INVALID,
                               "%s: a file of the model itself, expected another name",
                               QUOTED_PATH(path));
    return true;
}

static bool write_file(const struct checkpoint *checkpoint, const struct safetensors_writer *writer,
                       const char *path, struct status *status)
{
    struct new_file file;
    if (!new_file_open(&file, path, status))
        return false;
    bool good = safetensors_write_stream(writer, file.stream, checkpoint->watch, status) &&
                contents_unchanged(checkpoint->contents, status);
    return new_file_close(&file, good, status);
}

bool checkpoint_convert(const struct checkpoint *checkpoint, const struct digests *digests,
                        const char *path, struct status *status)
{
    const struct contents *contents = checkpoint->contents;
    if (!check_path(contents, path, status) || !contents_unchanged(contents, status))
        return false;
    char *config = config_text(checkpoint, digests, status);
    struct safetensors_writer *writer = config ? safetensors_writer_open(status) : NULL;
    bool good = writer && safetensors_add_metadata(writer, "attnscope.version", "1", status) &&
                safetensors_add_metadata(writer, "attnscope.config", config, status) &&
                add_tensors(writer, contents, status) &&
                write_file(checkpoint, writer, path, status);
    safetensors_writer_close(writer);
    free(config);
    return good;
}
