#include "tui/report/config_values.h"

#include <jansson.h>
#include <string.h>

/* Sets a field that the configuration language lets a file leave out. If memory runs short, it
 * stays left out. */
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

/* A rule speaks of the keys it has alone: heads, combine and context that it leaves out stay so. */
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

static void complete_stack(json_t *config, const char *name)
{
    json_t *positions = json_object_get(json_object_get(config, "positions"), name);
    set_default(positions, "offset", json_integer(0));
    set_default(positions, "bias", json_null());
    set_default(json_object_get(config, name), "recurrence", json_string("none"));
}

static void complete_layers(json_t *config, const struct stack_config *stacks)
{
    const struct stack_config *encoder = &stacks[STACK_ENCODER], *decoder = &stacks[STACK_DECODER];
    set_default(config, "norm_kind", json_string("layer"));
    set_default(config, "embedding_norm", json_false());
    set_default(config, "last_norm",
                encoder->last_norm == decoder->last_norm
                    ? json_boolean(encoder->last_norm)
                    : json_pack("{s:b, s:b}", "encoder", encoder->last_norm, "decoder",
                                decoder->last_norm));
    set_default(config, "gated_ffn", json_false());
    set_default(config, "attention_scale", json_null());
    set_default(config, "output_scale", json_integer(1));
}

static void complete_search(json_t *search)
{
    set_default(json_object_get(search, "length_penalty"), "offset", json_integer(0));
    set_default(search, "excluded", json_array());
    set_default(search, "min_length", json_integer(0));
    set_default(search, "limit", json_string(limit_names[LIMIT_FORCED]));
    set_default(search, "ends", json_array());
    set_default(search, "endings", json_string(endings_names[ENDINGS_BEST]));
    set_default(search, "specials", json_string("excluded"));
}

static void complete(json_t *config, const struct stack_config *stacks)
{
    json_t *rule;
    size_t i;
    for (enum stack stack = 0; stack < STACK_COUNT; stack++)
        complete_stack(config, stack_names[stack]);
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

/* A parsed value again; the configuration's nesting is bounded by what its parser accepts. */
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

void put_config_values(struct report *report, const struct config *config)
{
    json_t *json = json_loads(config->json, 0, NULL);
    report->lacking |= !json;
    complete(json, config->stacks);
    put_members(report, json);
    report_keep(report, json, release_config);
}
