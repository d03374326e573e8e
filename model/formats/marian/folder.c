/* Finds the files of a Marian model in a folder, and the one that says how it translates. Their
 * names come from decoder.yml or from a configuration of Bergamot's translators; otherwise they are
 * the names that Marian and publishers of models use. */
#include <stdlib.h>
#include <string.h>

#include "model/formats/file_list.h"
#include "model/formats/marian/reader.h"
#include "model/formats/yaml/yaml.h"
#include "model/text/quote.h"

enum { MAX_CONFIG = 1 << 20 };

/* Models --------------------------------------------------------------------------------------- */

/* Training keeps optimizer states and older models beside the model. */
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
    struct file_list models;
    struct status status;
    bool found = file_list_read(folder, is_model, &models, &status) && models.count > 0;
    file_list_free(&models);
    return found;
}

/* Returns the name in a list of decoder.yml without its folder, which existed on the training
 * machine. */
static const char *listed_name(const json_t *object, const char *key, size_t index)
{
    const char *path = json_string_value(json_array_get(json_object_get(object, key), index));
    return path && *name_in_path(path) ? name_in_path(path) : NULL;
}

/* Configurations ------------------------------------------------------------------------------- */

/* True for "config.intgemm8bitalpha.yml" of translateLocally, "config.bergamot.yml" of
 * bergamot-translator, "config.yml". */
static bool is_config(const char *folder, const char *name)
{
    (void)folder;
    return strncmp(name, "config", strlen("config")) == 0 && name_ends(name, ".yml");
}

/* Sets *name to the first listed model that a configuration names, which the caller frees, or to
 * NULL. The file does not become one of the model's yet. */
static bool read_named(struct marian_reader *reader, const char *config,
                       const struct file_list *models, char **name)
{
    char *path = family_path(reader->folder, config, reader->status);
    struct mapped_file *file = path ? mapped_file_open(path, reader->status) : NULL;
    json_t *options = NULL;
    *name = NULL;
    free(path);
    if (file && file->bytes <= MAX_CONFIG)
        options = yaml_parse((const char *)file->data, file->bytes, reader->status);
    bool good = options || (file && file->bytes > MAX_CONFIG);
    const char *named = listed_name(options, "models", 0);
    if (named && file_list_has(models, named))
        good = (*name = strdup(named)) || status_no_memory(reader->status);
    if (good && json_array_size(json_object_get(options, "models")) > 1)
        good = status_fail(reader->status, STATUS_INVALID,
                           "models: an ensemble is not supported, expected one model (each "
                           "opens by the name of its file)");
    json_decref(options);
    mapped_file_close(file);
    return good || status_prefix(reader->status, "%s", QUOTED(config));
}

/* Finds the first configuration that names a model of the list. The caller frees both names. */
static bool find_config(struct marian_reader *reader, const struct file_list *models, char **config,
                        char **model)
{
    struct file_list configs;
    bool good = file_list_read(reader->folder, is_config, &configs, reader->status);
    *config = *model = NULL;
    for (size_t i = 0; good && !*model && i < configs.count; i++) {
        good = read_named(reader, configs.names[i], models, model);
        if (*model)
            good =
                good && ((*config = strdup(configs.names[i])) || status_no_memory(reader->status));
    }
    file_list_free(&configs);
    return good;
}

/* Finds the file with the options of the search: "MODEL.decoder.yml", which training writes,
 * "decoder.yml", or a configuration that names the model. There may be none. */
static bool name_decoder(struct marian_reader *reader)
{
    size_t size = strlen(reader->model) + sizeof ".decoder.yml";
    const struct file_list model = {.names = &reader->model, .count = 1};
    char *name = memory_new(size, 1, reader->status), *again;
    if (!name)
        return false;
    snprintf(name, size, "%s.decoder.yml", reader->model);
    if (!family_has(reader->folder, name))
        strcpy(name, "decoder.yml");
    if (family_has(reader->folder, name)) {
        reader->decoder_name = name;
        return true;
    }
    free(name);
    bool good = find_config(reader, &model, &reader->decoder_name, &again);
    free(again);
    return good;
}

static bool read_decoder(struct marian_reader *reader)
{
    if (!name_decoder(reader))
        return false;
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

/* The model ------------------------------------------------------------------------------------ */

/* Training names the best models in validation after the measure; measures of translations come
 * first. */
static const char *find_best(const struct file_list *models)
{
    static const char *const measures[] = {"chrf",           "bleu-detok",  "bleu",
                                           "bleu-segmented", "translation", "valid-script",
                                           "ce-mean-words",  "perplexity",  "cross-entropy"};
    for (size_t m = 0; m < sizeof measures / sizeof *measures; m++) {
        char ending[40];
        snprintf(ending, sizeof ending, ".best-%s.npz", measures[m]);
        for (size_t i = 0; i < models->count; i++)
            if (name_ends(models->names[i], ending))
                return models->names[i];
    }
    return file_list_has(models, "model.npz") ? "model.npz" : NULL;
}

/* Chooses the model that decoder.yml or another configuration names, the best model of a training,
 * or model.npz. */
static bool choose_model(struct marian_reader *reader, const struct file_list *models)
{
    static const char decoder[] = "decoder.yml";
    struct file_list_text text;
    char *config = NULL;
    bool good =
        !family_has(reader->folder, decoder) || read_named(reader, decoder, models, &reader->model);
    if (good && !reader->model)
        good = find_config(reader, models, &config, &reader->model);
    free(config);
    if (!good || reader->model)
        return good;
    const char *best = find_best(models);
    if (best)
        return (reader->model = strdup(best)) || status_no_memory(reader->status);
    return status_fail(reader->status, STATUS_INVALID,
                       "%zu models of Marian in this folder (%s), expected the path of one, or one "
                       "that decoder.yml names",
                       models->count, file_list_show(models, &text));
}

static bool find_in_folder(struct marian_reader *reader)
{
    struct file_list models;
    bool good = file_list_read(reader->folder, is_model, &models, reader->status);
    if (good && models.count == 1)
        good = (reader->model = strdup(models.names[0])) || status_no_memory(reader->status);
    else if (good)
        good = choose_model(reader, &models);
    file_list_free(&models);
    return good;
}

bool marian_find_model(struct marian_reader *reader, const char *file)
{
    if (file && !(reader->model = strdup(file)))
        return status_no_memory(reader->status);
    return (file || find_in_folder(reader)) && read_decoder(reader);
}

/* Vocabularies --------------------------------------------------------------------------------- */

static bool is_vocabulary(const char *folder, const char *name)
{
    static const char *const endings[] = {".yml", ".yaml", ".json", ".spm", ".txt", ".fsv"};
    (void)folder;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strstr(name, "vocab") && name_ends(name, endings[i]))
            return true;
    return false;
}

/* Returns the vocabulary named by decoder.yml or the model, if it is in the folder. */
static const char *named_vocabulary(const struct marian_reader *reader, int side)
{
    const char *name = listed_name(reader->decoder, "vocabs", (size_t)side);
    if (!name || !family_has(reader->folder, name))
        name = listed_name(reader->options, "vocabs", (size_t)side);
    return name && family_has(reader->folder, name) ? name : NULL;
}

/* Finds "srcvocab.deen.spm" and "trgvocab.deen.spm", by side, or a single "vocab.de.yml". */
static const char *found_vocabulary(const struct file_list *listing, int side)
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
    struct file_list listing;
    bool good = file_list_read(reader->folder, is_vocabulary, &listing, reader->status);
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
    file_list_free(&listing);
    return good;
}
