#include "model/checkpoint/checkpoint_rules.h"

#include <stdio.h>

/* What a tensor belongs to: its name in the table follows its owner's. */
enum owner { OWNER_MODEL, OWNER_STACK, OWNER_LAYER, OWNER_MODULE };

/* One owner in one configuration. */
struct place {
    const struct config *config;
    int source_size, target_size;
    enum stack stack;   // OWNER_STACK and below
    int layer;          // OWNER_LAYER and below
    enum module module; // OWNER_MODULE
    const struct attention_config *attention;
};

/* Lengths of dimensions. */
enum length {
    NONE, // no such dimension
    ONE,
    D,
    FF,
    SOURCE,    // pieces of the source vocabulary
    TARGET,    // pieces of the target vocabulary
    POSITIONS, // max_positions + offset
    BUCKETS,   // of the relative position bias
    HEADS,
    HD,      // head_dim
    ALL,     // heads * head_dim
    LEARNED, // learned heads * head_dim
    KEYS,    // the same, or kv_heads * head_dim where heads share keys
    VALUES,  // kv_heads * head_dim
    D_M,     // of dhicm
    GATE,    // LEARNED, or HD if all heads share a gate's vectors
    GLOBAL,  // context sizes
    DEEP,
    DEEP_GLOBAL
};

static int64_t length_of(enum length length, const struct place *at)
{
    const struct config *config = at->config;
    const struct stack_config *stack = &config->stacks[at->stack];
    switch (length) {
    case NONE:
    case ONE:
        return 1;
    case D:
        return config->d_model;
    case FF:
        return stack->d_ff;
    case SOURCE:
        return at->source_size;
    case TARGET:
        return at->target_size;
    case POSITIONS:
        return (int64_t)config->max_positions + stack->offset;
    case BUCKETS:
        return stack->buckets;
    case HEADS:
        return stack->heads;
    case HD:
        return stack->head_dim;
    case ALL:
        return (int64_t)stack->heads * stack->head_dim;
    case LEARNED:
        return (int64_t)learned_heads(config, at->module, at->layer) * stack->head_dim;
    case KEYS:
        return length_of(stack->kv_heads < stack->heads ? VALUES : LEARNED, at);
    case VALUES:
        return (int64_t)stack->kv_heads * stack->head_dim;
    case D_M:
        return at->attention->d_m;
    case GATE:
        return length_of(at->attention->gate == GATE_HEAD ? HD : LEARNED, at);
    case GLOBAL:
        return context_size(config, CONTEXT_GLOBAL, at->layer);
    case DEEP:
        return context_size(config, CONTEXT_DEEP, at->layer);
    case DEEP_GLOBAL:
        return context_size(config, CONTEXT_DEEP_GLOBAL, at->layer);
    }
    return 0;
}

/* Conditions for a tensor to exist. */

static bool always(const struct place *at)
{
    (void)at;
    return true;
}

static bool own_target(const struct place *at)
{
    return at->config->tied_target == TIED_NOT;
}

static bool own_output(const struct place *at)
{
    return at->config->tied_output == TIED_NOT;
}

static bool learned_positions(const struct place *at)
{
    return at->config->stacks[at->stack].positions == POSITIONS_LEARNED;
}

static bool shared_bias(const struct place *at)
{
    const struct stack_config *stack = &at->config->stacks[at->stack];
    return stack->buckets > 0 && !stack->separate_biases;
}

static bool separate_bias(const struct place *at)
{
    const struct stack_config *stack = &at->config->stacks[at->stack];
    return stack->buckets > 0 && stack->separate_biases;
}

static bool last_norm(const struct place *at)
{
    return at->config->stacks[at->stack].last_norm;
}

/* RMS norms have no bias. */
static bool norm_bias(const struct place *at)
{
    return !at->config->rms_norm;
}

static bool last_norm_bias(const struct place *at)
{
    return last_norm(at) && norm_bias(at);
}

static bool embedding_norm(const struct place *at)
{
    return at->config->stacks[at->stack].embedding_norm;
}

static bool embedding_norm_bias(const struct place *at)
{
    return embedding_norm(at) && norm_bias(at);
}

static bool decoder(const struct place *at)
{
    return at->stack == STACK_DECODER;
}

static bool decoder_norm_bias(const struct place *at)
{
    return decoder(at) && norm_bias(at);
}

static bool output_norm(const struct place *at)
{
    return at->config->stacks[at->stack].output_norm;
}

static bool output_norm_bias(const struct place *at)
{
    return output_norm(at) && norm_bias(at);
}

static bool decoder_output_norm(const struct place *at)
{
    return decoder(at) && output_norm(at);
}

static bool decoder_output_norm_bias(const struct place *at)
{
    return decoder(at) && output_norm_bias(at);
}

static bool gated(const struct place *at)
{
    return at->config->gated;
}

static bool recurrent(const struct place *at)
{
    return at->config->stacks[at->stack].recurrent;
}

static bool queries(const struct place *at)
{
    return learned_heads(at->config, at->module, at->layer) > 0;
}

static bool concat(const struct place *at)
{
    return !at->attention->dhicm;
}

static bool dhicm(const struct place *at)
{
    return at->attention->dhicm;
}

static bool context_q(const struct place *at)
{
    return at->attention->context && at->attention->sides[SIDE_Q];
}

static bool context_k(const struct place *at)
{
    return at->attention->context && at->attention->sides[SIDE_K];
}

static bool gate_q(const struct place *at)
{
    return context_q(at) && at->attention->gate != GATE_NONE;
}

static bool gate_k(const struct place *at)
{
    return context_k(at) && at->attention->gate != GATE_NONE;
}

enum need { REQUIRED, OPTIONAL };

static const struct rule {
    enum owner owner;
    const char *name;
    enum length shape[2];
    enum need need;
    bool (*when)(const struct place *at);
    unsigned context; // for context tensors: the kind of context that the module must have
} rules[] = {
    {OWNER_MODEL, "source_embedding.weight", {SOURCE, D}, REQUIRED, always, 0},
    {OWNER_MODEL, "target_embedding.weight", {TARGET, D}, REQUIRED, own_target, 0},
    {OWNER_MODEL, "output.weight", {TARGET, D}, REQUIRED, own_output, 0},
    {OWNER_MODEL, "output.bias", {TARGET, NONE}, OPTIONAL, always, 0},

    {OWNER_STACK, "positions.weight", {POSITIONS, D}, REQUIRED, learned_positions, 0},
    {OWNER_STACK, "embedding_norm.weight", {D, NONE}, REQUIRED, embedding_norm, 0},
    {OWNER_STACK, "embedding_norm.bias", {D, NONE}, REQUIRED, embedding_norm_bias, 0},
    {OWNER_STACK, "relative_bias.weight", {BUCKETS, HEADS}, REQUIRED, shared_bias, 0},
    {OWNER_STACK, "norm.weight", {D, NONE}, REQUIRED, last_norm, 0},
    {OWNER_STACK, "norm.bias", {D, NONE}, REQUIRED, last_norm_bias, 0},

    {OWNER_LAYER, "norm1.weight", {D, NONE}, REQUIRED, always, 0},
    {OWNER_LAYER, "norm1.bias", {D, NONE}, REQUIRED, norm_bias, 0},
    {OWNER_LAYER, "norm2.weight", {D, NONE}, REQUIRED, always, 0},
    {OWNER_LAYER, "norm2.bias", {D, NONE}, REQUIRED, norm_bias, 0},
    {OWNER_LAYER, "norm3.weight", {D, NONE}, REQUIRED, decoder, 0},
    {OWNER_LAYER, "norm3.bias", {D, NONE}, REQUIRED, decoder_norm_bias, 0},
    {OWNER_LAYER, "output_norm1.weight", {D, NONE}, REQUIRED, output_norm, 0},
    {OWNER_LAYER, "output_norm1.bias", {D, NONE}, REQUIRED, output_norm_bias, 0},
    {OWNER_LAYER, "output_norm2.weight", {D, NONE}, REQUIRED, output_norm, 0},
    {OWNER_LAYER, "output_norm2.bias", {D, NONE}, REQUIRED, output_norm_bias, 0},
    {OWNER_LAYER, "output_norm3.weight", {D, NONE}, REQUIRED, decoder_output_norm, 0},
    {OWNER_LAYER, "output_norm3.bias", {D, NONE}, REQUIRED, decoder_output_norm_bias, 0},
    {OWNER_LAYER, "relative_bias.weight", {BUCKETS, HEADS}, REQUIRED, separate_bias, 0},
    {OWNER_LAYER, "recurrence.input.weight", {D, D}, REQUIRED, recurrent, 0},
    {OWNER_LAYER, "recurrence.forget.weight", {D, D}, REQUIRED, recurrent, 0},
    {OWNER_LAYER, "recurrence.forget.bias", {D, NONE}, REQUIRED, recurrent, 0},
    {OWNER_LAYER, "ffn.in.weight", {FF, D}, REQUIRED, always, 0},
    {OWNER_LAYER, "ffn.in.bias", {FF, NONE}, OPTIONAL, always, 0},
    {OWNER_LAYER, "ffn.gate.weight", {FF, D}, REQUIRED, gated, 0},
    {OWNER_LAYER, "ffn.gate.bias", {FF, NONE}, OPTIONAL, gated, 0},
    {OWNER_LAYER, "ffn.out.weight", {D, FF}, REQUIRED, always, 0},
    {OWNER_LAYER, "ffn.out.bias", {D, NONE}, OPTIONAL, always, 0},

    {OWNER_MODULE, "q.weight", {LEARNED, D}, REQUIRED, queries, 0},
    {OWNER_MODULE, "q.bias", {LEARNED, NONE}, OPTIONAL, queries, 0},
    {OWNER_MODULE, "k.weight", {KEYS, D}, REQUIRED, queries, 0},
    {OWNER_MODULE, "k.bias", {KEYS, NONE}, OPTIONAL, queries, 0},
    {OWNER_MODULE, "v.weight", {VALUES, D}, REQUIRED, always, 0},
    {OWNER_MODULE, "v.bias", {VALUES, NONE}, OPTIONAL, always, 0},
    {OWNER_MODULE, "o.weight", {D, ALL}, REQUIRED, concat, 0},
    {OWNER_MODULE, "o.bias", {D, NONE}, OPTIONAL, concat, 0},
    {OWNER_MODULE, "dhicm.w", {D_M, HD}, REQUIRED, dhicm, 0},
    {OWNER_MODULE, "dhicm.u", {D_M, D}, REQUIRED, dhicm, 0},
    {OWNER_MODULE, "dhicm.v", {D_M, HD}, REQUIRED, dhicm, 0},
    {OWNER_MODULE, "dhicm.out", {D, D_M}, REQUIRED, dhicm, 0},
    {OWNER_MODULE, "context.global.q", {LEARNED, GLOBAL}, REQUIRED, context_q, CONTEXT_GLOBAL},
    {OWNER_MODULE, "context.global.k", {LEARNED, GLOBAL}, REQUIRED, context_k, CONTEXT_GLOBAL},
    {OWNER_MODULE, "context.deep.q", {LEARNED, DEEP}, REQUIRED, context_q, CONTEXT_DEEP},
    {OWNER_MODULE, "context.deep.k", {LEARNED, DEEP}, REQUIRED, context_k, CONTEXT_DEEP},
    {OWNER_MODULE,
     "context.deep_global.q",
     {LEARNED, DEEP_GLOBAL},
     REQUIRED,
     context_q,
     CONTEXT_DEEP_GLOBAL},
    {OWNER_MODULE,
     "context.deep_global.k",
     {LEARNED, DEEP_GLOBAL},
     REQUIRED,
     context_k,
     CONTEXT_DEEP_GLOBAL},
    {OWNER_MODULE, "context.gate_q.state", {GATE, NONE}, REQUIRED, gate_q, 0},
    {OWNER_MODULE, "context.gate_q.context", {GATE, NONE}, REQUIRED, gate_q, 0},
    {OWNER_MODULE, "context.gate_q.bias", {ONE, NONE}, OPTIONAL, gate_q, 0},
    {OWNER_MODULE, "context.gate_k.state", {GATE, NONE}, REQUIRED, gate_k, 0},
    {OWNER_MODULE, "context.gate_k.context", {GATE, NONE}, REQUIRED, gate_k, 0},
    {OWNER_MODULE, "context.gate_k.bias", {ONE, NONE}, OPTIONAL, gate_k, 0},
};

struct visitor {
    bool (*visit)(const struct expected_tensor *tensor, void *context, struct status *status);
    void *context;
    struct status *status;
};

/* Visits the tensors of one owner; `prefix` is its name with the dot. */
static bool visit_owner(enum owner owner, const char *prefix, const struct place *at,
                        const struct visitor *visitor)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rule *rule = &rules[i];
        if (rule->owner != owner || !rule->when(at) ||
            (rule->context && !(at->attention->context & rule->context)))
            continue;
        struct expected_tensor tensor = {
            .dimensions = rule->shape[1] == NONE ? 1 : 2,
            .shape = {length_of(rule->shape[0], at), length_of(rule->shape[1], at)},
            .optional = rule->need == OPTIONAL};
        snprintf(tensor.name, sizeof tensor.name, "%s%s", prefix, rule->name);
        if (!visitor->visit(&tensor, visitor->context, visitor->status))
            return false;
    }
    return true;
}

static bool visit_module(enum module module, struct place at, const struct visitor *visitor)
{
    char prefix[64];
    at.module = module;
    at.attention = &at.config->attention[module][at.layer];
    snprintf(prefix, sizeof prefix, "%s.layers.%d.%s_attention.", stack_names[at.stack], at.layer,
             module == MODULE_CROSS ? "cross" : "self");
    return visit_owner(OWNER_MODULE, prefix, &at, visitor);
}

static bool visit_stack(enum stack stack, struct place at, const struct visitor *visitor)
{
    static const char *const names[STACK_COUNT] = {"encoder", "decoder"};
    char prefix[64];
    at.stack = stack;
    snprintf(prefix, sizeof prefix, "%s.", names[stack]);
    if (!visit_owner(OWNER_STACK, prefix, &at, visitor))
        return false;
    for (at.layer = 0; at.layer < at.config->stacks[stack].layers; at.layer++) {
        snprintf(prefix, sizeof prefix, "%s.layers.%d.", names[stack], at.layer);
        if (!visit_owner(OWNER_LAYER, prefix, &at, visitor))
            return false;
        for (enum module module = 0; module < MODULE_COUNT; module++)
            if (module_stack(module) == stack && at.layer < module_layers(at.config, module) &&
                !visit_module(module, at, visitor))
                return false;
    }
    return true;
}

bool expected_tensors(const struct config *config, int source_size, int target_size,
                      bool (*visit)(const struct expected_tensor *tensor, void *context,
                                    struct status *status),
                      void *context, struct status *status)
{
    const struct visitor visitor = {visit, context, status};
    const struct place at = {
        .config = config, .source_size = source_size, .target_size = target_size};
    return visit_owner(OWNER_MODEL, "", &at, &visitor) &&
           visit_stack(STACK_ENCODER, at, &visitor) && visit_stack(STACK_DECODER, at, &visitor);
}
