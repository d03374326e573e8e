/* The task that a model of fairseq was trained for, and its languages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/fairseq/fairseq.h"
#include "model/formats/language_tokens.h"
#include "model/text/quote.h"

enum { MAX_LANGUAGES = 1000, MAX_LIST = 1 << 16 };

/* Tasks ---------------------------------------------------------------------------------------- */

static bool has_task(const struct fs_reader *reader, const char *task)
{
    const struct pickle_value *group = pickle_get(reader->groups, "task");
    const char *name = fs_text(reader, "task", pickle_text_of(group, "_name", "translation"));
    return strcmp(name, task) == 0;
}

/* Refuses tasks that put other tokens around sources and targets than translation does. */
static bool check_task(struct fs_reader *reader)
{
    static const char *const others[] = {"denoising", "multilingual_denoising",
                                         "online_backtranslation", "translation_lev"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (has_task(reader, others[i]))
            return fs_fail(reader,
                           "task %s is not supported, expected translation, "
                           "translation_from_pretrained_bart or translation_multi_simple_epoch",
                           others[i]);
    return true;
}

bool fs_is_mbart(const struct fs_reader *reader)
{
    return has_task(reader, "translation_from_pretrained_bart");
}

bool fs_is_multilingual(const struct fs_reader *reader)
{
    return has_task(reader, "translation_multi_simple_epoch");
}

static bool has_brackets(const struct fs_reader *reader)
{
    return fs_is_mbart(reader) ||
           strcmp(fs_text(reader, "lang_tok_style", "multilingual"), "mbart") == 0;
}

bool fs_masked(const struct fs_reader *reader)
{
    return json_object_size(reader->languages) && has_brackets(reader);
}

void fs_language_token(const struct fs_reader *reader, const char *language, char *token,
                       size_t bytes)
{
    snprintf(token, bytes, has_brackets(reader) ? "[%s]" : "__%s__", language);
}

/* The languages -------------------------------------------------------------------------------- */

static bool add_language(struct fs_reader *reader, const char *name, size_t bytes)
{
    char copy[LANGUAGE_NAME_BYTES];
    if (bytes == 0)
        return true;
    if (bytes >= sizeof copy || json_object_size(reader->languages) >= MAX_LANGUAGES)
        return fs_fail(reader, "langs: a name of %zu bytes, or more than %d, expected languages",
                       bytes, MAX_LANGUAGES);
    snprintf(copy, sizeof copy, "%.*s", (int)bytes, name);
    return json_object_get(reader->languages, copy) ||
           json_object_set_new(reader->languages, copy, json_integer(0)) == 0 ||
           status_fail(reader->status, STATUS_INVALID, "langs: %s, expected a name in UTF-8",
                       QUOTED(copy));
}

/* Adds names between separators: "en,de,fr"; or pairs, "en-de". */
static bool add_names(struct fs_reader *reader, const char *text, const char *separators)
{
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, separators);
        if (!add_language(reader, at, length))
            return false;
        at += length + (at[length] != 0);
    }
    return true;
}

/* Adds an option that is a list of names, or text with commas. */
static bool add_option(struct fs_reader *reader, const char *option, const char *separators)
{
    const struct pickle_value *value = fs_option(reader, option);
    const char *text = pickle_text(value);
    if (text)
        return add_names(reader, text, separators);
    for (size_t i = 0; i < pickle_count(value); i++) {
        text = pickle_text(pickle_item(value, i));
        if (text && !add_names(reader, text, separators))
            return false;
    }
    return true;
}

/* --lang-dict names a file of languages, which must be beside the checkpoint. */
static bool add_file(struct fs_reader *reader, const char *path)
{
    const struct mapped_file *file =
        family_text(reader->contents, reader->folder, name_in_path(path), reader->status);
    if (!file)
        return false;
    char *text = strndup(file->data ? (const char *)file->data : "",
                         file->bytes < MAX_LIST ? file->bytes : MAX_LIST);
    bool good = text ? add_names(reader, text, "\r\n \t") : status_no_memory(reader->status);
    free(text);
    return good;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool sort_languages(struct fs_reader *reader)
{
    size_t count = 0;
    const char *names[MAX_LANGUAGES] = {NULL}, *name;
    json_t *sorted = json_object(), *value;
    json_object_foreach(reader->languages, name, value) names[count++] = name;
    qsort(names, count, sizeof *names, compare_names);
    bool good = sorted != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = json_object_set_new(sorted, names[i], json_integer(0)) == 0;
    if (!good) {
        json_decref(sorted);
        return status_no_memory(reader->status);
    }
    json_decref(reader->languages);
    reader->languages = sorted;
    return true;
}

/* If training had no list of languages, its dictionaries contain those of its pairs, sorted by
 * name: fairseq/data/multilingual/multilingual_data_manager.py, load_langs. */
static bool add_pairs(struct fs_reader *reader)
{
    return add_option(reader, "lang_pairs", "-, ") && sort_languages(reader);
}

bool fs_read_languages(struct fs_reader *reader)
{
    reader->languages = json_object();
    if (!reader->languages)
        return status_no_memory(reader->status);
    if (!check_task(reader))
        return false;
    if (!fs_is_mbart(reader) && !fs_is_multilingual(reader))
        return true;
    const char *file = fs_text(reader, "lang_dict", "");
    if (*file)
        return add_file(reader, file);
    if (!add_option(reader, "langs", ", "))
        return false;
    if (!json_object_size(reader->languages) && fs_is_multilingual(reader) && !add_pairs(reader))
        return false;
    if (json_object_size(reader->languages))
        return true;
    return fs_fail(reader, "langs: missing, expected the languages of the model in their order");
}
