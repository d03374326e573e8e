/* Reads the options that a model of fairseq was trained with. Defaults are those of
 * base_architecture in fairseq/models/transformer/transformer_legacy.py; newer checkpoints have
 * them filled in. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/formats/fairseq/fairseq.h"
#include "model/text/quote.h"

bool fs_fail(struct fs_reader *reader, const char *format, ...)
{
    char message[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status_fail(reader->status, STATUS_INVALID, "%s: %s", QUOTED(reader->file), message);
}

/* Options -------------------------------------------------------------------------------------- */

/* Returns the value within omegaconf's objects. */
static const struct pickle_value *unwrap(const struct pickle_value *value)
{
    if (pickle_is(value, "omegaconf.dictconfig", "DictConfig") ||
        pickle_is(value, "omegaconf.listconfig", "ListConfig"))
        return pickle_get(value, "_content");
    bool node = value && value->kind == PICKLE_RECORD &&
                strcmp(value->object->module, "omegaconf.nodes") == 0;
    return node ? pickle_get(value, "_val") : value;
}

static const struct pickle_value *member(const struct pickle_value *of, const char *name)
{
    return unwrap(pickle_get(unwrap(of), name));
}

const struct pickle_value *fs_option(const struct fs_reader *reader, const char *name)
{
    static const char *const groups[] = {"model", "task", "generation", "tokenizer", "bpe"};
    const struct pickle_value *value = NULL;
    if (!pickle_none(reader->args))
        return member(reader->args, name);
    for (size_t i = 0; !value && i < sizeof groups / sizeof *groups; i++)
        value = member(member(reader->groups, groups[i]), name);
    return value;
}

const char *fs_text(const struct fs_reader *reader, const char *name, const char *otherwise)
{
    const char *text = pickle_text(fs_option(reader, name));
    return text ? text : otherwise;
}

const char *fs_language(const struct fs_reader *reader, int side, const char *otherwise)
{
    const char *inferred = reader->pair[side];
    return fs_text(reader, side ? "target_lang" : "source_lang", *inferred ? inferred : otherwise);
}

static double fs_number(const struct fs_reader *reader, const char *name, double otherwise)
{
    double number = 0;
    return pickle_number(fs_option(reader, name), &number) ? number : otherwise;
}

bool fs_flag(const struct fs_reader *reader, const char *name)
{
    return fs_number(reader, name, 0) != 0;
}

const char *fs_architecture(const struct fs_reader *reader)
{
    return fs_text(reader, "arch", fs_text(reader, "_name", "transformer"));
}

/* Options that are not computed ---------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Most other models are refused because they have tensors that a Transformer does not have. These
 * models' tensors look the same. */
static bool check_architecture(struct fs_reader *reader)
{
    static const char *const others[] = {"multilingual_transformer",
                                         "transformer_lm",
                                         "transformer_monotonic",
                                         "lstm",
                                         "fconv",
                                         "lightconv",
                                         "dynamicconv",
                                         "nonautoregressive",
                                         "levenshtein",
                                         "insertion",
                                         "cmlm",
                                         "nacrf",
                                         "iterative_nonautoregress",
                                         "masked_lm",
                                         "roberta",
                                         "s2t",
                                         "convtransformer",
                                         "wav2vec",
                                         "transformer_lightconv",
                                         "transformer_pointer",
                                         "transformer_from_pretrained_xlm",
                                         "hf_gpt2",
                                         "bert",
                                         "xm_transformer"};
    const char *name = fs_architecture(reader);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (begins(name, others[i]))
            return fs_fail(reader,
                           "arch %s is not supported, expected a Transformer of one "
                           "encoder and one decoder",
                           QUOTED(name));
    return true;
}

static bool check_options(struct fs_reader *reader)
{
    static const struct {
        const char *option, *what;
    } refused[] = {
        {"adaptive_softmax_cutoff", "adaptive softmax"},
        {"adaptive_input", "adaptive input embeddings"},
        {"no_cross_attention", "a decoder without cross-attention"},
        {"cross_self_attention", "attention over source and target at once"},
        {"moe_freq", "mixtures of experts"},
        {"prepend_bos", "beginning-of-sentence before every sentence"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct pickle_value *value = fs_option(reader, refused[i].option);
        bool off = pickle_none(value) || (value->kind != PICKLE_TEXT && pickle_count(value) == 0 &&
                                          !fs_flag(reader, refused[i].option));
        if (!off)
            return fs_fail(reader, "%s: %s is not supported, expected none", refused[i].option,
                           refused[i].what);
    }
    return true;
}

/* Sizes ---------------------------------------------------------------------------------------- */

/* Returns the default number of heads, for old checkpoints without the option. */
static int64_t heads_of(const char *architecture)
{
    static const struct {
        const char *begins;
        int64_t heads;
    } known[] = {
        {"transformer_iwslt_de_en", 4},
        {"transformer_tiny", 2},
        {"transformer_vaswani_wmt_en_de_big", 16},
        {"transformer_vaswani_wmt_en_fr_big", 16},
        {"transformer_wmt_en_de_big", 16},
        {"bart_base", 12},
        {"bart", 16},
        {"mbart", 16},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (begins(architecture, known[i].begins))
            return known[i].heads;
    return 8;
}

static bool read_activation(struct fs_reader *reader)
{
    static const char *const known[][2] = {
        {"relu", "relu"},           {"gelu", "gelu"}, {"gelu_accurate", "gelu_tanh"},
        {"gelu_fast", "gelu_tanh"}, {"tanh", "tanh"}, {"swish", "swish"},
    };
    const char *name = fs_text(reader, "activation_fn", "relu");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i][0]) == 0)
            reader->plain.activation = known[i][1];
    return reader->plain.activation ||
           fs_fail(reader,
                   "activation_fn %s is not supported, expected relu, gelu, "
                   "gelu_accurate, tanh or swish",
                   QUOTED(name));
}

/* Reads the heads; other sizes come from the tensors, as pruning may have changed them. */
static bool read_stack(struct fs_reader *reader, int stack)
{
    static const char *const names[2][3] = {
        {"encoder_attention_heads", "encoder_normalize_before", "encoder_learned_pos"},
        {"decoder_attention_heads", "decoder_normalize_before", "decoder_learned_pos"}};
    double heads = fs_number(reader, names[stack][0], (double)heads_of(fs_architecture(reader)));
    bool learned = fs_flag(reader, names[stack][2]);
    bool none = fs_flag(reader, "no_token_positional_embeddings");
    reader->plain.stacks[stack].pre_norm = fs_flag(reader, names[stack][1]);
    reader->plain.stacks[stack].positions = none ? "none" : learned ? "learned" : "sinusoidal";
    reader->plain.stacks[stack].layout = "halves_fairseq";
    reader->plain.stacks[stack].offset = none ? 0 : FS_PAD + 1;
    if (!(heads >= 1 && heads <= 1024))
        return fs_fail(reader, "%s: %g, expected 1 to 1024", names[stack][0], heads);
    reader->plain.stacks[stack].heads = (int64_t)heads;
    return true;
}

/* Search --------------------------------------------------------------------------------------- */

static double in_range(double value, double least, double most, double otherwise)
{
    return value >= least && value <= most ? value : otherwise;
}

/* Sets the defaults of fairseq-generate, whose maximum length does not include end-of-sentence. */
static void read_search(struct fs_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    plain->beam = (int64_t)in_range(fs_number(reader, "beam", 5), 1, 1000, 5);
    plain->alpha =
        fs_flag(reader, "unnormalized") ? 0 : in_range(fs_number(reader, "lenpen", 1), -10, 10, 1);
    plain->length_factor = in_range(fs_number(reader, "max_len_a", 0), 0, 1000, 0);
    plain->length_plus =
        (int64_t)in_range(fs_number(reader, "max_len_b", 200), 0, 1e6 - 1, 200) + 1;
    plain->min_length = (int64_t)in_range(fs_number(reader, "min_len", 1), 0, 1e6, 1);
    plain->endings = "first";
}

static int64_t positions_of(const struct fs_reader *reader, const char *name)
{
    double both = fs_number(reader, "max_positions", 1024); // for old checkpoints
    return (int64_t)in_range(fs_number(reader, name, both), 1, 1 << 20, 1024);
}

bool fs_read_model(struct fs_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    if (!check_architecture(reader) || !check_options(reader) || !read_activation(reader) ||
        !read_stack(reader, 0) || !read_stack(reader, 1))
        return false;
    int64_t source = positions_of(reader, "max_source_positions"),
            target = positions_of(reader, "max_target_positions");
    plain->max_positions = source > target ? source : target;
    plain->norm_eps = 1e-5; // torch.nn.LayerNorm's default
    plain->tokenizer = "whitespace";
    plain->blanks = "pieces";
    read_search(reader);
    return true;
}
