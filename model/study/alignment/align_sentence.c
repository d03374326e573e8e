#include "model/study/alignment/align_files.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/words/blank_words.h"

/* Words ---------------------------------------------------------------------------------------- */

/* Makes each piece a word. A piece that spells nothing, such as a lone mark, belongs to the word
 * after it. Returns the number of words; -1: failure. */
static int count_pieces(struct tokenizer *tokenizer, char *const *pieces, int count, int *words,
                        struct status *status)
{
    int word = 0;
    for (int i = 0; i < count; i++) {
        char *text = tokenizer_join_word(tokenizer, (const char *const *)pieces + i, 1, status);
        if (!text)
            return -1;
        words[i] = word;
        word += *text != '\0';
        free(text);
    }
    for (int i = count - 1; i >= 0 && words[i] == word; i--)
        words[i] = word - 1; // nothing follows it
    return word;
}

/* Words are separated by the blanks of the text. */
static int match_pieces(const struct tokenizer *tokenizer, const char *text, char *const *pieces,
                        int count, int *words, struct status *status)
{
    struct text_words of_text;
    if (!blank_words_find(text, &of_text, status))
        return -1;
    bool ok = piece_words(&of_text, tokenizer_marks(tokenizer), (const char *const *)pieces, count,
                          words, status);
    free(of_text.ranges);
    return ok ? of_text.count : -1;
}

/* pieces: (count), those of the tokens from `before` on. The other tokens, of `tokens` in all,
 * belong to no word. */
static bool find_words(struct tokenizer *tokenizer, const char *text, bool unspaced,
                       char *const *pieces, int count, int before, int tokens,
                       struct align_words *out, struct status *status)
{
    out->of_token = memory_new((size_t)tokens, sizeof *out->of_token, status);
    if (!out->of_token)
        return false;
    for (int i = 0; i < tokens; i++)
        out->of_token[i] = -1;
    int *words = out->of_token + before;
    out->count = unspaced ? count_pieces(tokenizer, pieces, count, words, status)
                          : match_pieces(tokenizer, text, pieces, count, words, status);
    return out->count >= 0 && (out->count <= ALIGN_WORDS_MOST ||
                               status_fail(status, STATUS_INVALID, "%d words, expected at most %d",
                                           out->count, ALIGN_WORDS_MOST));
}

static bool open_source(const struct state *state, const char *text, bool unspaced,
                        struct align_sentence *out, struct status *status)
{
    const struct checkpoint *checkpoint = model_checkpoint(state->model);
    const struct sentence *source = &out->source;
    return source_encode(checkpoint, &state->search.languages, text, &out->source, status) &&
           find_words(checkpoint->tokenizer[SIDE_SOURCE], text, unspaced,
                      source->pieces.text + source->before,
                      source->count - source->before - source->behind, source->before,
                      source->count, &out->words[SIDE_SOURCE], status);
}

/* Unknown pieces count as spelt, not as in the vocabulary, so the text is split once more. */
static bool open_target(const struct checkpoint *checkpoint, const char *text, bool unspaced,
                        struct align_sentence *out, struct status *status)
{
    struct tokenizer *tokenizer = checkpoint->tokenizer[SIDE_TARGET];
    struct strings pieces = {0};
    out->target_count = given_encode(checkpoint, text, &out->target, status);
    bool ok = out->target_count >= 0 && tokenizer_split(tokenizer, text, &pieces, status) &&
              find_words(tokenizer, text, unspaced, pieces.text, pieces.count,
                         checkpoint->config->target_prefix.count, out->target_count,
                         &out->words[SIDE_TARGET], status);
    strings_free(&pieces);
    return ok;
}

bool align_sentence_open(const struct state *state, const char *const *texts, const bool *unspaced,
                         struct align_sentence *out, struct status *status)
{
    const struct checkpoint *checkpoint = model_checkpoint(state->model);
    *out = (struct align_sentence){.starts = checkpoint->config->start.count};
    if (open_source(state, texts[SIDE_SOURCE], unspaced[SIDE_SOURCE], out, status) &&
        open_target(checkpoint, texts[SIDE_TARGET], unspaced[SIDE_TARGET], out, status))
        return true;
    align_sentence_close(out);
    return false;
}

void align_sentence_close(struct align_sentence *sentence)
{
    sentence_free(&sentence->source);
    free(sentence->target);
    for (int side = 0; side < 2; side++)
        free(sentence->words[side].of_token);
    *sentence = (struct align_sentence){.starts = 0};
}

/* Weights -------------------------------------------------------------------------------------- */

bool align_request(const struct state *state, enum method method, const struct align_head *heads,
                   int count, struct attribution_request *out, struct status *status)
{
    *out = (struct attribution_request){
        .method = method, .module = MODULE_CROSS, .first = heads->layer, .last = heads->layer};
    for (int i = 1; i < count; i++) {
        out->first = heads[i].layer < out->first ? heads[i].layer : out->first;
        out->last = heads[i].layer > out->last ? heads[i].layer : out->last;
    }
    const struct config *config = model_checkpoint(state->model)->config;
    if (!attribution_request(out, config, status))
        return false;
    if (method != METHOD_WEIGHTS)
        return true;
    attribution_forget_heads(out, config);
    for (int i = 0; i < count; i++)
        attribution_add_head(out, config, heads[i].layer, heads[i].head);
    return true;
}

bool align_sentence_force(const struct state *state, const struct align_sentence *sentence,
                          const struct capture_request *request, const struct watch *watch,
                          struct capture *capture, struct status *status)
{
    bool ok = force_run(state->model, &sentence->source, sentence->target, sentence->target_count,
                        state->head_settings, request, capture, status);
    // After a stop, results are meaningless and a failure is only the stop.
    if (watch_ask(watch, status))
        return ok;
    capture_free(capture);
    return false;
}

int align_sentence_row(const struct align_sentence *sentence, int t, bool shifted)
{
    bool read = shifted && t < sentence->target_count - 1;
    return sentence->starts - 1 + t + read;
}

/* Adds the row's weight on each word of the source. */
static void add_row(const struct align_words *words, int tokens, const float *row, double *sums)
{
    for (int j = 0; j < tokens; j++)
        if (words->of_token[j] >= 0)
            sums[words->of_token[j]] += row[j];
}

static int greatest(const double *sums, int count)
{
    double most = 0;
    int first = 0;
    for (int i = 0; i < count; i++)
        most = sums[i] > most ? sums[i] : most;
    while (most > 0 && !(sums[first] >= most * (1 - ALIGN_ALIKE)))
        first++;
    return most > 0 ? first : -1;
}

/* The tokens of a word follow one another. */
void align_sentence_links(const struct align_sentence *sentence, const float *weights, bool shifted,
                          double *sums, int16_t *links)
{
    const struct align_words *source = &sentence->words[SIDE_SOURCE];
    const struct align_words *target = &sentence->words[SIDE_TARGET];
    int tokens = sentence->source.count;
    for (int w = 0; w < target->count; w++)
        links[w] = -1;
    for (int t = 0; t < sentence->target_count;) {
        int word = target->of_token[t];
        for (int j = 0; j < source->count; j++)
            sums[j] = 0;
        do {
            int row = align_sentence_row(sentence, t, shifted);
            add_row(source, tokens, weights + (size_t)row * (size_t)tokens, sums);
        } while (++t < sentence->target_count && target->of_token[t] == word);
        if (word >= 0)
            links[word] = (int16_t)greatest(sums, source->count);
    }
}
