/* Reads checkpoints of fairseq: a file of torch.save (fairseq/checkpoint_utils.py) with
 * dictionaries beside it. */
#include "model/formats/fairseq/fairseq.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/options.h"
#include "model/formats/torch_checkpoint.h"
#include "model/text/quote.h"

/* Tokenisers ----------------------------------------------------------------------------------- */

/* Finds the subword model that the options name, beside the checkpoint or its data, or one with a
 * name that fairseq or its examples use. */
static bool fs_put_tokenizer(struct fs_reader *reader)
{
    static const struct {
        const char *option, *name, *kind;
    } models[] = {
        {"bpe_codes", NULL, "bpe"},
        {"sentencepiece_model", NULL, "sentencepiece"},
        {NULL, "bpecodes", "bpe"},
        {NULL, "code", "bpe"},
        {NULL, "bpe.code", "bpe"},
        {NULL, "bpe.codes", "bpe"},
        {NULL, "codes", "bpe"},
        {NULL, "sentencepiece.bpe.model", "sentencepiece"},
        {NULL, "sentence.bpe.model", "sentencepiece"},
        {NULL, "spm.128k.model", "sentencepiece"},
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char place[FS_PLACE];
        const char *name =
            models[i].option ? name_in_path(fs_text(reader, models[i].option, "")) : models[i].name;
        if (!fs_find_file(reader, name, place))
            continue;
        const struct mapped_file *file =
            family_file(reader->contents, reader->folder, place, reader->status);
        reader->plain.tokenizer = models[i].kind;
        return file && contents_subwords(reader->contents, file, file, reader->status);
    }
    return true;
}

/* The whole ------------------------------------------------------------------------------------ */

/* True for a dict with the options and the model: {"args": Namespace, "model": {...}}, or "cfg"
 * instead of "args". */
static bool holds_fairseq(const struct pickle_value *root)
{
    bool options = !pickle_none(pickle_get(root, "args")) || !pickle_none(pickle_get(root, "cfg"));
    return options && pickle_pairs(pickle_get(root, "model")) > 0;
}

static bool open_checkpoint(struct fs_reader *reader)
{
    int count;
    const struct mapped_file *file =
        family_file(reader->contents, reader->folder, reader->file, reader->status);
    if (!file)
        return false;
    reader->torch = contents_torch(reader->contents, file, reader->status);
    if (!reader->torch)
        return status_prefix(reader->status, "%s", QUOTED(reader->file));
    const struct pickle_value *root = torch_root(reader->torch);
    reader->args = pickle_get(root, "args");
    reader->groups = pickle_get(root, "cfg");
    const struct stored_tensor *tensors =
        torch_tensors(reader->torch, pickle_get(root, "model"), &count, reader->status);
    if (!tensors)
        return status_prefix(reader->status, "%s", QUOTED(reader->file));
    return tensor_set_add(&reader->weights, tensors, count, reader->status);
}

/* Before the weights are read, refuses options that are not implemented; afterwards (`tell`),
 * reports those that are ignored. */
static bool check_options(struct fs_reader *reader, bool tell)
{
    json_t *values = fs_option_values(reader);
    bool good = values != NULL || status_no_memory(reader->status);
    if (good && tell)
        good = options_tell(&options_fairseq, values, reader->contents, reader->status);
    else if (good)
        good = options_check(&options_fairseq, reader->file, values, reader->status);
    json_decref(values);
    return good;
}

static bool read_fairseq(struct contents *contents, const struct candidate *candidate,
                         struct status *status)
{
    char *name = torch_checkpoint_name(candidate);
    struct fs_reader reader = {
        .contents = contents, .folder = candidate->folder, .file = name, .status = status};
    reader.plain.name = candidate->is_folder ? candidate->name : name;
    bool good = (name || status_no_memory(status)) && open_checkpoint(&reader) &&
                check_options(&reader, false) && fs_read_model(&reader) &&
                fs_read_languages(&reader) && fs_read_dictionaries(&reader) &&
                fs_read_tokens(&reader) && fs_put_weights(&reader) &&
                fs_put_dictionaries(&reader) && fs_put_tokenizer(&reader) &&
                contents_configure(contents, plain_config_json(&reader.plain), status) &&
                check_options(&reader, true);
    fs_free_dictionaries(&reader);
    tensor_set_free(&reader.weights);
    json_decref(reader.languages);
    json_decref(reader.excluded);
    free(name);
    return good;
}

static bool recognise(const struct candidate *candidate)
{
    return torch_checkpoint_recognise(candidate, holds_fairseq);
}

const struct family family_fairseq = {"fairseq", recognise, read_fairseq};
