/* Suites in JSON. */
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/contrast/suite_add.h"
#include "model/study/contrast/suite_discourse.h"
#include "model/study/contrast/suite_values.h"
#include "model/text/quote.h"

/* "frequency of sense/ambig word in CORPUS": "12/345". */
static bool get_sense_frequency(const json_t *object, int *out, struct status *status)
{
    static const char key[] = "frequency of sense";
    const char *name, *end;
    json_t *value;
    *out = SUITE_ABSENT;
    json_object_foreach((json_t *)object, name, value)
    {
        if (strncmp(name, key, strlen(key)) != 0)
            continue;
        const char *text = json_string_value(value);
        if (!text || !json_parse_count(text, out, &end) || (*end && *end != '/'))
            return json_fail_type(value, key, "a text as \"12/345\"", status);
        return true;
    }
    return true;
}

/* Reads the fields that make an item one of ContraWSD or MuCoW. */
static bool read_sense(const json_t *object, struct suite_item *item, struct status *status)
{
    const char *word;
    if (!json_get_optional(object, "ambig word", &word, status))
        return false;
    if (!word)
        return true;
    const char *sense = json_get_text(object, "sense", status);
    if (!sense || !get_sense_frequency(object, &item->frequency, status))
        return false;
    item->whole = true;
    if (asprintf(&item->sense, "%s: %s", word, sense) >= 0)
        return true;
    item->sense = NULL;
    return status_no_memory(status);
}

static bool read_error(const json_t *object, struct suite_item *item, struct status *status)
{
    const char *text, *type;
    if (!json_is_object(object))
        return status_fail(status, STATUS_INVALID, "%s, expected an object",
                           json_type_names[json_typeof(object)]);
    if (!(text = json_get_text(object, "contrastive", status)) ||
        !json_get_optional(object, "type", &type, status))
        return false;
    struct suite_error *error = suite_add_error(item, text, type, status);
    return error && json_get_count(object, "distance", &error->distance, status) &&
           json_get_count(object, "frequency", &error->frequency, status);
}

static bool read_item(const json_t *object, struct suite_item *item, struct status *status)
{
    if (!json_is_object(object))
        return status_fail(status, STATUS_INVALID, "%s, expected an object",
                           json_type_names[json_typeof(object)]);
    if (discourse_is_item(object))
        return discourse_read_item(object, item, status);
    const char *source = json_get_text(object, "source", status);
    const char *reference = source ? json_get_text(object, "reference", status) : NULL;
    if (!reference || !suite_set_pair(item, source, reference, status) ||
        !read_sense(object, item, status))
        return false;
    const json_t *errors = json_object_get(object, "errors");
    if (!json_is_array(errors))
        return json_fail_type(errors, "errors", "a list", status);
    for (size_t i = 0; i < json_array_size(errors); i++)
        if (!read_error(json_array_get(errors, i), item, status))
            return status_prefix(status, "error %zu", i + 1);
    return true;
}

static bool read_items(struct suite *suite, const json_t *root, struct status *status)
{
    if (json_is_object(root) && json_object_size(root))
        return discourse_read_blocks(suite, root, status);
    if (!json_is_array(root))
        return status_fail(status, STATUS_INVALID, "%s, expected a list of items",
                           json_type_names[json_typeof(root)]);
    if (json_array_size(root) == 0)
        return status_fail(status, STATUS_INVALID, "an empty list, expected items");
    if (json_array_size(root) > INT_MAX)
        return status_fail(status, STATUS_MEMORY, "too many items");
    for (size_t i = 0; i < json_array_size(root); i++) {
        struct suite_item *item = suite_add_item(suite, (int)i + 1, status);
        if (!item || !read_item(json_array_get(root, i), item, status))
            return status_prefix(status, "item %zu", i + 1);
        suite->without_context |= discourse_is_item(json_array_get(root, i));
    }
    return true;
}

bool suite_add_json(struct suite *suite, const char *path, const char *text, size_t bytes,
                    struct status *status)
{
    json_error_t error;
    if (bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        bytes -= 3;
    }
    if (bytes == 0)
        return status_fail(status, STATUS_INVALID, "%s: empty, expected a list of items",
                           QUOTED_PATH(path));
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!root) {
        struct quoted said; // jansson repeats the file's bytes in it
        return status_fail(status, STATUS_INVALID, "%s:%d: %s, expected JSON", QUOTED_PATH(path),
                           error.line, quote_message(&said, error.text));
    }
    bool ok = suite_add_set(suite, &path, 1, status) &&
              (read_items(suite, root, status) || status_prefix(status, "%s", QUOTED_PATH(path)));
    json_decref(root);
    return ok;
}
