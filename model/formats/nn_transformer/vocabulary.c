/* Reads vocabularies as home-made programs keep them, their special tokens, and tokenisers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/nn_transformer/reader.h"
#include "model/formats/tokenizer_file.h"
#include "model/text/quote.h"

enum { MOST_PIECES = 1 << 24, MOST_BYTES = 1 << 28 };

/* Values --------------------------------------------------------------------------------------- */

/* Returns a list of pieces, or pieces with ids, possibly from within an object; torchtext calls
 * them "itos" and "stoi". NULL: neither. */
static json_t *find_pieces(json_t *value)
{
    static const char *const members[] = {"itos", "stoi", "vocab", "token2idx", "char2idx"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        json_t *inner = json_object_get(value, members[i]);
        if (json_is_array(inner) || json_is_object(inner))
            return inner;
    }
    return json_is_array(value) || json_is_object(value) ? value : NULL;
}

/* Does the same for a pickle, as JSON. NULL: neither, or out of memory. */
static json_t *pieces_of_pickle(const struct pickle_value *value)
{
    const struct pickle_value *list = pickle_get(value, "itos"), *map = pickle_get(value, "stoi");
    json_t *pieces = NULL;
    list = list ? list : value;
    map = map ? map : value;
    if (pickle_count(list) > 0) {
        pieces = json_array();
        for (size_t i = 0; i < pickle_count(list); i++) {
            const char *piece = pickle_text(pickle_item(list, i));
            json_array_append_new(pieces, piece ? json_string(piece) : json_null());
        }
    } else if (pickle_pairs(map) > 0) {
        pieces = json_object();
        for (size_t i = 0; i < pickle_pairs(map); i++) {
            const char *piece = pickle_text(pickle_key(map, i));
            int64_t id;
            if (piece && pickle_integer(pickle_at(map, i), &id))
                json_object_set_new(pieces, piece, json_integer(id));
        }
    }
    return pieces;
}

/* Reads a text file with one piece per line. */
static json_t *pieces_of_lines(const struct mapped_file *file)
{
    json_t *pieces = json_array();
    const char *at = (const char *)file->data, *end = at + file->bytes;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t bytes = (size_t)((stop ? stop : end) - at);
        size_t own = bytes > 0 && at[bytes - 1] == '\r' ? bytes - 1 : bytes;
        json_t *piece = json_stringn(at, own);
        json_array_append_new(pieces, piece ? piece : json_null());
        at += bytes + 1;
    }
    return pieces;
}

static json_t *pieces_of_json(struct nn_reader *reader, const char *name)
{
    json_t *whole = family_json(reader->contents, reader->folder, name, MOST_BYTES, reader->status);
    json_t *pieces = whole ? json_incref(find_pieces(whole)) : NULL;
    if (whole && !pieces)
        status_fail(reader->status, STATUS_INVALID, "%s: expected pieces, or pieces and their ids",
                    QUOTED(name));
    json_decref(whole);
    return pieces;
}

static json_t *pieces_of_value(struct nn_reader *reader, const char *name,
                               const struct pickle_value *value)
{
    json_t *pieces = pieces_of_pickle(value);
    if (!pieces)
        status_fail(reader->status, STATUS_INVALID,
                    "%s: expected a list of pieces, or a dict of pieces and their ids",
                    QUOTED(name));
    return pieces;
}

static json_t *pieces_of_pickled_file(struct nn_reader *reader, const char *name,
                                      const struct mapped_file *file)
{
    size_t end;
    struct pickle *pickle = pickle_read(file->data, file->bytes, &end, reader->status);
    json_t *pieces = pickle ? pieces_of_value(reader, name, pickle_root(pickle)) : NULL;
    if (!pickle)
        status_prefix(reader->status, "%s", QUOTED(name));
    pickle_close(pickle);
    return pieces;
}

/* Reads a file, or a value of the checkpoint. NULL on failure. */
static json_t *read_pieces(struct nn_reader *reader, const char *name)
{
    enum { PICKLED = 0x80 }; // the first byte since protocol 2
    const struct pickle_value *value =
        reader->torch ? pickle_get(torch_root(reader->torch), name) : NULL;
    if (value && !family_has(reader->folder, name))
        return pieces_of_value(reader, name, value);
    if (name_ends(name, ".json"))
        return pieces_of_json(reader, name);
    const struct mapped_file *file =
        family_file(reader->contents, reader->folder, name, reader->status);
    if (!file)
        return NULL;
    if (file->bytes > 0 && file->data[0] == PICKLED)
        return pieces_of_pickled_file(reader, name, file);
    file = family_text(reader->contents, reader->folder, name, reader->status);
    return file ? pieces_of_lines(file) : NULL;
}

/* Lists ---------------------------------------------------------------------------------------- */

/* An empty piece, or one of several lines, cannot be in a list of lines. */
static bool add_piece(struct nn_reader *reader, struct piece_list *list, const char *piece)
{
    return piece && *piece && !strchr(piece, '\n')
               ? piece_list_add(list, piece, strlen(piece), reader->status)
               : piece_list_add_number(list, reader->status);
}

/* Turns {PIECE: ID} into pieces by id. */
static json_t *list_of_map(struct nn_reader *reader, const char *name, json_t *map)
{
    const char *piece;
    json_t *id, *list = json_array();
    json_object_foreach(map, piece, id)
    {
        int64_t at = json_is_integer(id) ? json_integer_value(id) : -1;
        bool good = at >= 0 && at < MOST_PIECES;
        while (good && json_array_size(list) <= (size_t)at)
            good = json_array_append_new(list, json_null()) == 0;
        if (!good || !json_is_null(json_array_get(list, (size_t)at)) ||
            json_array_set_new(list, (size_t)at, json_string(piece)) != 0) {
            status_fail(reader->status, STATUS_INVALID,
                        "%s: \"%s\": expected an id that no other piece has", QUOTED(name),
                        QUOTED(piece));
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static bool add_pieces(struct nn_reader *reader, int side, const char *name, json_t *pieces)
{
    json_t *list = json_is_object(pieces) ? list_of_map(reader, name, pieces) : json_incref(pieces);
    int64_t rows = reader->rows[side];
    size_t count = json_array_size(list);
    bool good =
        list && ((int64_t)count <= rows ||
                 status_fail(reader->status, STATUS_INVALID,
                             "%s: %zu pieces, expected at most %lld, one for each embedding",
                             QUOTED(name), count, (long long)rows));
    for (size_t id = 0; good && (int64_t)id < rows; id++)
        good =
            add_piece(reader, &reader->pieces[side], json_string_value(json_array_get(list, id)));
    json_decref(list);
    return good;
}

static bool read_side(struct nn_reader *reader, int side)
{
    static const char key[] = "vocabulary";
    const char *name =
        json_string_value(nn_of_side(json_object_get(reader->description, key), side));
    if (!name)
        return nn_fail(reader, key, "the name of a file, or {\"source\": …, \"target\": …}");
    json_t *pieces = read_pieces(reader, name);
    bool good = pieces && add_pieces(reader, side, name, pieces);
    json_decref(pieces);
    return good;
}

/* Special tokens ------------------------------------------------------------------------------- */

/* Reads the id of a piece that a member of an object names. If it is null or absent, *id does not
 * change. */
static bool read_id(struct nn_reader *reader, const json_t *object, const char *key, int side,
                    int64_t *id)
{
    const json_t *value = json_object_get(object, key);
    const char *piece = json_string_value(value);
    if (!value || json_is_null(value))
        return true;
    *id = piece ? piece_list_find(&reader->pieces[side], piece) : -1;
    return *id >= 0 ||
           status_fail(reader->status, STATUS_INVALID,
                       "%s: %s: \"%s\", expected a piece of the %s's vocabulary", nn_description,
                       key, piece ? QUOTED(piece) : "no text", nn_sides[side]);
}

/* Both sides have these tokens under the same name, but maybe under different numbers. */
static bool read_both(struct nn_reader *reader, const char *key, int64_t ids[2])
{
    return read_id(reader, reader->description, key, 0, &ids[0]) &&
           read_id(reader, reader->description, key, 1, &ids[1]);
}

static bool read_target(struct nn_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const json_t *target = json_object_get(reader->description, "target");
    int64_t start = -1, end = -1;
    if (!read_id(reader, target, "start", 1, &start) || !read_id(reader, target, "end", 1, &end))
        return false;
    plain->start[plain->start_count++] = start;
    plain->eos_target = end;
    return (start >= 0 && end >= 0) ||
           nn_fail(reader, "target", "{\"start\": PIECE, \"end\": PIECE}");
}

static bool read_source(struct nn_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const json_t *source = json_object_get(reader->description, "source");
    int64_t start = -1, end = -1;
    if (!json_is_object(source))
        return nn_fail(reader, "source", "{\"start\": PIECE or null, \"end\": PIECE or null}");
    if (!read_id(reader, source, "start", 0, &start) || !read_id(reader, source, "end", 0, &end))
        return false;
    if (start >= 0)
        plain->prefix[plain->prefix_count++] = start;
    if (end >= 0)
        plain->suffix[plain->suffix_count++] = end;
    plain->eos_source = end;
    return true;
}

/* If there is no padding, start tokens replace it; if there is no unknown token, padding does. */
static bool read_specials(struct nn_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    if (!read_target(reader) || !read_source(reader))
        return false;
    int64_t pad[2] = {0, plain->start[0]};
    if (!read_both(reader, "pad", pad))
        return false;
    int64_t unk[2] = {pad[0], pad[1]};
    if (!read_both(reader, "unk", unk))
        return false;
    plain->pad = pad[1];
    plain->unk = unk[1];
    plain->pad_source = pad[0];
    plain->unk_source = unk[0];
    plain->source_differs = pad[0] != pad[1] || unk[0] != unk[1];
    if (plain->eos_source < 0)
        plain->eos_source = pad[0];
    return true;
}

bool nn_put_vocabularies(struct nn_reader *reader)
{
    if (!read_side(reader, 0) || !read_side(reader, 1))
        return false;
    reader->shared = piece_list_equal(&reader->pieces[0], &reader->pieces[1]);
    return read_specials(reader) && modules_vocabularies(&reader->modules, reader->pieces);
}

/* Tokenisers ----------------------------------------------------------------------------------- */

/* Puts a tokeniser that splits text into characters: a tokenizer.json of byte-pair encoding without
 * merges. */
static bool put_characters(struct nn_reader *reader, int side, const char *name)
{
    struct piece_list *pieces = &reader->pieces[side];
    json_t *vocab = json_object();
    const char *piece = pieces->text;
    for (int id = 0; id < pieces->count; id++) {
        size_t bytes = (size_t)(strchr(piece, '\n') - piece);
        json_object_setn_new(vocab, piece, bytes, json_integer(id));
        piece += bytes + 1;
    }
    json_t *whole =
        json_pack("{s:{s:s}, s:{s:s, s:s, s:o, s:[]}}", "decoder", "type", "Fuse", "model", "type",
                  "BPE", "unk_token", "<unk>", "vocab", vocab, "merges");
    char *text = whole ? json_dumps(whole, JSON_COMPACT) : NULL;
    json_decref(whole);
    bool good = text ? contents_text(reader->contents, name, text, strlen(text), reader->status)
                     : status_no_memory(reader->status);
    free(text);
    reader->plain.tokenizer = tokenizer_names[TOKENIZER_JSON];
    return good;
}

/* Puts the files of both sides, which are of the same kind. */
static bool put_files(struct nn_reader *reader, const char *const names[2])
{
    const struct mapped_file *files[2];
    enum tokenizer_kind kinds[2];
    for (int side = 0; side < 2; side++) {
        files[side] = family_file(reader->contents, reader->folder, names[side], reader->status);
        if (!files[side])
            return false;
        kinds[side] = tokenizer_recognise((const char *)files[side]->data, files[side]->bytes);
    }
    reader->plain.tokenizer = tokenizer_names[kinds[0]];
    return kinds[0] == kinds[1]
               ? contents_subwords(reader->contents, files[0], files[1], reader->status)
               : nn_fail(reader, "tokenizer", "files of one kind");
}

bool nn_put_tokenizer(struct nn_reader *reader)
{
    static const char key[] = "tokenizer";
    const json_t *value = json_object_get(reader->description, key);
    const char *names[2] = {json_string_value(nn_of_side(value, 0)),
                            json_string_value(nn_of_side(value, 1))};
    reader->plain.tokenizer = tokenizer_names[TOKENIZER_WHITESPACE];
    reader->plain.blanks = blanks_names[BLANKS_UNICODE];
    if (!value || json_is_null(value))
        return true;
    if (!names[0] || !names[1])
        return nn_fail(reader, key, "characters, words, or the name of a tokeniser's file");
    if (strcmp(names[0], "words") == 0 && strcmp(names[1], "words") == 0)
        return true;
    if (strcmp(names[0], "characters") != 0 || strcmp(names[1], "characters") != 0)
        return put_files(reader, names);
    if (reader->shared)
        return put_characters(reader, 0, "tokenizer.shared");
    return put_characters(reader, 0, "tokenizer.source") &&
           put_characters(reader, 1, "tokenizer.target");
}
