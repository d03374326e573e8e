#include "model/text/words/letter_places.h"

#include <stdlib.h>

/* What is left of the letters between a common beginning and a common end. */
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
    EDIT_MATCH,  // the same letter, or one in the place of another
    EDIT_INSERT, // a letter of the pieces alone
    EDIT_DELETE  // of the text alone
};

/* The last edit on the way to a pair of places. Of equal ways an insertion comes last, so that the first of several
 * letters that stand for one takes its place. */
static enum edit last_edit(bool same, int match, int insert, int delete)
{
    int least = match < insert ? match : insert;
    least = least < delete ? least : delete;
    if (same && match == least)
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

/* In proportion, for a middle that is too long to be compared. */
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

bool letter_places(const struct letters *text, const struct letters *pieces, int *places,
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
