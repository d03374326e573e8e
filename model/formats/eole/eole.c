/* Eole, OpenNMT-py's successor: a folder with config.json, vocab.json and model.00.safetensors. */
#include "model/formats/eole/eole.h"

#include <stdio.h>
#include <string.h>

#include "model/formats/options.h"

static const char weights[] = "model.00.safetensors";

/* Vocabularies --------------------------------------------------------------------------------- */

/* Adds a list of pieces, numbered from 0. */
static bool add_pieces(struct eole_reader *reader, int side)
{
    static const char *const sides[2] = {"src", "tgt"};
    json_t *list = json_object_get(reader->vocabularies, sides[side]), *piece;
    size_t id;
    json_array_foreach(list, id, piece)
    {
        const char *text = json_string_value(piece);
        if (!text)
            return status_fail(reader->status, STATUS_INVALID,
                               "vocab.json: %s[%zu]: expected a piece", sides[side], id);
        if (!piece_list_add(&reader->pieces[side], text, json_string_length(piece), reader->status))
            return status_prefix(reader->status, "vocab.json: %s", sides[side]);
    }
    return reader->pieces[side].count > 0 ||
           status_fail(reader->status, STATUS_INVALID,
                       "vocab.json: %s: missing, expected a list of pieces", sides[side]);
}

/* Returns the spelling of a special token. */
static const char *special(const struct eole_reader *reader, const char *key, const char *otherwise)
{
    const json_t *specials = json_object_get(reader->vocabularies, "specials");
    const char *text = json_string_value(json_object_get(specials, key));
    return text ? text : otherwise;
}

static int64_t id_of(const struct eole_reader *reader, int side, const char *piece,
                     int64_t otherwise)
{
    int64_t id = piece_list_find(&reader->pieces[side], piece);
    return id < 0 ? otherwise : id;
}

/* Sources have no tokens around them. No token is excluded from translations, except <unk> if the
 * command line asks for it (predict/decode_strategy.py, ensure_unk_removed). */
static bool read_tokens(struct eole_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const char *start =
        json_string_value(json_object_get(reader->vocabularies, "decoder_start_token"));
    const char *eos = special(reader, "eos_token", "</s>");
    const char *unk = special(reader, "unk_token", "<unk>");
    const char *pad = special(reader, "pad_token", "<blank>");
    if (!start)
        start = "<s>";
    plain->start[0] = id_of(reader, 1, start, -1);
    plain->eos_target = id_of(reader, 1, eos, -1);
    if (plain->start[0] < 0 || plain->eos_target < 0)
        return status_fail(reader->status, STATUS_INVALID,
                           "vocab.json: tgt: no piece %s, expected one for the %s of a translation",
                           plain->start[0] < 0 ? start : eos,
                           plain->start[0] < 0 ? "beginning" : "end");
    plain->start_count = 1;
    plain->unk = id_of(reader, 1, unk, 0);
    plain->pad = id_of(reader, 1, pad, plain->start[0]);
    plain->source_differs = true;
    plain->unk_source = id_of(reader, 0, unk, 0);
    plain->pad_source = id_of(reader, 0, pad, plain->unk_source);
    plain->eos_source = id_of(reader, 0, eos, plain->pad_source);
    plain->specials_allowed = true;
    reader->added = json_pack("[s]", eos);
    plain->added = reader->added;
    return reader->added || status_no_memory(reader->status);
}

bool eole_read_vocabularies(struct eole_reader *reader)
{
    enum { MOST = 1 << 28 };
    reader->vocabularies =
        family_json(reader->contents, reader->folder, "vocab.json", MOST, reader->status);
    return reader->vocabularies && add_pieces(reader, 0) && add_pieces(reader, 1) &&
           read_tokens(reader);
}

/* Tokenisers ----------------------------------------------------------------------------------- */

/* Finds the file that a transform names for a side. *file NULL: it is not in the folder. */
static bool subword_file(struct eole_reader *reader, const char *transform, const char *option,
                         const struct mapped_file **file)
{
    const json_t *transforms = json_object_get(reader->config, "transforms_configs");
    const json_t *options = json_object_get(transforms, transform);
    const char *path = json_string_value(json_object_get(options, option));
    return family_file_of_path(reader->contents, reader->folder, path ? path : "", file,
                               reader->status);
}

bool eole_put_tokenizer(struct eole_reader *reader)
{
    static const char *const kinds[] = {"sentencepiece", "bpe"};
    const char *found = NULL;
    json_t *name;
    size_t i;
    json_array_foreach(json_object_get(reader->config, "transforms"), i, name)
    {
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
            if (json_is_string(name) && strcmp(json_string_value(name), kinds[kind]) == 0)
                found = kinds[kind];
    }
    const struct mapped_file *source, *target;
    reader->plain.tokenizer = "whitespace";
    reader->plain.blanks = "space";
    if (!found)
        return true;
    if (!subword_file(reader, found, "src_subword_model", &source) ||
        !subword_file(reader, found, "tgt_subword_model", &target))
        return false;
    if (!source)
        return true;
    reader->plain.tokenizer = found;
    return contents_subwords(reader->contents, source, target ? target : source, reader->status);
}

bool eole_tell_transforms(struct eole_reader *reader)
{
    /* Subwords, and what only changes the texts of training. */
    static const char *const others[] = {"sentencepiece", "bpe",       "filtertoolong", "clean",
                                         "tokendrop",     "tokenmask", "switchout"};
    json_t *name;
    size_t i;
    json_array_foreach(json_object_get(reader->config, "transforms"), i, name)
    {
        const char *text = json_string_value(name);
        bool told = text != NULL;
        char line[100];
        for (size_t k = 0; told && k < sizeof others / sizeof *others; k++)
            told = strcmp(text, others[k]) != 0;
        snprintf(line, sizeof line, "transform %.80s", text ? text : "");
        if (told && !options_tell_text(line, reader->contents, reader->status))
            return false;
    }
    return true;
}

/* The whole ------------------------------------------------------------------------------------ */

static bool read_folder(struct eole_reader *reader)
{
    return eole_read_config(reader) && eole_read_vocabularies(reader) && eole_put_weights(reader) &&
           eole_read_alignment(reader) && modules_vocabularies(&reader->modules, reader->pieces) &&
           eole_put_tokenizer(reader) &&
           contents_configure(reader->contents, plain_config_json(&reader->plain),
                              reader->status) &&
           options_tell(&options_eole, json_object_get(reader->config, "inference"),
                        reader->contents, reader->status) &&
           eole_tell_transforms(reader);
}

static bool read_eole(struct contents *contents, const struct candidate *candidate,
                      struct status *status)
{
    struct eole_reader reader = {.contents = contents,
                                 .folder = candidate->folder,
                                 .name = candidate->name,
                                 .status = status};
    reader.modules = (struct modules){
        .contents = contents, .plain = &reader.plain, .residual = {1, 1}, .status = status};
    bool good = read_folder(&reader);
    for (int side = 0; side < 2; side++)
        piece_list_free(&reader.pieces[side]);
    tensor_set_free(&reader.modules.from);
    json_decref(reader.added);
    json_decref(reader.vocabularies);
    json_decref(reader.config);
    return good;
}

static bool recognise(const struct candidate *candidate)
{
    bool whole = candidate->is_folder || strcmp(name_in_path(candidate->path), weights) == 0;
    return whole && family_has(candidate->folder, weights) &&
           family_has(candidate->folder, "config.json") &&
           family_has(candidate->folder, "vocab.json");
}

const struct family family_eole = {"Eole", recognise, read_eole};
