/* Which files of a folder are a Marian model: decoder.yml names them; without one, the names that Marian and those who
 * publish models give them. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/marian/reader.h"
#include "model/formats/yaml.h"
#include "model/text/quote.h"

enum { MAX_CONFIG = 1 << 20 };

/* Names of files, sorted. */
struct listing {
    char **names; // (count)
    size_t count, capacity;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void listing_free(struct listing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        free(listing->names[i]);
    free(listing->names);
}

static bool listing_add(struct listing *listing, const char *name, struct status *status)
{
    if (!memory_grow((void **)&listing->names, &listing->capacity, listing->count + 1,
                     sizeof *listing->names, status))
        return false;
    listing->names[listing->count] = strdup(name);
    return listing->names[listing->count++] || status_no_memory(status);
}

/* The regular files that `wanted` says yes to. A folder that cannot be read has none. */
static bool list_files(const char *folder, bool (*wanted)(const char *folder, const char *name),
                       struct listing *listing, struct status *status)
{
    DIR *files = opendir(folder);
    bool good = true;
    *listing = (struct listing){0};
    for (struct dirent *entry; files && good && (entry = readdir(files));)
        if (family_has(folder, entry->d_name) && wanted(folder, entry->d_name))
            good = listing_add(listing, entry->d_name, status);
    if (files)
        closedir(files);
    if (listing->count)
        qsort(listing->names, listing->count, sizeof *listing->names, by_text);
    return good;
}

/* Models ----------------------------------------------------------------------------------------- */

/* Training keeps optimizer states, and older models, beside the model. */
static bool is_model(const char *folder, const char *name)
{
    struct status status;
    if ((!name_ends(name, ".npz") && !name_ends(name, ".bin")) || name_ends(name, ".optimizer.npz"))
        return false;
    struct candidate file = {.path = family_path(folder, name, &status), .folder = folder};
    bool model = false;
    if (file.path) {
        candidate_head(&file);
        model = marian_bin_begins(file.head) ||
                (marian_npz_begins(file.head) && marian_npz_recognise(file.path));
    }
    free((char *)file.path);
    return model;
}

bool marian_in_folder(const char *folder)
{
    struct listing models;
    struct status status;
    bool found = list_files(folder, is_model, &models, &status) && models.count > 0;
    listing_free(&models);
    return found;
}

/* The element of a list in decoder.yml, without its folder: folders are those of the machine of the training. */
static const char *listed_name(const json_t *object, const char *key, size_t index)
{
    const char *path = json_string_value(json_array_get(json_object_get(object, key), index));
    return path && *name_in_path(path) ? name_in_path(path) : NULL;
}

/* decoder.yml ------------------------------------------------------------------------------------ */

/* "MODEL.decoder.yml", as training writes it, or "decoder.yml". */
static bool find_decoder(struct marian_reader *reader, const char *model)
{
    size_t size = strlen(model) + sizeof ".decoder.yml";
    char *name = memory_new(size, 1, reader->status);
    if (!name)
        return false;
    snprintf(name, size, "%s.decoder.yml", model);
    if (!family_has(reader->folder, name))
        strcpy(name, "decoder.yml");
    if (family_has(reader->folder, name))
        reader->decoder_name = name;
    else
        free(name);
    reader->decoder = reader->decoder_name
                          ? family_yaml(reader->contents, reader->folder, reader->decoder_name,
                                        MAX_CONFIG, reader->status)
                          : json_object();
    if (!reader->decoder)
        return reader->decoder_name ? false : status_no_memory(reader->status);
    return json_is_object(reader->decoder) ||
           status_fail(reader->status, STATUS_INVALID, "%s: not a mapping, expected options",
                       QUOTED(reader->decoder_name));
}

/* Of several models, the one that decoder.yml names, or model.npz. */
static bool choose_model(struct marian_reader *reader, const struct listing *models)
{
    const char *named = listed_name(reader->decoder, "models", 0);
    if (json_array_size(json_object_get(reader->decoder, "models")) > 1)
        return status_fail(reader->status, STATUS_INVALID,
                           "%s: models: an ensemble is not computed here, expected one model "
                           "(each opens by the name of its file)",
                           QUOTED(reader->decoder_name));
    for (size_t i = 0; i < models->count; i++)
        if (strcmp(models->names[i], named ? named : "model.npz") == 0)
            return (reader->model = strdup(models->names[i])) || status_no_memory(reader->status);
    return status_fail(reader->status, STATUS_INVALID,
                       "%zu models of Marian in this folder, expected one, or one that decoder.yml "
                       "names (each opens by the name of its file)",
                       models->count);
}

static bool find_in_folder(struct marian_reader *reader)
{
    struct listing models;
    bool good = list_files(reader->folder, is_model, &models, reader->status);
    if (good && models.count == 1)
        good = ((reader->model = strdup(models.names[0])) || status_no_memory(reader->status)) &&
               find_decoder(reader, reader->model);
    else if (good)
        good = find_decoder(reader, "model.npz") && choose_model(reader, &models);
    listing_free(&models);
    return good;
}

bool marian_find_model(struct marian_reader *reader, const char *file)
{
    if (!file)
        return find_in_folder(reader);
    return ((reader->model = strdup(file)) || status_no_memory(reader->status)) &&
           find_decoder(reader, file);
}

/* Vocabularies ----------------------------------------------------------------------------------- */

static bool is_vocabulary(const char *folder, const char *name)
{
    static const char *const endings[] = {".yml", ".yaml", ".json", ".spm", ".txt", ".fsv"};
    (void)folder;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strstr(name, "vocab") && name_ends(name, endings[i]))
            return true;
    return false;
}

/* What decoder.yml or the model itself names and the folder has. */
static const char *named_vocabulary(const struct marian_reader *reader, int side)
{
    const char *name = listed_name(reader->decoder, "vocabs", (size_t)side);
    if (!name || !family_has(reader->folder, name))
        name = listed_name(reader->options, "vocabs", (size_t)side);
    return name && family_has(reader->folder, name) ? name : NULL;
}

/* "srcvocab.deen.spm" and "trgvocab.deen.spm", "vocab.de.yml" alone: by side where there are two. */
static const char *found_vocabulary(const struct listing *listing, int side)
{
    static const char *const words[2][2] = {{"src", "source"}, {"trg", "target"}};
    if (listing->count == 1)
        return listing->names[0];
    for (size_t i = 0; i < listing->count; i++)
        for (int w = 0; w < 2; w++)
            if (strstr(listing->names[i], words[side][w]))
                return listing->names[i];
    return NULL;
}

bool marian_find_vocabularies(struct marian_reader *reader)
{
    struct listing listing;
    bool good = list_files(reader->folder, is_vocabulary, &listing, reader->status);
    for (int side = 0; good && side < 2; side++) {
        const char *name = named_vocabulary(reader, side);
        if (!name)
            name = found_vocabulary(&listing, side);
        if (!name)
            good = status_fail(reader->status, STATUS_INVALID,
                               "no vocabulary of the %s in this folder, expected those that "
                               "decoder.yml names (vocabs), or one *vocab*.yml or *vocab*.spm",
                               side ? "target" : "source");
        else if (!(reader->vocabulary[side] = strdup(name)))
            good = status_no_memory(reader->status);
    }
    listing_free(&listing);
    return good;
}
