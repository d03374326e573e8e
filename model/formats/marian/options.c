/* Reads Marian's options: special:model.yml, which training puts into the model, and decoder.yml.
 * Their names and defaults are those of Marian's src/common/config_parser.cpp. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/marian/reader.h"
#include "model/formats/options.h"
#include "model/formats/yaml/yaml.h"
#include "model/text/quote.h"

/* Sinusoidal positions have no limit; Marian itself limits sentences to 1000 tokens. */
enum { ENDLESS_POSITIONS = 4096, MAX_LAYERS = 1024 };

static const char *option_text(const struct marian_reader *reader, const char *key,
                               const char *otherwise)
{
    const char *text = json_string_value(json_object_get(reader->options, key));
    return text ? text : otherwise;
}

static bool refuse(struct marian_reader *reader, const char *key, const char *value,
                   const char *expected)
{
    return status_fail(reader->status, STATUS_INVALID, "%s: %s: %s is not supported, expected %s",
                       QUOTED(reader->model), key, QUOTED(value), expected);
}

/* Refuses options that change the computation, are off by default, and are not implemented. */
static bool refuse_what_is_on(struct marian_reader *reader)
{
    static const char *const flags[] = {"transformer-no-projection",
                                        "transformer-no-bias",
                                        "transformer-no-affine",
                                        "transformer-pool",
                                        "transformer-rnn-projection",
                                        "transformer-alibi-shift",
                                        "alibi",
                                        "ulr",
                                        "right-left"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (yaml_flag(reader->options, flags[i], false))
            return refuse(reader, flags[i], "true", "false");
    const char *mask = option_text(reader, "transformer-attention-mask", "default");
    if (strcmp(mask, "default") != 0)
        return refuse(reader, "transformer-attention-mask", mask, "default");
    if (family_integer(reader->options, "lemma-dim-emb", 0) != 0)
        return refuse(reader, "lemma-dim-emb", "a factored output", "0");
    return true;
}

static bool read_type(struct marian_reader *reader)
{
    const char *type = option_text(reader, "type", "amun");
    const char *layer = option_text(reader, "transformer-decoder-autoreg", "self-attention");
    if (strcmp(type, "transformer") != 0)
        return refuse(reader, "type", type, "transformer");
    bool recurrent = strcmp(layer, "rnn") == 0;
    const char *cell = option_text(reader, "dec-cell", "gru");
    if (!recurrent && strcmp(layer, "self-attention") != 0)
        return refuse(reader, "transformer-decoder-autoreg", layer,
                      "self-attention, or rnn with dec-cell ssru");
    if (recurrent && strcmp(cell, "ssru") != 0)
        return refuse(reader, "dec-cell", cell, "ssru");
    if (recurrent && yaml_flag(reader->options, "layer-normalization", false))
        return refuse(reader, "layer-normalization", "a norm in the recurrence", "false");
    reader->plain.stacks[1].recurrent = recurrent;
    return refuse_what_is_on(reader);
}

/* Reads the operations of an option without dropout (d), which only training uses. No supported
 * series of operations is longer than the result. */
static void read_operations(const struct marian_reader *reader, const char *key,
                            const char *otherwise, char operations[8])
{
    const char *all = option_text(reader, key, otherwise);
    size_t count = 0;
    for (; *all && count < 7; all++)
        if (*all != 'd')
            operations[count++] = *all;
    operations[count] = '\0';
}

/* Pre-norm has n before a part and da after it; post-norm has dan after it. Either may have a last
 * norm: n after the stack. */
static bool read_norms(struct marian_reader *reader)
{
    char before[8], behind[8], top[8], embeddings[8];
    read_operations(reader, "transformer-preprocess", "", before);
    read_operations(reader, "transformer-postprocess", "dan", behind);
    read_operations(reader, "transformer-postprocess-top", "", top);
    read_operations(reader, "transformer-postprocess-emb", "d", embeddings);
    bool pre = strcmp(before, "n") == 0 && strcmp(behind, "a") == 0;
    bool post = strcmp(before, "") == 0 && strcmp(behind, "an") == 0;
    bool last = strcmp(top, "n") == 0;
    if (strpbrk(before, "r") || strpbrk(behind, "r"))
        return refuse(reader, "transformer-postprocess", "root mean square normalisation (r)",
                      "dan, or da with transformer-preprocess n");
    if (strpbrk(behind, "h"))
        return refuse(reader, "transformer-postprocess", "highway connections (h)",
                      "dan, or da with transformer-preprocess n");
    if (!pre && !post)
        return status_fail(reader->status, STATUS_INVALID,
                           "%s: transformer-preprocess: %s with transformer-postprocess: %s is not "
                           "computed here, expected only dan, or n with da",
                           QUOTED(reader->model), QUOTED(before), QUOTED(behind));
    if (strcmp(top, "") != 0 && !last)
        return refuse(reader, "transformer-postprocess-top", top, "n, or none");
    if (strcmp(embeddings, "") != 0 && strcmp(embeddings, "n") != 0)
        return refuse(reader, "transformer-postprocess-emb", embeddings, "d or nd");
    for (int stack = 0; stack < 2; stack++) {
        reader->plain.stacks[stack].pre_norm = pre;
        reader->plain.stacks[stack].no_last_norm = !last;
        reader->plain.stacks[stack].last_norm = last;
        reader->plain.stacks[stack].embedding_norm = strcmp(embeddings, "n") == 0;
    }
    return true;
}

static bool read_activation(struct marian_reader *reader)
{
    static const char *const known[] = {"relu", "swish", "gelu"};
    const char *name = option_text(reader, "transformer-ffn-activation", "swish");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i]) == 0)
            reader->plain.activation = known[i];
    return reader->plain.activation ||
           refuse(reader, "transformer-ffn-activation", name, "relu, swish or gelu");
}

/* Feed-forward layers must have two matrices with the activation between them. */
static bool read_depth(struct marian_reader *reader)
{
    int64_t depth = family_integer(reader->options, "transformer-ffn-depth", 2);
    int64_t decoder = family_integer(reader->options, "transformer-decoder-ffn-depth", 0);
    char text[32];
    if (depth == 2 && (decoder == 0 || decoder == 2))
        return true;
    snprintf(text, sizeof text, "%lld", (long long)(depth == 2 ? decoder : depth));
    return refuse(reader, depth == 2 ? "transformer-decoder-ffn-depth" : "transformer-ffn-depth",
                  text, "2");
}

/* Reads heads, layers and their widths. */
static bool read_sizes(struct marian_reader *reader)
{
    static const char *const depths[] = {"enc-depth", "dec-depth"};
    const json_t *options = reader->options;
    int64_t heads = family_integer(options, "transformer-heads", 8);
    int64_t width = family_integer(options, "transformer-dim-ffn", 2048);
    int64_t decoder_width = family_integer(options, "transformer-decoder-dim-ffn", 0);
    for (int stack = 0; stack < 2; stack++) {
        reader->plain.stacks[stack].heads = heads;
        reader->plain.stacks[stack].d_ff = stack && decoder_width ? decoder_width : width;
        reader->plain.stacks[stack].layers = family_integer(options, depths[stack], 1);
        if (reader->plain.stacks[stack].layers < 1 ||
            reader->plain.stacks[stack].layers > MAX_LAYERS)
            return marian_fail(reader, depths[stack], "expected 1 to 1024 layers");
    }
    return true;
}

/* Marian scales embeddings only if it adds positions to them. */
static void read_positions(struct marian_reader *reader)
{
    bool none = yaml_flag(reader->options, "transformer-disable-position-embeddings", false);
    struct plain_config *plain = &reader->plain;
    plain->d_model = family_integer(reader->options, "dim-emb", 512);
    plain->embedding_scale = none || plain->d_model < 1 ? 1 : sqrt((double)plain->d_model);
    plain->max_positions = ENDLESS_POSITIONS;
    for (int stack = 0; stack < 2; stack++) {
        plain->stacks[stack].positions = none ? "none" : "sinusoidal";
        plain->stacks[stack].layout = "halves_fairseq";
        plain->stacks[stack].offset = 0;
    }
}

/* Defaults: those of marian-decoder; and, for students that come without options, those of Firefox
 * and translateLocally (bergamot-translator, wasm/module/worker/translator-worker.js). */
static const struct search_defaults {
    int64_t beam;
    double alpha, length_factor;
} of_decoder = {12, 0, 3}, of_students = {1, 1, 2};

static bool is_student(const struct marian_reader *reader)
{
    bool quantised = false;
    for (int i = 0; i < reader->items->count; i++)
        quantised |= marian_is_quantised(&reader->items->items[i]);
    return quantised;
}

/* Reads the search. At its greatest length, Marian ends without end-of-sentence, which here takes
 * one token more. */
static bool read_search(struct marian_reader *reader)
{
    const struct search_defaults *otherwise =
        is_student(reader) && !reader->decoder_name ? &of_students : &of_decoder;
    struct plain_config *plain = &reader->plain;
    const json_t *decoder = reader->decoder;
    int64_t beam = family_integer(decoder, "beam-size", otherwise->beam);
    double factor = family_number(decoder, "max-length-factor", otherwise->length_factor);
    const json_t *normalize = json_object_get(decoder, "normalize");
    plain->beam = beam >= 1 && beam <= 1000 ? beam : otherwise->beam;
    plain->alpha =
        json_is_true(normalize) ? 1 : family_number(decoder, "normalize", otherwise->alpha);
    plain->length_factor = factor >= 0 && factor <= 1000 ? factor : otherwise->length_factor;
    /* The last step is the one that starts with histories of factor * source words
     * (translator/beam_search.h, search); it ends translations as they are. */
    plain->length_plus = floor(plain->length_factor) < plain->length_factor;
    plain->limit = "open";
    plain->endings = "narrow";
    return family_number(decoder, "word-penalty", 0) == 0 ||
           status_fail(reader->status, STATUS_INVALID,
                       "%s: word-penalty: not supported, expected 0 or none",
                       QUOTED(reader->decoder_name));
}

/* If alignment was trained or is requested, as Bergamot's translators request it of every student,
 * Marian takes it from the first head of one layer: the last one unless the model names another. */
static void read_alignment(struct marian_reader *reader)
{
    static const char *const keys[] = {"guided-alignment", "alignment"};
    const json_t *given = json_object_get(reader->options, "transformer-guided-alignment-layer");
    const char *text = json_string_value(given);
    int64_t layers = reader->plain.stacks[1].layers;
    int64_t number = json_is_integer(given) ? json_integer_value(given)
                     : text                 ? strtoll(text, NULL, 10)
                                            : 0;
    bool wanted = (number >= 1 && number <= layers) || is_student(reader);
    for (int i = 0; i < 2; i++) {
        const char *value = option_text(reader, keys[i], "none");
        wanted |= strcmp(value, "none") != 0 || json_object_get(reader->decoder, keys[i]);
    }
    reader->plain.alignment_heads = wanted;
    reader->plain.alignment_layer = number >= 1 && number <= layers ? number - 1 : layers - 1;
}

static bool parse_options(struct marian_reader *reader)
{
    static const char name[] = "special:model.yml";
    const struct marian_item *item = marian_items_find(reader->items, name);
    if (!item || item->type != MARIAN_TEXT)
        return marian_fail(reader, name, "missing, expected the options of the training");
    size_t bytes = strnlen((const char *)item->data, item->bytes);
    reader->options = yaml_parse((const char *)item->data, bytes, reader->status);
    if (!reader->options)
        return status_prefix(reader->status, "%s: %s", QUOTED(reader->model), name);
    return json_is_object(reader->options) || marian_fail(reader, name, "expected a mapping");
}

bool marian_read_options(struct marian_reader *reader)
{
    if (!parse_options(reader) ||
        !options_check(&options_marian, reader->model, reader->options, reader->status))
        return false;
    if (!read_type(reader) || !read_norms(reader) || !read_activation(reader) ||
        !read_depth(reader) || !read_sizes(reader))
        return false;
    read_positions(reader);
    read_alignment(reader);
    reader->plain.source_language = "source";
    reader->plain.target_language = "target";
    reader->plain.norm_eps = 1e-6;
    reader->plain.tokenizer = "whitespace";
    reader->plain.blanks = "space";
    return read_search(reader);
}
