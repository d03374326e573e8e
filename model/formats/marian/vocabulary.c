/* Reads vocabularies of a Marian model: YAML or JSON with an id for each piece, SentencePiece
 * models, or one piece per line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/language_tokens.h"
#include "model/formats/marian/reader.h"
#include "model/formats/tokenizer_file.h"
#include "model/formats/yaml/yaml.h"
#include "model/formats/yaml/yaml_characters.h"
#include "model/text/quote.h"
#include "model/text/sentencepiece_shim.h"

enum { MAX_VOCABULARY = 1 << 28, MAX_PIECES = 1 << 24 };

bool marian_shared_vocabulary(const struct marian_reader *reader)
{
    return strcmp(reader->vocabulary[0], reader->vocabulary[1]) == 0;
}

struct piece_list *marian_pieces(struct marian_reader *reader, int side)
{
    return &reader->pieces[marian_shared_vocabulary(reader) ? 0 : side];
}

/* `piece` NULL: the embedding's row has no piece and is shown by its number. */
static bool add_piece(struct marian_reader *reader, int side, const char *piece)
{
    struct piece_list *list = &reader->pieces[side];
    bool good = piece ? piece_list_add_bytes(list, piece, strlen(piece), reader->status)
                      : piece_list_add_number(list, reader->status);
    return good || status_prefix(reader->status, "%s", QUOTED(reader->vocabulary[side]));
}

/* A piece from YAML may have bytes that are not UTF-8. */
static bool add_yaml_piece(struct marian_reader *reader, int side, const char *piece)
{
    char *text = piece ? strdup(piece) : NULL;
    if (!piece)
        return add_piece(reader, side, NULL);
    if (!text)
        return status_no_memory(reader->status);
    yaml_characters_restore(text);
    bool good = add_piece(reader, side, text);
    free(text);
    return good;
}

/* Pieces beyond the embedding have no row, so Marian treats them as unknown. If an id has several
 * pieces, the first one counts. */
static bool take_map(struct marian_reader *reader, int side, json_t *map, const char **pieces,
                     int64_t rows)
{
    const char *piece;
    json_t *id;
    json_object_foreach(map, piece, id)
    {
        int64_t number = json_is_integer(id) ? json_integer_value(id) : -1;
        if (number < 0)
            return status_fail(reader->status, STATUS_INVALID, "%s: %s: not an id",
                               QUOTED(reader->vocabulary[side]), QUOTED(piece));
        if (number < rows && !pieces[number])
            pieces[number] = piece;
    }
    return true;
}

static bool read_map(struct marian_reader *reader, int side, int64_t rows)
{
    const char **pieces = memory_new((size_t)rows, sizeof *pieces, reader->status);
    json_t *map = pieces ? family_yaml(reader->contents, reader->folder, reader->vocabulary[side],
                                       MAX_VOCABULARY, reader->status)
                         : NULL;
    bool good = map && (json_is_object(map) ||
                        status_fail(reader->status, STATUS_INVALID, "%s: expected pieces and ids",
                                    QUOTED(reader->vocabulary[side])));
    good = good && take_map(reader, side, map, pieces, rows);
    for (int64_t id = 0; good && id < rows; id++)
        good = add_yaml_piece(reader, side, pieces[id]);
    json_decref(map);
    free(pieces);
    return good;
}

/* Adds pieces up to the number of the embedding's rows. */
static bool fill_up(struct marian_reader *reader, int side, int64_t rows)
{
    while (reader->pieces[side].count < rows)
        if (!add_piece(reader, side, NULL))
            return false;
    return reader->pieces[side].count == rows ||
           status_fail(reader->status, STATUS_INVALID,
                       "%s: %d pieces, expected at most %lld, the rows of the embedding",
                       QUOTED(reader->vocabulary[side]), reader->pieces[side].count,
                       (long long)rows);
}

static bool list_subwords(const struct mapped_file *file, struct strings *pieces,
                          struct status *status)
{
    const char *data = file->data ? (const char *)file->data : "";
    struct sentencepiece_model *model = sentencepiece_open(data, file->bytes, status);
    bool good = model && sentencepiece_list(model, pieces, status);
    sentencepiece_close(model);
    return good;
}

/* The subword model itself is the vocabulary: the model uses its ids. */
static bool read_subwords(struct marian_reader *reader, int side, int64_t rows)
{
    static const char *const names[] = {"tokenizer.source", "tokenizer.target"};
    const char *name = marian_shared_vocabulary(reader) ? "tokenizer.shared" : names[side];
    const struct mapped_file *file =
        family_file(reader->contents, reader->folder, reader->vocabulary[side], reader->status);
    struct strings pieces = {0};
    if (!file)
        return false;
    bool good = list_subwords(file, &pieces, reader->status) ||
                status_prefix(reader->status, "%s", QUOTED(reader->vocabulary[side]));
    for (int i = 0; good && i < pieces.count; i++)
        good = add_piece(reader, side, pieces.text[i]);
    strings_free(&pieces);
    reader->plain.tokenizer = "sentencepiece";
    return good && fill_up(reader, side, rows) &&
           contents_borrow(reader->contents, name, file, reader->status);
}

static bool read_lines(struct marian_reader *reader, int side, int64_t rows)
{
    const struct mapped_file *file =
        family_text(reader->contents, reader->folder, reader->vocabulary[side], reader->status);
    if (!file)
        return false;
    const char *at = (const char *)file->data, *end = at + file->bytes;
    while (at < end && reader->pieces[side].count < rows) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *next = newline ? newline : end;
        size_t bytes = (size_t)(next - at);
        bytes -= bytes && at[bytes - 1] == '\r';
        if (!piece_list_add_bytes(&reader->pieces[side], at, bytes, reader->status))
            return status_prefix(reader->status, "%s", QUOTED(reader->vocabulary[side]));
        at = next + 1;
    }
    return fill_up(reader, side, rows);
}

static bool read_side(struct marian_reader *reader, int side)
{
    const char *name = reader->vocabulary[side];
    int64_t rows = reader->embedding[side].shape[0];
    if (rows < 2 || rows >= MAX_PIECES)
        return status_fail(reader->status, STATUS_INVALID,
                           "%s: an embedding of %lld rows, expected 2 to %d", QUOTED(reader->model),
                           (long long)rows, MAX_PIECES - 1);
    if (name_ends(name, ".spm"))
        return read_subwords(reader, side, rows);
    return name_ends(name, ".yml") || name_ends(name, ".yaml") || name_ends(name, ".json")
               ? read_map(reader, side, rows)
               : read_lines(reader, side, rows);
}

/* Special tokens ------------------------------------------------------------------------------- */

/* Looks for the first name, then for the second, which Nematus' vocabularies have. -1: neither. */
static int64_t special_id(struct marian_reader *reader, int side, const char *name, const char *old)
{
    int64_t id = piece_list_find(marian_pieces(reader, side), name);
    return id >= 0 ? id : piece_list_find(marian_pieces(reader, side), old);
}

static bool find_specials(struct marian_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    int64_t eos[2], unk[2];
    for (int side = 0; side < 2; side++) {
        eos[side] = special_id(reader, side, "</s>", "eos");
        unk[side] = special_id(reader, side, "<unk>", "UNK");
        if (eos[side] < 0 || unk[side] < 0)
            return status_fail(reader->status, STATUS_INVALID, "%s: %s: missing, expected it",
                               QUOTED(reader->vocabulary[side]), eos[side] < 0 ? "</s>" : "<unk>");
    }
    plain->eos_source = plain->suffix[plain->suffix_count++] = eos[0];
    plain->eos_target = eos[1];
    plain->unk = unk[1];
    plain->source_differs = true;
    plain->unk_source = plain->pad_source = unk[0];
    return true;
}

/* A model for several target languages is told which by a token before the sentence: >>deu<<. */
static bool find_languages(struct marian_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const struct piece_list *pieces = marian_pieces(reader, 0);
    const char *at = pieces->text;
    reader->languages = json_object();
    if (!reader->languages)
        return status_no_memory(reader->status);
    for (int id = 0; id < pieces->count; id++) {
        char piece[LANGUAGE_NAME_BYTES + 8];
        const char *newline = strchr(at, '\n');
        snprintf(piece, sizeof piece, "%.*s", (int)(newline - at), at);
        if (strncmp(at, ">>", 2) == 0 &&
            !languages_add(reader->languages, piece, id, reader->status))
            return false;
        at = newline + 1;
    }
    if (!json_object_size(reader->languages))
        return true;
    plain->languages = reader->languages;
    plain->prefix[plain->prefix_count++] = PLAIN_TARGET_LANGUAGE;
    plain->target_language = languages_any_target(reader->languages, "");
    return true;
}

static bool exclude(struct marian_reader *reader, int64_t id)
{
    return id < 0 || json_array_append_new(reader->excluded, json_integer(id)) == 0 ||
           status_no_memory(reader->status);
}

/* Translations never contain the unknown piece, or byte pieces of control characters, unless
 * decoder.yml allows them (data/vocab.cpp, Vocab::suppressedIds). Marian has no padding and no
 * start token: both are the row of zeros added here, which search.specials excludes. */
static bool find_excluded(struct marian_reader *reader)
{
    enum { CONTROL_CHARACTERS = 32 };
    bool unknown = yaml_flag(reader->decoder, "allow-unk", false);
    bool control = yaml_flag(reader->decoder, "allow-special", false);
    char piece[8];
    reader->excluded = json_array();
    if (!reader->excluded)
        return status_no_memory(reader->status);
    reader->plain.excluded = reader->excluded;
    if (!unknown && !exclude(reader, reader->plain.unk))
        return false;
    for (int c = 0; !control && c < CONTROL_CHARACTERS; c++) {
        snprintf(piece, sizeof piece, "<0x%02X>", (unsigned)c);
        if (!exclude(reader, piece_list_find(marian_pieces(reader, 1), piece)))
            return false;
    }
    return true;
}

/* Puts source.spm and target.spm, whose pieces the vocabulary numbers. */
static bool put_subword_models(struct marian_reader *reader)
{
    static const char *const names[] = {NULL};
    bool taken, good = contents_take_sentencepiece(reader->contents, reader->folder, names, &taken,
                                                   reader->status);
    if (taken)
        reader->plain.tokenizer = "sentencepiece";
    // The vocabulary has them; the subword models do not.
    reader->plain.language_codes = taken && reader->plain.languages;
    return good;
}

bool marian_read_vocabularies(struct marian_reader *reader)
{
    bool shared = marian_shared_vocabulary(reader);
    bool subwords[2] = {name_ends(reader->vocabulary[0], ".spm"),
                        name_ends(reader->vocabulary[1], ".spm")};
    if (subwords[0] != subwords[1])
        return status_fail(reader->status, STATUS_INVALID,
                           "%s and %s: a .spm vocabulary on one side; expected on both",
                           QUOTED(reader->vocabulary[0]), QUOTED(reader->vocabulary[1]));
    for (int side = 0; side < 2; side++)
        if (name_ends(reader->vocabulary[side], ".fsv"))
            return status_fail(reader->status, STATUS_INVALID,
                               "%s: factored vocabularies are not supported, expected .yml or "
                               ".spm",
                               QUOTED(reader->vocabulary[side]));
    if (shared && reader->embedding[0].shape[0] != reader->embedding[1].shape[0])
        return status_fail(reader->status, STATUS_INVALID,
                           "%s: embeddings of two sizes with one vocabulary; expected one size",
                           QUOTED(reader->model));
    for (int side = 0; side < (shared ? 1 : 2); side++)
        if (!read_side(reader, side))
            return false;
    return find_specials(reader) && find_languages(reader) && find_excluded(reader) &&
           (subwords[0] || put_subword_models(reader));
}

bool marian_put_vocabularies(struct marian_reader *reader)
{
    return contents_vocabularies(reader->contents, marian_pieces(reader, 0),
                                 marian_pieces(reader, 1), reader->status);
}
