#include "tui/json.h"

#include <jansson.h>
#include <string.h>

/* What the configuration language lets a file leave out. Memory that runs short leaves a field out too. */
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

static void complete(json_t *config)
{
    json_t *positions = json_object_get(config, "positions"), *rule;
    size_t i;
    set_default(json_object_get(positions, "encoder"), "offset", json_integer(0));
    set_default(json_object_get(positions, "decoder"), "offset", json_integer(0));
    set_default(config, "tied", json_object());
    set_default(json_object_get(config, "tied"), "target_embedding", json_null());
    set_default(json_object_get(config, "tied"), "output", json_null());
    set_default(json_object_get(config, "tokenizer"), "pretokenizer", json_string("none"));
    set_default(json_object_get(config, "tokenizer"), "lowercase", json_false());
    set_default(config, "attention", json_array());
    json_array_foreach(json_object_get(config, "attention"), i, rule) complete_rule(rule);
}

/* A parsed value again; the configuration's nesting is bounded by what its parser accepts. */
static void write_value(struct json_writer *json, json_t *value);

static void write_members(struct json_writer *json, json_t *object)
{
    const char *key;
    json_t *member;
    json_object_foreach(object, key, member)
    {
        put_key(json, key);
        write_value(json, member);
    }
}

static void write_value(struct json_writer *json, json_t *value)
{
    json_t *element;
    size_t index;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        put_object(json);
        write_members(json, value);
        put_object_end(json);
        break;
    case JSON_ARRAY:
        put_array(json);
        json_array_foreach(value, index, element) write_value(json, element);
        put_array_end(json);
        break;
    case JSON_STRING:
        put_string(json, json_string_value(value));
        break;
    case JSON_INTEGER:
        put_int(json, json_integer_value(value));
        break;
    case JSON_REAL:
        put_number(json, json_real_value(value));
        break;
    case JSON_NULL:
        put_null(json);
        break;
    default:
        put_bool(json, json_is_true(value));
    }
}

static void json_device(struct json_writer *json, const struct device_info *device)
{
    put_member_string(json, "device", device->name);
    put_member_string(json, "instruction_set", device->instruction_set);
    put_member_int(json, "threads", device->threads);
    put_member_string(json, "driver", device->driver);
    put_member_string(json, "precision", precision_names[device->precision]);
    put_member_int(json, "memory", (int64_t)device->memory_used);
    put_member_int(json, "memory_free", (int64_t)device->memory_free);
    put_member_int(json, "memory_total", (int64_t)device->memory_total);
}

void json_info(struct json_writer *json, const struct session *session,
               const struct info_result *info)
{
    json_t *config = json_loads(session_config(session)->json, 0, NULL);
    complete(config);
    write_members(json, config);
    json_decref(config);
    put_member_int(json, "parameters", session->loaded->checkpoint->parameters);
    json_device(json, &info->device);
    put_member_string(json, "file", session->loaded->path);
    put_member_string(json, "sha256", info->digest);
}
