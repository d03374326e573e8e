#include "model/text/words/piece_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "model/text/buffer.h"
#include "model/text/byte_level.h"
#include "model/text/marks.h"
#include "model/text/text.h"
#include "model/text/utf8.h"

/* Finds the places of pieces' letters in the text that they came from. A tokeniser may have
 * changed, dropped or added letters; this finds the fewest such edits.
 */

/* Letters that can be compared whatever a tokeniser does to a text (NFKC, lower case, Moses'
 * escapes, bytes for rare characters): without blanks, accents and marks, in Unicode's
 * compatibility decomposition, without case.
 */

/* A letter, and the words or pieces first … last (from 0) that it belongs to. */
struct letter {
    int32_t code;
    int first, last;
};

/* Zero-initialise before the first use. */
struct letters {
    struct letter *list; // (count)
    int count;
    size_t capacity;
};

/* Leaves it empty. */
static void letters_free(struct letters *letters)
{
    free(letters->list);
    *letters = (struct letters){.count = 0};
}

/* Characters ----------------------------------------------------------------------------------- */

enum { REPLACEMENT = 0xFFFD };

/* Adds what remains of a character without blanks, marks, case and compatibility forms. */
static bool add_character(struct letters *out, utf8proc_int32_t code, int first, int last,
                          struct status *status)
{
    enum { PARTS_MOST = 32 }; // Unicode's longest decomposition has 18
    utf8proc_int32_t parts[PARTS_MOST];
    int boundary = 0;
    utf8proc_ssize_t count =
        utf8proc_decompose_char(code, parts, PARTS_MOST,
                                UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                                    UTF8PROC_IGNORE | UTF8PROC_STRIPMARK,
                                &boundary);
    for (utf8proc_ssize_t i = 0; i < count && i < PARTS_MOST; i++) {
        if (utf8_is_space((uint32_t)parts[i]))
            continue;
        if (!memory_grow((void **)&out->list, &out->capacity, (size_t)out->count + 1,
                         sizeof *out->list, status))
            return false;
        out->list[out->count++] = (struct letter){parts[i], first, last};
    }
    return true;
}

/* Returns the character at `text`; *length: its bytes, as far as they are valid. */
static utf8proc_int32_t next_character(const char *text, size_t bytes, size_t *length)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t read =
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)bytes, &code);
    *length = read > 0 ? (size_t)read : 1;
    return read > 0 ? code : REPLACEMENT;
}

/* Adds the letters of `bytes` bytes of a text, which belong to one word. A byte that is not UTF-8
 * counts as a letter, too. */
static bool letters_add_text(struct letters *letters, const char *text, size_t bytes, int word,
                             struct status *status)
{
    for (size_t at = 0, length; at < bytes; at += length)
        if (!add_character(letters, next_character(text + at, bytes - at, &length), word, word,
                           status))
            return false;
    return true;
}

/* Pieces --------------------------------------------------------------------------------------- */

/* Returns the byte of a piece such as "<0xE2>", or -1. */
static int byte_of(const char *piece)
{
    unsigned byte;
    int end = 0;
    return strlen(piece) == 6 && sscanf(piece, "<0x%2X>%n", &byte, &end) == 1 && end == 6
               ? (int)byte
               : -1;
}

/* Appends the bytes that a piece spells, without its marks. */
static bool add_piece(enum piece_marks marks, const char *piece, struct text_buffer *out,
                      struct status *status)
{
    const size_t blank = strlen(BLANK_MARK), joiner = strlen(JOINER);
    bool blanks = marks == MARKS_SENTENCEPIECE || marks == MARKS_SENTENCEPIECE_SUFFIX;
    const char *end = piece + strlen(piece), *mark;
    uint8_t class = word_class(marks, piece);
    if (marks == MARKS_BYTE_BPE)
        return byte_level_decode(piece, out, status);
    if (blanks && byte_of(piece) >= 0)
        return buffer_add(out, &(char){(char)byte_of(piece)}, 1, status);
    for (; blanks && (mark = strstr(piece, BLANK_MARK)); piece = mark + blank)
        if (!buffer_add(out, piece, (size_t)(mark - piece), status) ||
            !buffer_add(out, " ", 1, status))
            return false;
    if (marks == MARKS_BPE && !(class & WORD_ENDS))
        end -= strlen(CONTINUED);
    if (marks == MARKS_WORD_END && (class & WORD_ENDS))
        end -= strlen(END_OF_WORD);
    if (marks == MARKS_JOINER && !(class & WORD_BEGINS))
        piece += joiner;
    if (marks == MARKS_JOINER && (class & WORD_JOINS) && piece < end)
        end -= joiner;
    return buffer_add(out, piece, (size_t)(end - piece), status);
}

/* Returns the character at `text`; each of Moses' escapes is one. */
static utf8proc_int32_t next_escaped(const char *text, size_t bytes, size_t *length)
{
    static const struct {
        const char *text;
        char character;
    } escapes[] = {{"&amp;", '&'},   {"&#124;", '|'}, {"&lt;", '<'},  {"&gt;", '>'},
                   {"&apos;", '\''}, {"&quot;", '"'}, {"&#91;", '['}, {"&#93;", ']'}};
    for (size_t i = 0; *text == '&' && i < sizeof escapes / sizeof *escapes; i++)
        if (strncmp(text, escapes[i].text, strlen(escapes[i].text)) == 0) {
            *length = strlen(escapes[i].text);
            return escapes[i].character;
        }
    return next_character(text, bytes, length);
}

/* ends: (count), where each piece's bytes end. */
static bool cut_letters(const struct text_buffer *bytes, const size_t *ends, int count,
                        struct letters *out, struct status *status)
{
    int piece = 0;
    for (size_t at = 0, length; at < bytes->count; at += length) {
        utf8proc_int32_t code = next_escaped(bytes->data + at, bytes->count - at, &length);
        while (piece < count && ends[piece] <= at)
            piece++;
        int last = piece;
        while (last + 1 < count && ends[last] < at + length)
            last++;
        if (!add_character(out, code, piece, last, status))
            return false;
    }
    return true;
}

/* Adds what the pieces of a tokeniser spell. A letter whose bytes are in several pieces belongs to
 *   all of them. pieces: (count), UTF-8; NULL: one that spells nothing; `marks`: as of
 *   tokenizer_marks */
static bool letters_add_pieces(struct letters *letters, enum piece_marks marks,
                               const char *const *pieces, int count, struct status *status)
{
    struct text_buffer bytes = {0};
    size_t *ends = memory_new((size_t)count, sizeof *ends, status);
    bool ok = ends && buffer_clear(&bytes, status);
    for (int i = 0; ok && i < count; i++) {
        ok = !pieces[i] || add_piece(marks, pieces[i], &bytes, status);
        ends[i] = bytes.count;
    }
    ok = ok && cut_letters(&bytes, ends, count, letters, status);
    free(ends);
    free(bytes.data);
    return ok;
}

/* The letters between a common beginning and a common end. */
struct middle {
    const struct letters *text, *pieces;
    int first, text_count, piece_count;
};

static bool equal(const struct middle *middle, int text, int piece)
{
    return middle->text->list[text].code == middle->pieces->list[piece].code;
}

static struct middle middle_of(const struct letters *text, const struct letters *pieces)
{
    struct middle middle = {text, pieces, 0, text->count, pieces->count};
    while (middle.text_count && middle.piece_count && equal(&middle, middle.first, middle.first)) {
        middle.first++;
        middle.text_count--;
        middle.piece_count--;
    }
    while (middle.text_count && middle.piece_count &&
           equal(&middle, middle.first + middle.text_count - 1,
                 middle.first + middle.piece_count - 1)) {
        middle.text_count--;
        middle.piece_count--;
    }
    return middle;
}

enum edit {
    EDIT_MATCH,  // the same letter, or one instead of another
    EDIT_INSERT, // a letter only in the pieces
    EDIT_DELETE  // a letter only in the text
};

/* Returns the last edit on the way to a pair of places. If several ways are equal, an insertion
 * comes last, so that the first of several letters that stand for one takes its place. */
static enum edit last_edit(bool same, int match, int insert, int delete)
{
    int least = match < insert ? match : insert;
    least = least < delete ? least : delete;
    if (same && match == least)
        return EDIT_MATCH;
    return insert == least ? EDIT_INSERT : match == least ? EDIT_MATCH : EDIT_DELETE;
}

/* Finds the edits that lead to each pair of places, (piece_count + 1, text_count + 1). `costs` is
 * scratch for one row. */
static void fill_edits(const struct middle *middle, uint8_t *edits, int *costs)
{
    int width = middle->text_count + 1;
    for (int t = 0; t < width; t++) {
        costs[t] = t;
        edits[t] = EDIT_DELETE;
    }
    for (int p = 1; p <= middle->piece_count; p++) {
        int diagonal = costs[0]; // of the row before
        costs[0] = p;
        edits[(size_t)p * width] = EDIT_INSERT;
        for (int t = 1; t < width; t++) {
            bool same = equal(middle, middle->first + t - 1, middle->first + p - 1);
            int ways[] = {[EDIT_MATCH] = diagonal + !same,
                          [EDIT_INSERT] = costs[t] + 1,
                          [EDIT_DELETE] = costs[t - 1] + 1};
            enum edit edit =
                last_edit(same, ways[EDIT_MATCH], ways[EDIT_INSERT], ways[EDIT_DELETE]);
            diagonal = costs[t];
            costs[t] = ways[edit];
            edits[(size_t)p * width + t] = (uint8_t)edit;
        }
    }
}

static void trace_edits(const struct middle *middle, const uint8_t *edits, int *places)
{
    int width = middle->text_count + 1, t = middle->text_count, p = middle->piece_count;
    while (p > 0) {
        enum edit edit = edits[(size_t)p * width + t];
        t -= edit != EDIT_INSERT;
        p -= edit != EDIT_DELETE;
        if (edit != EDIT_DELETE)
            places[middle->first + p] = edit == EDIT_MATCH ? middle->first + t : -1;
    }
}

/* Spreads letters in proportion, for a middle too long to be compared. */
static void spread(const struct middle *middle, int *places)
{
    for (int p = 0; p < middle->piece_count; p++)
        places[middle->first + p] =
            middle->text_count
                ? middle->first + (int)((int64_t)p * middle->text_count / middle->piece_count)
                : -1;
}

static bool place_middle(const struct middle *middle, int *places, struct status *status)
{
    enum { CELLS_MOST = 1 << 24 };
    size_t cells = ((size_t)middle->piece_count + 1) * ((size_t)middle->text_count + 1);
    if (cells > CELLS_MOST) {
        spread(middle, places);
        return true;
    }
    uint8_t *edits = memory_new(cells, sizeof *edits, status);
    int *costs = memory_new((size_t)middle->text_count + 1, sizeof *costs, status);
    if (edits && costs) {
        fill_edits(middle, edits, costs);
        trace_edits(middle, edits, places);
    }
    free(edits);
    free(costs);
    return edits && costs;
}

/* Sets places (pieces->count) to the letter of the text, from 0, that each letter of the pieces is
 * or replaces; -1: it was added. If several letters stand for one, the first of them takes its
 * place. If text and pieces differ over thousands of letters, these are placed in proportion. */
static bool letter_places(const struct letters *text, const struct letters *pieces, int *places,
                          struct status *status)
{
    struct middle middle = middle_of(text, pieces);
    int behind = middle.first + middle.piece_count;
    for (int p = 0; p < middle.first; p++)
        places[p] = p;
    for (int p = behind; p < pieces->count; p++)
        places[p] = p + middle.text_count - middle.piece_count;
    return middle.piece_count == 0 || place_middle(&middle, places, status);
}

static bool add_words(const struct text_words *words, struct letters *out, struct status *status)
{
    for (int w = 0; w < words->count; w++) {
        const struct text_range *range = &words->ranges[w];
        if (!letters_add_text(out, words->text + range->begin, (size_t)(range->end - range->begin),
                              w, status))
            return false;
    }
    return true;
}

/* The votes of a piece's letters, which come word by word, and how many letters of the text come
 * before the piece's end. */
struct votes {
    int best, most, word, count;
    int behind;
};

static void vote(struct votes *votes, int word)
{
    votes->count = votes->count && votes->word == word ? votes->count + 1 : 1;
    votes->word = word;
    if (votes->count > votes->most) {
        votes->most = votes->count;
        votes->best = word;
    }
}

static void count_votes(const struct letters *text, const struct letters *pieces, const int *places,
                        struct votes *votes)
{
    for (int p = 0; p < pieces->count; p++) {
        const struct letter *letter = &pieces->list[p];
        if (places[p] < 0)
            continue;
        for (int piece = letter->first; piece <= letter->last; piece++)
            vote(&votes[piece], text->list[places[p]].first);
        votes[letter->last].behind = places[p] + 1;
    }
}

/* A piece without votes is placed where the pieces before it end. */
static void choose(const struct letters *text, const char *const *pieces, int count,
                   const struct votes *votes, int *of_piece)
{
    int at = 0;
    for (int i = 0; i < count; i++) {
        at = votes[i].behind > at ? votes[i].behind : at;
        of_piece[i] = -1;
        if (!pieces[i] || text->count == 0)
            continue;
        int place = at < text->count ? at : text->count - 1;
        of_piece[i] = votes[i].most ? votes[i].best : text->list[place].first;
    }
}

bool piece_words(const struct text_words *words, enum piece_marks marks, const char *const *pieces,
                 int count, int *of_piece, struct status *status)
{
    struct letters of_text = {0}, of_pieces = {0};
    struct votes *votes = memory_new((size_t)count, sizeof *votes, status);
    int *places = NULL;
    bool ok = votes && add_words(words, &of_text, status) &&
              letters_add_pieces(&of_pieces, marks, pieces, count, status) &&
              (places = memory_new((size_t)of_pieces.count, sizeof *places, status)) &&
              letter_places(&of_text, &of_pieces, places, status);
    if (ok) {
        count_votes(&of_text, &of_pieces, places, votes);
        choose(&of_text, pieces, count, votes, of_piece);
    }
    free(votes);
    free(places);
    letters_free(&of_text);
    letters_free(&of_pieces);
    return ok;
}
