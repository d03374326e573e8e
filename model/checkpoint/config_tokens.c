#include "model/checkpoint/config_tokens.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/checkpoint/config_json.h"

enum { ADDED_MOST = 1 << 16, TEXT_BYTES_MOST = 1 << 10 };

static const struct config_field token_fields[] = {
    {"text", FIELD_STRING, .offset = offsetof(struct added_token, text)},
    {"strip_left", FIELD_BOOL, .offset = offsetof(struct added_token, strip_left),
     .optional = true},
    {"strip_right", FIELD_BOOL, .offset = offsetof(struct added_token, strip_right),
     .optional = true},
    {"single_word", FIELD_BOOL, .offset = offsetof(struct added_token, single_word),
     .optional = true},
    {"normalized", FIELD_BOOL, .offset = offsetof(struct added_token, normalized),
     .optional = true},
};

static bool read_token(const json_t *value, const struct place *place, struct added_token *token,
                       struct status *status)
{
    if (!json_is_string(value))
        return fields_read(value, place, token_fields, sizeof token_fields / sizeof *token_fields,
                           token, status);
    token->text = strdup(json_string_value(value));
    return token->text || status_no_memory(status);
}

bool added_read(const json_t *value, const struct place *place, struct config *config,
                struct status *status)
{
    size_t count = json_array_size(value);
    if (!value)
        return true;
    if (!json_is_array(value) || count > ADDED_MOST)
        return value_fail(value, place, "a list of tokens", status);
    config->added = memory_new(count, sizeof *config->added, status);
    if (!config->added)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct place at = {place, NULL, (int)i};
        struct added_token *token = &config->added[config->added_count++];
        if (!read_token(json_array_get(value, i), &at, token, status))
            return false;
        size_t bytes = strlen(token->text);
        if (bytes == 0 || bytes > TEXT_BYTES_MOST || strpbrk(token->text, "\r\n"))
            return place_fail(&at, status, "expected a text of 1 to %d bytes in one line",
                              TEXT_BYTES_MOST);
    }
    return true;
}

void added_free(struct config *config)
{
    for (int i = 0; i < config->added_count; i++)
        free((char *)config->added[i].text);
    free(config->added);
}
