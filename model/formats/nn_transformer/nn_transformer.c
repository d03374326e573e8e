/* Reads models of torch.nn.Transformer, and of the layout of pytorch-seq2seq's tutorial "Attention
 * is All You Need" (fc_q, fc_k, fc_v, fc_o): a folder with weights, vocabularies and
 * attnscope.json, which says what the weights do not. */
#include <stdlib.h>
#include <string.h>

#include "model/formats/nn_transformer/reader.h"
#include "model/formats/torch_checkpoint.h"
#include "model/text/quote.h"

/* Weights -------------------------------------------------------------------------------------- */

/* Returns the dict of tensors: the whole value, or the member that training programs keep it in. */
static const struct pickle_value *find_state(const struct pickle_value *root)
{
    static const char *const members[] = {
        "model_state_dict", "state_dict", "model_state", "model", "net", "weights"};
    for (size_t i = 0; i < pickle_pairs(root); i++)
        if (torch_is_tensor(pickle_at(root, i)))
            return root;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (pickle_pairs(pickle_get(root, members[i])))
            return pickle_get(root, members[i]);
    return NULL;
}

static bool add_torch(struct nn_reader *reader, const struct mapped_file *file)
{
    int count;
    reader->torch = contents_torch(reader->contents, file, reader->status);
    if (!reader->torch)
        return false;
    const struct pickle_value *state = find_state(torch_root(reader->torch));
    if (!state)
        return status_fail(reader->status, STATUS_INVALID,
                           "no tensors, expected a state_dict, or a dict with one as "
                           "\"model_state_dict\", \"state_dict\" or \"model\"");
    const struct stored_tensor *tensors =
        torch_tensors(reader->torch, state, &count, reader->status);
    return tensors && tensor_set_add(&reader->modules.from, tensors, count, reader->status);
}

static bool add_safetensors(struct nn_reader *reader, const struct mapped_file *file)
{
    const struct safetensors *part = contents_part(reader->contents, file, reader->status);
    return part && tensor_set_add(&reader->modules.from, safetensors_tensor(part, 0),
                                  safetensors_count(part), reader->status);
}

static bool open_weights(struct nn_reader *reader)
{
    enum { TORCH_HEAD = 16 };
    if (!reader->weights)
        return nn_fail(reader, "weights", "the name of a file of PyTorch or safetensors");
    const struct mapped_file *file =
        family_file(reader->contents, reader->folder, reader->weights, reader->status);
    if (!file)
        return false;
    bool torch = file->bytes >= TORCH_HEAD && torch_begins(file->data);
    return (torch ? add_torch(reader, file) : add_safetensors(reader, file)) ||
           status_prefix(reader->status, "%s", QUOTED(reader->weights));
}

/* The whole ------------------------------------------------------------------------------------ */

static bool read_folder(struct nn_reader *reader)
{
    enum { MOST = 1 << 20 };
    reader->description =
        family_json(reader->contents, reader->folder, nn_description, MOST, reader->status);
    return reader->description && nn_read_description(reader) && open_weights(reader) &&
           nn_put_weights(reader) && nn_put_vocabularies(reader) && nn_put_tokenizer(reader) &&
           contents_configure(reader->contents, plain_config_json(&reader->plain), reader->status);
}

/* Names the file with the weights if the description does not, or if the candidate is such a
 * file. */
static char *choose_weights(const struct candidate *candidate)
{
    struct candidate whole = *candidate;
    whole.is_folder |= strcmp(name_in_path(candidate->path), nn_description) == 0;
    return torch_checkpoint_name(&whole);
}

static bool read_nn_transformer(struct contents *contents, const struct candidate *candidate,
                                struct status *status)
{
    struct nn_reader reader = {.contents = contents,
                               .folder = candidate->folder,
                               .name = candidate->name,
                               .status = status};
    reader.modules = (struct modules){
        .contents = contents, .plain = &reader.plain, .residual = {1, 1}, .status = status};
    char *chosen = choose_weights(candidate);
    reader.weights = chosen;
    reader.fixed = !candidate->is_folder && !name_ends(candidate->path, nn_description);
    bool good = read_folder(&reader);
    for (int side = 0; side < 2; side++)
        piece_list_free(&reader.pieces[side]);
    tensor_set_free(&reader.modules.from);
    json_decref(reader.description);
    free(chosen);
    return good;
}

static bool recognise(const struct candidate *candidate)
{
    bool whole = candidate->is_folder || torch_begins(candidate->head) ||
                 strcmp(name_in_path(candidate->path), nn_description) == 0;
    return whole && family_has(candidate->folder, nn_description);
}

const struct family family_nn_transformer = {"nn.Transformer", recognise, read_nn_transformer};
