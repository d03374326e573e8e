/* Finds the languages of a student. Neither its options nor its vocabularies name them, but these
 * do:
 *
 *     model_info.json of translateLocally (src/inventory/ModelManager.cpp):
 *         srcTags {"en": "English"} and trgTag "pt"; without them src "English" and
 *         trg "Portuguese"
 *     the files of Firefox: model.enpt.intgemm.alphas.bin beside vocab.enpt.spm or
 *         srcvocab.enpt.spm
 *     the folder of translateLocally, named after an archive and the time: enpt-1693087644
 *
 * The names are only shown, so anything that is not a language's name is ignored. */
#include <stdlib.h>
#include <string.h>

#include "model/formats/marian/reader.h"

static const char information[] = "model_info.json";
enum { MAX_INFORMATION = 1 << 20 };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* True for names such as "en", "zh-Hant", "Norwegian (Bokmal)", without characters that mean
 * something to a terminal or a file. */
static bool is_language(const char *text)
{
    if (!text || !is_letter(*text) || strlen(text) >= LANGUAGE_NAME_BYTES)
        return false;
    for (; *text; text++)
        if (!is_letter(*text) && !strchr("0123456789-_() ", *text))
            return false;
    return true;
}

/* Takes both languages, or none. */
static bool take(struct marian_reader *reader, const char *source, const char *target)
{
    if (!is_language(source) || !is_language(target))
        return false;
    strcpy(reader->language[0], source);
    strcpy(reader->language[1], target);
    reader->plain.source_language = reader->language[0];
    reader->plain.target_language = reader->language[1];
    return true;
}

/* Splits two codes at the start of a text, of two letters each ("enpt") or joined by a hyphen
 * ("en-pt", "eng-por"). Returns what follows, or NULL. */
static const char *split_codes(const char *text, char codes[2][4])
{
    size_t first = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    const char *rest = text + first;
    size_t second = first == 4 ? 2 : 0;
    if (first == 2 || first == 3) {
        second = *rest == '-' ? strspn(rest + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
        rest += second + 1;
    }
    if (second != 2 && second != 3)
        return NULL;
    snprintf(codes[0], sizeof codes[0], "%.*s", first == 4 ? 2 : (int)first, text);
    snprintf(codes[1], sizeof codes[1], "%.*s", (int)second, rest - second);
    return rest;
}

/* Returns the folder's model_info.json, or NULL; the caller calls json_decref. It does not count as
 * one of the model's files, as no result depends on it. */
static json_t *read_information(const struct marian_reader *reader)
{
    struct status status;
    char *path = family_path(reader->folder, information, &status);
    struct mapped_file *file = path ? mapped_file_open(path, &status) : NULL;
    json_t *object = NULL;
    free(path);
    if (file && file->bytes <= MAX_INFORMATION)
        object = json_loadb((const char *)file->data, file->bytes, 0, NULL);
    mapped_file_close(file);
    return object;
}

static bool take_tags(struct marian_reader *reader, json_t *object)
{
    json_t *sources = json_object_get(object, "srcTags");
    return json_object_size(sources) == 1 &&
           take(reader, json_object_iter_key(json_object_iter(sources)),
                json_string_value(json_object_get(object, "trgTag")));
}

/* Takes the languages from "model.enpt.". A name such as "model.best." has no vocabulary with the
 * same letters. */
static bool take_files(struct marian_reader *reader)
{
    char codes[2][4], vocabulary[20];
    const char *name = reader->model;
    if (strncmp(name, "model.", strlen("model.")) != 0)
        return false;
    const char *pair = name + strlen("model."), *rest = split_codes(pair, codes);
    if (!rest || *rest != '.')
        return false;
    snprintf(vocabulary, sizeof vocabulary, "vocab.%.*s.", (int)(rest - pair), pair);
    return strstr(reader->vocabulary[0], vocabulary) && take(reader, codes[0], codes[1]);
}

static bool take_folder(struct marian_reader *reader)
{
    char codes[2][4];
    const char *rest = split_codes(reader->plain.name, codes);
    return rest && (!*rest || strchr("-._", *rest)) && take(reader, codes[0], codes[1]);
}

void marian_name_languages(struct marian_reader *reader)
{
    json_t *object = read_information(reader);
    if (!take_tags(reader, object) && !take_files(reader) && object &&
        !take(reader, json_string_value(json_object_get(object, "src")),
              json_string_value(json_object_get(object, "trg"))))
        take_folder(reader);
    json_decref(object);
}
