#include "report/output/note_text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/outlet.h"
#include "base/strings.h"
#include "model/text/utf8.h"
#include "report/output/json_writer.h"

char *note_read(const char *written)
{
    json_t *string = json_loads(written, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    const char *text = json_string_value(string);
    char *read = strdup(text && strlen(text) == json_string_length(string) ? text : written);
    json_decref(string);
    return read;
}

/* True if note_read returns the text unchanged and no character in it is barred. */
static bool is_plain(const char *text, const char *read)
{
    bool plain = strcmp(read, text) == 0;
    for (size_t length; plain && *text; text += length)
        plain = !outlet_bars(OUTLET_ESCAPED, utf8_decode(text, &length));
    return plain;
}

char *note_write(const char *text)
{
    struct written written;
    char *read = note_read(text);
    if (!read)
        return NULL;
    if (!*text || (utf8_invalid(text, strlen(text)) < 0 && is_plain(text, read)))
        return read;
    free(read);
    struct json_writer json = {.stream = written_open(&written)};
    if (!json.stream)
        return NULL;
    put_string(&json, text);
    return written_close(&written);
}
