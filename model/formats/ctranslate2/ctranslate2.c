/* CTranslate2 folders: model.bin (reader.h), config.json, vocabularies. */
#include "model/formats/ctranslate2/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"

enum { MAX_CONFIG = 1 << 20 };

/* Variables may be left over if they are flags that are off, or do not affect the numbers. Any
 * other would be missing from the computation. */
static bool check_leftovers(struct ct2_reader *reader)
{
    static const char *const harmless[] = {"embeddings_merge", "/alibi_use_positive_positions"};
    for (int i = 0; i < reader->file->count; i++) {
        struct ct2_variable *variable = &reader->file->variables[i];
        bool known = variable->used || (variable->elements == 1 && ct2_scalar(variable, 1) == 0);
        for (size_t h = 0; h < sizeof harmless / sizeof *harmless; h++)
            known |= strstr(variable->name, harmless[h]) != NULL;
        if (!known)
            return ct2_reader_fail(reader, variable->name,
                                   "is not supported, expected a Transformer of "
                                   "attention, norms and feed-forward layers");
    }
    return true;
}

static bool read_model(struct ct2_reader *reader)
{
    return ct2_read_tokens(reader) && ct2_read_vocabularies(reader) && ct2_read_sizes(reader) &&
           ct2_find_tokens(reader) && ct2_read_tokenizer_files(reader) &&
           ct2_read_languages(reader) && ct2_put_embeddings(reader) && ct2_read_settings(reader) &&
           ct2_put_positions(reader) && ct2_put_stack(reader, 0) && ct2_put_stack(reader, 1) &&
           ct2_put_attention(reader) && ct2_read_alignment(reader) &&
           ct2_put_vocabularies(reader) && ct2_put_tokenizer(reader) && ct2_read_added(reader) &&
           check_leftovers(reader) &&
           contents_configure(reader->contents, plain_config_json(&reader->plain),
                              reader->status) &&
           ct2_tell_package(reader);
}

static bool open_file(struct ct2_reader *reader)
{
    const struct mapped_file *file =
        family_file(reader->contents, reader->folder, "model.bin", reader->status);
    if (!file)
        return false;
    reader->file = ct2_open(file, reader->status);
    if (!reader->file)
        return status_prefix(reader->status, "model.bin");
    const char *specification = reader->file->specification;
    if (reader->file->version > 1 && strcmp(specification, "TransformerSpec") != 0 &&
        strcmp(specification, "TransformerBase") != 0 &&
        strcmp(specification, "TransformerBig") != 0)
        return status_fail(reader->status, STATUS_INVALID,
                           "model.bin: %s, expected TransformerSpec (an encoder and a decoder)",
                           QUOTED(specification));
    if (!family_has(reader->folder, "config.json")) {
        reader->config = json_object();
        return reader->config || status_no_memory(reader->status);
    }
    reader->config =
        family_json(reader->contents, reader->folder, "config.json", MAX_CONFIG, reader->status);
    return reader->config != NULL;
}

/* True for a package of Argos Translate, which has the model in a folder of its own. */
static bool is_package(const struct candidate *candidate)
{
    return candidate->is_folder && !family_has(candidate->folder, "model.bin") &&
           ct2_is_package(candidate->folder, "");
}

static bool open_package(struct ct2_reader *reader)
{
    if (!ct2_is_package(reader->folder, "../"))
        return true;
    reader->package = family_json(reader->contents, reader->folder, "../metadata.json", MAX_CONFIG,
                                  reader->status);
    return reader->package != NULL;
}

static bool read_folder(struct ct2_reader *reader, const char *name)
{
    if (!open_file(reader) || !open_package(reader))
        return false;
    ct2_set_defaults(reader, name);
    ct2_set_package_search(reader);
    return read_model(reader);
}

static bool read_ctranslate2(struct contents *contents, const struct candidate *candidate,
                             struct status *status)
{
    struct ct2_reader reader = {.contents = contents, .status = status};
    char *folder = is_package(candidate) ? family_path(candidate->folder, "model", status)
                                         : strdup(candidate->folder);
    reader.folder = folder;
    bool good = folder ? read_folder(&reader, candidate->name) : status_no_memory(status);
    for (int side = 0; side < 2; side++)
        piece_list_free(&reader.pieces[side]);
    json_decref(reader.languages);
    json_decref(reader.added);
    json_decref(reader.tokenizer);
    json_decref(reader.whole_tokenizer);
    json_decref(reader.config);
    json_decref(reader.package);
    ct2_close(reader.file);
    free(folder);
    return good;
}

static bool recognise(const struct candidate *candidate)
{
    if (!candidate->is_folder)
        return ct2_begins(candidate->head);
    struct status status;
    const char *name = is_package(candidate) ? "model/model.bin" : "model.bin";
    char *path = family_path(candidate->folder, name, &status);
    struct candidate file = {.path = path, .folder = candidate->folder};
    if (path)
        candidate_head(&file);
    free(path);
    return ct2_begins(file.head);
}

const struct family family_ctranslate2 = {"CTranslate2", recognise, read_ctranslate2};
