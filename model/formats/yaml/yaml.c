#include "model/formats/yaml/yaml.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "model/formats/yaml/yaml_characters.h"
#include "model/text/quote.h"

enum { DEEPEST = 64 };

/* A document while it is being read. */
struct yaml_reader {
    yaml_parser_t parser;
    yaml_event_t event; // the current one
    bool pending;       // the event must be deleted
    const char *text;   // the document
    bool hidden;        // characters of the text are hidden (yaml_characters.h)
    bool objects;       // tags are ignored and an alias is null
    struct status *status;
};

static size_t line_of(const struct yaml_reader *reader)
{
    return reader->event.start_mark.line + 1;
}

static bool fail(struct yaml_reader *reader, const char *what)
{
    return status_fail(reader->status, STATUS_INVALID, "line %zu: %s", line_of(reader), what);
}

/* If libyaml cannot read characters, its mark stays at the beginning. */
static size_t problem_line(const struct yaml_reader *reader)
{
    size_t line = 1;
    if (reader->parser.error != YAML_READER_ERROR)
        return reader->parser.problem_mark.line + 1;
    for (size_t i = 0; i < reader->parser.problem_offset; i++)
        line += reader->text[i] == '\n';
    return line;
}

static bool next(struct yaml_reader *reader)
{
    if (reader->pending)
        yaml_event_delete(&reader->event);
    reader->pending = yaml_parser_parse(&reader->parser, &reader->event) != 0;
    if (reader->pending)
        return true;
    if (reader->parser.error == YAML_MEMORY_ERROR)
        return status_no_memory(reader->status);
    const char *problem = reader->parser.problem;
    return status_fail(reader->status, STATUS_INVALID, "line %zu: %s, expected YAML",
                       problem_line(reader), problem ? problem : "not text");
}

/* Scalars -------------------------------------------------------------------------------------- */

static bool is_number(const char *text)
{
    bool digits = false;
    for (const char *at = text; *at; at++) {
        digits |= *at >= '0' && *at <= '9';
        if (!strchr("0123456789+-.eE", *at))
            return false;
    }
    return digits && !strchr("eE", text[0]);
}

/* Returns integers of up to 64 bits and finite numbers; NULL: neither. */
static json_t *number_of(const char *text)
{
    char *end;
    if (!is_number(text))
        return NULL;
    errno = 0;
    long long integer = strtoll(text, &end, 10);
    if (*end == '\0' && errno == 0)
        return json_integer(integer);
    double real = strtod(text, &end);
    return *end == '\0' && isfinite(real) ? json_real(real) : NULL;
}

static json_t *plain_scalar(const char *text)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    static const char *const flags[][3] = {{"false", "False", "FALSE"}, {"true", "True", "TRUE"}};
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (strcmp(text, nulls[i]) == 0)
            return json_null();
    for (int value = 0; value < 2; value++)
        for (int i = 0; i < 3; i++)
            if (strcmp(text, flags[value][i]) == 0)
                return json_boolean(value);
    json_t *number = number_of(text);
    return number ? number : json_string(text);
}

/* Returns the text of the current scalar; NULL: it is not a scalar, or contains a \0. */
static const char *scalar_text(struct yaml_reader *reader)
{
    if (reader->event.type != YAML_SCALAR_EVENT)
        return NULL;
    char *text = (char *)reader->event.data.scalar.value;
    if (strlen(text) != reader->event.data.scalar.length)
        return NULL;
    if (reader->hidden) {
        yaml_characters_show(text);
        reader->event.data.scalar.length = strlen(text);
    }
    return text;
}

/* jansson returns NULL if memory runs out. */
static json_t *made(struct yaml_reader *reader, json_t *value)
{
    if (!value)
        status_no_memory(reader->status);
    return value;
}

static json_t *read_scalar(struct yaml_reader *reader)
{
    const char *text = scalar_text(reader);
    if (!text) {
        fail(reader, "text with a \\0, expected text without");
        return NULL;
    }
    bool plain = reader->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
                 !reader->event.data.scalar.tag;
    return made(reader, plain ? plain_scalar(text) : json_string(text));
}

/* Collections ---------------------------------------------------------------------------------- */

static json_t *read_value(struct yaml_reader *reader, int depth);

static json_t *discard(json_t *value)
{
    json_decref(value);
    return NULL;
}

/* The current event begins the list. */
static json_t *read_sequence(struct yaml_reader *reader, int depth)
{
    json_t *list = made(reader, json_array());
    while (list && next(reader)) {
        if (reader->event.type == YAML_SEQUENCE_END_EVENT)
            return list;
        json_t *item = read_value(reader, depth + 1);
        if (!item)
            return discard(list);
        if (json_array_append_new(list, item) != 0) {
            status_no_memory(reader->status);
            return discard(list);
        }
    }
    return discard(list);
}

/* The current event is the key; its value follows. */
static bool read_member(struct yaml_reader *reader, json_t *object, int depth)
{
    const char *text = scalar_text(reader);
    if (!text)
        return fail(reader, "a key that is not text");
    if (json_object_get(object, text))
        return status_fail(reader->status, STATUS_INVALID,
                           "line %zu: the key %s again; expected once", line_of(reader),
                           QUOTED(text));
    char *key = strdup(text);
    json_t *value = key && next(reader) ? read_value(reader, depth + 1) : NULL;
    bool good =
        value && (json_object_set_new(object, key, value) == 0 || status_no_memory(reader->status));
    if (!key)
        status_no_memory(reader->status);
    free(key);
    return good;
}

static json_t *read_mapping(struct yaml_reader *reader, int depth)
{
    json_t *object = made(reader, json_object());
    while (object && next(reader)) {
        if (reader->event.type == YAML_MAPPING_END_EVENT)
            return object;
        if (!read_member(reader, object, depth))
            return discard(object);
    }
    return discard(object);
}

/* Nested aliases could make a short file arbitrarily large, and a tag could mean any object of the
 * program that wrote it. */
static bool is_plain_data(struct yaml_reader *reader)
{
    const yaml_event_t *event = &reader->event;
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (event->type == YAML_ALIAS_EVENT || anchor)
        return fail(reader, "an anchor or alias, expected every value written out");
    if (tag && strcmp((const char *)tag, YAML_STR_TAG) != 0)
        return fail(reader, "a tag, expected plain values");
    return true;
}

/* Reads the value that begins with the current event. */
static json_t *read_value(struct yaml_reader *reader, int depth)
{
    if (reader->objects && reader->event.type == YAML_ALIAS_EVENT)
        return made(reader, json_null());
    if (!reader->objects && !is_plain_data(reader))
        return NULL;
    if (depth > DEEPEST) {
        fail(reader, "deeper than 64 levels, expected fewer");
        return NULL;
    }
    if (reader->event.type == YAML_SEQUENCE_START_EVENT)
        return read_sequence(reader, depth);
    if (reader->event.type == YAML_MAPPING_START_EVENT)
        return read_mapping(reader, depth);
    return read_scalar(reader);
}

/* Documents ------------------------------------------------------------------------------------ */

static json_t *read_stream(struct yaml_reader *reader)
{
    if (!next(reader) || !next(reader))
        return NULL;
    if (reader->event.type == YAML_STREAM_END_EVENT)
        return json_null();
    json_t *value = next(reader) ? read_value(reader, 0) : NULL;
    if (!value || !next(reader) || !next(reader))
        return discard(value);
    if (reader->event.type == YAML_STREAM_END_EVENT)
        return value;
    fail(reader, "a second document, expected one");
    return discard(value);
}

static json_t *parse(const char *text, size_t bytes, bool hidden, bool objects,
                     struct status *status)
{
    struct yaml_reader reader = {
        .text = text, .hidden = hidden, .objects = objects, .status = status};
    if (!yaml_parser_initialize(&reader.parser)) {
        status_no_memory(status);
        return NULL;
    }
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, bytes);
    json_t *value = read_stream(&reader);
    if (reader.pending)
        yaml_event_delete(&reader.event);
    yaml_parser_delete(&reader.parser);
    return value;
}

static json_t *parse_any(const char *text, size_t bytes, bool objects, struct status *status)
{
    char *copy;
    size_t copied = 0;
    if (!yaml_characters_hide(text, bytes, &copy, &copied, status))
        return NULL;
    json_t *value = copy ? parse(copy, copied, true, objects, status)
                         : parse(text, bytes, false, objects, status);
    free(copy);
    return value;
}

json_t *yaml_parse(const char *text, size_t bytes, struct status *status)
{
    return parse_any(text, bytes, false, status);
}

json_t *yaml_parse_objects(const char *text, size_t bytes, struct status *status)
{
    return parse_any(text, bytes, true, status);
}

bool yaml_flag(const json_t *object, const char *key, bool otherwise)
{
    static const char *const words[][3] = {{"no", "off", "n"}, {"yes", "on", "y"}};
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    if (json_is_boolean(value))
        return json_is_true(value);
    for (int flag = 0; text && flag < 2; flag++)
        for (int i = 0; i < 3; i++)
            if (strcasecmp(text, words[flag][i]) == 0)
                return flag != 0;
    return otherwise;
}
