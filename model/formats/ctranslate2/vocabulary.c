/* Vocabularies of a CTranslate2 folder: shared_vocabulary.json, or one for each side; .txt in older
 * folders. */
#include <stdio.h>
#include <string.h>

#include "model/formats/ctranslate2/reader.h"

enum { MAX_VOCABULARY = 1 << 28 };

/* CTranslate2 accepts any bytes; a piece that is not a line of text is shown by its number. */
static bool add_piece(struct piece_list *pieces, const char *piece, size_t bytes,
                      struct status *status)
{
    return bytes && !memchr(piece, '\0', bytes) && !memchr(piece, '\n', bytes)
               ? piece_list_add_bytes(pieces, piece, bytes, status)
               : piece_list_add_number(pieces, status);
}

static bool read_json_pieces(struct ct2_reader *reader, const char *name, struct piece_list *pieces)
{
    json_t *list =
        family_json(reader->contents, reader->folder, name, MAX_VOCABULARY, reader->status);
    bool good = list != NULL;
    size_t index;
    json_t *piece;
    if (good && !json_is_array(list))
        good = status_fail(reader->status, STATUS_INVALID, "%s: not a list, expected pieces", name);
    json_array_foreach(list, index, piece)
    {
        if (!good)
            break;
        good = json_is_string(piece) ? add_piece(pieces, json_string_value(piece),
                                                 json_string_length(piece), reader->status) ||
                                           status_prefix(reader->status, "%s", name)
                                     : status_fail(reader->status, STATUS_INVALID,
                                                   "%s: piece %zu: not a string", name, index);
    }
    json_decref(list);
    return good;
}

/* If all lines end in a carriage return, the file comes from Windows. If only some do, it is part
 * of their pieces. */
static bool lines_end_in_return(const char *at, const char *end)
{
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *next = newline ? newline : end;
        if (next == at || next[-1] != '\r')
            return false;
        at = next + 1;
    }
    return true;
}

static bool read_text_pieces(struct ct2_reader *reader, const char *name, struct piece_list *pieces)
{
    const struct mapped_file *file =
        family_text(reader->contents, reader->folder, name, reader->status);
    if (!file)
        return false;
    const char *at = (const char *)file->data, *end = at + file->bytes;
    const size_t returns = lines_end_in_return(at, end);
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *next = newline ? newline : end;
        if (!add_piece(pieces, at, (size_t)(next - at) - returns, reader->status))
            return status_prefix(reader->status, "%s", name);
        at = next + 1;
    }
    return true;
}

/* Finds "NAME.json" or, in older folders, "NAME.txt". Returns false, without a message, if there is
 * neither. */
static bool has_pieces(const struct ct2_reader *reader, const char *name, char *found, size_t size)
{
    snprintf(found, size, "%s.json", name);
    if (family_has(reader->folder, found))
        return true;
    snprintf(found, size, "%s.txt", name);
    return family_has(reader->folder, found);
}

/* Appends it as CTranslate2 does (src/vocabulary.cc). */
static bool add_unknown(struct ct2_reader *reader, int stack, struct piece_list *pieces)
{
    const char *unk = reader->tokens.unk;
    const struct ct2_variable *weight = ct2_reader_embedding(reader, stack);
    int64_t rows = weight && weight->dimensions ? weight->shape[0] : 0;
    return piece_list_find(pieces, unk) >= 0 || rows <= pieces->count ||
           piece_list_add(pieces, unk, strlen(unk), reader->status) ||
           status_prefix(reader->status, "model.bin: unk_token");
}

static bool read_pieces(struct ct2_reader *reader, const char *file, int stack,
                        struct piece_list *pieces)
{
    return (strstr(file, ".json") ? read_json_pieces(reader, file, pieces)
                                  : read_text_pieces(reader, file, pieces)) &&
           add_unknown(reader, stack, pieces);
}

/* Sources with features have several vocabularies; the first is that of the words. */
static bool find_source(struct ct2_reader *reader, char *found, size_t size)
{
    char second[64];
    if (has_pieces(reader, "source_vocabulary", found, size))
        return true;
    if (has_pieces(reader, "source_2_vocabulary", second, sizeof second))
        return status_fail(reader->status, STATUS_INVALID,
                           "%s: features of source words are not supported, expected "
                           "source_vocabulary.json",
                           second);
    return has_pieces(reader, "source_1_vocabulary", found, size) ||
           status_fail(reader->status, STATUS_INVALID,
                       "source_vocabulary.json: missing, as is shared_vocabulary.json");
}

bool ct2_read_vocabularies(struct ct2_reader *reader)
{
    char file[64];
    reader->shared_vocabulary = has_pieces(reader, "shared_vocabulary", file, sizeof file);
    if (reader->shared_vocabulary)
        return read_pieces(reader, file, 0, &reader->pieces[0]);
    if (!find_source(reader, file, sizeof file) ||
        !read_pieces(reader, file, 0, &reader->pieces[0]))
        return false;
    if (!has_pieces(reader, "target_vocabulary", file, sizeof file))
        return status_fail(reader->status, STATUS_INVALID,
                           "target_vocabulary.json: missing, as is shared_vocabulary.json");
    return read_pieces(reader, file, 1, &reader->pieces[1]);
}

struct piece_list *ct2_pieces(struct ct2_reader *reader, int side)
{
    return &reader->pieces[reader->shared_vocabulary ? 0 : side];
}

/* Returns the number of a piece, or -1. */
int64_t ct2_piece_id(struct ct2_reader *reader, int side, const char *piece)
{
    return piece_list_find(ct2_pieces(reader, side), piece);
}

bool ct2_put_vocabularies(struct ct2_reader *reader)
{
    return contents_vocabularies(reader->contents, &reader->pieces[0],
                                 &reader->pieces[!reader->shared_vocabulary], reader->status);
}
