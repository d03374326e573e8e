#include "model/checkpoint/config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/checkpoint/config_json.h"
#include "model/checkpoint/config_languages.h"
#include "model/checkpoint/config_parts.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define FIELDS(table) .fields = table, .count = COUNT(table)
#define NAMES(table) .names = table, .count = COUNT(table)

/* Limits far above any model: sizes computed from them cannot overflow, and an absurd file is
 * refused before anything is allocated for it. */
enum { MAX_LAYERS = 1024, MAX_WIDTH = 65536, MAX_FFN = 1 << 20, MAX_POSITIONS = 1 << 20 };
enum { MAX_BUCKETS = 4096, MAX_DISTANCE = 1 << 16 };

const char *const activation_names[ACTIVATION_COUNT] = {
    [ACTIVATION_NONE] = "none",           [ACTIVATION_RELU] = "relu",
    [ACTIVATION_GELU] = "gelu",           [ACTIVATION_SWISH] = "swish",
    [ACTIVATION_GELU_TANH] = "gelu_tanh", [ACTIVATION_GELU_SIGMOID] = "gelu_sigmoid",
    [ACTIVATION_TANH] = "tanh",           [ACTIVATION_SIGMOID] = "sigmoid",
};
/* No model has the activation "none". */
enum { FIRST_ACTIVATION = ACTIVATION_RELU };

const char *const penalty_names[] = {
    [PENALTY_NONE] = "none", [PENALTY_AVERAGE] = "average", [PENALTY_WU] = "wu", NULL};

const char *const endings_names[] = {
    [ENDINGS_BEST] = "best",     [ENDINGS_FIRST] = "first",
    [ENDINGS_NARROW] = "narrow", [ENDINGS_ATTAINABLE] = "attainable",
    [ENDINGS_TOP] = "top",       [ENDINGS_NEVER] = "never",
    [ENDINGS_RANKED] = "ranked", NULL};

const char *const limit_names[] = {
    [LIMIT_FORCED] = "forced", [LIMIT_FREE] = "free", [LIMIT_OPEN] = "open", NULL};

static const char *const norms[] = {"post", "pre"};
static const char *const norm_kinds[] = {"layer", "rms"};
static const char *const recurrences[] = {"none", "ssru"};
static const char *const bias_layers[] = {"shared", "separate"};
static const char *const position_kinds[] = {"sinusoidal", "learned", "none", "rotary"};
static const char *const layouts[] = {"halves", "halves_fairseq", "interleaved"};
static const char *const special_rules[] = {"excluded", "allowed"};
static const char *const pretokenizers[] = {"none", "moses"};
static const char *const punctuations[] = {"kept", "normalized"};
static const char *const tied_targets[] = {NULL, "source_embedding"};
static const char *const tied_outputs[] = {NULL, "source_embedding", "target_embedding"};

/* Objects of the language. Fields that depend on others, or have two forms, are read afterwards. */

#define MEMBER(type, member) .offset = offsetof(struct type, member)

static const struct config_field stack_fields[] = {
    {"layers", FIELD_INTEGER, MEMBER(stack_config, layers), .low = 1, .high = MAX_LAYERS},
    {"heads", FIELD_INTEGER, MEMBER(stack_config, heads), .low = 1, .high = CONFIG_MAX_HEADS},
    {"head_dim", FIELD_INTEGER, MEMBER(stack_config, head_dim), .low = 1, .high = MAX_WIDTH},
    {"kv_heads", FIELD_INTEGER, MEMBER(stack_config, kv_heads), .optional = true, .low = 1,
     .high = CONFIG_MAX_HEADS},
    {"recurrence", FIELD_SWITCH, MEMBER(stack_config, recurrent), .optional = true,
     NAMES(recurrences)},
};

static const struct config_field bias_fields[] = {
    {"buckets", FIELD_INTEGER, MEMBER(stack_config, buckets), .low = 4, .high = MAX_BUCKETS},
    {"max_distance", FIELD_INTEGER, MEMBER(stack_config, max_distance), .low = 2,
     .high = MAX_DISTANCE},
    {"layers", FIELD_SWITCH, MEMBER(stack_config, separate_biases), .optional = true,
     NAMES(bias_layers)},
};

/* `layout` only matters for some kinds; positions_check requires it there. */
static const struct config_field position_fields[] = {
    {"kind", FIELD_NAME, MEMBER(stack_config, positions), NAMES(position_kinds)},
    {"layout", FIELD_NAME, MEMBER(stack_config, layout), .optional = true, NAMES(layouts)},
    {"offset", FIELD_INTEGER, MEMBER(stack_config, offset), .optional = true, .high = INT32_MAX},
    {"base", FIELD_DOUBLE, MEMBER(stack_config, rotary_base), .optional = true},
    {"bias", FIELD_OBJECT, .optional = true, FIELDS(bias_fields)},
};

static const struct config_field positions_fields[] = {
    {"encoder", FIELD_OBJECT, MEMBER(config, stacks[STACK_ENCODER]), FIELDS(position_fields)},
    {"decoder", FIELD_OBJECT, MEMBER(config, stacks[STACK_DECODER]), FIELDS(position_fields)},
};

static const struct config_field tied_fields[] = {
    {"target_embedding", FIELD_NAME, MEMBER(config, tied_target), .optional = true,
     NAMES(tied_targets)},
    {"output", FIELD_NAME, MEMBER(config, tied_output), .optional = true, NAMES(tied_outputs)},
};

/* One value for both stacks, or one for each. */
static const struct config_field width_fields[] = {
    {"encoder", FIELD_INTEGER, MEMBER(config, stacks[STACK_ENCODER].d_ff), .low = 1,
     .high = MAX_FFN},
    {"decoder", FIELD_INTEGER, MEMBER(config, stacks[STACK_DECODER].d_ff), .low = 1,
     .high = MAX_FFN},
};

static const struct config_field norm_fields[] = {
    {"encoder", FIELD_SWITCH, MEMBER(config, stacks[STACK_ENCODER].pre_norm), NAMES(norms)},
    {"decoder", FIELD_SWITCH, MEMBER(config, stacks[STACK_DECODER].pre_norm), NAMES(norms)},
};

static const struct config_field last_norm_fields[] = {
    {"encoder", FIELD_BOOL, MEMBER(config, stacks[STACK_ENCODER].last_norm)},
    {"decoder", FIELD_BOOL, MEMBER(config, stacks[STACK_DECODER].last_norm)},
};

static const struct config_field embedding_norm_fields[] = {
    {"encoder", FIELD_BOOL, MEMBER(config, stacks[STACK_ENCODER].embedding_norm)},
    {"decoder", FIELD_BOOL, MEMBER(config, stacks[STACK_DECODER].embedding_norm)},
};

static const struct config_field output_norm_fields[] = {
    {"encoder", FIELD_BOOL, MEMBER(config, stacks[STACK_ENCODER].output_norm)},
    {"decoder", FIELD_BOOL, MEMBER(config, stacks[STACK_DECODER].output_norm)},
};

static const struct config_field special_fields[SPECIAL_COUNT] = {
    {"pad", FIELD_EACH, MEMBER(config, special[SPECIAL_PAD]), FIELDS(id_fields)},
    {"eos", FIELD_EACH, MEMBER(config, special[SPECIAL_EOS]), FIELDS(id_fields)},
    {"unk", FIELD_EACH, MEMBER(config, special[SPECIAL_UNK]), FIELDS(id_fields)},
    {"bos", FIELD_EACH, MEMBER(config, special[SPECIAL_BOS]), .optional = true, FIELDS(id_fields)},
};

static const struct config_field source_fields[] = {
    {"prefix", FIELD_IDS, MEMBER(config, prefix), NAMES(language_marks)},
    {"suffix", FIELD_IDS, MEMBER(config, suffix), NAMES(language_marks)},
};

static const struct config_field target_fields[] = {
    {"start", FIELD_IDS, MEMBER(config, start), NAMES(language_marks)},
    {"prefix", FIELD_IDS, MEMBER(config, target_prefix), .optional = true},
};

static const struct config_field tokenizer_sides[] = {
    {"source", FIELD_NAME, MEMBER(config, tokenizer[SIDE_SOURCE]), NAMES(tokenizer_names)},
    {"target", FIELD_NAME, MEMBER(config, tokenizer[SIDE_TARGET]), NAMES(tokenizer_names)},
};

static const struct config_field marks_sides[] = {
    {"source", FIELD_NAME, MEMBER(config, marks[SIDE_SOURCE]), .names = piece_marks_names,
     .count = PIECE_MARKS},
    {"target", FIELD_NAME, MEMBER(config, marks[SIDE_TARGET]), .names = piece_marks_names,
     .count = PIECE_MARKS},
};

static const struct config_field blanks_sides[] = {
    {"source", FIELD_NAME, MEMBER(config, blanks[SIDE_SOURCE]), .names = blanks_names,
     .count = BLANKS_KINDS},
    {"target", FIELD_NAME, MEMBER(config, blanks[SIDE_TARGET]), .names = blanks_names,
     .count = BLANKS_KINDS},
};

static const struct config_field tokenizer_fields[] = {
    {"kind", FIELD_EACH, FIELDS(tokenizer_sides)},
    {"marks", FIELD_EACH, .optional = true, FIELDS(marks_sides)},
    {"blanks", FIELD_EACH, .optional = true, FIELDS(blanks_sides)},
    {"pretokenizer", FIELD_SWITCH, MEMBER(config, moses), .optional = true, NAMES(pretokenizers)},
    {"punctuation", FIELD_SWITCH, MEMBER(config, normalized), .optional = true,
     NAMES(punctuations)},
    {"lowercase", FIELD_BOOL, MEMBER(config, lowercase), .optional = true},
    {"added", FIELD_ANY, .optional = true},
    {"language_codes", FIELD_BOOL, MEMBER(config, language_codes), .optional = true},
    {"last_blank", FIELD_BOOL, MEMBER(config, last_blank), .optional = true},
};

/* `alpha` means nothing to "none"; check_search requires it otherwise. */
static const struct config_field penalty_fields[] = {
    {"kind", FIELD_NAME, MEMBER(config, search.penalty), .names = penalty_names,
     .count = COUNT(penalty_names) - 1},
    {"alpha", FIELD_DOUBLE, MEMBER(config, search.alpha), .optional = true},
    {"offset", FIELD_INTEGER, MEMBER(config, search.offset), .optional = true,
     .high = CONFIG_MAX_OFFSET},
};

static const struct config_field length_fields[] = {
    {"factor", FIELD_DOUBLE, MEMBER(config, search.factor)},
    {"plus", FIELD_INTEGER, MEMBER(config, search.plus), .low = INT32_MIN, .high = INT32_MAX},
    {"most", FIELD_INTEGER, MEMBER(config, search.most), .optional = true, .high = INT32_MAX},
};

static const struct config_field search_fields[] = {
    {"beam", FIELD_INTEGER, MEMBER(config, search.beam), .low = 1, .high = CONFIG_MAX_BEAM},
    {"endings", FIELD_NAME, MEMBER(config, search.endings), .optional = true,
     .names = endings_names, .count = ENDINGS_COUNT},
    {"ends", FIELD_IDS, MEMBER(config, ends), .optional = true},
    {"excluded", FIELD_IDS, MEMBER(config, excluded), .optional = true},
    {"length_penalty", FIELD_OBJECT, FIELDS(penalty_fields)},
    {"limit", FIELD_NAME, MEMBER(config, search.at_limit), .optional = true, .names = limit_names,
     .count = LIMIT_COUNT},
    {"max_length", FIELD_OBJECT, FIELDS(length_fields)},
    {"min_length", FIELD_INTEGER, MEMBER(config, search.min_length), .optional = true,
     .high = MAX_POSITIONS},
    {"renormalize", FIELD_BOOL, MEMBER(config, search.renormalize), .optional = true},
    {"specials", FIELD_SWITCH, MEMBER(config, search.specials_allowed), .optional = true,
     NAMES(special_rules)},
};

static const struct config_field config_fields[] = {
    {"name", FIELD_STRING, MEMBER(config, name)},
    {"source_language", FIELD_STRING, MEMBER(config, source_language)},
    {"target_language", FIELD_STRING, MEMBER(config, target_language)},
    {"languages", FIELD_ANY, .optional = true},
    {"d_model", FIELD_INTEGER, MEMBER(config, d_model), .low = 1, .high = MAX_WIDTH},
    {"d_ff", FIELD_EACH, FIELDS(width_fields)},
    {"activation", FIELD_NAME, MEMBER(config, activation),
     .names = activation_names + FIRST_ACTIVATION, .count = ACTIVATION_COUNT - FIRST_ACTIVATION},
    {"gated_ffn", FIELD_BOOL, MEMBER(config, gated), .optional = true},
    {"norm", FIELD_EACH, FIELDS(norm_fields)},
    {"last_norm", FIELD_EACH, .optional = true, FIELDS(last_norm_fields)},
    {"embedding_norm", FIELD_EACH, .optional = true, FIELDS(embedding_norm_fields)},
    {"output_norm", FIELD_EACH, .optional = true, FIELDS(output_norm_fields)},
    {"norm_kind", FIELD_SWITCH, MEMBER(config, rms_norm), .optional = true, NAMES(norm_kinds)},
    {"norm_eps", FIELD_FLOAT, MEMBER(config, norm_eps)},
    {"embedding_scale", FIELD_FLOAT, MEMBER(config, embedding_scale)},
    {"attention_scale", FIELD_FLOAT, MEMBER(config, attention_scale), .optional = true},
    {"output_scale", FIELD_FLOAT, MEMBER(config, output_scale), .optional = true},
    {"attention_cap", FIELD_FLOAT, MEMBER(config, attention_cap), .optional = true},
    {"output_cap", FIELD_FLOAT, MEMBER(config, output_cap), .optional = true},
    {"positions", FIELD_OBJECT, FIELDS(positions_fields)},
    {"encoder", FIELD_OBJECT, MEMBER(config, stacks[STACK_ENCODER]), FIELDS(stack_fields)},
    {"decoder", FIELD_OBJECT, MEMBER(config, stacks[STACK_DECODER]), FIELDS(stack_fields)},
    {"attention", FIELD_ANY, .optional = true},
    {"tied", FIELD_OBJECT, FIELDS(tied_fields)},
    {"special", FIELD_OBJECT, FIELDS(special_fields)},
    {"source", FIELD_OBJECT, FIELDS(source_fields)},
    {"target", FIELD_OBJECT, FIELDS(target_fields)},
    {"tokenizer", FIELD_OBJECT, FIELDS(tokenizer_fields)},
    {"max_positions", FIELD_INTEGER, MEMBER(config, max_positions), .low = 1,
     .high = MAX_POSITIONS},
    {"search", FIELD_OBJECT, FIELDS(search_fields)},
    {"alignment", FIELD_ANY, .optional = true},
    {"origin", FIELD_ANY, .optional = true},
    {"left_out", FIELD_ANY, .optional = true},
};

/* Named places for what is checked after the fields. */
static const struct place root_place = {NULL, "attnscope.config", 0};

/* Without `last_norm`, only pre-norm stacks end with a norm of their own. */
static void default_last_norm(const json_t *root, struct config *config)
{
    for (enum stack stack = 0; stack < STACK_COUNT && !json_object_get(root, "last_norm"); stack++)
        config->stacks[stack].last_norm = config->stacks[stack].pre_norm;
}

static bool check_search(const json_t *root, const struct config *config, struct status *status)
{
    const json_t *penalty = json_object_get(json_object_get(root, "search"), "length_penalty");
    const struct place alpha = {&root_place, "search.length_penalty.alpha", 0};
    if (config->search.penalty != PENALTY_NONE && !json_object_get(penalty, "alpha"))
        return place_fail(&alpha, status, "missing, expected a number");
    for (int i = 0; i < config->excluded.count; i++) {
        const struct place excluded = {&root_place, "search.excluded", 0};
        const struct place id = {&excluded, NULL, i};
        if (config->excluded.ids[i] == config->special[SPECIAL_EOS][SIDE_TARGET])
            return place_fail(&id, status, "%d, expected another id than special.eos's",
                              config->excluded.ids[i]);
    }
    const struct place ends = {&root_place, "search.ends", 0};
    if (config->ends.count > ENDS_MOST)
        return place_fail(&ends, status, "%d ids, expected at most %d", config->ends.count,
                          ENDS_MOST);
    const json_t *length = json_object_get(json_object_get(root, "search"), "max_length");
    const struct place factor = {&root_place, "search.max_length.factor", 0};
    if (config->search.factor < 0)
        return value_fail(json_object_get(length, "factor"), &factor, "0 or more", status);
    return true;
}

static bool check_above_zero(const json_t *root, const char *key, float value,
                             struct status *status)
{
    const struct place at = {&root_place, key, 0};
    const json_t *given = json_object_get(root, key);
    return !given || value > 0 || value_fail(given, &at, "a number above 0 (in float32)", status);
}

/* Heads that share keys and values are groups of one size. */
static bool check_kv_heads(const struct config *config, enum stack stack, struct status *status)
{
    const struct stack_config *of = &config->stacks[stack];
    const struct place parent = {&root_place, stack_names[stack], 0};
    const struct place kv_heads = {&parent, "kv_heads", 0};
    return of->heads % of->kv_heads == 0 ||
           place_fail(&kv_heads, status, "%d, expected a divisor of %d (%s.heads)", of->kv_heads,
                      of->heads, stack_names[stack]);
}

/* A recurrence runs from left to right; an encoder reads both ways. */
static bool check_recurrence(const struct config *config, struct status *status)
{
    const struct place encoder = {&root_place, "encoder", 0}, decoder = {&root_place, "decoder", 0};
    const struct place ours = {&encoder, "recurrence", 0}, theirs = {&decoder, "recurrence", 0};
    if (config->stacks[STACK_ENCODER].recurrent)
        return place_fail(&ours, status,
                          "\"ssru\", expected \"none\" (only a decoder may have one)");
    const bool rotary = config->stacks[STACK_DECODER].positions == POSITIONS_ROTARY;
    if (config->stacks[STACK_DECODER].recurrent &&
        (config->stacks[STACK_DECODER].buckets || rotary))
        return place_fail(&theirs, status,
                          "\"ssru\", expected \"none\" (positions.decoder%s self-attention)",
                          rotary ? " is rotary, which needs" : ".bias needs");
    return true;
}

/* Checks rules that span several fields. Vocabularies are not known yet; see config_check_ids. */
static bool check_config(const json_t *root, const struct config *config, struct status *status)
{
    const struct stack_config *decoder = &config->stacks[STACK_DECODER];
    const struct place scale = {&root_place, "output_scale", 0};
    if (!check_above_zero(root, "norm_eps", config->norm_eps, status) ||
        !check_above_zero(root, "attention_scale", config->attention_scale, status) ||
        !check_above_zero(root, "output_scale", config->output_scale, status) ||
        !check_above_zero(root, "attention_cap", config->attention_cap, status) ||
        !check_above_zero(root, "output_cap", config->output_cap, status))
        return false;
    if (config->output_scale != 1 && decoder->pre_norm && !decoder->last_norm)
        return place_fail(&scale, status, "%g, expected 1 (the decoder has no last norm)",
                          (double)config->output_scale);
    if (!check_recurrence(config, status))
        return false;
    for (enum stack stack = 0; stack < STACK_COUNT; stack++)
        if (!positions_check(root, &root_place, config, stack, status) ||
            !check_kv_heads(config, stack, status))
            return false;

    const struct place start = {&root_place, "target.start", 0};
    if (config->start.count < 1 || config->start.count > config->max_positions)
        return place_fail(&start, status, "%d ids, expected 1 to %d (max_positions)",
                          config->start.count, config->max_positions);
    const struct place begin = {&root_place, "target.prefix", 0};
    if (config->target_prefix.count > config->max_positions - config->start.count)
        return place_fail(&begin, status, "%d ids, expected at most %d (max_positions - start)",
                          config->target_prefix.count, config->max_positions - config->start.count);
    const struct place source = {&root_place, "source", 0};
    long long around = (long long)config->prefix.count + config->suffix.count;
    if (around > config->max_positions)
        return place_fail(&source, status,
                          "%lld ids in prefix and suffix, expected at most %d "
                          "(max_positions)",
                          around, config->max_positions);
    return check_search(root, config, status);
}

static void default_stacks(struct config *config)
{
    for (enum stack stack = 0; stack < STACK_COUNT; stack++) {
        struct stack_config *of = &config->stacks[stack];
        of->kv_heads = of->kv_heads ? of->kv_heads : of->heads;
    }
}

static bool read_config(const json_t *root, struct config *config, struct status *status)
{
    config->output_scale = 1;
    config->stacks[STACK_ENCODER].rotary_base = config->stacks[STACK_DECODER].rotary_base = 10000;
    config->special[SPECIAL_BOS][SIDE_SOURCE] = config->special[SPECIAL_BOS][SIDE_TARGET] = -1;
    if (!fields_read(root, &root_place, config_fields, COUNT(config_fields), config, status))
        return false;
    default_last_norm(root, config);
    default_stacks(config);
    config->activation += FIRST_ACTIVATION;
    const struct place attention = {&root_place, "attention", 0};
    const struct place languages = {&root_place, "languages", 0};
    const struct place alignment = {&root_place, "alignment", 0};
    const struct place tokenizer = {&root_place, "tokenizer", 0};
    const struct place added = {&tokenizer, "added", 0};
    const struct place origin = {&root_place, "origin", 0};
    const struct place left_out = {&root_place, "left_out", 0};
    return languages_read(json_object_get(root, "languages"), &languages, config, status) &&
           check_config(root, config, status) &&
           added_read(json_object_get(json_object_get(root, "tokenizer"), "added"), &added, config,
                      status) &&
           alignment_read(json_object_get(root, "alignment"), &alignment, config, status) &&
           model_origin_read(json_object_get(root, "origin"), &origin, &config->origin, status) &&
           left_out_read(json_object_get(root, "left_out"), &left_out, &config->left_out, status) &&
           attention_read(json_object_get(root, "attention"), &attention, config, status);
}

struct config *config_parse(const char *json, size_t bytes, struct status *status)
{
    json_error_t error;
    json_t *root = json_loadb(json, bytes, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        json_error_fail(&error, root_place.key, status);
        return NULL;
    }
    struct config *config = memory_new(1, sizeof *config, status);
    bool good = config != NULL;
    if (good) {
        config->json = strndup(json, bytes);
        good = config->json || status_no_memory(status);
    }
    good = good && read_config(root, config, status);
    json_decref(root);
    if (good)
        return config;
    config_free(config);
    return NULL;
}

static bool check_id(const char *path, int index, int id, int side, int size, struct status *status)
{
    const struct place parent = {&root_place, path, 0};
    const struct place element = {&parent, NULL, index};
    if (id < size)
        return true;
    return place_fail(index < 0 ? &parent : &element, status,
                      "%d, expected 0 to %d (the %s vocabulary)", id, size - 1,
                      side == SIDE_SOURCE ? "source" : "target");
}

static bool check_list(const char *path, const struct id_list *list, int side, int size,
                       struct status *status)
{
    for (int i = 0; i < list->count; i++)
        if (!check_id(path, i, list->ids[i], side, size, status))
            return false;
    return true;
}

static bool check_special(const int ids[2], int which, int side, int size, struct status *status)
{
    static const char *const paths[SPECIAL_COUNT][3] = {
        {"special.pad.source", "special.pad.target", "special.pad"},
        {"special.eos.source", "special.eos.target", "special.eos"},
        {"special.unk.source", "special.unk.target", "special.unk"},
        {"special.bos.source", "special.bos.target", "special.bos"},
    };
    if (which == SPECIAL_BOS && ids[side] < 0)
        return true;
    int form = ids[SIDE_SOURCE] == ids[SIDE_TARGET] ? 2 : side;
    return check_id(paths[which][form], -1, ids[side], side, size, status);
}

bool config_check_ids(const struct config *config, int source_size, int target_size,
                      struct status *status)
{
    const int sizes[2] = {[SIDE_SOURCE] = source_size, [SIDE_TARGET] = target_size};
    for (int which = 0; which < SPECIAL_COUNT; which++)
        for (int side = 0; side < 2; side++)
            if (!check_special(config->special[which], which, side, sizes[side], status))
                return false;
    if (!check_list("source.prefix", &config->prefix, SIDE_SOURCE, source_size, status) ||
        !check_list("source.suffix", &config->suffix, SIDE_SOURCE, source_size, status) ||
        !check_list("target.start", &config->start, SIDE_TARGET, target_size, status) ||
        !check_list("target.prefix", &config->target_prefix, SIDE_TARGET, target_size, status) ||
        !check_list("search.excluded", &config->excluded, SIDE_TARGET, target_size, status) ||
        !check_list("search.ends", &config->ends, SIDE_TARGET, target_size, status) ||
        !languages_check_ids(config, sizes, status))
        return false;

    bool target = config->tied_target == TIED_SOURCE_EMBEDDING;
    bool output = config->tied_output == TIED_SOURCE_EMBEDDING;
    const struct place at = {&root_place, target ? "tied.target_embedding" : "tied.output", 0};
    if ((target || output) && source_size != target_size)
        return place_fail(
            &at, status,
            "source_embedding, expected vocabularies of one size (source %d, target %d)",
            source_size, target_size);
    return true;
}

void config_free(struct config *config)
{
    if (!config)
        return;
    attention_free(config);
    languages_free(config);
    added_free(config);
    free(config->name);
    free(config->source_language);
    free(config->target_language);
    free(config->prefix.ids);
    free(config->suffix.ids);
    free(config->start.ids);
    free(config->target_prefix.ids);
    free(config->excluded.ids);
    free(config->ends.ids);
    free(config->alignment.heads.ids);
    model_origin_free(&config->origin);
    left_out_free(config->left_out);
    free(config->json);
    free(config);
}
