/* Reads OpenNMT-py, versions 1 to 3 and earlier: a PyTorch file whose dict has "model",
 * "generator", "vocab" and "opt". Version 3 may keep the weights in safetensors files beside it. */
#include "model/formats/opennmt/opennmt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/torch_checkpoint.h"
#include "model/text/quote.h"

/* Files ---------------------------------------------------------------------------------------- */

static bool holds_opennmt(const struct pickle_value *root)
{
    return pickle_get(root, "opt") && pickle_get(root, "vocab");
}

/* Tokenisers ----------------------------------------------------------------------------------- */

/* Finds the file that an option names. *file NULL: it is not in the folder. */
static bool subword_file(struct onmt_reader *reader, const char *option,
                         const struct mapped_file **file)
{
    return family_file_of_path(reader->contents, reader->folder,
                               pickle_text_of(reader->options, option, ""), file, reader->status);
}

/* Returns the tokeniser of the last transform that makes subwords, by the name that both programs
 * use; NULL: none that is known here. */
static const char *subword_kind(const struct onmt_reader *reader)
{
    static const char *const kinds[] = {"sentencepiece", "bpe"};
    const struct pickle_value *transforms = pickle_get(reader->options, "transforms");
    const char *found = NULL;
    for (size_t i = 0; i < pickle_count(transforms); i++) {
        const char *name = pickle_text(pickle_item(transforms, i));
        for (size_t kind = 0; name && kind < sizeof kinds / sizeof *kinds; kind++)
            if (strcmp(name, kinds[kind]) == 0)
                found = kinds[kind];
    }
    return found;
}

/* Puts the subword models that the options name, if they are in the folder. */
static bool put_tokenizer(struct onmt_reader *reader)
{
    const char *tokenizer = subword_kind(reader);
    const struct mapped_file *source, *target;
    reader->plain.tokenizer = "whitespace";
    reader->plain.blanks = reader->old ? "unicode" : "space";
    if (!tokenizer)
        return true;
    if (!subword_file(reader, "src_subword_model", &source) ||
        !subword_file(reader, "tgt_subword_model", &target))
        return false;
    if (!source)
        return true;
    reader->plain.tokenizer = tokenizer;
    return contents_subwords(reader->contents, source, target ? target : source, reader->status);
}

/* The whole ------------------------------------------------------------------------------------ */

static bool open_checkpoint(struct onmt_reader *reader)
{
    const struct mapped_file *file =
        family_file(reader->contents, reader->folder, reader->file, reader->status);
    if (!file)
        return false;
    reader->torch = contents_torch(reader->contents, file, reader->status);
    if (!reader->torch)
        return reader->in_folder && status_prefix(reader->status, "%s", QUOTED(reader->file));
    reader->root = torch_root(reader->torch);
    reader->options = pickle_get(reader->root, "opt");
    const struct pickle_value *vocab = pickle_get(reader->root, "vocab");
    const struct pickle_value *pieces = pickle_get(vocab, "src");
    const struct pickle_value *first = pickle_item(pieces, 0);
    reader->old = !first || first->kind != PICKLE_TEXT;
    return true;
}

/* The options of guided alignment (Garg et al. 2019) only matter for models trained with it. */
static bool read_alignment(struct onmt_reader *reader)
{
    int64_t layer = pickle_integer_of(reader->options, "alignment_layer", -3);
    int64_t heads = pickle_integer_of(reader->options, "alignment_heads", 0);
    if (!(pickle_number_of(reader->options, "lambda_align", 0) > 0))
        return true;
    return plain_config_align(&reader->plain, layer, heads) ||
           status_fail(reader->status, STATUS_INVALID,
                       "opt.alignment_layer: %lld with %lld alignment_heads: not a layer of the "
                       "decoder with so many heads, expected one",
                       (long long)layer, (long long)heads);
}

static bool read_checkpoint(struct onmt_reader *reader)
{
    bool good = onmt_read_options(reader) && onmt_read_vocabularies(reader) &&
                onmt_put_weights(reader) && read_alignment(reader) &&
                modules_vocabularies(&reader->modules, reader->pieces) && put_tokenizer(reader);
    return good || (reader->in_folder && status_prefix(reader->status, "%s", QUOTED(reader->file)));
}

/* Names the model after its folder, or after its file without the ending. */
static void name_model(struct onmt_reader *reader, const struct candidate *candidate)
{
    const char *name = candidate->is_folder ? candidate->name : reader->file;
    const char *dot = candidate->is_folder ? NULL : strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    snprintf(reader->name, sizeof reader->name, "%.*s", (int)length, name);
    reader->plain.name = reader->name;
}

static bool read_opennmt(struct contents *contents, const struct candidate *candidate,
                         struct status *status)
{
    char *name = torch_checkpoint_name(candidate);
    struct onmt_reader reader = {.contents = contents,
                                 .folder = candidate->folder,
                                 .file = name,
                                 .in_folder = candidate->is_folder,
                                 .status = status};
    bool good = name ? open_checkpoint(&reader) : status_no_memory(status);
    if (good) {
        name_model(&reader, candidate);
        good = read_checkpoint(&reader) &&
               contents_configure(contents, plain_config_json(&reader.plain), status);
    }
    for (int side = 0; side < 2; side++)
        piece_list_free(&reader.pieces[side]);
    tensor_set_free(&reader.modules.from);
    free(name);
    return good;
}

static bool recognise(const struct candidate *candidate)
{
    return torch_checkpoint_recognise(candidate, holds_opennmt);
}

const struct family family_opennmt = {"OpenNMT-py", recognise, read_opennmt};
