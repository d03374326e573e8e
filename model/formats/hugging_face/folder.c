/* Hugging Face folders: config.json, model.safetensors or pytorch_model.bin, and the files of the
 * tokeniser. What each model type computes is in
 * src/transformers/models/{marian,m2m_100,pegasus,bart,mbart,t5,mt5,umt5,fsmt,t5gemma} of the
 * transformers package, and IndicTrans in its models' own files. */
#include "base/system.h"
#include "model/formats/hugging_face/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/formats.h"
#include "model/formats/options.h"
#include "model/text/quote.h"

enum { MAX_CONFIG = 1 << 22 };

/* Values missing from a configuration are those of its class (configuration_*.py). */
static const struct hf_type types[] = {
    {.name = "marian",
     .layout = "halves",
     .separate = true,
     .target_token = ">>",
     .defaults = {.activation = "gelu", .eos = 0, .pad = 58100, .start = 58100}},
    {.name = "m2m_100",
     .layout = "halves_fairseq",
     .offset = 2,
     .pre_norm = true,
     .languages = true,
     .numbered_languages = true,
     .defaults = {.scale = true, .activation = "relu", .eos = 2, .pad = 1, .start = 2}},
    {.name = "pegasus",
     .layout = "halves",
     .pre_norm = true,
     .pretraining_tokens = true,
     .defaults = {.activation = "gelu", .eos = 1, .pad = 0, .start = 0}},
    {.name = "bart",
     .offset = 2,
     .embedding_norm = true,
     .begins = true,
     .defaults = {.activation = "gelu", .eos = 2, .pad = 1, .start = 2}},
    {.name = "mbart",
     .offset = 2,
     .pre_norm = true,
     .embedding_norm = true,
     .languages = true,
     .starts_in_language = true,
     .defaults = {.activation = "gelu", .eos = 2, .pad = 1, .start = -1}},
    {.name = "t5",
     .pre_norm = true,
     .target_token = "<2",
     .t5 = true,
     .defaults = {.eos = 1, .pad = 0, .start = -1}},
    {.name = "mt5",
     .pre_norm = true,
     .t5 = true,
     .gated = true,
     .unscaled = true,
     .defaults = {.eos = 1, .pad = 0, .start = -1}},
    {.name = "umt5",
     .pre_norm = true,
     .t5 = true,
     .gated = true,
     .separate_biases = true,
     .defaults = {.eos = 1, .pad = 0, .start = 0}},
    {.name = "fsmt",
     .layout = "halves_fairseq",
     .offset = 2,
     .fsmt = true,
     .vocabularies = {{"src_vocab_size", "vocab-src.json"}, {"tgt_vocab_size", "vocab-tgt.json"}},
     .defaults = {.scale = true,
                  .activation = "relu",
                  .eos = 2,
                  .pad = 1,
                  .start = 2,
                  .beam = 5,
                  .longest = 200,
                  .forced = true}},
    {.name = "IndicTrans",
     .layout = "halves_fairseq",
     .offset = 2,
     .indictrans = true,
     .vocabularies = {{"encoder_vocab_size", "dict.SRC.json"},
                      {"decoder_vocab_size", "dict.TGT.json"}},
     .defaults = {.eos = 2, .pad = 1, .start = 2}},
    {.name = "t5gemma", .t5gemma = true, .defaults = {.eos = 1, .pad = 0, .start = 2}},
};

/* Returns what the net lacks to support a known type; NULL for an unknown type. */
static const char *lacking(const char *name)
{
    static const struct {
        const char *name, *needs;
    } known[] = {
        {"t5gemma2", "norms of queries and keys, and self- and cross-attention in one softmax"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].needs;
    return NULL;
}

static bool find_type(struct hf_reader *reader)
{
    const char *name = json_string_value(json_object_get(reader->config, "model_type"));
    const char *needs = name ? lacking(name) : NULL;
    if (needs)
        return status_fail(reader->status, STATUS_INVALID,
                           "config.json: model_type: %s is not supported; it needs %s",
                           QUOTED(name), needs);
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(name, types[i].name) == 0)
            reader->type = &types[i];
    return reader->type ||
           status_fail(reader->status, STATUS_INVALID,
                       "config.json: model_type: %s is not supported, expected marian, m2m_100, "
                       "pegasus, bart, mbart, t5, mt5, umt5, fsmt, IndicTrans or t5gemma",
                       name ? QUOTED(name) : "nothing");
}

static bool read_sizes(struct hf_reader *reader)
{
    const json_t *scale = json_object_get(reader->config, "scale_embedding");
    const json_t *activation = json_object_get(reader->config, "activation_function");
    struct plain_config *plain = &reader->plain;
    if (!hf_need(reader, "d_model", &plain->d_model) ||
        !hf_need(reader, "encoder_layers", &plain->stacks[0].layers) ||
        !hf_need(reader, "decoder_layers", &plain->stacks[1].layers) ||
        !hf_need(reader, "encoder_attention_heads", &plain->stacks[0].heads) ||
        !hf_need(reader, "decoder_attention_heads", &plain->stacks[1].heads) ||
        !hf_need(reader, "encoder_ffn_dim", &plain->stacks[0].d_ff) ||
        !hf_need(reader, "decoder_ffn_dim", &plain->stacks[1].d_ff) ||
        !hf_need_or(reader, "max_position_embeddings", 1024, &plain->max_positions))
        return false;
    for (int stack = 0; stack < 2; stack++) {
        plain->stacks[stack].positions = reader->type->layout ? "sinusoidal" : "learned";
        plain->stacks[stack].layout = reader->type->layout;
        plain->stacks[stack].offset = reader->type->offset;
        plain->stacks[stack].pre_norm = reader->type->pre_norm;
        plain->stacks[stack].embedding_norm = reader->type->embedding_norm;
    }
    plain->norm_eps = 1e-5; // torch.nn.LayerNorm's own
    bool scaled = scale ? json_is_true(scale) : reader->type->defaults.scale;
    plain->embedding_scale = scaled ? sqrt((double)plain->d_model) : 1;
    return hf_read_activation(reader, "activation_function",
                              activation ? json_string_value(activation)
                                         : reader->type->defaults.activation);
}

static bool read_config(struct hf_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    if (!options_check(&options_transformers, "config.json", reader->config, reader->status))
        return false;
    if (!find_type(reader) || !(reader->type->t5           ? hf_read_t5(reader)
                                : reader->type->indictrans ? hf_read_indictrans(reader)
                                : reader->type->t5gemma    ? hf_read_t5gemma(reader)
                                                           : read_sizes(reader)))
        return false;
    plain->name = reader->name;
    plain->tokenizer = "whitespace";
    reader->separate_vocabularies =
        reader->type->vocabularies[0][0] ||
        (reader->type->separate &&
         json_is_false(json_object_get(reader->config, "share_encoder_decoder_embeddings")));
    return hf_read_vocabularies(reader) && hf_read_tokens(reader);
}

/* Returns the object of a file, empty if the folder has no such file. */
static json_t *optional(struct hf_reader *reader, const char *name)
{
    if (!family_has(reader->folder, name)) {
        json_t *empty = json_object();
        if (!empty)
            status_no_memory(reader->status);
        return empty;
    }
    return family_json(reader->contents, reader->folder, name, MAX_CONFIG, reader->status);
}

/* Reads tokenizer.json if it exists and is an object. */
static bool read_whole_tokenizer(struct hf_reader *reader)
{
    enum { MAX_TOKENIZER = 1 << 28 };
    static const char name[] = "tokenizer.json";
    if (!family_has(reader->folder, name))
        return true;
    reader->whole_tokenizer =
        family_json(reader->contents, reader->folder, name, MAX_TOKENIZER, reader->status);
    return reader->whole_tokenizer != NULL;
}

/* Adds options that only Python tokenisers have. With tokenizer.json all but the last are in
 * that file. One applies only to BART, because T5 always puts a blank before texts, and one only
 * to T5. */
static bool add_tokenizer_options(const struct hf_reader *reader, json_t *options)
{
    const struct {
        const char *key;
        bool counts;
    } keys[] = {{"sp_model_kwargs", !reader->whole_tokenizer},
                {"add_prefix_space", !reader->whole_tokenizer && reader->type->begins},
                {"legacy", !reader->whole_tokenizer && reader->type->t5},
                {"split_special_tokens", true}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(reader->tokenizer, keys[i].key);
        if (value && keys[i].counts && json_object_set(options, keys[i].key, value) != 0)
            return false;
    }
    return true;
}

static bool tell_options(struct hf_reader *reader)
{
    json_t *options = hf_generation_options(reader);
    bool good = options && add_tokenizer_options(reader, options)
                    ? options_tell(&options_transformers, options, reader->contents, reader->status)
                    : status_no_memory(reader->status);
    json_decref(options);
    return good && (!reader->type->indictrans ||
                    options_tell_text("IndicProcessor (normalization, Devanagari)",
                                      reader->contents, reader->status));
}

static bool read_folder(struct hf_reader *reader)
{
    reader->config =
        family_json(reader->contents, reader->folder, "config.json", MAX_CONFIG, reader->status);
    reader->generation = reader->config ? optional(reader, "generation_config.json") : NULL;
    reader->tokenizer = reader->generation ? optional(reader, "tokenizer_config.json") : NULL;
    return reader->tokenizer && read_whole_tokenizer(reader) && read_config(reader) &&
           hf_open_weights(reader) && hf_put_weights(reader) && hf_put_vocabularies(reader) &&
           hf_put_tokenizer(reader) &&
           contents_configure(reader->contents, plain_config_json(&reader->plain),
                              reader->status) &&
           tell_options(reader);
}

static bool read_hugging_face(struct contents *contents, const struct candidate *candidate,
                              struct status *status)
{
    struct hf_reader reader = {.contents = contents,
                               .folder = candidate->folder,
                               .name = candidate->name,
                               .status = status};
    bool good = read_folder(&reader);
    hf_free_vocabularies(&reader);
    hf_close_weights(&reader);
    json_decref(reader.languages);
    json_decref(reader.added);
    json_decref(reader.excluded);
    json_decref(reader.ends);
    json_decref(reader.windowed);
    json_decref(reader.whole_tokenizer);
    json_decref(reader.tokenizer);
    json_decref(reader.generation);
    json_decref(reader.config);
    return good;
}

static bool is_tensors(const struct pickle_value *root)
{
    return torch_is_tensor(pickle_at(root, 0));
}

/* True for a file that holds only weights and stands for its folder: safetensors without our
 * configuration, or a PyTorch file of nothing but tensors. */
static bool has_weights_alone(const struct candidate *candidate)
{
    if (!torch_begins(candidate->head))
        return candidate->head[8] == '{' && !own_begins(candidate->path);
    const char *slash = strrchr(candidate->path, '/');
    return family_is_torch(candidate, slash ? slash + 1 : candidate->path, is_tensors);
}

static bool recognise(const struct candidate *candidate)
{
    struct status status;
    if (!family_has(candidate->folder, "config.json") ||
        (!candidate->is_folder && !has_weights_alone(candidate)))
        return false;
    char *path = family_path(candidate->folder, "config.json", &status);
    struct mapped_file *file = path ? mapped_file_open(path, &status) : NULL;
    bool typed = file && file->bytes <= MAX_CONFIG && file->data &&
                 memory_find(file->data, file->bytes, "\"model_type\"", strlen("\"model_type\""));
    mapped_file_close(file);
    free(path);
    return typed;
}

const struct family family_hugging_face = {"Hugging Face", recognise, read_hugging_face};
