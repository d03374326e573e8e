/* `:info`: the model, its configuration, the device. */
#include <jansson.h>
#include <string.h>

#include "model/checkpoint/config.h"
#include "report/origins.h"
#include "report/report.h"
#include "session/head_description.h"
#include "tui/command/command.h"

/* A model's configuration as JSON in a report. */

/* Sets a field that the configuration language allows a file to omit. If memory runs out, it stays
 * omitted. */
static void set_default(json_t *object, const char *key, json_t *value)
{
    if (!json_is_object(object) || json_object_get(object, key))
        json_decref(value);
    else
        json_object_set_new(object, key, value);
}

static bool is_fixed(const json_t *head)
{
    const char *energy = json_string_value(json_object_get(head, "energy"));
    return energy && strcmp(energy, "fixed") == 0;
}

/* A rule sets only what its keys name: it stays without heads, combine or context if it omits
 * them. */
static void complete_rule(json_t *rule)
{
    json_t *context = json_object_get(rule, "context"), *head;
    size_t i;
    set_default(rule, "layers", json_string("all"));
    set_default(context, "gate", json_string("token"));
    set_default(context, "sides", json_string("qk"));
    json_array_foreach(json_object_get(rule, "heads"), i, head)
    {
        if (is_fixed(head))
            set_default(head, "unit", json_string("token"));
        else
            set_default(head, "mask", json_string("global"));
    }
}

static void complete_stack(json_t *config, const char *name, const struct stack_config *stack)
{
    json_t *positions = json_object_get(json_object_get(config, "positions"), name);
    set_default(positions, "offset", json_integer(0));
    set_default(positions, "bias", json_null());
    if (stack->positions == POSITIONS_ROTARY)
        set_default(positions, "base", json_real(stack->rotary_base));
    set_default(json_object_get(config, name), "recurrence", json_string("none"));
    set_default(json_object_get(config, name), "kv_heads", json_integer(stack->kv_heads));
}

static void complete_layers(json_t *config, const struct stack_config *stacks)
{
    const struct stack_config *encoder = &stacks[STACK_ENCODER], *decoder = &stacks[STACK_DECODER];
    set_default(config, "norm_kind", json_string("layer"));
    set_default(config, "embedding_norm", json_false());
    set_default(config, "output_norm", json_false());
    set_default(config, "last_norm",
                encoder->last_norm == decoder->last_norm
                    ? json_boolean(encoder->last_norm)
                    : json_pack("{s:b, s:b}", "encoder", encoder->last_norm, "decoder",
                                decoder->last_norm));
    set_default(config, "gated_ffn", json_false());
    set_default(config, "attention_scale", json_null());
    set_default(config, "output_scale", json_integer(1));
    set_default(config, "attention_cap", json_null());
    set_default(config, "output_cap", json_null());
}

static void complete_search(json_t *search)
{
    set_default(json_object_get(search, "length_penalty"), "offset", json_integer(0));
    set_default(search, "excluded", json_array());
    set_default(search, "min_length", json_integer(0));
    set_default(search, "limit", json_string(limit_names[LIMIT_FORCED]));
    set_default(search, "ends", json_array());
    set_default(search, "endings", json_string(endings_names[ENDINGS_BEST]));
    set_default(search, "renormalize", json_false());
    set_default(search, "specials", json_string("excluded"));
}

static void complete(json_t *config, const struct stack_config *stacks)
{
    json_t *rule;
    size_t i;
    for (enum stack stack = 0; stack < STACK_COUNT; stack++)
        complete_stack(config, stack_names[stack], &stacks[stack]);
    complete_layers(config, stacks);
    complete_search(json_object_get(config, "search"));
    set_default(config, "languages", json_object());
    set_default(config, "alignment", json_null());
    set_default(config, "left_out", json_array());
    set_default(json_object_get(config, "special"), "bos", json_null());
    set_default(config, "tied", json_object());
    set_default(json_object_get(config, "tied"), "target_embedding", json_null());
    set_default(json_object_get(config, "tied"), "output", json_null());
    set_default(json_object_get(config, "tokenizer"), "marks", json_string("none"));
    set_default(json_object_get(config, "tokenizer"), "pretokenizer", json_string("none"));
    set_default(json_object_get(config, "tokenizer"), "lowercase", json_false());
    set_default(config, "attention", json_array());
    json_array_foreach(json_object_get(config, "attention"), i, rule) complete_rule(rule);
}

/* Turns a parsed value into a report's. The configuration's parser limits how deeply it is
 * nested. */
static struct value value_of(struct report *report, json_t *json);

static void put_members(struct report *report, json_t *object)
{
    const char *key;
    json_t *member;
    json_object_foreach(object, key, member)
    {
        struct value value = value_of(report, member);
        report_json(report, key, value);
    }
}

static struct value list_of(struct report *report, json_t *array)
{
    size_t index, count = json_array_size(array);
    json_t *element;
    struct value *list = report_new(report, count, sizeof *list);
    json_array_foreach(array, index, element) if (list) list[index] = value_of(report, element);
    return value_list(list, list ? (int)count : 0);
}

static struct value value_of(struct report *report, json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT: {
        struct group *object = report_object(report);
        put_members(report, json);
        report_group_end(report);
        return value_object(&object->blocks);
    }
    case JSON_ARRAY:
        return list_of(report, json);
    case JSON_STRING:
        return value_text(json_string_value(json));
    case JSON_INTEGER:
        return value_int(json_integer_value(json));
    case JSON_REAL:
        return value_real(json_real_value(json));
    case JSON_NULL:
        return value_null();
    default:
        return value_bool(json_is_true(json));
    }
}

static void release_config(void *config)
{
    json_decref(config);
}

/* Puts every field of the configuration language into the report; fields that the model omits get
 * the values in effect. */
static void put_config_values(struct report *report, const struct config *config)
{
    json_t *json = json_loads(config->json, 0, NULL);
    report->lacking |= !json;
    complete(json, config->stacks);
    put_members(report, json);
    report_keep(report, json, release_config);
}

static void put_device(struct report *report, const struct device_info *device)
{
    report_json(report, "device", value_text(report_copy(report, device->name)));
    report_json(report, "instruction_set",
                value_text(report_copy(report, device->instruction_set)));
    report_json(report, "threads", value_int(device->threads));
    report_json(report, "driver", value_text(report_copy(report, device->driver)));
    report_json(report, "precision", value_text(precision_names[device->precision]));
    report_json(report, "memory", value_int((int64_t)device->memory_used));
    report_json(report, "memory_free", value_int((int64_t)device->memory_free));
    report_json(report, "memory_total", value_int((int64_t)device->memory_total));
}

/* In words ------------------------------------------------------------------------------------- */

static void say(struct report *report, const char *title, const char *text)
{
    report_field(report, FOR_PEOPLE, NULL, title, value_text(text));
}

static void say_stack(struct report *report, const char *title, const struct stack_config *stack)
{
    static const char *const positions[] = {[POSITIONS_SINUSOIDAL] = "sinusoidal",
                                            [POSITIONS_LEARNED] = "learned",
                                            [POSITIONS_NONE] = "no",
                                            [POSITIONS_ROTARY] = "rotary"};
    const char *bias = "", *shared = "";
    if (stack->kv_heads < stack->heads)
        shared = report_format(report, " (%d of keys and values)", stack->kv_heads);
    if (stack->buckets)
        bias = report_format(report, "; bias of relative positions%s, %d buckets up to distance %d",
                             stack->separate_biases ? " in each layer" : "", stack->buckets,
                             stack->max_distance);
    say(report, title,
        report_format(report, "%d layer%s, %d head%s of %d%s, %s positions%s", stack->layers,
                      stack->layers == 1 ? "" : "s", stack->heads, stack->heads == 1 ? "" : "s",
                      stack->head_dim, shared, positions[stack->positions], bias));
}

static void say_cap(struct report *report, const char *title, float cap)
{
    say(report, title, report_format(report, "capped: %g tanh(x / %g)", (double)cap, (double)cap));
}

/* True if heads of two layers attend alike, combine alike and take the same context. */
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

/* Neighbours that attend alike share an entry: "1-7 current; 8 learned". */
static void write_heads(FILE *out, const struct attention_config *attention, int heads)
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
        fprintf(out, h > first ? "%s%d-%d " : "%s%d ", separator, first + 1, h + 1);
        fputs(now, out);
        separator = "; ";
    }
}

static void write_extras(FILE *out, const struct attention_config *attention)
{
    static const char *const scopes[] = {
        [GATE_TOKEN] = "a gate a token", [GATE_HEAD] = "a gate a head", [GATE_NONE] = "no gate"};
    if (attention->dhicm)
        fprintf(out, "; combined by dhicm (d_m %d)", attention->d_m);
    if (!attention->context)
        return;
    fprintf(out, "; context%s%s%s of %s%s, %s",
            attention->context & CONTEXT_GLOBAL ? " global" : "",
            attention->context & CONTEXT_DEEP ? " deep" : "",
            attention->context & CONTEXT_DEEP_GLOBAL ? " deep_global" : "",
            attention->sides[SIDE_Q] ? "q" : "", attention->sides[SIDE_K] ? "k" : "",
            scopes[attention->gate]);
}

/* Describes the layers first … last, which are alike. */
static const char *layers_text(struct report *report, const struct attention_config *layers,
                               int first, int last, int heads)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out) {
        fprintf(out, last > first ? "layer %d-%d: " : "layer %d: ", first + 1, last + 1);
        write_heads(out, &layers[first], heads);
        write_extras(out, &layers[first]);
    }
    return report_written(&writer);
}

/* Layers that are alike share a line. */
static void say_attention(struct report *report, const struct config *config, enum module module)
{
    static const char *const titles[MODULE_COUNT] = {[MODULE_ENCODER] = "enc heads",
                                                     [MODULE_DECODER] = "dec heads",
                                                     [MODULE_CROSS] = "cross heads"};
    const struct attention_config *layers = config->attention[module];
    int count = module_layers(config, module), heads = module_heads(config, module);
    if (count == 0)
        say(report, titles[module], "none: a recurrence (SSRU) instead of self-attention");
    for (int layer = 0; layer < count; layer++) {
        int first = layer;
        while (layer + 1 < count && same_layers(&layers[first], &layers[layer + 1], heads))
            layer++;
        say(report, first ? "" : titles[module], layers_text(report, layers, first, layer, heads));
    }
}

static void say_device(struct report *report, const struct device_info *device)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out) {
        fputs(device->name, out);
        if (*device->instruction_set)
            fprintf(out, ", %s", device->instruction_set);
        if (device->threads)
            fprintf(out, ", %d thread%s", device->threads, device->threads == 1 ? "" : "s");
        if (device->precision == PRECISION_INT8)
            fputs(", products of 8 bits", out);
        else if (!*device->driver && device->precision != PRECISION_FP32)
            fprintf(out, ", weights in %s", precision_names[device->precision]);
        if (*device->driver)
            fprintf(out, ", driver for CUDA %s, %s", device->driver,
                    precision_names[device->precision]);
        fprintf(out, ", %.1f MB", (double)device->memory_used / 1e6);
        if (device->memory_total)
            fprintf(out, " used, %.1f of %.1f MB free", (double)device->memory_free / 1e6,
                    (double)device->memory_total / 1e6);
    }
    say(report, "device", report_written(&writer));
    if (*device->unrecorded)
        say(report, "",
            report_format(report, "steps are not recorded as graphs: %s", device->unrecorded));
    if (*device->unfinished)
        say(report, "",
            report_format(report, "biases are added after products, not in them: %s",
                          device->unfinished));
}

/* Returns one name if both sides have the same kind. */
static const char *tokenizers_text(struct report *report, const struct checkpoint *checkpoint)
{
    const char *names[2];
    for (int side = 0; side < 2; side++)
        names[side] = tokenizer_names[tokenizer_kind(checkpoint->tokenizer[side])];
    return names[0] == names[1] ? names[0] : report_format(report, "%s, %s", names[0], names[1]);
}

static void say_vocabulary(struct report *report, const struct loaded *loaded)
{
    const struct checkpoint *checkpoint = loaded->checkpoint;
    const struct config *config = checkpoint->config;
    say(report, "vocabulary",
        report_format(report, "%d source, %d target; %s%s%s",
                      vocabulary_size(checkpoint->vocabulary[SIDE_SOURCE]),
                      vocabulary_size(checkpoint->vocabulary[SIDE_TARGET]),
                      tokenizers_text(report, checkpoint), config->moses ? " after moses" : "",
                      config->lowercase ? ", lower case" : ""));
    char notice[400];
    if (loaded_pieces_notice(loaded, notice, sizeof notice))
        say(report, "", report_copy(report, notice));
    say(report, "max length", report_format(report, "%d tokens", config->max_positions));
}

/* Reports the current pair, and how many languages there are to choose from. */
static void say_languages(struct report *report, const struct config *config,
                          const struct language_pair *languages)
{
    const char *source = language_pair_name(config, languages, SIDE_SOURCE);
    const char *target = language_pair_name(config, languages, SIDE_TARGET);
    int count = config->languages.count;
    say(report, "languages",
        count ? report_format(report, "%s → %s, of %d (`:set target_language` lists them)", source,
                              target, count)
              : report_format(report, "%s → %s", source, target));
}

static const char *layer_text(struct report *report, const struct config *config, enum stack stack)
{
    const struct stack_config *of = &config->stacks[stack];
    return report_format(report, "%sfeed-forward %d with %s%s, %s-norm%s%s%s",
                         of->embedding_norm ? "norm of embeddings, " : "", of->d_ff,
                         activation_names[config->activation], config->gated ? " gate" : "",
                         of->pre_norm ? "pre" : "post", config->rms_norm ? " (RMS)" : "",
                         of->pre_norm == of->last_norm ? ""
                         : of->last_norm               ? " with a last norm"
                                                       : " without a last norm",
                         of->output_norm ? ", norms of outputs" : "");
}

static void say_width(struct report *report, const struct config *config)
{
    const char *encoder = layer_text(report, config, STACK_ENCODER);
    const char *decoder = layer_text(report, config, STACK_DECODER);
    say(report, "width",
        strcmp(encoder, decoder) == 0 ? report_format(report, "%d, %s", config->d_model, encoder)
                                      : report_format(report, "%d; encoder: %s; decoder: %s",
                                                      config->d_model, encoder, decoder));
}

/* Hashes are shown in full, because people compare them. */
static void say_file(struct report *report, const char *title, const char *name, const char *sha256)
{
    say(report, title, report_format(report, "%s %s", name, sha256));
}

/* Reports the files of a model that another toolkit wrote, or those that it was converted from. */
static void say_origin(struct report *report, const struct session *session)
{
    const struct loaded *loaded = session->loaded;
    const struct model_origin *origin = &session_config(session)->origin;
    int count = loaded->checkpoint->contents->own ? 0 : loaded->checkpoint->contents->file_count;
    say(report, "conventions", model_conventions(report, session));
    for (int i = 0; i < count; i++)
        say_file(report, i ? "" : "files", digests_name(loaded->checkpoint, i),
                 loaded->digests.files[i]);
    if (origin->family)
        say(report, "made from", report_copy(report, origin->family));
    for (int i = 0; i < origin->file_count; i++)
        say_file(report, "", origin->files[i].name, origin->files[i].sha256);
}

static void say_left_out(struct report *report, const struct loaded *loaded)
{
    char text[LEFT_OUT];
    if (loaded_left_out(loaded, text, sizeof text))
        say(report, "left out", report_copy(report, text));
}

static void say_model(struct report *report, const struct session *session)
{
    const struct loaded *loaded = session->loaded;
    const struct config *config = loaded->checkpoint->config;
    say(report, "name", config->name);
    say_languages(report, config, &session->state.search.languages);
    say(report, "file", loaded->path);
    say(report, "format", loaded->checkpoint->contents->family);
    say(report, "sha256", loaded->digests.whole);
    if (model_is_foreign(session))
        say_origin(report, session);
    say_left_out(report, loaded);
    say(report, "parameters",
        report_format(report, "%lld", (long long)loaded->checkpoint->parameters));
    say_width(report, config);
    say_stack(report, "encoder", &config->stacks[STACK_ENCODER]);
    say_stack(report, "decoder", &config->stacks[STACK_DECODER]);
    if (config->attention_cap > 0)
        say_cap(report, "energies", config->attention_cap);
    if (config->output_cap > 0)
        say_cap(report, "logits", config->output_cap);
    for (int m = 0; m < MODULE_COUNT; m++)
        say_attention(report, config, m);
    say_vocabulary(report, loaded);
}

static bool run_info(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    struct device_info device;
    (void)request;
    if (!loaded_digests(session->loaded, status))
        return false;
    session->opened.backend->info(session->opened.device, &device);
    device.precision = model_precision(session->loaded->checkpoint, &device);
    put_config_values(report, session_config(session));
    report_json(report, "parameters", value_int(session->loaded->checkpoint->parameters));
    put_device(report, &device);
    const char *notice = session->opened.notice;
    report_json(report, "notice", value_text(*notice ? report_copy(report, notice) : NULL));
    report_json(report, "file", value_text(session->loaded->path));
    report_json(report, "format", value_text(session->loaded->checkpoint->contents->family));
    report_json(report, "sha256", value_text(session->loaded->digests.whole));
    if (model_is_foreign(session)) {
        report_json(report, "files", model_files_value(report, session));
        report_json(report, "conventions", value_text(model_conventions(report, session)));
    }
    say_model(report, session);
    say_device(report, &device);
    if (*notice)
        say(report, "", report_copy(report, notice));
    return report_end(report, status);
}

static const char *const notes[] = {
    "On the CPU: the instruction set and the number of threads. On a GPU: the driver, the "
    "precision of products and how much of its memory is free.",
    "With --json, memory is the memory of this process, in bytes. On a GPU, instruction_set is "
    "empty and threads is 0; on the CPU, driver is empty, and memory_free and memory_total are "
    "0; notice says why the CPU is used where a GPU was looked for.",
    NULL,
};

const struct command command_info = {
    .name = "info",
    .summary = "the model, its configuration and the device",
    .notes = notes,
    .examples = (const char *const[]){":info", ":load samples/en-de-dhicm.bin", ":info", NULL},
    .run = run_info,
    .group = GROUP_SESSION,
};
