/* Special tokens of a CTranslate2 folder. */
#include <string.h>

#include "model/formats/ctranslate2/reader.h"
#include "model/text/quote.h"

static const char *config_text(const struct ct2_reader *reader, const char *key,
                               const char *otherwise)
{
    const char *text = json_string_value(json_object_get(reader->config, key));
    return text ? text : otherwise;
}

static bool config_flag(const struct ct2_reader *reader, const char *key)
{
    return json_is_true(json_object_get(reader->config, key));
}

static void take_config(struct ct2_reader *reader)
{
    struct ct2_tokens *tokens = &reader->tokens;
    tokens->unk = config_text(reader, "unk_token", "<unk>");
    tokens->bos = config_text(reader, "bos_token", "<s>");
    tokens->eos = config_text(reader, "eos_token", "</s>");
    tokens->start = config_text(reader, "decoder_start_token", tokens->bos);
    tokens->start_given = json_is_null(json_object_get(reader->config, "decoder_start_token"));
    tokens->add_bos = config_flag(reader, "add_source_bos");
    tokens->add_eos = config_flag(reader, "add_source_eos");
}

/* Reads the text of a variable, one byte per character; `otherwise` if there is none. */
static bool variable_text(struct ct2_reader *reader, const char *name, const char *otherwise,
                          const char **text)
{
    const struct ct2_variable *variable = ct2_reader_find(reader, name);
    *text = otherwise;
    if (!variable)
        return true;
    if (variable->type != CT2_INT8 || memchr(variable->data, '\0', variable->bytes))
        return ct2_reader_fail(reader, name, "not a piece, expected its text");
    char *copy = contents_memory(reader->contents, variable->elements + 1, 1, reader->status);
    if (copy)
        memcpy(copy, variable->data, variable->bytes);
    *text = copy;
    return copy != NULL;
}

static bool variable_flag(struct ct2_reader *reader, const char *name, bool otherwise)
{
    return ct2_scalar(ct2_reader_find(reader, name), otherwise) != 0;
}

/* Before version 6, the tokens are variables of the model. */
static bool take_variables(struct ct2_reader *reader)
{
    struct ct2_tokens *tokens = &reader->tokens;
    if (!variable_text(reader, "unk_token", "<unk>", &tokens->unk) ||
        !variable_text(reader, "bos_token", "<s>", &tokens->bos) ||
        !variable_text(reader, "eos_token", "</s>", &tokens->eos))
        return false;
    bool begins = variable_flag(reader, "with_target_bos", true);
    tokens->start = begins ? tokens->bos : tokens->eos;
    tokens->start_given = variable_flag(reader, "user_decoder_start_tokens", false);
    tokens->add_bos = variable_flag(reader, "with_source_bos", false);
    tokens->add_eos = variable_flag(reader, "with_source_eos", false);
    return true;
}

static int64_t pad_id(struct ct2_reader *reader, int side)
{
    int64_t pad = ct2_piece_id(reader, side, "<pad>");
    return pad >= 0 ? pad : ct2_piece_id(reader, side, "<blank>");
}

/* Each vocabulary may have its own unknown piece and padding. */
static void find_missing(struct ct2_reader *reader, int64_t first)
{
    struct plain_config *plain = &reader->plain;
    int64_t pad[2], unk[2];
    for (int side = 0; side < 2; side++) {
        unk[side] = ct2_piece_id(reader, side, reader->tokens.unk);
        unk[side] = unk[side] < 0 ? 0 : unk[side];
        pad[side] = pad_id(reader, side);
        if (pad[side] < 0)
            pad[side] = side == 1 && first >= 0 ? first : unk[side];
    }
    plain->pad = pad[1];
    plain->unk = unk[1];
    plain->source_differs = !reader->shared_vocabulary;
    plain->pad_source = pad[0];
    for (int side = 0; side < 2; side++)
        plain->bos[side] = ct2_piece_id(reader, side, reader->tokens.bos);
    plain->has_bos = plain->bos[0] >= 0 && plain->bos[1] >= 0;
    plain->unk_source = unk[0];
}

/* Finds the ids of the tokens around a source and at the beginning of a target. CTranslate2
 * excludes no token unless a call asks for it (src/decoding.cc, make_logits_processors), so
 * translations may contain start tokens and padding. */
bool ct2_find_tokens(struct ct2_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const struct ct2_tokens *tokens = &reader->tokens;
    int64_t begin = ct2_piece_id(reader, 0, tokens->bos);
    int64_t first = ct2_piece_id(reader, 1, tokens->start);
    find_missing(reader, first);
    plain->specials_allowed = true;
    plain->eos_source = ct2_piece_id(reader, 0, tokens->eos);
    plain->eos_target = ct2_piece_id(reader, 1, tokens->eos);
    if (plain->eos_target < 0 || (first < 0 && !reader->zero_start && !tokens->start_given))
        return status_fail(reader->status, STATUS_INVALID,
                           "%s is not a piece of the target's vocabulary, expected the token there",
                           QUOTED(plain->eos_target < 0 ? tokens->eos : tokens->start));
    if (tokens->add_bos && begin >= 0)
        plain->prefix[plain->prefix_count++] = begin;
    if (tokens->add_eos && plain->eos_source >= 0)
        plain->suffix[plain->suffix_count++] = plain->eos_source;
    if (plain->eos_source < 0)
        plain->eos_source = plain->unk_source;
    plain->start[plain->start_count++] = first;
    return true;
}

bool ct2_read_tokens(struct ct2_reader *reader)
{
    enum { TOKENS_IN_CONFIG = 6 }; // the first version with tokens in config.json
    if (reader->file->version < TOKENS_IN_CONFIG)
        return take_variables(reader);
    take_config(reader);
    return true;
}
