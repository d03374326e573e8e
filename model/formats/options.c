#include "model/formats/options.h"

#include <stdlib.h>
#include <string.h>

#include "model/formats/yaml/yaml.h"
#include "model/text/quote.h"

/* The most bytes of a value that are shown. */
enum { SHOWN = 60 };

bool options_next_name(const char **names, char name[OPTION_NAME])
{
    const int length = (int)strcspn(*names, " ");
    snprintf(name, OPTION_NAME, "%.*s", length, *names);
    *names += length + ((*names)[length] == ' ');
    return length > 0;
}

static bool has_name(const struct toolkit_option *option, const char *name)
{
    const char *names = option->names;
    char own[OPTION_NAME];
    while (options_next_name(&names, own))
        if (strcmp(own, name) == 0)
            return true;
    return false;
}

const struct toolkit_option *options_find(const struct toolkit_table *table, const char *name)
{
    for (const struct toolkit_option *option = table->options; option->names; option++)
        if (has_name(option, name))
            return option;
    return NULL;
}

static bool is_off(const struct toolkit_option *option, const json_t *options, const char *name)
{
    const json_t *value = json_object_get(options, name);
    const double number = json_number_value(value);
    if (option->by_default)
        return yaml_flag(options, name, true);
    if (json_is_number(value))
        return number == option->neutral || (option->or_less && number < option->neutral);
    return json_is_null(value) || !yaml_flag(options, name, true) ||
           (json_is_string(value) && json_string_length(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0) ||
           (json_is_object(value) && json_object_size(value) == 0);
}

/* An option has no effect without the option that it belongs to. */
static bool belongs_to_nothing(const struct toolkit_table *table, const json_t *options,
                               const struct toolkit_option *option)
{
    return option->of && (!json_object_get(options, option->of) ||
                          is_off(options_find(table, option->of), options, option->of));
}

/* Returns the value as JSON, cut if it is long. NULL: out of memory. */
static char *value_text(const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));
    if (text && strlen(text) > SHOWN)
        memcpy(text + SHOWN - 3, "...", 4);
    return text;
}

bool options_check(const struct toolkit_table *table, const char *file, const json_t *options,
                   struct status *status)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)options, name, value)
    {
        const struct toolkit_option *option = options_find(table, name);
        if (!option || option->use != OPTION_REJECTED || is_off(option, options, name))
            continue;
        char *text = value_text(value);
        if (!text)
            return status_no_memory(status);
        status_fail(status, STATUS_INVALID, "%s: %s: %s is not supported, expected none",
                    QUOTED(file), name, text);
        free(text);
        return false;
    }
    return true;
}

static bool add_told(json_t *list, const char *name, const json_t *value, struct status *status)
{
    char *text = value_text(value);
    json_t *told = text ? json_sprintf("%s %s", name, text) : NULL;
    free(text);
    return json_array_append_new(list, told) == 0 || status_no_memory(status);
}

/* Lists the options that are reported and on, in the order of the file. */
static bool list_told(const struct toolkit_table *table, const json_t *options, json_t *list,
                      struct status *status)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)options, name, value)
    {
        const struct toolkit_option *option = options_find(table, name);
        if (option && option->use == OPTION_TOLD && !is_off(option, options, name) &&
            !belongs_to_nothing(table, options, option) && !add_told(list, name, value, status))
            return false;
    }
    return true;
}

/* Takes the list. */
static bool add_left_out(json_t *list, struct contents *contents, struct status *status)
{
    json_t *config = json_loads(contents->config, 0, NULL);
    json_t *before = json_object_get(config, "left_out");
    bool good = config && (before ? json_array_extend(before, list)
                                  : json_object_set(config, "left_out", list)) == 0;
    json_decref(list);
    if (good)
        return contents_configure(contents, config, status);
    json_decref(config);
    return status_no_memory(status);
}

bool options_tell(const struct toolkit_table *table, const json_t *options,
                  struct contents *contents, struct status *status)
{
    json_t *list = json_array();
    if (!list)
        return status_no_memory(status);
    bool good = list_told(table, options, list, status);
    if (good && json_array_size(list) > 0)
        return add_left_out(list, contents, status);
    json_decref(list);
    return good;
}

bool options_tell_text(const char *text, struct contents *contents, struct status *status)
{
    json_t *list = json_pack("[s]", text);
    return list ? add_left_out(list, contents, status) : status_no_memory(status);
}
