/* IndicTrans2 of AI4Bharat: configured like fairseq, with a vocabulary and a SentencePiece model
 * for each side. Sources begin with the tokens of both languages (configuration_indictrans.py and
 * tokenization_indictrans.py of the models). */
#include <math.h>
#include <string.h>

#include "model/formats/hugging_face/reader.h"
#include "model/formats/language_tokens.h"
#include "model/text/text.h"

static bool flag(const struct hf_reader *reader, const char *key, bool otherwise)
{
    const json_t *value = json_object_get(reader->config, key);
    return value ? json_is_true(value) : otherwise;
}

static bool read_stack(struct hf_reader *reader, int stack)
{
    static const char *const keys[2][5] = {
        {"encoder_embed_dim", "encoder_layers", "encoder_attention_heads", "encoder_ffn_dim",
         "encoder_normalize_before"},
        {"decoder_embed_dim", "decoder_layers", "decoder_attention_heads", "decoder_ffn_dim",
         "decoder_normalize_before"}};
    struct plain_config *plain = &reader->plain;
    int64_t width;
    if (!hf_need(reader, keys[stack][0], &width) ||
        !hf_need(reader, keys[stack][1], &plain->stacks[stack].layers) ||
        !hf_need(reader, keys[stack][2], &plain->stacks[stack].heads) ||
        !hf_need(reader, keys[stack][3], &plain->stacks[stack].d_ff))
        return false;
    if (stack && width != plain->d_model)
        return status_fail(reader->status, STATUS_INVALID,
                           "config.json: decoder_embed_dim: %lld, expected %lld, that of the "
                           "encoder",
                           (long long)width, (long long)plain->d_model);
    plain->d_model = width;
    plain->stacks[stack].pre_norm = flag(reader, keys[stack][4], false);
    plain->stacks[stack].embedding_norm = flag(reader, "layernorm_embedding", false);
    plain->stacks[stack].positions = "sinusoidal";
    plain->stacks[stack].layout = reader->type->layout;
    plain->stacks[stack].offset = reader->type->offset;
    return true;
}

bool hf_read_indictrans(struct hf_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const char *activation =
        json_string_value(json_object_get(reader->config, "activation_function"));
    int64_t most[2];
    if (!read_stack(reader, 0) || !read_stack(reader, 1) ||
        !hf_need_or(reader, "max_source_positions", 210, &most[0]) ||
        !hf_need_or(reader, "max_target_positions", 210, &most[1]))
        return false;
    plain->max_positions = most[0] < most[1] ? most[0] : most[1];
    plain->norm_eps = 1e-5; // torch.nn.LayerNorm's own
    plain->embedding_scale =
        flag(reader, "scale_embedding", true) ? sqrt((double)plain->d_model) : 1;
    return hf_read_activation(reader, "activation_function", activation ? activation : "relu");
}

/* The initial languages: out of English, except for models whose name says that they translate into
 * it. */
bool hf_read_indictrans_languages(struct hf_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const char *english = languages_known(reader->languages, "eng_Latn");
    if (json_object_size(reader->languages) < 2)
        return status_fail(
            reader->status, STATUS_INVALID,
            "dict.SRC.json: no pieces are tokens of languages, expected some such as "
            "eng_Latn");
    plain->languages = reader->languages;
    plain->prefix[plain->prefix_count++] = PLAIN_SOURCE_LANGUAGE;
    plain->prefix[plain->prefix_count++] = PLAIN_TARGET_LANGUAGE;
    plain->source_language = languages_any_source(reader->languages);
    plain->target_language = languages_any_target(reader->languages, plain->source_language);
    if (english && strstr(reader->name, "indic-en")) {
        plain->source_language = languages_any_target(reader->languages, english);
        plain->target_language = english;
    }
    return true;
}

bool hf_put_indictrans_tokenizer(struct hf_reader *reader)
{
    static const char *const names[2] = {"model.SRC", "model.TGT"};
    const struct mapped_file *files[2];
    for (int side = 0; side < 2; side++) {
        if (!family_has(reader->folder, names[side]))
            return true; // pieces are typed
        files[side] = family_file(reader->contents, reader->folder, names[side], reader->status);
        if (!files[side])
            return false;
    }
    reader->plain.tokenizer = tokenizer_names[TOKENIZER_SENTENCEPIECE];
    return contents_subwords(reader->contents, files[0], files[1], reader->status);
}
