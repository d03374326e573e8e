#include "model/checkpoint/config_languages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/checkpoint/config_json.h"
#include "model/text/quote.h"

enum { LANGUAGES_MOST = 4096, NAME_BYTES_MOST = 64 };

const char *const language_marks[2] = {"source_language", "target_language"};

static bool list_has(const struct id_list *list, int id)
{
    for (int i = 0; i < list->count; i++)
        if (list->ids[i] == id)
            return true;
    return false;
}

/* True if any list contains the token of the language of `side`. */
static bool is_chosen(const struct config *config, int side)
{
    int mark = side == SIDE_SOURCE ? TOKEN_SOURCE_LANGUAGE : TOKEN_TARGET_LANGUAGE;
    return list_has(&config->prefix, mark) || list_has(&config->suffix, mark) ||
           list_has(&config->start, mark);
}

static const char *own_name(const struct config *config, int side)
{
    return side == SIDE_SOURCE ? config->source_language : config->target_language;
}

/* Returns the language of that name, or -1. */
static int language_find(const struct languages *languages, const char *name)
{
    for (int i = 0; i < languages->count; i++)
        if (strcmp(languages->names[i], name) == 0)
            return i;
    return -1;
}

/* Reading -------------------------------------------------------------------------------------- */

/* A name must be a single word of a command. */
static bool is_name(const char *name)
{
    size_t bytes = strlen(name);
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)name[i] <= ' ' || name[i] == '\x7F')
            return false;
    return bytes > 0 && bytes <= NAME_BYTES_MOST;
}

static bool read_language(const char *name, const json_t *value, const struct place *place,
                          struct languages *languages, struct status *status)
{
    static const struct config_field tokens = {.kind = FIELD_EACH, .fields = id_fields, .count = 2};
    if (!is_name(name))
        return place_fail(place, status, "expected a name of up to %d bytes without blanks",
                          NAME_BYTES_MOST);
    if (!field_value(value, place, &tokens, languages->ids[languages->count], status))
        return false;
    languages->names[languages->count] = strdup(name);
    return languages->names[languages->count++] || status_no_memory(status);
}

static bool read_table(const json_t *value, const struct place *place, struct languages *languages,
                       struct status *status)
{
    size_t count = json_object_size(value);
    const char *name;
    json_t *tokens;
    if (!json_is_object(value) || count < 1 || count > LANGUAGES_MOST)
        return value_fail(value, place, "names of languages and their tokens", status);
    languages->names = memory_new(count + 1, sizeof *languages->names, status);
    languages->ids = memory_new(count, sizeof *languages->ids, status);
    if (!languages->names || !languages->ids)
        return false;
    json_object_foreach((json_t *)value, name, tokens)
    {
        const struct place at = {place, name, 0};
        if (!read_language(name, tokens, &at, languages, status))
            return false;
    }
    return true;
}

/* Sets the names to choose from: the table's if a list contains the language's token, else only the
 * configuration's own. */
static bool set_choices(const struct place *place, struct config *config, int side,
                        struct status *status)
{
    const struct place own = {place->parent, language_marks[side], 0};
    const char *name = own_name(config, side);
    char **one = memory_new(2, sizeof *one, status);
    config->choices[side] = one;
    if (!one)
        return false;
    if (!is_chosen(config, side)) {
        one[0] = strdup(name);
        return one[0] || status_no_memory(status);
    }
    if (!config->languages.count)
        return place_fail(place, status, "missing, expected an object (a list of ids has \"%s\")",
                          language_marks[side]);
    if (language_find(&config->languages, name) < 0)
        return place_fail(&own, status, "\"%s\", expected one of languages", QUOTED(name));
    free(one);
    config->choices[side] = config->languages.names;
    return true;
}

bool languages_read(const json_t *value, const struct place *place, struct config *config,
                    struct status *status)
{
    return (!value || read_table(value, place, &config->languages, status)) &&
           set_choices(place, config, SIDE_SOURCE, status) &&
           set_choices(place, config, SIDE_TARGET, status);
}

/* Checks the tokens of languages if a list in the vocabulary of `side` contains one. */
static bool check_tokens(const struct config *config, const struct id_list *list, int side,
                         int size, struct status *status)
{
    static const struct place root = {NULL, "attnscope.config", 0};
    const struct place table = {&root, "languages", 0};
    const struct languages *languages = &config->languages;
    if (!list_has(list, TOKEN_SOURCE_LANGUAGE) && !list_has(list, TOKEN_TARGET_LANGUAGE))
        return true;
    for (int i = 0; i < languages->count; i++) {
        const struct place at = {&table, languages->names[i], 0};
        if (languages->ids[i][side] >= size)
            return place_fail(&at, status, "%d, expected 0 to %d (the %s vocabulary)",
                              languages->ids[i][side], size - 1,
                              side == SIDE_SOURCE ? "source" : "target");
    }
    return true;
}

bool languages_check_ids(const struct config *config, const int sizes[2], struct status *status)
{
    return check_tokens(config, &config->prefix, SIDE_SOURCE, sizes[SIDE_SOURCE], status) &&
           check_tokens(config, &config->suffix, SIDE_SOURCE, sizes[SIDE_SOURCE], status) &&
           check_tokens(config, &config->start, SIDE_TARGET, sizes[SIDE_TARGET], status);
}

void languages_free(struct config *config)
{
    for (int side = 0; side < 2; side++) {
        if (!config->choices[side] || config->choices[side] == config->languages.names)
            continue;
        free(config->choices[side][0]);
        free(config->choices[side]);
    }
    for (int i = 0; i < config->languages.count; i++)
        free(config->languages.names[i]);
    free(config->languages.names);
    free(config->languages.ids);
}

/* Use ------------------------------------------------------------------------------------------ */

struct language_pair language_pair_default(const struct config *config)
{
    struct language_pair languages = {{0, 0}};
    for (int side = 0; side < 2; side++)
        if (is_chosen(config, side))
            languages.of[side] = language_find(&config->languages, own_name(config, side));
    return languages;
}

bool language_pair_equal(const struct language_pair *a, const struct language_pair *b)
{
    return a->of[SIDE_SOURCE] == b->of[SIDE_SOURCE] && a->of[SIDE_TARGET] == b->of[SIDE_TARGET];
}

const char *language_pair_name(const struct config *config, const struct language_pair *languages,
                               int side)
{
    return config->choices[side][languages->of[side]];
}

int config_token(const struct config *config, const struct id_list *list, int i,
                 const struct language_pair *languages, int side)
{
    int id = list->ids[i];
    if (id >= 0)
        return id;
    return config->languages
        .ids[languages->of[id == TOKEN_SOURCE_LANGUAGE ? SIDE_SOURCE : SIDE_TARGET]][side];
}

bool config_begins_with_target(const struct config *config)
{
    return list_has(&config->prefix, TOKEN_TARGET_LANGUAGE);
}

int config_named_language(const struct config *config, int id)
{
    for (int i = 0; i < config->languages.count; i++)
        if (config->languages.ids[i][SIDE_SOURCE] == id)
            return i;
    return -1;
}

bool config_lists(const struct config *config, const struct id_list *list, int side, int id)
{
    bool chosen = list_has(list, TOKEN_SOURCE_LANGUAGE) || list_has(list, TOKEN_TARGET_LANGUAGE);
    for (int i = 0; chosen && i < config->languages.count; i++)
        if (config->languages.ids[i][side] == id)
            return true;
    return list_has(list, id);
}
