/* Reads the file `config`, objects of Sockeye as YAML (sockeye/model.py and sockeye/transformer.py
 * of version 3), and sets how sockeye-translate searches (sockeye/arguments.py,
 * sockeye/beam_search.py). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/formats/options.h"
#include "model/formats/sockeye/sockeye.h"
#include "model/formats/yaml/yaml.h"
#include "model/text/quote.h"

static const char *const names[2] = {"config_encoder", "config_decoder"};

static bool open_config(struct sockeye_reader *reader)
{
    enum { MOST = 1 << 24 };
    const struct mapped_file *file =
        family_text(reader->contents, reader->folder, "config", reader->status);
    if (!file)
        return false;
    if (file->bytes > MOST)
        return status_fail(reader->status, STATUS_INVALID, "config: %zu bytes, expected at most %d",
                           file->bytes, MOST);
    reader->config =
        yaml_parse_objects(file->data ? (const char *)file->data : "", file->bytes, reader->status);
    if (!reader->config)
        return status_prefix(reader->status, "config");
    for (int stack = 0; stack < 2; stack++) {
        reader->stacks[stack] = json_object_get(reader->config, names[stack]);
        if (!json_is_object(reader->stacks[stack]))
            return status_fail(reader->status, STATUS_INVALID,
                               "config: %s: missing, expected how the stack is built",
                               names[stack]);
    }
    return true;
}

static bool refuse(struct sockeye_reader *reader, int stack, const char *key, const char *value,
                   const char *expected)
{
    return status_fail(reader->status, STATUS_INVALID,
                       "config: %s.%s: %s is not supported, expected %s", names[stack], key,
                       QUOTED(value), expected);
}

static const char *text_of(const json_t *object, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : otherwise;
}

/* Returns the steps of a block without dropout: n is a norm, r the residual connection. */
static void read_sequence(const json_t *stack, const char *key, char steps[8])
{
    size_t count = 0;
    for (const char *step = text_of(stack, key, ""); *step && count < 7; step++)
        if (*step != 'd')
            steps[count++] = *step;
    steps[count] = '\0';
}

/* Stacks have a last norm if their layers begin with one. */
static bool read_norms(struct sockeye_reader *reader, int stack)
{
    char before[8], after[8];
    read_sequence(reader->stacks[stack], "preprocess_sequence", before);
    read_sequence(reader->stacks[stack], "postprocess_sequence", after);
    bool pre = strcmp(before, "n") == 0 && strcmp(after, "r") == 0;
    bool post = strcmp(before, "") == 0 && strcmp(after, "rn") == 0;
    reader->plain.stacks[stack].pre_norm = pre;
    return pre || post ||
           refuse(reader, stack, "postprocess_sequence", after,
                  "n before and dr behind every part, or drn behind it");
}

static bool read_decoder_type(struct sockeye_reader *reader, int stack)
{
    const char *type = text_of(reader->stacks[stack], "decoder_type", "transformer");
    bool recurrent = strcmp(type, "ssru_transformer") == 0;
    reader->plain.stacks[stack].recurrent = stack == 1 && recurrent;
    return stack == 0 || recurrent || strcmp(type, "transformer") == 0 ||
           refuse(reader, stack, "decoder_type", type, "transformer or ssru_transformer");
}

static bool read_activation(struct sockeye_reader *reader, int stack)
{
    static const char *const known[][2] = {{"relu", "relu"}, {"gelu", "gelu"}, {"swish1", "swish"}};
    struct plain_config *plain = &reader->plain;
    const char *name = text_of(reader->stacks[stack], "act_type", "relu");
    const char *first = text_of(reader->stacks[0], "act_type", "relu");
    bool gated = json_is_true(json_object_get(reader->stacks[stack], "use_glu"));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i][0]) == 0)
            plain->activation = known[i][1];
    if (stack == 1 && gated != plain->gated)
        return refuse(reader, stack, "use_glu", gated ? "true" : "false", "that of the encoder");
    plain->gated = gated;
    return (plain->activation && strcmp(name, first) == 0) ||
           refuse(reader, stack, "act_type", name,
                  stack ? "that of the encoder" : "relu, gelu or swish1");
}

static bool read_stack(struct sockeye_reader *reader, int stack)
{
    int64_t heads = family_integer(reader->stacks[stack], "attention_heads", 0);
    reader->plain.stacks[stack].heads = heads;
    if (heads < 1 || heads > INT32_MAX)
        return status_fail(reader->status, STATUS_INVALID,
                           "config: %s.attention_heads: %lld, expected at least 1", names[stack],
                           (long long)heads);
    return options_check(&options_sockeye, "config", reader->stacks[stack], reader->status) &&
           read_norms(reader, stack) && read_decoder_type(reader, stack) &&
           read_activation(reader, stack);
}

/* A translation's greatest length comes from its source's length and the ratio in the training
 * data, plus two standard deviations, rounded up. */
static void read_length(struct sockeye_reader *reader)
{
    const json_t *data = json_object_get(reader->config, "config_data");
    const json_t *statistics = json_object_get(data, "data_statistics");
    double mean = family_number(statistics, "length_ratio_mean", 1);
    double deviation = family_number(statistics, "length_ratio_std", 0);
    double factor = mean + 2 * deviation;
    reader->plain.length_factor = factor > 0 && factor < 1000 ? factor : 2;
    reader->plain.length_plus = reader->plain.length_factor != floor(reader->plain.length_factor);
}

/* Padding also ends a hypothesis. A hypothesis's score is divided by its length as soon as it
 * ends. */
static bool read_search(struct sockeye_reader *reader)
{
    enum { PAD, UNK, START, END };
    struct plain_config *plain = &reader->plain;
    plain->pad = PAD;
    plain->unk = UNK;
    plain->eos_source = plain->eos_target = plain->suffix[0] = END;
    plain->start[0] = START;
    plain->start_count = plain->suffix_count = 1;
    plain->specials_allowed = true;
    plain->ends = reader->ends = json_pack("[i, i]", END, PAD);
    plain->beam = 5;
    plain->alpha = 1;
    plain->endings = "ranked";
    plain->limit = "forced";
    plain->tokenizer = "whitespace";
    plain->blanks = "unicode";
    read_length(reader);
    return plain->ends || status_no_memory(reader->status);
}

static bool check_factors(struct sockeye_reader *reader)
{
    static const char *const keys[2] = {"num_source_factors", "num_target_factors"};
    const json_t *data = json_object_get(reader->config, "config_data");
    for (int side = 0; side < 2; side++)
        if (family_integer(data, keys[side], 1) != 1)
            return status_fail(reader->status, STATUS_INVALID,
                               "config: config_data.%s: factors are not supported, expected 1",
                               keys[side]);
    return true;
}

bool sockeye_read_config(struct sockeye_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    plain->name = reader->name;
    plain->source_language = "source";
    plain->target_language = "target";
    plain->norm_eps = 1e-6;
    return open_config(reader) &&
           options_check(&options_sockeye, "config", reader->config, reader->status) &&
           check_factors(reader) && read_stack(reader, 0) && read_stack(reader, 1) &&
           read_search(reader);
}
