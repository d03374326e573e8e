/* The weight files of a Hugging Face folder, and their tensors by name. */
#include <stdio.h>
#include <string.h>

#include "model/formats/hugging_face/reader.h"
#include "model/text/quote.h"

enum { MAX_INDEX = 1 << 24, MAX_PARTS = 1000, TORCH_HEAD = 16 };

/* Adds the tensors of a file by name. In a file of torch.save the root is the dict of weights. */
static bool add_tensors(struct hf_reader *reader, const struct mapped_file *file)
{
    if (file->bytes < TORCH_HEAD || !torch_begins(file->data)) {
        const struct safetensors *part = contents_part(reader->contents, file, reader->status);
        return part && tensor_set_add(&reader->weights, safetensors_tensor(part, 0),
                                      safetensors_count(part), reader->status);
    }
    int count = 0;
    struct torch_file *torch = contents_torch(reader->contents, file, reader->status);
    const struct stored_tensor *tensors =
        torch ? torch_tensors(torch, torch_root(torch), &count, reader->status) : NULL;
    return tensors && tensor_set_add(&reader->weights, tensors, count, reader->status);
}

static bool open_part(struct hf_reader *reader, const char *name)
{
    const struct mapped_file *file =
        family_file(reader->contents, reader->folder, name, reader->status);
    if (!file)
        return false;
    return add_tensors(reader, file) || status_prefix(reader->status, "%s", QUOTED(name));
}

/* True if the file is among the contents' files from `first` on. */
static bool is_open(const struct hf_reader *reader, int first, const char *name)
{
    for (int i = first; i < reader->contents->file_count; i++) {
        const char *slash = strrchr(reader->contents->files[i]->path, '/');
        if (slash && strcmp(slash + 1, name) == 0)
            return true;
    }
    return false;
}

/* Opens the files of {"weight_map": {tensor: file}}. They must be names within the folder. */
static bool open_mapped(struct hf_reader *reader, const json_t *index, const char *name_of_index)
{
    json_t *map = json_object_get(index, "weight_map"), *file;
    int first = reader->contents->file_count;
    const char *tensor;
    if (!json_is_object(map))
        return status_fail(reader->status, STATUS_INVALID, "%s: weight_map: expected an object",
                           name_of_index);
    json_object_foreach(map, tensor, file)
    {
        const char *name = json_string_value(file);
        if (!name || strchr(name, '/') || reader->contents->file_count - first >= MAX_PARTS)
            return status_fail(reader->status, STATUS_INVALID,
                               "%s: weight_map: %s: expected the name of a file in the folder",
                               name_of_index, QUOTED(tensor));
        if (!is_open(reader, first, name) && !open_part(reader, name))
            return false;
    }
    return true;
}

static bool open_indexed(struct hf_reader *reader, const char *name)
{
    json_t *index = family_json(reader->contents, reader->folder, name, MAX_INDEX, reader->status);
    bool good = index && open_mapped(reader, index, name);
    json_decref(index);
    return good;
}

bool hf_open_weights(struct hf_reader *reader)
{
    static const struct {
        const char *name;
        bool index;
    } places[] = {
        {"model.safetensors", false},
        {"model.safetensors.index.json", true},
        {"pytorch_model.bin", false},
        {"pytorch_model.bin.index.json", true},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (family_has(reader->folder, places[i].name))
            return places[i].index ? open_indexed(reader, places[i].name)
                                   : open_part(reader, places[i].name);
    return status_fail(reader->status, STATUS_INVALID,
                       "model.safetensors: missing, as is pytorch_model.bin");
}

void hf_close_weights(struct hf_reader *reader)
{
    tensor_set_free(&reader->weights);
}

/* Tensors -------------------------------------------------------------------------------------- */

/* In a model that was saved without its output (BartModel) names lack the prefix. */
const struct stored_tensor *hf_find(struct hf_reader *reader, const char *name)
{
    static const char prefix[] = "model.";
    const struct stored_tensor *tensor = tensor_set_find(&reader->weights, name);
    if (!tensor && strncmp(name, prefix, strlen(prefix)) == 0)
        tensor = tensor_set_find(&reader->weights, name + strlen(prefix));
    return tensor;
}

bool hf_missing(struct hf_reader *reader, const char *name)
{
    return status_fail(reader->status, STATUS_INVALID,
                       "%s: missing in the weights (every %s model has it)", name,
                       reader->type->name);
}

bool hf_put(struct hf_reader *reader, const char *theirs, const char *ours)
{
    const struct stored_tensor *tensor = hf_find(reader, theirs);
    return tensor ? contents_add(reader->contents, ours, tensor, reader->status)
                  : hf_missing(reader, theirs);
}
