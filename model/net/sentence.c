#include "model/net/sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/operations.h"
#include "model/text/marks.h"
#include "model/text/utf8.h"

void sentence_free(struct sentence *sentence)
{
    strings_free(&sentence->pieces);
    free(sentence->ids);
    free(sentence->words);
    *sentence = (struct sentence){0};
}

int start_token(const struct config *config, int i, const struct sentence *sentence)
{
    return config_token(config, &config->start, i, &sentence->languages, SIDE_TARGET);
}

/* Returns token `i` of the source's prefix or suffix. */
static int around_token(const struct config *config, const struct id_list *list, int i,
                        const struct sentence *sentence)
{
    return config_token(config, list, i, &sentence->languages, SIDE_SOURCE);
}

/* named: the text names the target language, so that the token for it is left out. */
static bool add_specials(const struct checkpoint *checkpoint, const struct id_list *list,
                         bool named, struct sentence *sentence, struct status *status)
{
    for (int i = 0; i < list->count; i++) {
        int id = around_token(checkpoint->config, list, i, sentence);
        const char *piece = vocabulary_piece(checkpoint->vocabulary[SIDE_SOURCE], id);
        if ((!named || list->ids[i] != TOKEN_TARGET_LANGUAGE) &&
            !strings_add(&sentence->pieces, piece, strlen(piece), status))
            return false;
    }
    return true;
}

/* True if a token belongs to the prefix or suffix, or is end-of-sentence. */
static bool is_special(const struct config *config, const struct sentence *sentence, int i)
{
    return i < sentence->before || i >= sentence->count - sentence->behind ||
           sentence->ids[i] == config->special[SPECIAL_EOS][SIDE_SOURCE];
}

/* Tokens of the prefix and suffix, and added tokens, are words by themselves, and whatever follows
 * one begins a word. A lone blank mark before an added token is the blank before it. */
static uint8_t source_class(const struct checkpoint *checkpoint, const struct sentence *sentence,
                            int i)
{
    const struct tokenizer *tokenizer = checkpoint->tokenizer[SIDE_SOURCE];
    const char *piece = sentence->pieces.text[i];
    if (is_special(checkpoint->config, sentence, i))
        return WORD_BEGINS | WORD_ENDS;
    if (i + 1 < sentence->count && strcmp(piece, BLANK_MARK) == 0 &&
        tokenizer_is_added(tokenizer, sentence->pieces.text[i + 1]))
        return WORD_BEGINS | WORD_JOINS;
    return tokenizer_word_class(tokenizer, piece);
}

/* Numbers words token by token. Initialise to {-1, WORD_ENDS}, so that the first token begins a
 * word. */
struct word_counter {
    int word;
    uint8_t before; // class of the previous token
};

static int count_word(struct word_counter *counter, uint8_t class)
{
    bool joined = counter->before & WORD_JOINS;
    if (!joined && ((class & WORD_BEGINS) || (counter->before & WORD_ENDS) ||
                    scripts_part(counter->before, class)))
        counter->word++;
    counter->before = class;
    return counter->word;
}

static void number_source_words(const struct checkpoint *checkpoint, struct sentence *sentence)
{
    struct word_counter counter = {-1, WORD_ENDS};
    for (int i = 0; i < sentence->count; i++)
        sentence->words[i] = count_word(&counter, source_class(checkpoint, sentence, i));
}

uint8_t target_class(const struct checkpoint *checkpoint, int id)
{
    if (id == checkpoint->config->special[SPECIAL_EOS][SIDE_TARGET])
        return WORD_BEGINS | WORD_ENDS;
    return tokenizer_word_class(checkpoint->tokenizer[SIDE_TARGET],
                                vocabulary_piece(checkpoint->vocabulary[SIDE_TARGET], id));
}

void number_target_words(const struct checkpoint *checkpoint, const int *inputs, int count,
                         int *words)
{
    struct word_counter counter = {-1, WORD_ENDS};
    for (int i = 0; i < count; i++)
        words[i] = count_word(&counter, i < checkpoint->config->start.count
                                            ? WORD_BEGINS | WORD_ENDS
                                            : target_class(checkpoint, inputs[i]));
}

static int piece_id(const struct checkpoint *checkpoint, int side, const char *piece)
{
    int id = vocabulary_find(checkpoint->vocabulary[side], piece);
    return id >= 0 ? id : checkpoint->config->special[SPECIAL_UNK][side];
}

/* Returns the length of a text's beginning that is spelt like the model's language tokens (>>deu<<,
 * <2de>), or 0. */
static size_t code_length(const struct checkpoint *checkpoint, const char *text)
{
    const int token = checkpoint->config->languages.ids[0][SIDE_SOURCE];
    const char *known = vocabulary_piece(checkpoint->vocabulary[SIDE_SOURCE], token);
    const char *close = strncmp(known, ">>", 2) == 0 ? "<<" : ">";
    const char *end = strncmp(text, known, 2) == 0 ? strstr(text + 2, close) : NULL;
    size_t length = end ? (size_t)(end - text) + strlen(close) : 0;
    return strcspn(text, " \t") >= length ? length : 0;
}

bool sentence_names_unknown(const struct checkpoint *checkpoint, const char *text,
                            char code[LANGUAGE_CODE_BYTES])
{
    size_t length =
        config_begins_with_target(checkpoint->config) ? code_length(checkpoint, text) : 0;
    snprintf(code, LANGUAGE_CODE_BYTES, "%.*s", (int)(length < LANGUAGE_CODE_BYTES ? length : 0),
             text);
    return *code &&
           config_named_language(checkpoint->config,
                                 vocabulary_find(checkpoint->vocabulary[SIDE_SOURCE], code)) < 0;
}

/* Sets the target language if the text names one. It must be the first piece, or the first after a
 * lone blank mark. Returns how many pieces name it, or 0. */
static int take_language(const struct checkpoint *checkpoint, const char *text,
                         const struct strings *body, struct sentence *sentence)
{
    int at = body->count > 1 && strcmp(body->text[0], BLANK_MARK) == 0;
    if (at >= body->count || !config_begins_with_target(checkpoint->config))
        return 0;
    int id = piece_id(checkpoint, SIDE_SOURCE, body->text[at]);
    int language = config_named_language(checkpoint->config, id);
    if (language >= 0) {
        sentence->languages.of[SIDE_TARGET] = language;
        return at + 1;
    }
    return sentence_names_unknown(checkpoint, text, sentence->unknown) &&
           strcmp(sentence->unknown, body->text[0]) == 0;
}

static void set_specials(const struct config *config, const struct id_list *list, bool named,
                         int at, struct sentence *sentence)
{
    for (int i = 0; i < list->count; i++)
        if (!named || list->ids[i] != TOKEN_TARGET_LANGUAGE)
            sentence->ids[at++] = around_token(config, list, i, sentence);
}

/* Tokens around the text have the ids of the configuration, even if a lower id has the same
 * piece. */
static bool add_ids(const struct checkpoint *checkpoint, int named, struct sentence *sentence,
                    struct status *status)
{
    const struct strings *pieces = &sentence->pieces;
    const struct config *config = checkpoint->config;
    sentence->count = pieces->count;
    sentence->ids = memory_new(sentence->count, sizeof *sentence->ids, status);
    sentence->words = memory_new(sentence->count, sizeof *sentence->words, status);
    if (!sentence->ids || !sentence->words)
        return false;
    for (int i = 0; i < sentence->count; i++)
        sentence->ids[i] = piece_id(checkpoint, SIDE_SOURCE, pieces->text[i]);
    set_specials(config, &config->prefix, named > 0, 0, sentence);
    set_specials(config, &config->suffix, false, sentence->count - sentence->behind, sentence);
    number_source_words(checkpoint, sentence);
    return true;
}

static bool encode(const struct checkpoint *checkpoint, const char *text, struct sentence *sentence,
                   struct status *status)
{
    const struct config *config = checkpoint->config;
    struct strings body = {0};
    struct strings *pieces = &sentence->pieces;
    bool ok = tokenizer_split(checkpoint->tokenizer[SIDE_SOURCE], text, &body, status);
    int named = ok ? take_language(checkpoint, text, &body, sentence) : 0;
    ok = ok && add_specials(checkpoint, &config->prefix, named > 0, sentence, status);
    sentence->before = pieces->count + named;
    for (int i = 0; ok && i < body.count; i++)
        ok = strings_add(pieces, body.text[i], strlen(body.text[i]), status);
    strings_free(&body);
    sentence->behind = config->suffix.count;
    return ok && add_specials(checkpoint, &config->suffix, false, sentence, status) &&
           add_ids(checkpoint, named, sentence, status);
}

static bool encode_between(const struct checkpoint *checkpoint,
                           const struct language_pair *languages, const char *text,
                           struct sentence *sentence, struct status *status)
{
    struct sentence fresh = {.languages = *languages};
    if (!encode(checkpoint, text, &fresh, status)) {
        sentence_free(&fresh);
        return false;
    }
    sentence_free(sentence);
    *sentence = fresh;
    return true;
}

bool sentence_encode(const struct checkpoint *checkpoint, const char *text,
                     struct sentence *sentence, struct status *status)
{
    const struct language_pair languages = language_pair_default(checkpoint->config);
    return encode_between(checkpoint, &languages, text, sentence, status);
}

bool source_encode(const struct checkpoint *checkpoint, const struct language_pair *languages,
                   const char *text, struct sentence *sentence, struct status *status)
{
    int most = checkpoint->config->max_positions;
    if (!check_utf8(text, status) || !encode_between(checkpoint, languages, text, sentence, status))
        return false;
    if (sentence->count <= most)
        return true;
    status_fail(status, STATUS_INVALID,
                "the source has %d tokens, expected at most %d (max_positions)", sentence->count,
                most);
    sentence_free(sentence);
    return false;
}

bool sentence_conllu_words(const struct checkpoint *checkpoint, const struct sentence *sentence,
                           const char *text, const struct conllu_sentence *conllu, int *words,
                           struct status *status)
{
    struct text_words of_text = {.count = 0};
    const char **pieces = memory_new((size_t)sentence->count, sizeof *pieces, status);
    for (int i = 0; pieces && i < sentence->count; i++)
        if (!is_special(checkpoint->config, sentence, i))
            pieces[i] = sentence->pieces.text[i];
    bool ok = pieces && conllu_words(conllu, text, &of_text, status) &&
              piece_words(&of_text, tokenizer_marks(checkpoint->tokenizer[SIDE_SOURCE]), pieces,
                          sentence->count, words, status);
    free(pieces);
    free(of_text.ranges);
    return ok;
}

int target_encode(const struct checkpoint *checkpoint, const char *text, int **ids,
                  struct status *status)
{
    const struct id_list *prefix = &checkpoint->config->target_prefix;
    struct strings pieces = {0};
    *ids = NULL;
    if (tokenizer_split(checkpoint->tokenizer[SIDE_TARGET], text, &pieces, status))
        *ids = memory_new((size_t)prefix->count + pieces.count + 1, sizeof **ids, status);
    int count = prefix->count + pieces.count + 1;
    for (int i = 0; *ids && i < prefix->count; i++)
        (*ids)[i] = prefix->ids[i];
    for (int i = 0; *ids && i < pieces.count; i++)
        (*ids)[prefix->count + i] = piece_id(checkpoint, SIDE_TARGET, pieces.text[i]);
    if (*ids)
        (*ids)[count - 1] = checkpoint->config->special[SPECIAL_EOS][SIDE_TARGET];
    strings_free(&pieces);
    return *ids ? count : -1;
}

bool target_check(const struct checkpoint *checkpoint, int count, struct status *status)
{
    int most = checkpoint->config->max_positions - checkpoint->config->start.count + 1;
    return count <= most ||
           status_fail(status, STATUS_INVALID,
                       "the target has %d tokens, expected at most %d (max_positions)", count,
                       most);
}

int given_encode(const struct checkpoint *checkpoint, const char *text, int **ids,
                 struct status *status)
{
    *ids = NULL;
    if (!check_utf8(text, status))
        return -1;
    int count = target_encode(checkpoint, text, ids, status);
    if (count < 0 || target_check(checkpoint, count, status))
        return count;
    free(*ids);
    *ids = NULL;
    return -1;
}

static bool is_silent(const struct config *config, int id)
{
    if (id == config->special[SPECIAL_PAD][SIDE_TARGET] ||
        id == config->special[SPECIAL_EOS][SIDE_TARGET] ||
        id == config->special[SPECIAL_BOS][SIDE_TARGET])
        return true;
    return config_lists(config, &config->start, SIDE_TARGET, id);
}

char *target_text(const struct checkpoint *checkpoint, const int *ids, int count,
                  struct status *status)
{
    const char **pieces = memory_new(count, sizeof *pieces, status);
    if (!pieces)
        return NULL;
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!is_silent(checkpoint->config, ids[i]))
            pieces[kept++] = vocabulary_piece(checkpoint->vocabulary[SIDE_TARGET], ids[i]);
    char *text = tokenizer_join(checkpoint->tokenizer[SIDE_TARGET], pieces, kept, status);
    free(pieces);
    return text;
}
