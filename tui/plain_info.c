#include "tui/plain.h"

#include <stdlib.h>
#include <string.h>

#include "tui/describe.h"
#include "tui/display.h"

enum { TITLE = 12 };

static void print_title(FILE *stream, const char *title)
{
    fprintf(stream, "%-*s", TITLE, title);
}

static void print_text(FILE *stream, const char *title, const char *text)
{
    print_title(stream, title);
    display_write(stream, text);
    fputc('\n', stream);
}

static void print_stack(FILE *stream, const char *title, const struct stack_config *stack)
{
    static const char *const positions[] = {[POSITIONS_SINUSOIDAL] = "sinusoidal",
                                            [POSITIONS_LEARNED] = "learned",
                                            [POSITIONS_NONE] = "no"};
    print_title(stream, title);
    fprintf(stream, "%d layer%s, %d head%s of %d, %s positions\n", stack->layers,
            stack->layers == 1 ? "" : "s", stack->heads, stack->heads == 1 ? "" : "s",
            stack->head_dim, positions[stack->positions]);
}

/* Whether heads of two layers attend alike, combine alike and take the same context. */
static bool same_layers(const struct attention_config *a, const struct attention_config *b,
                        int heads)
{
    for (int h = 0; h < heads; h++) {
        char first[64], second[64];
        describe_head(&a->heads[h], first, sizeof first);
        describe_head(&b->heads[h], second, sizeof second);
        if (strcmp(first, second) != 0)
            return false;
    }
    return a->dhicm == b->dhicm && a->d_m == b->d_m && a->context == b->context &&
           a->gate == b->gate && memcmp(a->sides, b->sides, sizeof a->sides) == 0;
}

/* Neighbours that attend alike are one entry: "1-7 learned, global". */
static void print_heads(FILE *stream, const struct attention_config *attention, int heads)
{
    const char *separator = "";
    for (int h = 0; h < heads; h++) {
        char now[64], next[64];
        int first = h;
        describe_head(&attention->heads[h], now, sizeof now);
        for (; h + 1 < heads; h++) {
            describe_head(&attention->heads[h + 1], next, sizeof next);
            if (strcmp(now, next) != 0)
                break;
        }
        fprintf(stream, h > first ? "%s%d-%d " : "%s%d ", separator, first + 1, h + 1);
        fputs(now, stream);
        separator = "; ";
    }
}

static void print_extras(FILE *stream, const struct attention_config *attention)
{
    static const char *const scopes[] = {
        [GATE_TOKEN] = "a gate a token", [GATE_HEAD] = "a gate a head", [GATE_NONE] = "no gate"};
    if (attention->dhicm)
        fprintf(stream, "; combined by dhicm (d_m %d)", attention->d_m);
    if (!attention->context)
        return;
    fprintf(stream, "; context%s%s%s of %s%s, %s",
            attention->context & CONTEXT_GLOBAL ? " global" : "",
            attention->context & CONTEXT_DEEP ? " deep" : "",
            attention->context & CONTEXT_DEEP_GLOBAL ? " deep_global" : "",
            attention->sides[SIDE_Q] ? "q" : "", attention->sides[SIDE_K] ? "k" : "",
            scopes[attention->gate]);
}

/* Layers that are alike share a line. */
static void print_attention(FILE *stream, const struct config *config, enum module module)
{
    const struct attention_config *layers = config->attention[module];
    int count = module_layers(config, module), heads = module_heads(config, module);
    for (int layer = 0; layer < count; layer++) {
        int first = layer;
        while (layer + 1 < count && same_layers(&layers[first], &layers[layer + 1], heads))
            layer++;
        print_title(stream, first                      ? ""
                            : module == MODULE_CROSS   ? "cross heads"
                            : module == MODULE_ENCODER ? "enc heads"
                                                       : "dec heads");
        fprintf(stream, layer > first ? "layer %d-%d: " : "layer %d: ", first + 1, layer + 1);
        print_heads(stream, &layers[first], heads);
        print_extras(stream, &layers[first]);
        fputc('\n', stream);
    }
}

static void print_device(FILE *stream, const struct device_info *device)
{
    print_title(stream, "device");
    display_write(stream, device->name);
    if (*device->instruction_set)
        fprintf(stream, ", %s", device->instruction_set);
    if (device->threads)
        fprintf(stream, ", %d thread%s", device->threads, device->threads == 1 ? "" : "s");
    if (*device->driver)
        fprintf(stream, ", driver for CUDA %s, %s", device->driver,
                precision_names[device->precision]);
    fprintf(stream, ", %.1f MB", (double)device->memory_used / 1e6);
    if (device->memory_total)
        fprintf(stream, " used, %.1f of %.1f MB free", (double)device->memory_free / 1e6,
                (double)device->memory_total / 1e6);
    fputc('\n', stream);
}

static void print_vocabulary(FILE *stream, const struct checkpoint *checkpoint)
{
    static const char *const kinds[] = {[TOKENIZER_SENTENCEPIECE] = "sentencepiece",
                                        [TOKENIZER_BPE] = "bpe",
                                        [TOKENIZER_WHITESPACE] = "whitespace"};
    const struct config *config = checkpoint->config;
    print_title(stream, "vocabulary");
    fprintf(stream, "%d source, %d target; %s%s%s\n",
            vocabulary_size(checkpoint->vocabulary[SIDE_SOURCE]),
            vocabulary_size(checkpoint->vocabulary[SIDE_TARGET]), kinds[config->tokenizer],
            config->moses ? " after moses" : "", config->lowercase ? ", lower case" : "");
    print_title(stream, "longest");
    fprintf(stream, "%d tokens\n", config->max_positions);
}

static void write_info(FILE *stream, const struct session *session, const struct info_result *info)
{
    const struct config *config = session_config(session);
    const struct checkpoint *checkpoint = session->loaded->checkpoint;
    static const char *const activations[] = {[ACTIVATION_NONE] = "no activation",
                                              [ACTIVATION_RELU] = "relu",
                                              [ACTIVATION_GELU] = "gelu",
                                              [ACTIVATION_SWISH] = "swish"};
    print_text(stream, "name", config->name);
    print_title(stream, "languages");
    display_write(stream, config->source_language);
    fputs(" → ", stream);
    display_write(stream, config->target_language);
    fputc('\n', stream);
    print_text(stream, "file", session->loaded->path);
    print_text(stream, "sha256", info->digest);
    print_title(stream, "parameters");
    fprintf(stream, "%lld\n", (long long)checkpoint->parameters);
    print_title(stream, "width");
    fprintf(stream, "%d, feed-forward %d with %s, %s-norm\n", config->d_model, config->d_ff,
            activations[config->activation], config->pre_norm ? "pre" : "post");
    print_stack(stream, "encoder", &config->stacks[STACK_ENCODER]);
    print_stack(stream, "decoder", &config->stacks[STACK_DECODER]);
    for (int m = 0; m < MODULE_COUNT; m++)
        print_attention(stream, config, m);
    print_vocabulary(stream, checkpoint);
    print_device(stream, &info->device);
}

/* Heads that differ make long lines: they go on below what they say, not below the title. */
void plain_info(FILE *stream, const struct session *session, const struct info_result *info)
{
    char *text = NULL, *rest;
    size_t size;
    FILE *out = display_have(open_memstream(&text, &size));
    if (!out)
        return;
    write_info(out, session, info);
    if (fclose(out) == 0)
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            fprintf(stream, "%.*s", TITLE, line);
            display_filled(stream, line + TITLE, TITLE, display_columns(stream));
        }
    free(text);
}
