/* Reads the options of an OpenNMT-py checkpoint; onmt/opts.py has them all. Older versions lack
 * most of them: like the package itself, this reads an absent option as the default of newer
 * versions. */
#include <stdio.h>
#include <string.h>

#include "model/formats/opennmt/opennmt.h"
#include "model/text/quote.h"

static bool refuse(struct onmt_reader *reader, const char *option, const char *value,
                   const char *what, const char *expected)
{
    struct quoted quoted;
    return status_fail(reader->status, STATUS_INVALID, "opt.%s: %s: %s not supported, expected %s",
                       option, quote_bytes(&quoted, value, strlen(value)), what, expected);
}

/* Checks options that choose among several kinds. The table lists the supported kinds and how the
 * message calls the others. */
static bool check_kinds(struct onmt_reader *reader)
{
    static const struct {
        const char *option, *kinds[3], *others;
    } kinds[] = {
        {"model_type", {"text"}, "other sources than text are"},
        {"model_task", {"seq2seq"}, "language models are"},
        {"encoder_type", {"transformer"}, "this encoder is"},
        {"decoder_type", {"transformer"}, "this decoder is"},
        {"self_attn_type", {"scaled-dot", "scaled-dot-flash"}, "this self-attention is"},
        {"generator_function", {"softmax", "log_softmax"}, "this function of the output is"},
        {"layer_norm", {"standard", "rms"}, "this kind of norm is"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *value = pickle_text_of(reader->options, kinds[i].option, kinds[i].kinds[0]);
        bool known = false;
        for (int kind = 0; kind < 3 && kinds[i].kinds[kind]; kind++)
            known |= strcmp(value, kinds[i].kinds[kind]) == 0;
        if (!known)
            return refuse(reader, kinds[i].option, value, kinds[i].others, kinds[i].kinds[0]);
    }
    return true;
}

/* This number also stands for two kinds of positions that are not relative. */
static bool check_relative(struct onmt_reader *reader)
{
    int64_t number = pickle_integer_of(reader->options, "max_relative_positions", 0);
    char value[32];
    snprintf(value, sizeof value, "%lld", (long long)number);
    return number == 0 || refuse(reader, "max_relative_positions", value,
                                 number == -1   ? "rotary positions (RoPE) are"
                                 : number == -2 ? "ALiBi is"
                                                : "relative positions (Shaw et al. 2018) are",
                                 "0");
}

/* True if an option is on: a flag, a number other than 0, or a list with something in it. */
static bool is_on(const struct pickle_value *option)
{
    double number;
    if (pickle_number(option, &number))
        return number != 0;
    return pickle_count(option) > 0;
}

static bool check_flags(struct onmt_reader *reader)
{
    static const char *const flags[][2] = {
        {"copy_attn", "copy attention is"},
        {"relative_positions_buckets", "a bias of relative positions is"},
        {"parallel_residual", "parallel residual connections are"},
        {"multiquery", "multi-query attention is"},
        {"num_kv", "keys and values that heads share are"},
        {"num_experts", "mixtures of experts are"},
        {"sliding_window", "attention in a sliding window is"},
        {"lora_layers", "LoRA weights are"},
        {"lora_embedding", "LoRA weights are"},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (is_on(pickle_get(reader->options, flags[i][0])))
            return refuse(reader, flags[i][0], "set", flags[i][1], "it to be off");
    const char *quantised = pickle_text_of(reader->options, "quant_type", "");
    return !*quantised || refuse(reader, "quant_type", quantised, "quantised weights are", "none");
}

static bool read_activation(struct onmt_reader *reader)
{
    static const struct {
        const char *theirs, *ours;
        bool gated;
    } known[] = {{"relu", "relu", false},
                 {"gelu", "gelu", false},
                 {"silu", "swish", true},
                 {"gated-gelu", "gelu", true}};
    const char *name = pickle_text_of(reader->options, "pos_ffn_activation_fn", "relu");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].theirs) == 0) {
            reader->plain.activation = known[i].ours;
            reader->plain.gated = known[i].gated;
        }
    return reader->plain.activation ||
           refuse(reader, "pos_ffn_activation_fn", name, "this activation is",
                  "relu, gelu, silu or gated-gelu");
}

/* Without position_encoding there are no positions, and embeddings are not scaled. */
static void read_positions(struct onmt_reader *reader)
{
    enum { POSITIONS = 5000 }; // of the package's table, if the file has none
    bool sines = pickle_flag_of(reader->options, "position_encoding", false);
    const char *type =
        pickle_text_of(reader->options, "position_encoding_type", "SinusoidalInterleaved");
    reader->plain.max_positions = POSITIONS;
    for (int stack = 0; stack < 2; stack++) {
        reader->plain.stacks[stack].positions = sines ? "sinusoidal" : "none";
        reader->plain.stacks[stack].layout =
            strcmp(type, "SinusoidalConcat") == 0 ? "halves_fairseq" : "interleaved";
    }
}

/* Sets the defaults of translate.py. The maximum length does not count the start token; the length
 * penalty does. */
static void read_search(struct onmt_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    plain->beam = 5;
    plain->alpha = reader->old ? 0 : 1;
    plain->length_offset = 1;
    plain->endings = "top";
    plain->limit =
        "open"; // onmt/translate/beam_search.py: at max_length all hypotheses are finished
    plain->length_factor = reader->old ? 0 : 1.25;
    plain->length_plus = reader->old ? 100 : 5;
    plain->length_most = reader->old ? 0 : 250;
}

bool onmt_read_options(struct onmt_reader *reader)
{
    enum { HEADS = 8 };
    struct plain_config *plain = &reader->plain;
    for (int stack = 0; stack < 2; stack++) {
        plain->stacks[stack].heads = pickle_integer_of(reader->options, "heads", HEADS);
        plain->stacks[stack].pre_norm = true;
    }
    plain->source_language = "source";
    plain->target_language = "target";
    plain->rms_norm = strcmp(pickle_text_of(reader->options, "layer_norm", "standard"), "rms") == 0;
    plain->norm_eps = pickle_number_of(reader->options, "norm_eps", 1e-6);
    if (plain->stacks[0].heads < 1)
        return status_fail(reader->status, STATUS_INVALID, "opt.heads: %lld, expected at least 1",
                           (long long)plain->stacks[0].heads);
    if (!(plain->norm_eps > 0 && plain->norm_eps < 1))
        return status_fail(reader->status, STATUS_INVALID,
                           "opt.norm_eps: %g, expected a number between 0 and 1", plain->norm_eps);
    if (!check_kinds(reader) || !check_flags(reader) || !check_relative(reader) ||
        !read_activation(reader))
        return false;
    read_positions(reader);
    read_search(reader);
    return true;
}
