/* Pieces and their ids, which a Hugging Face folder spreads over several files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/hugging_face/reader.h"
#include "model/formats/tokenizer_file.h"
#include "model/text/buffer.h"
#include "model/text/quote.h"
#include "model/text/sentencepiece_shim.h"

enum { MAX_VOCABULARY = 1 << 28 };

/* Pieces --------------------------------------------------------------------------------------- */

static bool check_single(struct hf_reader *reader, int side, int64_t id, const char *piece,
                         const char *file)
{
    const char *other = id >= 0 && id < reader->sizes[side] ? reader->pieces[side][id] : NULL;
    return !other ||
           status_fail(reader->status, STATUS_INVALID,
                       "%s: \"%s\": id %lld is also that of \"%s\"; expected one piece for each id",
                       file, QUOTED(piece), (long long)id, QUOTED(other));
}

/* Reads {piece: id}. Only added pieces may have the id of another one. */
static bool take_map(struct hf_reader *reader, int side, json_t *map, const char *file, bool added)
{
    const char *piece;
    json_t *id;
    json_object_foreach(map, piece, id)
    {
        if (!json_is_integer(id))
            return status_fail(reader->status, STATUS_INVALID, "%s: \"%s\": not an id", file,
                               QUOTED(piece));
        if ((!added && !check_single(reader, side, json_integer_value(id), piece, file)) ||
            !hf_set_piece(reader, side, json_integer_value(id), piece, file))
            return false;
    }
    return true;
}

/* Reads the vocabulary of a Unigram model in tokenizer.json: [[piece, log-probability], …],
 * numbered from 0. */
static bool take_list(struct hf_reader *reader, int side, const json_t *list)
{
    size_t id;
    json_t *entry;
    json_array_foreach((json_t *)list, id, entry)
    {
        const char *piece = json_string_value(json_array_get(entry, 0));
        if (!piece)
            return status_fail(reader->status, STATUS_INVALID,
                               "tokenizer.json: model.vocab[%zu]: expected a piece and a number",
                               id);
        if (!hf_set_piece(reader, side, (int64_t)id, piece, "tokenizer.json"))
            return false;
    }
    return true;
}

/* Reads [{"id": 0, "content": "<s>", …}, …]. */
static bool take_added(struct hf_reader *reader, int side, json_t *added)
{
    size_t index;
    json_t *token;
    json_array_foreach(added, index, token)
    {
        const char *piece = json_string_value(json_object_get(token, "content"));
        int64_t id = family_integer(token, "id", -1);
        if (piece && !hf_set_piece(reader, side, id, piece, "tokenizer.json"))
            return false;
    }
    return true;
}

static bool take_tokenizer_json(struct hf_reader *reader, int side)
{
    json_t *root = reader->whole_tokenizer;
    json_t *pieces = json_object_get(json_object_get(root, "model"), "vocab");
    bool good = json_is_array(pieces) ? take_list(reader, side, pieces)
                                      : take_map(reader, side, pieces, "tokenizer.json", false);
    return good && take_added(reader, side, json_object_get(root, "added_tokens"));
}

/* Reads the pieces of a side, or those added to them, from a file. */
static bool take_file(struct hf_reader *reader, int side, const char *name, bool added)
{
    json_t *map =
        family_json(reader->contents, reader->folder, name, MAX_VOCABULARY, reader->status);
    bool good = map && (json_is_object(map) || status_fail(reader->status, STATUS_INVALID,
                                                           "%s: expected pieces and ids", name));
    good = good && take_map(reader, side, map, name, added);
    if (good && side == 0 && !added)
        reader->listed = (int64_t)json_object_size(map);
    json_decref(map);
    return good;
}

/* Reads tokenizer_config.json: {"added_tokens_decoder": {"2": {"content": "</s>"}, …}}. */
static bool take_decoder(struct hf_reader *reader, int side)
{
    const char *number;
    json_t *token;
    json_t *added = json_object_get(reader->tokenizer, "added_tokens_decoder");
    json_object_foreach(added, number, token)
    {
        const char *piece = json_string_value(json_object_get(token, "content"));
        char *end;
        long long id = strtoll(number, &end, 10);
        if (!piece || *end ||
            !hf_set_piece(reader, side, id, piece, "tokenizer_config.json: added_tokens_decoder"))
            return piece && !*end ? false
                                  : status_fail(reader->status, STATUS_INVALID,
                                                "tokenizer_config.json: added_tokens_decoder: "
                                                "\"%s\": expected an id and its content",
                                                QUOTED(number));
    }
    return true;
}

static bool list_pieces(struct hf_reader *reader, const char *name, struct strings *pieces)
{
    const struct mapped_file *file =
        family_file(reader->contents, reader->folder, name, reader->status);
    struct sentencepiece_model *model =
        file ? sentencepiece_open((const char *)file->data, file->bytes, reader->status) : NULL;
    bool good = model && sentencepiece_list(model, pieces, reader->status);
    sentencepiece_close(model);
    return good || (file && status_prefix(reader->status, "%s", name));
}

/* Tokens before the pieces of a SentencePiece model. The ids of its pieces are their numbers in the
 * model plus `plus`. */
struct numbering {
    const char *first[4];
    int count;
    int from; // pieces below it have other names and ids
    int64_t plus;
};

/* mBART and NLLB have fairseq's first four tokens instead of the model's <unk>, <s> and </s>. */
static const struct numbering fairseq = {{"<s>", "<pad>", "</s>", "<unk>"}, 4, 3, 1};
static const struct numbering pegasus = {{"<pad>", "</s>"}, 2, 2, 0};

/* Between its first two tokens and the pieces of its model, Pegasus has tokens of its pre-training:
 * masks, unless they are null, and <unk_2> and so on, up to `offset`. */
static bool take_pretraining(struct hf_reader *reader, const char *name,
                             struct numbering *numbering)
{
    static const char *const masks[][2] = {{"mask_token_sent", "<mask_1>"},
                                           {"mask_token", "<mask_2>"}};
    const int64_t offset = family_integer(reader->tokenizer, "offset", 103);
    int64_t id = numbering->from;
    if (offset < 0 || offset > INT32_MAX)
        return status_fail(reader->status, STATUS_INVALID,
                           "tokenizer_config.json: offset: %lld, expected 0 or more",
                           (long long)offset);
    for (int i = 0; i < 2; i++)
        if (!json_is_null(json_object_get(reader->tokenizer, masks[i][0])) &&
            !hf_set_piece(reader, 0, id++, masks[i][1], name))
            return false;
    for (int64_t i = 2; i < offset && id < reader->sizes[0]; i++) {
        char piece[32];
        snprintf(piece, sizeof piece, "<unk_%lld>", (long long)i);
        if (!hf_set_piece(reader, 0, id++, piece, name))
            return false;
    }
    numbering->plus = id - numbering->from;
    return true;
}

/* T5's sentinels follow the pieces of a model that lacks them, the last one first. */
static bool take_sentinels(struct hf_reader *reader, int pieces, const char *name)
{
    int64_t count = family_integer(reader->tokenizer, "extra_ids", 100);
    char piece[32];
    if (hf_id(reader, 0, "<extra_id_0>") >= 0)
        return true;
    for (int64_t i = 0; i < count && pieces + i < reader->sizes[0]; i++) {
        snprintf(piece, sizeof piece, "<extra_id_%lld>", (long long)(count - 1 - i));
        if (!hf_set_piece(reader, 0, pieces + i, piece, name))
            return false;
    }
    return true;
}

static bool take_model(struct hf_reader *reader, const char *name)
{
    bool pretrained = reader->type->pretraining_tokens;
    struct numbering numbering = pretrained                ? pegasus
                                 : reader->type->languages ? fairseq
                                                           : (struct numbering){0};
    struct strings pieces = {0};
    bool good = list_pieces(reader, name, &pieces);
    for (int id = 0; good && id < numbering.count; id++)
        good = hf_set_piece(reader, 0, id, numbering.first[id], name);
    good = good && (!pretrained || take_pretraining(reader, name, &numbering));
    for (int i = numbering.from; good && i < pieces.count; i++)
        good = hf_set_piece(reader, 0, i + numbering.plus, pieces.text[i], name);
    good = good && (!reader->type->t5 || take_sentinels(reader, pieces.count, name));
    strings_free(&pieces);
    return good;
}

/* Returns the SentencePiece model that lists the pieces if no other file does; NULL if none
 * does. */
static const char *listing_model(const struct hf_reader *reader)
{
    const struct hf_type *type = reader->type;
    const char *name = type->t5 || type->pretraining_tokens ? "spiece.model"
                       : type->languages                    ? "sentencepiece.bpe.model"
                       : type->t5gemma                      ? "tokenizer.model"
                                                            : NULL;
    return name && family_has(reader->folder, name) ? name : NULL;
}

static bool take_pieces(struct hf_reader *reader, int side, const char *name)
{
    const char *model = listing_model(reader);
    if (family_has(reader->folder, name))
        return take_file(reader, side, name, false);
    if (family_has(reader->folder, "tokenizer.json"))
        return take_tokenizer_json(reader, side);
    if (hf_has_bytes(reader))
        return hf_take_bytes(reader);
    return model ? take_model(reader, model)
                 : status_fail(reader->status, STATUS_INVALID, "%s: missing, as is tokenizer.json",
                               name);
}

static bool read_side(struct hf_reader *reader, int side, const char *name)
{
    reader->pieces[side] =
        memory_new((size_t)reader->sizes[side], sizeof *reader->pieces[side], reader->status);
    return reader->pieces[side] && take_pieces(reader, side, name) &&
           (!family_has(reader->folder, "added_tokens.json") ||
            take_file(reader, side, "added_tokens.json", true)) &&
           take_decoder(reader, side);
}

bool hf_read_vocabularies(struct hf_reader *reader)
{
    enum { MAX_PIECES = 1 << 24 };
    static const char *const usual[2][2] = {{"vocab_size", "vocab.json"},
                                            {"decoder_vocab_size", "target_vocab.json"}};
    const char *const(*own)[2] = reader->type->vocabularies;
    const char *const(*names)[2] = own[0][0] ? own : usual; // names of sizes and files
    reader->sizes[0] = family_integer(reader->config, names[0][0], 0);
    reader->sizes[1] = family_integer(reader->config, names[1][0], reader->sizes[0]);
    for (int side = 0; side < 2; side++)
        if (reader->sizes[side] < 1 || reader->sizes[side] > MAX_PIECES)
            return status_fail(reader->status, STATUS_INVALID,
                               "config.json: %s: %lld, expected 1 to %d", names[side][0],
                               (long long)reader->sizes[side], MAX_PIECES);
    return read_side(reader, 0, names[0][1]) && hf_read_languages(reader) &&
           (!reader->separate_vocabularies || read_side(reader, 1, names[1][1]));
}

void hf_free_vocabularies(struct hf_reader *reader)
{
    for (int side = 0; side < 2; side++) {
        for (int64_t id = 0; reader->pieces[side] && id < reader->sizes[side]; id++)
            free(reader->pieces[side][id]);
        free(reader->pieces[side]);
    }
}

/* A vocabulary has a piece a line: line breaks in one are spelled as bytes are. */
static bool put_piece(struct hf_reader *reader, struct piece_list *list, const char *piece)
{
    struct text_buffer spelt = {0};
    bool good = buffer_clear(&spelt, reader->status);
    for (const char *c = piece; good && *c; c++)
        good = *c == '\n' ? buffer_add_text(&spelt, "<0x0A>", reader->status)
                          : buffer_add(&spelt, c, 1, reader->status);
    good = good && piece_list_add(list, spelt.data, spelt.count, reader->status);
    free(spelt.data);
    return good;
}

/* An id without a piece is shown as a number. */
static bool put_side(struct hf_reader *reader, int side, const char *name)
{
    struct piece_list list = {0};
    bool good = true;
    for (int64_t id = 0; good && id < reader->sizes[side]; id++) {
        const char *piece = reader->pieces[side][id];
        good = !piece                ? piece_list_add_number(&list, reader->status)
               : strchr(piece, '\n') ? put_piece(reader, &list, piece)
                                     : piece_list_add(&list, piece, strlen(piece), reader->status);
    }
    good = good && contents_text(reader->contents, name, list.text, list.bytes, reader->status);
    piece_list_free(&list);
    return good;
}

bool hf_put_vocabularies(struct hf_reader *reader)
{
    if (!reader->separate_vocabularies)
        return put_side(reader, 0, "vocab.shared");
    return put_side(reader, 0, "vocab.source") && put_side(reader, 1, "vocab.target");
}

/* Tokenisers ----------------------------------------------------------------------------------- */

static bool put_model(struct hf_reader *reader)
{
    static const char *const names[] = {"sentencepiece.bpe.model", "spiece.model",
                                        "sentencepiece.model", NULL};
    static const char *const gemma[] = {"tokenizer.model", NULL};
    static const char *const others[] = {"tokenizer.json", "merges.txt", NULL};
    bool taken = false;
    if (reader->type->fsmt)
        return hf_put_fsmt_tokenizer(reader);
    if (reader->type->indictrans)
        return hf_put_indictrans_tokenizer(reader);
    if (!(reader->type->t5gemma && reader->whole_tokenizer) &&
        !contents_take_sentencepiece(reader->contents, reader->folder,
                                     reader->type->t5gemma ? gemma : names, &taken, reader->status))
        return false;
    if (taken) {
        reader->plain.tokenizer = "sentencepiece";
        return true;
    }
    if (hf_has_bytes(reader) && !reader->whole_tokenizer)
        return hf_put_bytes(reader);
    return contents_take_any(reader->contents, reader->folder, others, &reader->plain.tokenizer,
                             reader->status);
}

bool hf_put_tokenizer(struct hf_reader *reader)
{
    return put_model(reader) && hf_read_added(reader);
}
