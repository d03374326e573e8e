#include "model/formats/added_tokens_list.h"

#include <string.h>

#include "model/formats/family.h"

enum { MAX_FILE = 1 << 28 };

/* An element of the list is a text, or an object with one. */
static bool has(const struct added_list *list, const char *text)
{
    size_t i;
    json_t *token;
    json_array_foreach(list->tokens, i, token)
    {
        const char *other = json_is_string(token)
                                ? json_string_value(token)
                                : json_string_value(json_object_get(token, "text"));
        if (other && strcmp(other, text) == 0)
            return true;
    }
    return false;
}

static bool add(struct added_list *list, const char *text, json_t *token, struct status *status)
{
    bool wanted = text && *text && strlen(text) < 1024 && !strpbrk(text, "\r\n") &&
                  list->known(list->vocabulary, text) && !has(list, text);
    if (wanted)
        return json_array_append_new(list->tokens, token) == 0 || status_no_memory(status);
    json_decref(token);
    return true;
}

bool added_list_text(struct added_list *list, const char *text, bool strip_left,
                     struct status *status)
{
    return add(list, text,
               strip_left ? json_pack("{s:s, s:b}", "text", text, "strip_left", 1)
                          : json_string(text),
               status);
}

/* Adds {"content": "<mask>", "lstrip": true, …}. */
static bool add_described(struct added_list *list, const json_t *token, struct status *status)
{
    static const char *const flags[][2] = {{"lstrip", "strip_left"},
                                           {"rstrip", "strip_right"},
                                           {"single_word", "single_word"},
                                           {"normalized", "normalized"}};
    const char *text = json_string_value(json_object_get(token, "content"));
    json_t *described = json_pack("{s:s?}", "text", text);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (json_is_true(json_object_get(token, flags[i][0])))
            json_object_set_new(described, flags[i][1], json_true());
    return add(list, text, described, status);
}

/* Adds a token, which is a text or an object. */
static bool add_token(struct added_list *list, const json_t *token, struct status *status)
{
    return json_is_object(token) ? add_described(list, token, status)
                                 : added_list_text(list, json_string_value(token), false, status);
}

/* Adds the tokens of a list, or the values of an object. */
static bool add_each(struct added_list *list, json_t *tokens, struct status *status)
{
    size_t i;
    const char *key;
    json_t *token;
    json_array_foreach(tokens, i, token)
    {
        if (!add_token(list, token, status))
            return false;
    }
    json_object_foreach(tokens, key, token)
    {
        if (!add_token(list, token, status))
            return false;
    }
    return true;
}

/* Adds the tokens that tokenizer_config.json and special_tokens_map.json name by their purpose. */
static bool add_named(struct added_list *list, json_t *names, struct status *status)
{
    static const char *const keys[] = {"bos_token", "eos_token", "unk_token",  "sep_token",
                                       "pad_token", "cls_token", "mask_token", "mask_token_sent"};
    const json_t *mask = json_object_get(names, "mask_token");
    if (json_is_string(mask) &&
        !added_list_text(list, json_string_value(mask), list->mask_strips, status))
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!add_token(list, json_object_get(names, keys[i]), status))
            return false;
    return add_each(list, json_object_get(names, "additional_special_tokens"), status) &&
           add_each(list, json_object_get(names, "extra_special_tokens"), status);
}

/* Adds the keys of {"<ent>": 38}. */
static bool add_keys(struct added_list *list, json_t *ids, struct status *status)
{
    const char *text;
    json_t *id;
    json_object_foreach(ids, text, id)
    {
        if (!added_list_text(list, text, false, status))
            return false;
    }
    return true;
}

/* Reads an object from a file of the folder. *object NULL: there is no such file. */
static bool open_file(struct contents *contents, const char *folder, const char *name,
                      json_t **object, struct status *status)
{
    *object = NULL;
    if (!family_has(folder, name))
        return true;
    *object = family_json(contents, folder, name, MAX_FILE, status);
    return *object != NULL;
}

bool added_list_folder(struct added_list *list, struct contents *contents, const char *folder,
                       json_t *config, struct status *status)
{
    json_t *whole, *map = NULL, *ids = NULL;
    bool good = open_file(contents, folder, "tokenizer.json", &whole, status) &&
                open_file(contents, folder, "special_tokens_map.json", &map, status) &&
                open_file(contents, folder, "added_tokens.json", &ids, status) &&
                add_each(list, json_object_get(whole, "added_tokens"), status) &&
                add_each(list, json_object_get(config, "added_tokens_decoder"), status) &&
                add_named(list, config, status) && add_named(list, map, status) &&
                add_keys(list, ids, status);
    json_decref(whole);
    json_decref(map);
    json_decref(ids);
    return good;
}
