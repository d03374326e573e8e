#include "report/output/json_writer.h"

#include <math.h>
#include <string.h>
#include <utf8proc.h>

#include "base/outlet.h"

/* Writes the separator before a value or a key: a comma unless it is the first one or follows its
 * key. */
static void separate(struct json_writer *json)
{
    uint64_t bit = UINT64_C(1) << (json->depth & 63);
    if (!json->keyed && (json->filled & bit))
        fputc(',', json->stream);
    json->filled |= bit;
    json->keyed = false;
}

static void begin(struct json_writer *json, char bracket)
{
    separate(json);
    fputc(bracket, json->stream);
    json->depth++;
    json->filled &= ~(UINT64_C(1) << (json->depth & 63));
}

static void end(struct json_writer *json, char bracket)
{
    fputc(bracket, json->stream);
    json->depth--;
}

void put_object(struct json_writer *json)
{
    begin(json, '{');
}

void put_object_end(struct json_writer *json)
{
    end(json, '}');
}

void put_array(struct json_writer *json)
{
    begin(json, '[');
}

void put_array_end(struct json_writer *json)
{
    end(json, ']');
}

static void write_character(FILE *stream, utf8proc_int32_t character, const char *bytes, int count)
{
    char escape[OUTLET_ESCAPE_BYTES];
    if (character < 0)
        fputs("\xEF\xBF\xBD", stream);
    else if (character == '"' || character == '\\')
        fprintf(stream, "\\%c", (char)character);
    else if (outlet_bars(OUTLET_ESCAPED, (uint32_t)character))
        fputs(outlet_escape((uint32_t)character, escape), stream);
    else
        fwrite(bytes, 1, count, stream);
}

static void write_text(FILE *stream, const char *text)
{
    const char *end_of_text = text + strlen(text);
    fputc('"', stream);
    while (text < end_of_text) {
        utf8proc_int32_t character;
        utf8proc_ssize_t count =
            utf8proc_iterate((const utf8proc_uint8_t *)text, end_of_text - text, &character);
        write_character(stream, count > 0 ? character : -1, text, (int)count);
        text += count > 0 ? count : 1;
    }
    fputc('"', stream);
}

void put_key(struct json_writer *json, const char *key)
{
    separate(json);
    write_text(json->stream, key);
    fputc(':', json->stream);
    json->keyed = true;
}

void put_string(struct json_writer *json, const char *text)
{
    separate(json);
    write_text(json->stream, text);
}

void put_int(struct json_writer *json, int64_t value)
{
    separate(json);
    fprintf(json->stream, "%lld", (long long)value);
}

void put_number(struct json_writer *json, double value)
{
    separate(json);
    if (isfinite(value))
        fprintf(json->stream, "%.9g", value);
    else
        fputs("null", json->stream);
}

void put_bool(struct json_writer *json, bool value)
{
    separate(json);
    fputs(value ? "true" : "false", json->stream);
}

void put_null(struct json_writer *json)
{
    separate(json);
    fputs("null", json->stream);
}

void put_json(struct json_writer *json, const char *value)
{
    separate(json);
    fputs(value, json->stream);
}

void put_member_string(struct json_writer *json, const char *key, const char *text)
{
    put_key(json, key);
    put_string(json, text);
}

void put_member_bool(struct json_writer *json, const char *key, bool value)
{
    put_key(json, key);
    put_bool(json, value);
}

void put_strings(struct json_writer *json, const char *const *texts, int count)
{
    put_array(json);
    for (int i = 0; i < count; i++)
        put_string(json, texts[i]);
    put_array_end(json);
}

void put_ints(struct json_writer *json, const int *values, int count)
{
    put_array(json);
    for (int i = 0; i < count; i++)
        put_int(json, values[i]);
    put_array_end(json);
}

void put_floats(struct json_writer *json, const float *values, int count)
{
    put_array(json);
    bool go_on = pace_step(json->pace, count);
    for (int i = 0; go_on && i < count; i++)
        put_number(json, values[i]);
    put_array_end(json);
}
