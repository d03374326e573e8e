#include "model/formats/piece_marks.h"

#include <string.h>

#include "model/text/marks.h"
#include "model/text/text.h"

/* Where fewer pieces have a mark, they may have it by chance. */
enum { MARKED_ONE_IN = 50 };

/* Marks of pieces, and how the configuration names them. */
static const struct {
    const char *mark, *name;
    bool begins, ends;
} marks[] = {
    {BLANK_MARK, "sentencepiece", true, false},  {CONTINUED, "bpe", false, true},
    {BYTE_LEVEL_BLANK, "byte_bpe", true, false}, {BLANK_MARK, "sentencepiece_suffix", false, true},
    {END_OF_WORD, "word_end", false, true},      {JOINER, "joiner", true, true}};
enum { MARKS = sizeof marks / sizeof *marks, JOINERS = MARKS - 1 };

static bool is_marked(const char *piece, size_t bytes, int mark)
{
    size_t length = strlen(marks[mark].mark);
    if (bytes < length)
        return false;
    return (marks[mark].begins && memcmp(piece, marks[mark].mark, length) == 0) ||
           (marks[mark].ends && memcmp(piece + bytes - length, marks[mark].mark, length) == 0);
}

/* The mark that most pieces of a vocabulary have, or -1. */
static int find_mark(const struct stored_tensor *vocabulary)
{
    const char *piece = vocabulary->data, *end = piece + vocabulary->bytes;
    size_t counts[MARKS] = {0}, pieces = 0;
    for (; piece < end; pieces++) {
        const char *stop = memchr(piece, '\n', (size_t)(end - piece));
        size_t bytes = (size_t)((stop ? stop : end) - piece);
        for (int m = 0; m < MARKS; m++)
            counts[m] += is_marked(piece, bytes, m);
        piece += bytes + 1;
    }
    int most = 0;
    for (int m = 1; m < MARKS; m++)
        if (counts[m] > counts[most])
            most = m;
    return counts[most] && counts[most] >= pieces / MARKED_ONE_IN ? most : -1;
}

static int mark_of_side(const struct contents *contents, const char *own)
{
    const struct stored_tensor *vocabulary = contents_find(contents, "vocab.shared");
    if (!vocabulary)
        vocabulary = contents_find(contents, own);
    return vocabulary ? find_mark(vocabulary) : -1;
}

static bool set_marks(json_t *tokenizer, const int found[2])
{
    const char *names[2];
    for (int side = 0; side < 2; side++)
        names[side] = found[side] < 0 || found[side] == JOINERS ? "none" : marks[found[side]].name;
    if (found[0] == JOINERS || found[1] == JOINERS)
        return json_object_set_new(tokenizer, "kind", json_string("joiner")) == 0;
    json_t *value = strcmp(names[0], names[1]) == 0
                        ? json_string(names[0])
                        : json_pack("{s:s, s:s}", "source", names[0], "target", names[1]);
    return json_object_set_new(tokenizer, "marks", value) == 0;
}

bool contents_mark_pieces(struct contents *contents, struct status *status)
{
    json_t *config = json_loads(contents->config, 0, NULL);
    json_t *tokenizer = json_object_get(config, "tokenizer");
    const char *kind = json_string_value(json_object_get(tokenizer, "kind"));
    const int found[2] = {mark_of_side(contents, "vocab.source"),
                          mark_of_side(contents, "vocab.target")};
    bool marked = kind && strcmp(kind, "whitespace") == 0 && (found[0] >= 0 || found[1] >= 0);
    if (marked && set_marks(tokenizer, found))
        return contents_configure(contents, config, status);
    json_decref(config);
    return !marked || status_no_memory(status);
}
