#include "model/text/blank_words.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "model/text/utf8.h"

static const char blanks[] = " \t\r\n\v\f";

int blank_words_count(const char *text)
{
    int count = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        text += strcspn(text, blanks);
        count++;
    }
    return count;
}

/* Spacing ------------------------------------------------------------------------------------------ */

static bool is_unspaced(uint32_t letter)
{
    static const uint32_t ranges[][2] = {{0x0E00, 0x0EFF}, {0x1000, 0x109F}, {0x1780, 0x17FF},
                                         {0x3005, 0x3007}, {0x3041, 0x30FF}, {0x3400, 0x9FFF},
                                         {0xF900, 0xFAFF}, {0xFF66, 0xFF9F}, {0x20000, 0x3FFFF}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (letter >= ranges[i][0] && letter <= ranges[i][1])
            return true;
    return false;
}

static int unspaced_in(const char *text, size_t bytes)
{
    int count = 0;
    utf8proc_int32_t letter;
    for (size_t at = 0; at < bytes;) {
        utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)text + at,
                                                   (utf8proc_ssize_t)(bytes - at), &letter);
        if (length <= 0)
            break;
        count += is_unspaced((uint32_t)letter);
        at += (size_t)length;
    }
    return count;
}

int unspaced_letters(const char *text)
{
    return unspaced_in(text, strlen(text));
}

void spacing_add(struct spacing *spacing, const char *text)
{
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t bytes = strcspn(text, blanks);
        int letters = unspaced_in(text, bytes);
        spacing->letters += letters;
        spacing->words += letters > 0;
        text += bytes;
    }
}

bool spacing_unspaced(const struct spacing *spacing)
{
    return spacing->letters > UNSPACED_LETTERS_MOST * spacing->words;
}

/* Letters ------------------------------------------------------------------------------------------ */

/* Letters in a form that forgets case and width, and the word or the piece that each is of. */
struct letters {
    int32_t *letter, *owner; // (count)
    int count;
    size_t letter_capacity, owner_capacity;
};

static void letters_free(struct letters *letters)
{
    free(letters->letter);
    free(letters->owner);
}

static bool add_letter(struct letters *letters, int32_t letter, int owner, struct status *status)
{
    size_t needed = (size_t)letters->count + 1;
    if (!memory_grow((void **)&letters->letter, &letters->letter_capacity, needed,
                     sizeof *letters->letter, status) ||
        !memory_grow((void **)&letters->owner, &letters->owner_capacity, needed,
                     sizeof *letters->owner, status))
        return false;
    letters->letter[letters->count] = letter;
    letters->owner[letters->count++] = owner;
    return true;
}

/* Adds the letters of one character, decomposed; blanks have none. */
static bool add_character(struct letters *letters, utf8proc_int32_t character, int owner,
                          struct status *status)
{
    enum { PARTS_MOST = 32 }; // Unicode's longest decomposition has 18
    utf8proc_int32_t parts[PARTS_MOST];
    int boundary = 0;
    utf8proc_ssize_t count = utf8proc_decompose_char(
        character, parts, PARTS_MOST,
        UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE, &boundary);
    if (count < 0 || count > PARTS_MOST) {
        parts[0] = character;
        count = 1;
    }
    for (utf8proc_ssize_t i = 0; i < count; i++)
        if (!utf8_is_space((uint32_t)parts[i]) &&
            !add_letter(letters, (int32_t)parts[i], owner, status))
            return false;
    return true;
}

/* Bytes that are no character, as pieces of bytes may have, are a letter each that stands for any. */
static bool add_text(struct letters *letters, const char *text, size_t bytes, int owner,
                     struct status *status)
{
    enum { REPLACEMENT = 0xFFFD };
    utf8proc_int32_t character;
    for (size_t at = 0; at < bytes;) {
        utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)text + at,
                                                   (utf8proc_ssize_t)(bytes - at), &character);
        if (!(length > 0 ? add_character(letters, character, owner, status)
                         : add_letter(letters, REPLACEMENT, owner, status)))
            return false;
        at += length > 0 ? (size_t)length : 1;
    }
    return true;
}

static bool letters_of_words(const char *text, struct letters *letters, struct status *status)
{
    int word = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t bytes = strcspn(text, blanks);
        if (!add_text(letters, text, bytes, word++, status))
            return false;
        text += bytes;
    }
    return true;
}

static bool letters_of_pieces(const char *const *pieces, int count, struct letters *letters,
                              struct status *status)
{
    for (int i = 0; i < count; i++)
        if (!add_text(letters, pieces[i], strlen(pieces[i]), i, status))
            return false;
    return true;
}

/* Matching ----------------------------------------------------------------------------------------- */

/* What is left of the letters between a common beginning and a common end. */
struct middle {
    const struct letters *text, *pieces;
    int first, text_count, piece_count;
};

static struct middle middle_of(const struct letters *text, const struct letters *pieces)
{
    struct middle middle = {text, pieces, 0, text->count, pieces->count};
    while (middle.text_count && middle.piece_count &&
           text->letter[middle.first] == pieces->letter[middle.first]) {
        middle.first++;
        middle.text_count--;
        middle.piece_count--;
    }
    while (middle.text_count && middle.piece_count &&
           text->letter[middle.first + middle.text_count - 1] ==
               pieces->letter[middle.first + middle.piece_count - 1]) {
        middle.text_count--;
        middle.piece_count--;
    }
    return middle;
}

enum edit {
    EDIT_MATCH,
    EDIT_INSERT,
    EDIT_DELETE
}; // a letter of the pieces alone; of the text alone

/* The last edit on the way to a pair of places. Where several letters stand for one, it is the first that takes its
 * place, so that the others follow it. */
static enum edit last_edit(bool equal, int match, int insert, int delete)
{
    int least = match < insert ? match : insert;
    least = least < delete ? least : delete;
    if (equal && match == least)
        return EDIT_MATCH;
    return insert == least ? EDIT_INSERT : match == least ? EDIT_MATCH : EDIT_DELETE;
}

/* The edits that lead to each pair of places, (piece_count + 1, text_count + 1); `costs` is a row of them. */
static void fill_edits(const struct middle *middle, uint8_t *edits, int *costs)
{
    int width = middle->text_count + 1;
    for (int t = 0; t < width; t++) {
        costs[t] = t;
        edits[t] = EDIT_DELETE;
    }
    for (int p = 1; p <= middle->piece_count; p++) {
        int32_t letter = middle->pieces->letter[middle->first + p - 1];
        int diagonal = costs[0]; // of the row before
        costs[0] = p;
        edits[(size_t)p * width] = EDIT_INSERT;
        for (int t = 1; t < width; t++) {
            bool equal = letter == middle->text->letter[middle->first + t - 1];
            int ways[] = {[EDIT_MATCH] = diagonal + !equal,
                          [EDIT_INSERT] = costs[t] + 1,
                          [EDIT_DELETE] = costs[t - 1] + 1};
            enum edit edit =
                last_edit(equal, ways[EDIT_MATCH], ways[EDIT_INSERT], ways[EDIT_DELETE]);
            diagonal = costs[t];
            costs[t] = ways[edit];
            edits[(size_t)p * width + t] = (uint8_t)edit;
        }
    }
}

/* The letter of the text that each letter of the pieces stands for, in places (pieces->count). */
static void trace_edits(const struct middle *middle, const uint8_t *edits, int *places)
{
    int width = middle->text_count + 1, t = middle->text_count, p = middle->piece_count;
    while (p > 0) {
        enum edit edit = edits[(size_t)p * width + t];
        t -= edit != EDIT_INSERT;
        p -= edit != EDIT_DELETE;
        if (edit != EDIT_DELETE)
            places[middle->first + p] = middle->first + (edit == EDIT_INSERT && t > 0 ? t - 1 : t);
    }
}

/* In proportion, for a middle that is too long to be compared. */
static void spread(const struct middle *middle, int *places)
{
    for (int p = 0; p < middle->piece_count; p++)
        places[middle->first + p] =
            middle->first + (int)((int64_t)p * middle->text_count / middle->piece_count);
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

static bool place_letters(const struct letters *text, const struct letters *pieces, int *places,
                          struct status *status)
{
    struct middle middle = middle_of(text, pieces);
    int behind = middle.first + middle.piece_count;
    for (int p = 0; p < middle.first; p++)
        places[p] = p;
    for (int p = behind; p < pieces->count; p++)
        places[p] = p + middle.text_count - middle.piece_count;
    if (middle.piece_count > 0 && !place_middle(&middle, places, status))
        return false;
    for (int p = 0; text->count && p < pieces->count; p++) // letters behind the text's last one
        places[p] = places[p] < text->count ? places[p] : text->count - 1;
    return true;
}

/* Words -------------------------------------------------------------------------------------------- */

/* Pieces without letters are -1 at first. */
static void fill_gaps(int *words, int count)
{
    for (int i = count - 2; i >= 0; i--)
        words[i] = words[i] < 0 ? words[i + 1] : words[i];
    for (int i = 1; i < count; i++)
        words[i] = words[i] < 0 ? words[i - 1] : words[i];
}

/* The word that most letters of a piece are of; they are pieces->owner[first] … */
static int main_word(const struct letters *text, const int *places, int first, int last)
{
    int best = -1, most = 0, run = 0;
    for (int p = first; p < last; p++) {
        int word = text->owner[places[p]];
        run = p > first && word == text->owner[places[p - 1]] ? run + 1 : 1;
        if (run > most) {
            most = run;
            best = word;
        }
    }
    return best;
}

static void words_of_places(const struct letters *text, const struct letters *pieces,
                            const int *places, int count, int *words)
{
    for (int i = 0; i < count; i++)
        words[i] = -1;
    for (int first = 0, last; text->count && first < pieces->count; first = last) {
        for (last = first + 1; last < pieces->count && pieces->owner[last] == pieces->owner[first];)
            last++;
        words[pieces->owner[first]] = main_word(text, places, first, last);
    }
    fill_gaps(words, count);
}

bool blank_words_of_pieces(const char *text, const char *const *pieces, int count, int *words,
                           struct status *status)
{
    struct letters of_text = {.count = 0}, of_pieces = {.count = 0};
    bool ok = letters_of_words(text, &of_text, status) &&
              letters_of_pieces(pieces, count, &of_pieces, status);
    int *places = ok ? memory_new((size_t)of_pieces.count, sizeof *places, status) : NULL;
    ok = places && place_letters(&of_text, &of_pieces, places, status);
    if (ok)
        words_of_places(&of_text, &of_pieces, places, count, words);
    free(places);
    letters_free(&of_text);
    letters_free(&of_pieces);
    return ok;
}
