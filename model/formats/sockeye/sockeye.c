/* Reads Sockeye 3: a folder with params.best (a state_dict of PyTorch), config, vocab.src.0.json
 * and vocab.trg.0.json. */
#include "model/formats/sockeye/sockeye.h"

#include <string.h>

#include "model/formats/options.h"

/* Vocabularies --------------------------------------------------------------------------------- */

/* Adds {PIECE: ID}, whose ids start at 0, in any order. */
static bool add_pieces(struct sockeye_reader *reader, int side, const char *name, json_t *map)
{
    const char *piece;
    json_t *id, *list = json_array();
    size_t count = json_object_size(map);
    bool good = list || status_no_memory(reader->status);
    while (good && json_array_size(list) < count)
        good = json_array_append_new(list, json_null()) == 0;
    json_object_foreach(map, piece, id)
    {
        json_int_t at = json_is_integer(id) ? json_integer_value(id) : -1;
        if (good && (at < 0 || (size_t)at >= count || json_is_string(json_array_get(list, at)) ||
                     json_array_set_new(list, (size_t)at, json_string(piece)) != 0))
            good = status_fail(reader->status, STATUS_INVALID,
                               "%s: not the ids 0 to %zu, expected one for each piece", name,
                               count - 1);
    }
    for (size_t i = 0; good && i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        good = piece_list_add(&reader->pieces[side], text, strlen(text), reader->status) ||
               status_prefix(reader->status, "%s", name);
    }
    json_decref(list);
    return good;
}

/* <pad>, <unk>, <s> and </s> must have the numbers 0 to 3 (vocab.py and constants.py). */
static bool check_specials(struct sockeye_reader *reader, int side, const char *name)
{
    static const char *const specials[] = {"<pad>", "<unk>", "<s>", "</s>"};
    for (int id = 0; id < 4; id++)
        if (piece_list_find(&reader->pieces[side], specials[id]) != id)
            return status_fail(reader->status, STATUS_INVALID, "%s: %s: expected the id %d", name,
                               specials[id], id);
    return true;
}

bool sockeye_read_vocabularies(struct sockeye_reader *reader)
{
    enum { MOST = 1 << 28 };
    static const char *const names[2] = {"vocab.src.0.json", "vocab.trg.0.json"};
    for (int side = 0; side < 2; side++) {
        json_t *map =
            family_json(reader->contents, reader->folder, names[side], MOST, reader->status);
        bool good = map && add_pieces(reader, side, names[side], map) &&
                    check_specials(reader, side, names[side]);
        json_decref(map);
        if (!good)
            return false;
    }
    return true;
}

/* The whole ------------------------------------------------------------------------------------ */

static bool read_folder(struct sockeye_reader *reader)
{
    return sockeye_read_config(reader) && sockeye_read_vocabularies(reader) &&
           (sockeye_put_weights(reader) || status_prefix(reader->status, "params.best")) &&
           modules_vocabularies(&reader->modules, reader->pieces) &&
           contents_configure(reader->contents, plain_config_json(&reader->plain),
                              reader->status) &&
           options_tell(&options_sockeye, reader->config, reader->contents, reader->status);
}

static bool read_sockeye(struct contents *contents, const struct candidate *candidate,
                         struct status *status)
{
    struct sockeye_reader reader = {.contents = contents,
                                    .folder = candidate->folder,
                                    .name = candidate->name,
                                    .status = status};
    reader.modules = (struct modules){
        .contents = contents, .plain = &reader.plain, .residual = {1, 1}, .status = status};
    bool good = read_folder(&reader);
    for (int side = 0; side < 2; side++)
        piece_list_free(&reader.pieces[side]);
    tensor_set_free(&reader.modules.from);
    json_decref(reader.ends);
    json_decref(reader.config);
    return good;
}

static bool recognise(const struct candidate *candidate)
{
    bool whole = candidate->is_folder || strcmp(name_in_path(candidate->path), "params.best") == 0;
    return whole && family_has(candidate->folder, "params.best") &&
           family_has(candidate->folder, "config");
}

const struct family family_sockeye = {"Sockeye", recognise, read_sockeye};
