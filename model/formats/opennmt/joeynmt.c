/* Reads JoeyNMT, versions 1 and 2: a folder with config.yaml, src_vocab.txt, trg_vocab.txt, and a
 * PyTorch checkpoint (best.ckpt, latest.ckpt, NUMBER.ckpt) whose dict has "model_state". */
#include "model/formats/opennmt/joeynmt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/options.h"
#include "model/formats/torch_checkpoint.h"
#include "model/formats/yaml/yaml.h"
#include "model/text/quote.h"

/* Files ---------------------------------------------------------------------------------------- */

static bool holds_joeynmt(const struct pickle_value *root)
{
    return pickle_get(root, "model_state");
}

static bool open_checkpoint(struct joey_reader *reader)
{
    const struct mapped_file *file =
        family_file(reader->contents, reader->folder, reader->file, reader->status);
    if (!file)
        return false;
    reader->torch = contents_torch(reader->contents, file, reader->status);
    int count;
    const struct stored_tensor *tensors =
        reader->torch
            ? torch_tensors(reader->torch, pickle_get(torch_root(reader->torch), "model_state"),
                            &count, reader->status)
            : NULL;
    if (!tensors)
        return status_prefix(reader->status, "%s", QUOTED(reader->file));
    return tensor_set_add(&reader->modules.from, tensors, count, reader->status);
}

static bool open_config(struct joey_reader *reader)
{
    enum { MOST = 1 << 20 };
    reader->config =
        family_yaml(reader->contents, reader->folder, "config.yaml", MOST, reader->status);
    if (!reader->config)
        return false;
    reader->model = joey_get(reader, "model");
    reader->stacks[0] = joey_get(reader, "model.encoder");
    reader->stacks[1] = joey_get(reader, "model.decoder");
    return (json_is_object(reader->stacks[0]) && json_is_object(reader->stacks[1])) ||
           status_fail(reader->status, STATUS_INVALID,
                       "config.yaml: model.%s: missing, expected how the %s is built",
                       json_is_object(reader->stacks[0]) ? "decoder" : "encoder",
                       json_is_object(reader->stacks[0]) ? "decoder" : "encoder");
}

/* Tokenisers ----------------------------------------------------------------------------------- */

/* Finds the file that a side's configuration names. *file NULL: it is not in the folder. */
static bool subword_file(struct joey_reader *reader, const char *side, const char *key,
                         const struct mapped_file **file)
{
    char member[64];
    snprintf(member, sizeof member, "data.%s.tokenizer_cfg.%s", side, key);
    const char *path = json_string_value(joey_get(reader, member));
    return family_file_of_path(reader->contents, reader->folder, path ? path : "", file,
                               reader->status);
}

/* Reads the preprocessing before subwords, which is used only if both sides have it. */
static void read_text(struct joey_reader *reader)
{
    bool moses[2], lowercase[2];
    for (int side = 0; side < 2; side++) {
        char member[64];
        snprintf(member, sizeof member, "data.%s.tokenizer_cfg.pretokenizer", side ? "trg" : "src");
        const char *name = json_string_value(joey_get(reader, member));
        moses[side] = name && strcmp(name, "moses") == 0;
        lowercase[side] =
            yaml_flag(joey_get(reader, side ? "data.trg" : "data.src"), "lowercase", false);
    }
    reader->plain.moses = moses[0] && moses[1];
    reader->plain.lowercase = lowercase[0] && lowercase[1];
}

/* True if the toolkit changes characters and blanks of that side's text before it splits it
 * (`normalize`: NFKC, quotes, blanks before punctuation), which is not done here. */
static bool is_normalised(const struct joey_reader *reader, const char *side)
{
    char member[64];
    snprintf(member, sizeof member, "data.%s", side);
    return yaml_flag(joey_get(reader, member), "normalize", false);
}

static bool put_tokenizer(struct joey_reader *reader)
{
    static const char *const kinds[][3] = {{"sentencepiece", "model_file", "sentencepiece"},
                                           {"subword-nmt", "codes", "bpe"}};
    const char *type = json_string_value(joey_get(reader, "data.src.tokenizer_type"));
    const char *level = json_string_value(joey_get(reader, "data.src.level"));
    bool words = !joey_is_version_1(reader) && level && strcmp(level, "word") == 0;
    reader->plain.tokenizer = "whitespace";
    reader->plain.blanks = words ? "space" : "pieces";
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++) {
        const struct mapped_file *source, *target;
        if (strcmp(type, kinds[i][0]) != 0)
            continue;
        if (!subword_file(reader, "src", kinds[i][1], &source) ||
            !subword_file(reader, "trg", kinds[i][1], &target))
            return false;
        if (!source || !target || is_normalised(reader, "src") || is_normalised(reader, "trg"))
            return true;
        reader->plain.tokenizer = kinds[i][2];
        read_text(reader);
        return contents_subwords(reader->contents, source, target, reader->status);
    }
    return true;
}

/* The whole ------------------------------------------------------------------------------------ */

static bool read_folder(struct joey_reader *reader)
{
    return open_config(reader) && joey_read_vocabularies(reader) && open_checkpoint(reader) &&
           joey_read_config(reader) &&
           (joey_put_weights(reader) ||
            status_prefix(reader->status, "%s", QUOTED(reader->file))) &&
           modules_vocabularies(&reader->modules, reader->pieces) && put_tokenizer(reader) &&
           contents_configure(reader->contents, plain_config_json(&reader->plain),
                              reader->status) &&
           options_tell(&options_joeynmt, joey_get(reader, "testing"), reader->contents,
                        reader->status);
}

static bool read_joeynmt(struct contents *contents, const struct candidate *candidate,
                         struct status *status)
{
    char *name = torch_checkpoint_name(candidate);
    struct joey_reader reader = {.contents = contents,
                                 .folder = candidate->folder,
                                 .name = candidate->name,
                                 .file = name,
                                 .status = status};
    reader.modules =
        (struct modules){.contents = contents, .plain = &reader.plain, .status = status};
    bool good = name ? read_folder(&reader) : status_no_memory(status);
    for (int side = 0; side < 2; side++)
        piece_list_free(&reader.pieces[side]);
    tensor_set_free(&reader.modules.from);
    json_decref(reader.excluded);
    json_decref(reader.config);
    free(name);
    return good;
}

static bool recognise(const struct candidate *candidate)
{
    return torch_checkpoint_recognise(candidate, holds_joeynmt);
}

const struct family family_joeynmt = {"JoeyNMT", recognise, read_joeynmt};
