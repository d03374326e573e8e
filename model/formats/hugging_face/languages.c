/* Language tokens that are in no list of pieces. Their ids follow those of the pieces. */
#include <stdio.h>
#include <string.h>

#include "model/formats/hugging_face/reader.h"
#include "model/formats/language_tokens.h"
#include "model/text/quote.h"

enum { MAX_MAP = 1 << 22 };

/* M2M100's languages, named and ordered as in fairseq. A language's token is its code between
 * double underscores. */
static const struct {
    const char *name, *codes;
} lists[] = {
    {"m2m100", "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga "
               "gd gl gu ha he hi hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt "
               "lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps pt ro ru sd si sk sl so sq sr "
               "ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu"},
    {"wmt21", "en ha is ja cs ru zh de"},
};

/* Returns the codes of the list that tokenizer_config.json names; NULL with a message if it is
 * unknown. */
static const char *named_codes(struct hf_reader *reader)
{
    const json_t *value = json_object_get(reader->tokenizer, "language_codes");
    const char *name = value ? json_string_value(value) : lists[0].name;
    for (size_t i = 0; name && i < sizeof lists / sizeof *lists; i++)
        if (strcmp(name, lists[i].name) == 0)
            return lists[i].codes;
    status_fail(reader->status, STATUS_INVALID,
                "tokenizer_config.json: language_codes: %s, expected m2m100 or wmt21",
                name ? QUOTED(name) : "no text");
    return NULL;
}

static bool number_language(struct hf_reader *reader, const char *code, size_t length, int64_t id)
{
    char piece[LANGUAGE_NAME_BYTES];
    snprintf(piece, sizeof piece, "__%.*s__", (int)length, code);
    if (id < reader->sizes[0] && reader->pieces[0][id])
        return status_fail(reader->status, STATUS_INVALID,
                           "vocab.json: id %lld is \"%s\", expected %s, as languages follow the "
                           "pieces",
                           (long long)id, QUOTED(reader->pieces[0][id]), piece);
    return hf_set_piece(reader, 0, id, piece, "vocab.json");
}

static bool number_languages(struct hf_reader *reader)
{
    int64_t id = reader->listed;
    const char *code = named_codes(reader);
    if (!code)
        return false;
    while (*code) {
        size_t length = strcspn(code, " ");
        if (!number_language(reader, code, length, id++))
            return false;
        code += length + strspn(code + length, " ");
    }
    return true;
}

static bool has_language(const struct hf_reader *reader)
{
    char name[LANGUAGE_NAME_BYTES];
    for (int64_t id = 0; id < reader->sizes[0]; id++)
        if (reader->pieces[0][id] && language_of_token(reader->pieces[0][id], name))
            return true;
    return false;
}

/* Takes the languages listed in special_tokens_map.json, in its order (M2M100, mBART). */
static bool take_listed(struct hf_reader *reader)
{
    static const char name[] = "special_tokens_map.json";
    if (!family_has(reader->folder, name))
        return true;
    json_t *map = family_json(reader->contents, reader->folder, name, MAX_MAP, reader->status);
    json_t *list = json_object_get(map, "additional_special_tokens"), *token;
    bool good = map != NULL;
    int64_t id = 0;
    while (id < reader->sizes[0] && reader->pieces[0][id])
        id++;
    size_t index;
    json_array_foreach(list, index, token)
    {
        const char *piece = json_string_value(token);
        if (good && piece && hf_id(reader, 0, piece) < 0 && id < reader->sizes[0])
            good = hf_set_piece(reader, 0, id++, piece, name);
    }
    json_decref(map);
    return good;
}

/* M2M100's tokeniser numbers its languages itself, and folders written by version 5 of the package
 * list none. NLLB, which has the same model type, has no vocab.json. */
bool hf_read_languages(struct hf_reader *reader)
{
    const char *class = json_string_value(json_object_get(reader->tokenizer, "tokenizer_class"));
    if (!reader->type->languages)
        return true;
    if (!take_listed(reader))
        return false;
    bool implicit = reader->type->numbered_languages && reader->listed > 0 &&
                    (!class || strcmp(class, "M2M100Tokenizer") == 0);
    return !implicit || has_language(reader) || number_languages(reader);
}
