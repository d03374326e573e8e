/* Reads suites in JSON. Those of documents, ContraPro, Voita et al. 2019 and DiscEvalMT (suite.h),
 * yield their sentences without the context before them. */
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/status.h"
#include "model/study/contrast/suite.h"
#include "model/study/contrast/suite_add.h"
#include "model/text/quote.h"
#include "model/text/utf8.h"

/* Members of JSON objects, for the readers of suites. Messages name the member: "\"source\" is
 * missing, expected a text". Only for model/study. */

static const char *const json_type_names[] = {
    [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a text",
    [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
    [JSON_FALSE] = "false",      [JSON_NULL] = "null"};

/* Fails because the member `key` has the unexpected value `value`. */
static bool json_fail_type(const json_t *value, const char *key, const char *expected,
                           struct status *status)
{
    return status_fail(status, STATUS_INVALID, "\"%s\" is %s, expected %s", key,
                       value ? json_type_names[json_typeof(value)] : "missing", expected);
}

/* Returns a required text; NULL: failure. */
static const char *json_get_text(const json_t *object, const char *key, struct status *status)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value))
        json_fail_type(value, key, "a text", status);
    return json_string_value(value);
}

/* Reads an optional text; NULL if absent. */
static bool json_get_optional(const json_t *object, const char *key, const char **out,
                              struct status *status)
{
    const json_t *value = json_object_get(object, key);
    *out = json_string_value(value);
    return !value || json_is_null(value) || *out || json_fail_type(value, key, "a text", status);
}

/* Parses the whole number at the start of a text; *end: what follows it. */
static bool json_parse_count(const char *text, int *out, const char **end)
{
    size_t digits = strspn(text, "0123456789");
    *out = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = text[i] - '0';
        if (*out > (INT_MAX - digit) / 10)
            return false;
        *out = *out * 10 + digit;
    }
    *end = text + digits;
    return digits > 0;
}

/* Reads a whole number, possibly written as a text. Absent or null: SUITE_ABSENT. */
static bool json_get_count(const json_t *object, const char *key, int *out, struct status *status)
{
    const json_t *value = json_object_get(object, key);
    const char *end = "";
    *out = SUITE_ABSENT;
    if (!value || json_is_null(value))
        return true;
    if (json_is_integer(value)) {
        json_int_t number = json_integer_value(value);
        if (number < 0 || number > INT_MAX)
            return status_fail(status, STATUS_INVALID,
                               "\"%s\" is %" JSON_INTEGER_FORMAT ", expected 0 to %d", key, number,
                               INT_MAX);
        *out = (int)number;
        return true;
    }
    if (json_is_string(value) && json_parse_count(json_string_value(value), out, &end) && !*end)
        return true;
    return json_fail_type(value, key, "a whole number", status);
}

/* ContraPro ------------------------------------------------------------------------------------ */

static bool is_of_contrapro(const json_t *object)
{
    return json_object_get(object, "src segment") || json_object_get(object, "ref segment");
}

/* Appends a text in lower case to another one with enough room. */
static void add_lower(char *out, const char *text)
{
    size_t length;
    for (out += strlen(out); *text; text += length) {
        uint32_t character = utf8_decode(text, &length);
        out += utf8_encode((uint32_t)utf8proc_tolower((utf8proc_int32_t)character), out);
    }
    *out = '\0';
}

/* Parses "it:sie". */
static bool read_pronouns(const json_t *object, struct suite_item *item, struct status *status)
{
    enum { BYTES_MOST = 4 };
    const char *source = json_get_text(object, "src pronoun", status);
    const char *reference = source ? json_get_text(object, "ref pronoun", status) : NULL;
    if (!reference)
        return false;
    item->pronouns = memory_new(BYTES_MOST * (strlen(source) + strlen(reference)) + 2, 1, status);
    if (!item->pronouns)
        return false;
    add_lower(item->pronouns, source);
    strcat(item->pronouns, ":");
    add_lower(item->pronouns, reference);
    return true;
}

static bool read_intrasegmental(const json_t *object, struct suite_item *item,
                                struct status *status)
{
    const json_t *value = json_object_get(object, "intrasegmental");
    if (value && !json_is_boolean(value) && !json_is_null(value))
        return json_fail_type(value, "intrasegmental", "true, false or null", status);
    item->intrasegmental = json_is_true(value) ? "true" : json_is_false(value) ? "false" : NULL;
    return true;
}

static bool read_contrapro(const json_t *object, struct suite_item *item, struct status *status)
{
    const char *source = json_get_text(object, "src segment", status);
    const char *reference = source ? json_get_text(object, "ref segment", status) : NULL;
    const json_t *errors = json_object_get(object, "errors");
    if (!reference || !suite_set_pair(item, source, reference, status) ||
        !read_pronouns(object, item, status) || !read_intrasegmental(object, item, status) ||
        !json_get_count(object, "ante distance", &item->distance, status))
        return false;
    if (!json_is_array(errors))
        return json_fail_type(errors, "errors", "a list", status);
    item->whole = true;
    for (size_t i = 0; i < json_array_size(errors); i++) {
        const json_t *error = json_array_get(errors, i);
        const char *text =
            json_is_object(error) ? json_get_text(error, "contrastive", status) : NULL;
        if (!json_is_object(error))
            json_fail_type(error, "errors", "a list of objects", status);
        if (!text || !suite_add_error(item, text, NULL, status))
            return status_prefix(status, "error %zu", i + 1);
    }
    return true;
}

/* Consistency of deixis, ellipsis and lexical cohesion ----------------------------------------- */

static bool is_of_consistency(const json_t *object)
{
    return json_object_get(object, "true_ind") != NULL;
}

/* Returns the last of four sentences, which "_eos" separates. */
static const char *behind_context(const char *text)
{
    static const char separator[] = " _eos ";
    for (const char *next; (next = strstr(text, separator));)
        text = next + strlen(separator);
    return text;
}

static const char *translation_at(const json_t *list, size_t index, struct status *status)
{
    const json_t *text = json_array_get(list, index);
    if (json_is_string(text))
        return behind_context(json_string_value(text));
    json_fail_type(text, "dst", "a list of texts", status);
    return NULL;
}

/* One translation is right. Each item is one decision, as evaluate_consistency.py counts. */
static bool read_consistency(const json_t *object, struct suite_item *item, struct status *status)
{
    const char *source = json_get_text(object, "src", status);
    const json_t *list = json_object_get(object, "dst"),
                 *right = json_object_get(object, "true_ind");
    json_int_t index = json_is_integer(right) ? json_integer_value(right) : -1;
    if (!source)
        return false;
    if (!json_is_array(list))
        return json_fail_type(list, "dst", "a list of texts", status);
    if (index < 0 || (size_t)index >= json_array_size(list))
        return json_fail_type(right, "true_ind", "the number of one of dst, from 0", status);
    const char *reference = translation_at(list, (size_t)index, status);
    if (!reference || !suite_set_pair(item, behind_context(source), reference, status) ||
        !json_get_count(object, "ctx_dist", &item->distance, status))
        return false;
    item->whole = true;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = translation_at(list, i, status);
        if (!text || (i != (size_t)index && !suite_add_error(item, text, NULL, status)))
            return false;
    }
    return true;
}

/* Items of both -------------------------------------------------------------------------------- */

/* True if an object is an item of ContraPro or of Voita et al. */
static bool discourse_is_item(const json_t *object)
{
    return is_of_contrapro(object) || is_of_consistency(object);
}

static bool discourse_read_item(const json_t *object, struct suite_item *item,
                                struct status *status)
{
    return is_of_contrapro(object) ? read_contrapro(object, item, status)
                                   : read_consistency(object, item, status);
}

/* DiscEvalMT ----------------------------------------------------------------------------------- */

/* Returns the last of a list of sentences; those before it are its context. NULL: failure. */
static const char *last_sentence(const json_t *object, const char *key, struct status *status)
{
    const json_t *list = json_object_get(object, key);
    const json_t *last = json_is_array(list) && json_array_size(list)
                             ? json_array_get(list, json_array_size(list) - 1)
                             : NULL;
    if (!json_is_string(last))
        json_fail_type(list, key, "a list of sentences", status);
    return json_string_value(last);
}

static const char *standard_of(const json_t *pair)
{
    return json_object_get(pair, "correct") ? "correct" : "semi-correct";
}

/* Adds a correct or partly correct translation, and the same with an error. */
static bool add_pair(struct suite *suite, int number, const char *source, const json_t *pair,
                     const char *type, struct suite_item **out, struct status *status)
{
    const char *reference = last_sentence(pair, standard_of(pair), status);
    const char *error = reference ? last_sentence(pair, "incorrect", status) : NULL;
    struct suite_item *item = error ? suite_add_item(suite, number, status) : NULL;
    if (!item || !suite_set_pair(item, source, reference, status))
        return false;
    item->whole = true;
    *out = item;
    return suite_add_error(item, error, type, status) != NULL;
}

/* Adds anaphora: one source with several pairs, each of its own type. */
static bool add_pairs(struct suite *suite, int number, const json_t *block, struct status *status)
{
    const char *type, *source = last_sentence(block, "src", status);
    const json_t *pairs = json_object_get(block, "trg");
    if (!source)
        return false;
    if (!json_is_array(pairs))
        return json_fail_type(pairs, "trg", "a list of translations", status);
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        if (!json_is_object(pair))
            return json_fail_type(pair, "trg", "a list of objects", status);
        struct suite_item *item;
        if (!json_get_optional(pair, "type", &type, status) ||
            !add_pair(suite, number, source, pair, type, &item, status))
            return false;
        item->standard = standard_of(pair);
    }
    return true;
}

/* Adds lexical choice: examples with their sources, all of the block's type. */
static bool add_examples(struct suite *suite, int number, const json_t *block,
                         struct status *status)
{
    const json_t *examples = json_object_get(block, "examples");
    const char *type;
    if (!json_is_array(examples))
        return json_fail_type(examples, "examples", "a list", status);
    if (!json_get_optional(block, "type", &type, status))
        return false;
    for (size_t i = 0; i < json_array_size(examples); i++) {
        const json_t *example = json_array_get(examples, i);
        const char *source = last_sentence(example, "src", status);
        const json_t *pair = json_object_get(example, "trg");
        if (!source)
            return false;
        if (!json_is_object(pair))
            return json_fail_type(pair, "trg", "an object", status);
        struct suite_item *item;
        if (!add_pair(suite, number, source, pair, type, &item, status))
            return false;
    }
    return true;
}

struct block {
    int number;
    const json_t *value;
};

static int compare_blocks(const void *a, const void *b)
{
    const struct block *one = a, *other = b;
    return (one->number > other->number) - (one->number < other->number);
}

/* Sorts the blocks by number, as DiscEvalMT's own evaluation reads them. */
static bool sort_blocks(const json_t *root, struct block *blocks, struct status *status)
{
    const char *name, *end;
    json_t *value;
    size_t count = 0;
    json_object_foreach((json_t *)root, name, value)
    {
        if (!json_parse_count(name, &blocks[count].number, &end) || *end)
            return status_fail(status, STATUS_INVALID,
                               "\"%s\": expected a list of items, or an object of items with "
                               "numbers as names",
                               QUOTED(name));
        if (!json_is_object(value))
            return json_fail_type(value, name, "an object", status);
        blocks[count++].value = value;
    }
    qsort(blocks, count, sizeof *blocks, compare_blocks);
    return true;
}

/* Adds the items of DiscEvalMT's object of numbered blocks. Messages begin with "item N". */
static bool discourse_read_blocks(struct suite *suite, const json_t *root, struct status *status)
{
    size_t count = json_object_size(root);
    struct block *blocks = memory_new(count, sizeof *blocks, status);
    bool ok = blocks && sort_blocks(root, blocks, status);
    for (size_t i = 0; ok && i < count; i++) {
        const json_t *block = blocks[i].value;
        bool examples = json_object_get(block, "examples") != NULL;
        ok = (examples ? add_examples : add_pairs)(suite, blocks[i].number, block, status) ||
             status_prefix(status, "item %d", blocks[i].number);
    }
    free(blocks);
    suite->without_context = true;
    return ok;
}

/* Reads "frequency of sense/ambig word in CORPUS": "12/345". */
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
        struct quoted said; // jansson repeats the file's bytes in its message
        return status_fail(status, STATUS_INVALID, "%s:%d: %s, expected JSON", QUOTED_PATH(path),
                           error.line, quote_message(&said, error.text));
    }
    bool ok = suite_add_set(suite, &path, 1, status) &&
              (read_items(suite, root, status) || status_prefix(status, "%s", QUOTED_PATH(path)));
    json_decref(root);
    return ok;
}
