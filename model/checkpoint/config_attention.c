#include "model/checkpoint/config_parts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define NAMES(table) .names = table, .count = COUNT(table)

enum { MAX_D_M = 65536 };

const char *const stack_names[STACK_COUNT] = {"encoder", "decoder"};
const char *const module_names[MODULE_COUNT] = {"encoder", "decoder", "cross"};
const char *const mask_names[] = {"global", "local", "forward", "backward", NULL};
const char *const gate_side_names[SIDE_COUNT] = {[SIDE_Q] = "q", [SIDE_K] = "k"};

const char *const pattern_names[PATTERN_COUNT + 1] = {
    [PATTERN_CURRENT] = "current",
    [PATTERN_PREVIOUS] = "previous",
    [PATTERN_NEXT] = "next",
    [PATTERN_LEFT_CONTEXT] = "left_context",
    [PATTERN_RIGHT_CONTEXT] = "right_context",
    [PATTERN_SENTENCE_END] = "sentence_end",
    [PATTERN_SENTENCE_START] = "sentence_start",
    [PATTERN_LAST] = "last",
    [PATTERN_GAUSSIAN] = "gaussian",
};

static const char *const kinds[] = {"self", "cross"};
static const char *const energies[] = {"learned", "fixed"};
static const char *const units[] = {"token", "word"};
static const char *const combinations[] = {"concat", "dhicm"};
static const char *const gates[] = {"token", "head", "none"};
static const char *const vectors[] = {"global", "deep", "deep_global"}; // bits in this order
static const char *const sides[] = {"q", "k", "qk"};

/* One rule while it is read: `change` holds only what its keys set. */
struct rule {
    int stack, kind;
    enum module module;
    const json_t *layers, *heads, *combine, *context; // NULL: the rule has no such key
    bool *chosen;                                     // (layers)
    struct attention_config change;
};

static const struct config_field rule_fields[] = {
    {"stack", FIELD_NAME, .offset = offsetof(struct rule, stack), .names = stack_names,
     .count = STACK_COUNT},
    {"kind", FIELD_NAME, .offset = offsetof(struct rule, kind), NAMES(kinds)},
    {"layers", FIELD_ANY, .optional = true},
    {"heads", FIELD_ANY, .optional = true},
    {"combine", FIELD_ANY, .optional = true},
    {"context", FIELD_ANY, .optional = true},
};

static bool read_layers(struct rule *rule, const struct place *place, int layers,
                        struct status *status)
{
    const struct place at = {place, "layers", 0};
    bool all = !rule->layers || (json_is_string(rule->layers) &&
                                 strcmp(json_string_value(rule->layers), "all") == 0);
    if (!all && !json_is_array(rule->layers))
        return value_fail(rule->layers, &at, "\"all\" or a list of layers", status);
    rule->chosen = memory_new((size_t)layers, sizeof *rule->chosen, status);
    if (!rule->chosen)
        return false;
    if (all) {
        memset(rule->chosen, true, (size_t)layers * sizeof *rule->chosen);
        return true;
    }
    for (size_t i = 0; i < json_array_size(rule->layers); i++) {
        const struct place element = {&at, NULL, (int)i};
        const struct config_field field = {"", FIELD_INTEGER, .high = layers - 1};
        int layer;
        if (!field_value(json_array_get(rule->layers, i), &element, &field, &layer, status))
            return false;
        rule->chosen[layer] = true;
    }
    return true;
}

/* A head as it is in the file, before it becomes a struct head. */
struct head_fields {
    int energy, pattern, unit, offset;
    double deviation, alpha;
};

static const struct config_field head_fields[] = {
    {"energy", FIELD_NAME, .offset = offsetof(struct head_fields, energy), NAMES(energies)},
    {"mask", FIELD_ANY, .optional = true},
    {"pattern", FIELD_NAME, .offset = offsetof(struct head_fields, pattern), .optional = true,
     .names = pattern_names, .count = PATTERN_COUNT},
    {"unit", FIELD_NAME, .offset = offsetof(struct head_fields, unit), .optional = true,
     NAMES(units)},
    {"offset", FIELD_INTEGER, .offset = offsetof(struct head_fields, offset), .optional = true,
     .low = -PATTERN_OFFSET_MOST, .high = PATTERN_OFFSET_MOST},
    {"deviation", FIELD_DOUBLE, .offset = offsetof(struct head_fields, deviation),
     .optional = true},
    {"alpha", FIELD_DOUBLE, .offset = offsetof(struct head_fields, alpha), .optional = true},
};

/* Only Gaussians have an offset and a deviation. */
static bool check_shape(const json_t *value, const struct place *place,
                        const struct head_fields *read, struct status *status)
{
    static const char *const keys[] = {"offset", "deviation"};
    const bool gaussian = read->energy == ENERGY_FIXED && read->pattern == PATTERN_GAUSSIAN;
    for (int i = 0; i < COUNT(keys) && !gaussian; i++) {
        const struct place at = {place, keys[i], 0};
        if (json_object_get(value, keys[i]))
            return place_fail(&at, status, "present, expected none (the pattern is not gaussian)");
    }
    const struct place at = {place, "deviation", 0};
    return !gaussian || deviation_valid(read->deviation) ||
           value_fail(json_object_get(value, "deviation"), &at, "a number from 0.1 to 1e6", status);
}

/* Only learned heads have an α of entmax. */
static bool check_alpha(const json_t *value, const struct place *place,
                        const struct head_fields *read, struct status *status)
{
    const json_t *alpha = json_object_get(value, "alpha");
    const struct place at = {place, "alpha", 0};
    if (alpha && read->energy != ENERGY_LEARNED)
        return place_fail(&at, status, "present, expected none (the head's energy is fixed)");
    return alpha_valid(read->alpha) || value_fail(alpha, &at, "a number from 1 to 2", status);
}

static bool read_mask(const json_t *value, const struct place *place, struct head *head,
                      struct status *status)
{
    static const struct config_field local[] = {{"local", FIELD_INTEGER, .high = INT32_MAX}};
    if (json_is_object(value)) {
        int window;
        if (!fields_read(value, place, local, COUNT(local), &window, status))
            return false;
        head->mask = MASK_LOCAL;
        head->window = window;
        return true;
    }
    for (enum mask mask = 0; mask <= MASK_BACKWARD && json_is_string(value); mask++)
        if (mask != MASK_LOCAL && strcmp(json_string_value(value), mask_names[mask]) == 0) {
            head->mask = (uint8_t)mask;
            return true;
        }
    return value_fail(value, place, "\"global\", {\"local\": width}, \"forward\" or \"backward\"",
                      status);
}

/* Energy and mask are independent settings: a fixed head may have a mask, which it does not use.
 * But a learned head with a pattern is a contradiction. */
static bool read_head(const json_t *value, const struct place *place, struct head *head,
                      struct status *status)
{
    struct head_fields read = {.deviation = 1, .alpha = 1};
    if (!fields_read(value, place, head_fields, COUNT(head_fields), &read, status) ||
        !check_shape(value, place, &read, status) || !check_alpha(value, place, &read, status))
        return false;
    const struct place pattern = {place, "pattern", 0};
    bool has_pattern = json_object_get(value, "pattern") != NULL;
    if (read.energy == ENERGY_FIXED && !has_pattern)
        return place_fail(&pattern, status, "missing, expected the pattern of a fixed head");
    if (read.energy == ENERGY_LEARNED && has_pattern)
        return place_fail(&pattern, status,
                          "present, expected none (the head's energy is learned)");

    *head = (struct head){.energy = (uint8_t)read.energy,
                          .pattern = (uint8_t)read.pattern,
                          .unit = (uint8_t)read.unit,
                          .offset = read.offset,
                          .entmax = entmax_of(read.alpha)};
    if (read.energy == ENERGY_FIXED && read.pattern == PATTERN_GAUSSIAN)
        head->deviation = (float)read.deviation;
    const json_t *mask = json_object_get(value, "mask");
    const struct place at = {place, "mask", 0};
    return !mask || read_mask(mask, &at, head, status);
}

static bool read_heads(struct rule *rule, const struct place *place, int heads,
                       struct status *status)
{
    if (!rule->heads)
        return true;
    const struct place at = {place, "heads", 0};
    if (!json_is_array(rule->heads))
        return value_fail(rule->heads, &at, "a list of heads", status);
    if (json_array_size(rule->heads) != (size_t)heads)
        return place_fail(&at, status, "%zu entries, expected %d (%s.heads)",
                          json_array_size(rule->heads), heads, stack_names[rule->stack]);
    rule->change.heads = memory_new((size_t)heads, sizeof *rule->change.heads, status);
    if (!rule->change.heads)
        return false;
    for (int i = 0; i < heads; i++) {
        const struct place element = {&at, NULL, i};
        if (!read_head(json_array_get(rule->heads, (size_t)i), &element, &rule->change.heads[i],
                       status))
            return false;
    }
    return true;
}

struct combine_fields {
    int kind, d_m;
};

static const struct config_field combine_fields[] = {
    {"kind", FIELD_NAME, .offset = offsetof(struct combine_fields, kind), NAMES(combinations)},
    {"d_m", FIELD_INTEGER, .offset = offsetof(struct combine_fields, d_m), .optional = true,
     .low = 1, .high = MAX_D_M},
};

static bool read_combine(struct rule *rule, const struct place *place, struct status *status)
{
    if (!rule->combine)
        return true;
    const struct place at = {place, "combine", 0};
    struct combine_fields read = {0};
    if (!fields_read(rule->combine, &at, combine_fields, COUNT(combine_fields), &read, status))
        return false;
    const struct place d_m = {&at, "d_m", 0};
    bool dhicm = read.kind == 1;
    if (dhicm && read.d_m == 0)
        return place_fail(&d_m, status, "missing, expected an integer from 1 to %d", MAX_D_M);
    if (!dhicm && read.d_m != 0)
        return place_fail(&d_m, status, "present, expected none (the combination is concat)");
    rule->change.dhicm = dhicm;
    rule->change.d_m = read.d_m;
    return true;
}

struct context_fields {
    int gate, sides;
};

static const struct config_field context_fields[] = {
    {"vectors", .kind = FIELD_ANY},
    {"gate", FIELD_NAME, .offset = offsetof(struct context_fields, gate), .optional = true,
     NAMES(gates)},
    {"sides", FIELD_NAME, .offset = offsetof(struct context_fields, sides), .optional = true,
     NAMES(sides)},
};

static bool read_vectors(const json_t *list, const struct place *place, unsigned *bits,
                         struct status *status)
{
    const struct place at = {place, "vectors", 0};
    if (!json_is_array(list) || json_array_size(list) == 0)
        return value_fail(list, &at, "a list of global, deep and deep_global, not empty", status);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct place element = {&at, NULL, (int)i};
        const struct config_field field = {"", FIELD_NAME, NAMES(vectors)};
        int vector;
        if (!field_value(json_array_get(list, i), &element, &field, &vector, status))
            return false;
        if (*bits & 1u << vector)
            return place_fail(&element, status, "\"%s\" again; expected once", vectors[vector]);
        *bits |= 1u << vector;
    }
    return true;
}

static bool read_context(struct rule *rule, const struct place *place, struct status *status)
{
    if (!rule->context || json_is_null(rule->context))
        return true;
    const struct place at = {place, "context", 0};
    if (rule->module == MODULE_CROSS)
        return value_fail(rule->context, &at, "null (context is for self-attention)", status);
    if (!json_is_object(rule->context))
        return value_fail(rule->context, &at, "an object or null", status);
    struct context_fields read = {.gate = GATE_TOKEN, .sides = 2};
    if (!fields_read(rule->context, &at, context_fields, COUNT(context_fields), &read, status) ||
        !read_vectors(json_object_get(rule->context, "vectors"), &at, &rule->change.context,
                      status))
        return false;
    rule->change.gate = (enum gate_scope)read.gate;
    rule->change.sides[SIDE_Q] = read.sides != 1;
    rule->change.sides[SIDE_K] = read.sides != 0;
    return true;
}

/* Applies a rule: settings whose keys it lacks stay unchanged. */
static void apply_rule(const struct rule *rule, const struct config *config)
{
    size_t heads = (size_t)module_heads(config, rule->module);
    for (int layer = 0; layer < module_layers(config, rule->module); layer++) {
        struct attention_config *attention = &config->attention[rule->module][layer];
        if (!rule->chosen[layer])
            continue;
        if (rule->heads)
            memcpy(attention->heads, rule->change.heads, heads * sizeof *attention->heads);
        if (rule->combine) {
            attention->dhicm = rule->change.dhicm;
            attention->d_m = rule->change.d_m;
        }
        if (rule->context) {
            attention->context = rule->change.context;
            attention->gate = rule->change.gate;
            memcpy(attention->sides, rule->change.sides, sizeof attention->sides);
        }
    }
}

static bool read_rule(const json_t *value, const struct place *place, struct rule *rule,
                      const struct config *config, struct status *status)
{
    if (!fields_read(value, place, rule_fields, COUNT(rule_fields), rule, status))
        return false;
    const struct place kind = {place, "kind", 0};
    if (rule->stack == STACK_ENCODER && rule->kind != 0)
        return value_fail(json_object_get(value, "kind"), &kind, "\"self\" (of the encoder)",
                          status);
    rule->module = rule->kind == 0 ? stack_self(rule->stack) : MODULE_CROSS;
    if (module_layers(config, rule->module) == 0)
        return value_fail(json_object_get(value, "kind"), &kind,
                          "\"cross\" (the decoder is recurrent)", status);
    rule->layers = json_object_get(value, "layers");
    rule->heads = json_object_get(value, "heads");
    rule->combine = json_object_get(value, "combine");
    rule->context = json_object_get(value, "context");
    return read_layers(rule, place, module_layers(config, rule->module), status) &&
           read_heads(rule, place, module_heads(config, rule->module), status) &&
           read_combine(rule, place, status) && read_context(rule, place, status);
}

/* Allocates modules as in the original Transformer, all of which is 0: learned, global heads, W_O,
 * no context. */
static bool new_modules(struct config *config, enum module module, struct status *status)
{
    size_t layers = (size_t)module_layers(config, module);
    size_t heads = (size_t)module_heads(config, module);
    struct attention_config *attention = memory_new(layers, sizeof *attention, status);
    config->attention[module] = attention;
    if (!attention || layers == 0)
        return attention;
    attention[0].heads = memory_new(layers * heads, sizeof *attention->heads, status);
    if (!attention[0].heads)
        return false;
    for (size_t layer = 0; layer < layers; layer++) {
        attention[layer].heads = attention[0].heads + layer * heads;
        attention[layer].gate = GATE_NONE;
    }
    return true;
}

/* The first layer's `deep` context is empty, and heads without queries and keys have nothing to
 * mix. */
static void drop_empty_context(struct config *config, enum module module, int layer)
{
    struct attention_config *attention = &config->attention[module][layer];
    if (layer == 0)
        attention->context &= ~(unsigned)CONTEXT_DEEP;
    if (learned_heads(config, module, layer) == 0)
        attention->context = 0;
    if (attention->context != 0)
        return;
    attention->gate = GATE_NONE;
    memset(attention->sides, 0, sizeof attention->sides);
}

static bool read_rules(const json_t *rules, const struct place *place, struct config *config,
                       struct status *status)
{
    bool good = true;
    for (size_t i = 0; good && i < json_array_size(rules); i++) {
        const struct place at = {place, NULL, (int)i};
        struct rule rule = {.change.gate = GATE_NONE};
        good = read_rule(json_array_get(rules, i), &at, &rule, config, status);
        if (good)
            apply_rule(&rule, config);
        free(rule.chosen);
        free(rule.change.heads);
    }
    return good;
}

/* Heads share keys in groups of all heads; a fixed head has none. */
static bool check_shared(const struct config *config, const struct place *place, enum module module,
                         int layer, struct status *status)
{
    const struct stack_config *stack = &config->stacks[module_stack(module)];
    return stack->kv_heads == stack->heads ||
           learned_heads(config, module, layer) == stack->heads ||
           place_fail(place, status,
                      "a fixed head in layer %d, expected learned heads (%s.kv_heads)", layer,
                      stack_names[module_stack(module)]);
}

bool attention_read(const json_t *rules, const struct place *place, struct config *config,
                    struct status *status)
{
    for (enum module module = 0; module < MODULE_COUNT; module++)
        if (!new_modules(config, module, status))
            return false;
    if (rules && !json_is_array(rules))
        return value_fail(rules, place, "a list of rules", status);
    if (!read_rules(rules, place, config, status))
        return false;
    for (enum module module = 0; module < MODULE_COUNT; module++)
        for (int layer = 0; layer < module_layers(config, module); layer++) {
            drop_empty_context(config, module, layer);
            if (!check_shared(config, place, module, layer, status))
                return false;
        }
    return true;
}

void attention_free(struct config *config)
{
    for (enum module module = 0; module < MODULE_COUNT; module++) {
        if (config->attention[module] && module_layers(config, module))
            free(config->attention[module][0].heads);
        free(config->attention[module]);
    }
}

enum stack module_stack(enum module module)
{
    return module == MODULE_ENCODER ? STACK_ENCODER : STACK_DECODER;
}

enum module stack_self(enum stack stack)
{
    return stack == STACK_ENCODER ? MODULE_ENCODER : MODULE_DECODER;
}

int module_layers(const struct config *config, enum module module)
{
    const struct stack_config *stack = &config->stacks[module_stack(module)];
    return module == MODULE_DECODER && stack->recurrent ? 0 : stack->layers;
}

int module_heads(const struct config *config, enum module module)
{
    return config->stacks[module_stack(module)].heads;
}

int module_head_dim(const struct config *config, enum module module)
{
    return config->stacks[module_stack(module)].head_dim;
}

int learned_heads(const struct config *config, enum module module, int layer)
{
    int count = 0;
    for (int head = 0; head < module_heads(config, module); head++)
        count += config->attention[module][layer].heads[head].energy == ENERGY_LEARNED;
    return count;
}

int context_size(const struct config *config, unsigned kind, int layer)
{
    int inputs = kind == CONTEXT_GLOBAL ? 1 : kind == CONTEXT_DEEP ? layer : layer + 1;
    return inputs * config->d_model;
}
