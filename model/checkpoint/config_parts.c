#include "model/checkpoint/config_parts.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/checkpoint/config_json.h"

enum { ADDED_MOST = 1 << 16, TEXT_BYTES_MOST = 1 << 10 };

static const struct config_field token_fields[] = {
    {"text", FIELD_STRING, .offset = offsetof(struct added_token, text)},
    {"strip_left", FIELD_BOOL, .offset = offsetof(struct added_token, strip_left),
     .optional = true},
    {"strip_right", FIELD_BOOL, .offset = offsetof(struct added_token, strip_right),
     .optional = true},
    {"single_word", FIELD_BOOL, .offset = offsetof(struct added_token, single_word),
     .optional = true},
    {"normalized", FIELD_BOOL, .offset = offsetof(struct added_token, normalized),
     .optional = true},
};

static bool read_token(const json_t *value, const struct place *place, struct added_token *token,
                       struct status *status)
{
    if (!json_is_string(value))
        return fields_read(value, place, token_fields, sizeof token_fields / sizeof *token_fields,
                           token, status);
    token->text = strdup(json_string_value(value));
    return token->text || status_no_memory(status);
}

bool added_read(const json_t *value, const struct place *place, struct config *config,
                struct status *status)
{
    size_t count = json_array_size(value);
    if (!value)
        return true;
    if (!json_is_array(value) || count > ADDED_MOST)
        return value_fail(value, place, "a list of tokens", status);
    config->added = memory_new(count, sizeof *config->added, status);
    if (!config->added)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct place at = {place, NULL, (int)i};
        struct added_token *token = &config->added[config->added_count++];
        if (!read_token(json_array_get(value, i), &at, token, status))
            return false;
        size_t bytes = strlen(token->text);
        if (bytes == 0 || bytes > TEXT_BYTES_MOST || strpbrk(token->text, "\r\n"))
            return place_fail(&at, status, "expected a text of 1 to %d bytes in one line",
                              TEXT_BYTES_MOST);
    }
    return true;
}

void added_free(struct config *config)
{
    for (int i = 0; i < config->added_count; i++)
        free((char *)config->added[i].text);
    free(config->added);
}

/* Heads for aligning words --------------------------------------------------------------------- */

static const struct config_field alignment_fields[] = {
    {"layer", FIELD_INTEGER, .offset = offsetof(struct config, alignment.layer), .high = INT32_MAX},
    {"heads", FIELD_IDS, .offset = offsetof(struct config, alignment.heads)},
};

bool alignment_read(const json_t *json, const struct place *place, struct config *config,
                    struct status *status)
{
    const struct place layer = {place, "layer", 0}, heads = {place, "heads", 0};
    const struct stack_config *decoder = &config->stacks[STACK_DECODER];
    const struct id_list *list = &config->alignment.heads;
    if (!json)
        return true;
    if (!fields_read(json, place, alignment_fields,
                     sizeof alignment_fields / sizeof *alignment_fields, config, status))
        return false;
    if (config->alignment.layer >= decoder->layers)
        return place_fail(&layer, status, "%d, expected 0 to %d (decoder.layers)",
                          config->alignment.layer, decoder->layers - 1);
    if (list->count < 1)
        return place_fail(&heads, status, "none, expected at least one head");
    for (int i = 0; i < list->count; i++) {
        const struct place at = {&heads, NULL, i};
        if (list->ids[i] >= decoder->heads)
            return place_fail(&at, status, "%d, expected 0 to %d (decoder.heads)", list->ids[i],
                              decoder->heads - 1);
    }
    return true;
}

/* The origin ----------------------------------------------------------------------------------- */

#define MEMBER(type, member) .offset = offsetof(struct type, member)
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const struct config_field origin_fields[] = {
    {"family", FIELD_STRING, MEMBER(model_origin, family)},
    {"files", .kind = FIELD_ANY},
};

static const struct config_field file_fields[] = {
    {"name", FIELD_STRING, MEMBER(model_file, name)},
    {"sha256", FIELD_STRING, MEMBER(model_file, sha256)},
};

bool model_origin_read(const json_t *json, const struct place *place, struct model_origin *origin,
                       struct status *status)
{
    const struct place files_place = {place, "files", 0};
    if (!json)
        return true;
    if (!fields_read(json, place, origin_fields, COUNT(origin_fields), origin, status))
        return false;
    const json_t *files = json_object_get(json, "files");
    size_t count = json_array_size(files);
    if (!json_is_array(files) || count > INT32_MAX)
        return value_fail(files, &files_place, "a list of files", status);
    origin->files = memory_new(count, sizeof *origin->files, status);
    if (!origin->files)
        return false;
    origin->file_count = (int)count; // names not yet read are NULL
    for (int i = 0; i < origin->file_count; i++) {
        const struct place at = {&files_place, NULL, i};
        if (!fields_read(json_array_get(files, (size_t)i), &at, file_fields, COUNT(file_fields),
                         &origin->files[i], status))
            return false;
    }
    return true;
}

void model_origin_free(struct model_origin *origin)
{
    for (int i = 0; i < origin->file_count; i++) {
        free(origin->files[i].name);
        free(origin->files[i].sha256);
    }
    free(origin->files);
    free(origin->family);
    *origin = (struct model_origin){0};
}

bool left_out_read(const json_t *json, const struct place *place, char ***texts,
                   struct status *status)
{
    static const struct config_field text = {.kind = FIELD_STRING};
    const size_t count = json_array_size(json);
    if (!json)
        return true;
    if (!json_is_array(json) || count >= INT32_MAX)
        return value_fail(json, place, "a list of texts", status);
    *texts = memory_new(count + 1, sizeof **texts, status);
    for (size_t i = 0; *texts && i < count; i++) {
        const struct place at = {place, NULL, (int)i};
        if (!field_value(json_array_get(json, i), &at, &text, &(*texts)[i], status))
            return false;
    }
    return *texts != NULL;
}

void left_out_free(char **texts)
{
    for (char **text = texts; text && *text; text++)
        free(*text);
    free(texts);
}

/* Positions ------------------------------------------------------------------------------------ */

static bool check_bias(const struct place *parent, const struct stack_config *of, bool both_ways,
                       struct status *status)
{
    const struct place bias = {parent, "bias", 0};
    const int exact = (both_ways ? of->buckets / 2 : of->buckets) / 2;
    return !of->buckets || of->max_distance > exact ||
           place_fail(&bias, status,
                      "max_distance %d, expected more than %d (of %d buckets the first hold one "
                      "distance each)",
                      of->max_distance, exact, of->buckets);
}

/* Rotations depend on distances alone. */
static bool check_rotary(const json_t *given, const struct place *parent,
                         const struct config *config, enum stack stack, struct status *status)
{
    const struct stack_config *of = &config->stacks[stack];
    const struct place layout = {parent, "layout", 0}, offset = {parent, "offset", 0};
    const struct place base = {parent, "base", 0};
    const struct place owner = {parent->parent->parent, stack_names[stack], 0};
    const struct place width = {&owner, "head_dim", 0};
    if (of->layout == LAYOUT_HALVES_FAIRSEQ)
        return value_fail(json_object_get(given, "layout"), &layout,
                          "\"halves\" or \"interleaved\" (rotary)", status);
    if (of->offset)
        return place_fail(&offset, status, "%d, expected 0 (rotary)", of->offset);
    if (!(of->rotary_base > 1))
        return value_fail(json_object_get(given, "base"), &base, "a number above 1", status);
    return of->head_dim % 2 == 0 ||
           place_fail(&width, status, "%d, expected an even number (positions.%s is rotary)",
                      of->head_dim, stack_names[stack]);
}

static bool check_sinusoidal(const struct place *root, const struct config *config,
                             enum stack stack, struct status *status)
{
    const struct place width = {root, "d_model", 0};
    if (config->d_model % 2 != 0)
        return place_fail(&width, status,
                          "%d, expected an even number (positions.%s is sinusoidal)",
                          config->d_model, stack_names[stack]);
    return config->stacks[stack].layout != LAYOUT_HALVES_FAIRSEQ || config->d_model > 2 ||
           place_fail(&width, status, "%d, expected more than 2 (positions.%s.layout)",
                      config->d_model, stack_names[stack]);
}

bool positions_check(const json_t *root, const struct place *place, const struct config *config,
                     enum stack stack, struct status *status)
{
    const struct stack_config *of = &config->stacks[stack];
    const json_t *given = json_object_get(json_object_get(root, "positions"), stack_names[stack]);
    const struct place positions = {place, "positions", 0};
    const struct place parent = {&positions, stack_names[stack], 0};
    const struct place offset = {&parent, "offset", 0}, layout = {&parent, "layout", 0};
    const struct place base = {&parent, "base", 0};
    const bool rotary = of->positions == POSITIONS_ROTARY;
    if (of->offset > INT32_MAX - config->max_positions)
        return place_fail(&offset, status,
                          "%d, expected at most %d (with max_positions within int32)", of->offset,
                          INT32_MAX - config->max_positions);
    if (!check_bias(&parent, of, stack == STACK_ENCODER, status))
        return false;
    if (json_object_get(given, "base") && !rotary)
        return place_fail(&base, status, "present, expected none (the positions are not rotary)");
    if (of->positions != POSITIONS_SINUSOIDAL && !rotary)
        return true;
    if (!json_object_get(given, "layout"))
        return place_fail(&layout, status, "missing, expected \"halves\"%s or \"interleaved\"",
                          rotary ? "" : ", \"halves_fairseq\"");
    return rotary ? check_rotary(given, &parent, config, stack, status)
                  : check_sinusoidal(place, config, stack, status);
}
