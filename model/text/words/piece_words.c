#include "model/text/words/piece_words.h"

#include <stdlib.h>

#include "model/text/words/letter_places.h"

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

/* The votes of a piece's letters, which come word by word, and how many letters of the text come before its end. */
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

/* A piece without votes is where the pieces before it end. */
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
