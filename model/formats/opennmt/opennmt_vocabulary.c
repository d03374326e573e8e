/* Vocabularies of OpenNMT-py. Version 3 has lists of pieces; before that there are objects of
 * torchtext, which the versions wrapped differently:
 *
 *     {"src": TextMultiField(fields=[("src", Field(vocab=Vocab(itos=[...])))]), ...}    0.9 to 2.3
 *     {"src": [("src", Field(vocab=...))], ...}                                         0.7, 0.8
 *     [("src", Vocab(itos=[...])), ...]                                                 before
 */
#include <stdio.h>
#include <string.h>

#include "model/formats/opennmt/opennmt.h"
#include "model/text/quote.h"

static const char *const sides[2] = {"src", "tgt"};

/* Returns the value with that name in a list of pairs. */
static const struct pickle_value *of_pairs(const struct pickle_value *pairs, const char *name)
{
    for (size_t i = 0; i < pickle_count(pairs); i++) {
        const char *key = pickle_text(pickle_item(pickle_item(pairs, i), 0));
        if (key && strcmp(key, name) == 0)
            return pickle_item(pickle_item(pairs, i), 1);
    }
    return NULL;
}

static bool is_text(const struct pickle_value *value)
{
    return value && value->kind == PICKLE_TEXT;
}

/* Returns the list of pieces within the objects that wrap it, NULL if there is none. The depth is
 * limited, as objects may contain each other. */
static const struct pickle_value *unwrap(const struct pickle_value *value)
{
    enum { DEEPEST = 8 };
    static const char *const members[] = {"itos", "vocab", "fields"};
    for (int depth = 0; value && depth < DEEPEST; depth++) {
        if (is_text(pickle_item(value, 0)))
            return value;
        const struct pickle_value *inner = pickle_item(pickle_item(value, 0), 1);
        for (size_t i = 0; !inner && i < sizeof members / sizeof *members; i++)
            inner = pickle_get(value, members[i]);
        value = inner;
    }
    return NULL;
}

static bool add_piece(struct onmt_reader *reader, int side, const struct pickle_value *piece)
{
    struct piece_list *pieces = &reader->pieces[side];
    if (!is_text(piece))
        return status_fail(reader->status, STATUS_INVALID, "vocab.%s: piece %d: not text",
                           sides[side], pieces->count);
    bool good = piece->count ? piece_list_add(pieces, piece->text, piece->count, reader->status)
                             : piece_list_add_number(pieces, reader->status);
    return good || status_prefix(reader->status, "vocab.%s", sides[side]);
}

static const struct pickle_value *list_of(struct onmt_reader *reader, int side)
{
    const struct pickle_value *vocab = pickle_get(reader->root, "vocab");
    const struct pickle_value *member = pickle_get(vocab, sides[side]);
    const struct pickle_value *list = unwrap(member ? member : of_pairs(vocab, sides[side]));
    if (!list)
        status_fail(reader->status, STATUS_INVALID,
                    "vocab.%s: missing, expected a list of pieces, or a Vocab of torchtext",
                    sides[side]);
    return list;
}

/* Returns the number of a piece, or -1. */
static int64_t find(const struct pickle_value *list, const char *piece)
{
    size_t length = strlen(piece);
    for (size_t i = 0; i < pickle_count(list); i++) {
        const struct pickle_value *other = pickle_item(list, i);
        if (is_text(other) && other->count == length && memcmp(other->text, piece, length) == 0)
            return (int64_t)i;
    }
    return -1;
}

/* Sources have no tokens around them. Versions 1 and 2 have no end-of-sentence for sources; padding
 * replaces it. OpenNMT-py excludes <unk> if the command line asks for it, and no other token
 * (translate/decode_strategy.py, ensure_unk_removed), so translations may contain start tokens and
 * padding. */
static bool read_tokens(struct onmt_reader *reader, const struct pickle_value *const lists[2])
{
    struct plain_config *plain = &reader->plain;
    const char *start =
        pickle_text_of(pickle_get(reader->root, "vocab"), "decoder_start_token", "<s>");
    int64_t first = find(lists[1], start), blank = find(lists[0], "<blank>");
    plain->pad = find(lists[1], "<blank>");
    plain->unk = find(lists[0], "<unk>");
    plain->eos_source = find(lists[0], "</s>");
    plain->eos_target = find(lists[1], "</s>");
    if (plain->eos_target < 0 || first < 0)
        return status_fail(reader->status, STATUS_INVALID,
                           "vocab.tgt: no piece %s, expected one for the %s of a translation",
                           first < 0 ? QUOTED(start) : "</s>", first < 0 ? "beginning" : "end");
    if (plain->unk < 0)
        plain->unk = 0;
    if (plain->pad < 0)
        plain->pad = first;
    if (plain->eos_source < 0)
        plain->eos_source = blank < 0 ? plain->unk : blank;
    plain->start[plain->start_count++] = first;
    plain->specials_allowed = true;
    return true;
}

bool onmt_read_vocabularies(struct onmt_reader *reader)
{
    const struct pickle_value *lists[2];
    for (int side = 0; side < 2; side++) {
        lists[side] = list_of(reader, side);
        for (size_t i = 0; i < pickle_count(lists[side]); i++)
            if (!add_piece(reader, side, pickle_item(lists[side], i)))
                return false;
        if (!lists[side])
            return false;
    }
    return read_tokens(reader, lists);
}
