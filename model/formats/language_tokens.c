#include "model/formats/language_tokens.h"

#include <stdio.h>
#include <string.h>

static const char lower[] = "abcdefghijklmnopqrstuvwxyz", upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";

/* "deu_Latn" or "de_DE" */
static bool has_region(const char *text)
{
    size_t language = strspn(text, lower);
    if (language < 2 || language > 3 || text[language] != '_')
        return false;
    const char *region = text + language + 1;
    size_t capitals = strspn(region, upper), small = strspn(region + capitals, lower);
    return !region[capitals + small] &&
           ((capitals == 2 && small == 0) || (capitals == 1 && small == 3));
}

/* "de", "zho_Hans", "pt-BR" */
static bool is_code(const char *text)
{
    size_t language = strspn(text, lower), length = strspn(text, letters);
    return language >= 2 && language <= 3 && !text[length] &&
           (!text[language] || text[language] == '_' || text[language] == '-') && length <= 12;
}

static const struct {
    const char *before, *after;
    bool (*is_name)(const char *text);
} spellings[] = {
    {"", "", has_region},  {"__", "__", is_code}, {"[", "]", has_region},
    {">>", "<<", is_code}, {"<2", ">", is_code},
};

bool language_of_token(const char *piece, char name[LANGUAGE_NAME_BYTES])
{
    size_t length = strlen(piece);
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        size_t before = strlen(spellings[i].before), after = strlen(spellings[i].after);
        if (length <= before + after || length - before - after >= LANGUAGE_NAME_BYTES ||
            strncmp(piece, spellings[i].before, before) != 0 ||
            strcmp(piece + length - after, spellings[i].after) != 0)
            continue;
        snprintf(name, LANGUAGE_NAME_BYTES, "%.*s", (int)(length - before - after), piece + before);
        if (spellings[i].is_name(name))
            return true;
    }
    return false;
}

bool languages_add(json_t *languages, const char *piece, int64_t id, struct status *status)
{
    char name[LANGUAGE_NAME_BYTES];
    if (!language_of_token(piece, name) || json_object_get(languages, name))
        return true;
    return json_object_set_new(languages, name, json_integer(id)) == 0 || status_no_memory(status);
}

/* Returns the table's spelling of a key that it contains. */
static const char *key_of(const json_t *languages, const char *name)
{
    return json_object_iter_key(json_object_iter_at((json_t *)languages, name));
}

const char *languages_known(const json_t *languages, const char *text)
{
    char name[LANGUAGE_NAME_BYTES];
    if (!text)
        return NULL;
    if (json_object_get(languages, text))
        return key_of(languages, text);
    return language_of_token(text, name) && json_object_get(languages, name)
               ? key_of(languages, name)
               : NULL;
}

const char *languages_of_id(const json_t *languages, int64_t id)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)languages, name, value)
    {
        if (json_integer_value(value) == id)
            return name;
    }
    return NULL;
}

const char *languages_any_source(const json_t *languages)
{
    static const char *const english[] = {"en", "eng_Latn", "en_XX", "eng"};
    for (size_t i = 0; i < sizeof english / sizeof *english; i++)
        if (json_object_get(languages, english[i]))
            return english[i];
    return json_object_iter_key(json_object_iter((json_t *)languages));
}

const char *languages_any_target(const json_t *languages, const char *source)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)languages, name, value)
    {
        if (strcmp(name, source) != 0)
            return name;
    }
    return source;
}
