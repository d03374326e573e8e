/* Languages of a CTranslate2 folder, and the tokens around its sources. The folder does not name
 * languages: they are the pieces that are spelt like tokens of languages. Where they stand follows
 * from what the converted families have in common. */
#include <string.h>

#include "model/formats/ctranslate2/reader.h"
#include "model/formats/language_tokens.h"
#include "model/formats/tokenizer_class.h"

/* Pieces with one kind of spelling. */
struct spelling {
    json_t *languages;
    int64_t first, last; // ids
};

static bool add(struct spelling *spelling, const char *piece, int64_t id, struct status *status)
{
    if (json_object_size(spelling->languages) == 0)
        spelling->first = id;
    spelling->last = id;
    return languages_add(spelling->languages, piece, id, status);
}

/* Finds the tokens of both sides, and those that tell the encoder the target (>>deu<<, <2de>). */
static bool find_tokens(struct ct2_reader *reader, struct spelling *both, struct spelling *targets)
{
    const char *at = reader->pieces[0].text;
    for (int id = 0; id < reader->pieces[0].count; id++) {
        const char *newline = strchr(at, '\n');
        char piece[LANGUAGE_NAME_BYTES + 8] = "", name[LANGUAGE_NAME_BYTES];
        size_t length = (size_t)(newline - at);
        if (length < sizeof piece)
            memcpy(piece, at, length);
        bool target = *piece == '>' || *piece == '<';
        if (language_of_token(piece, name) &&
            !add(target ? targets : both, piece, id, reader->status))
            return false;
        at = newline + 1;
    }
    return true;
}

/* A single piece may be a word that looks like a language; a row of neighbours is a list of
 * languages. */
static bool is_list(const struct ct2_reader *reader, const struct spelling *both)
{
    const int64_t count = (int64_t)json_object_size(both->languages);
    return reader->shared_vocabulary && count > 1 && both->last - both->first + 1 == count;
}

/* Sources end with end-of-sentence, which transformers' tokenizers of these models add. */
static void end_source(struct plain_config *plain)
{
    if (plain->suffix_count == 0)
        plain->suffix[plain->suffix_count++] = plain->eos_source;
}

/* A token given to CTranslate2 after the start token counts as part of the translation. */
static void count_given(struct plain_config *plain)
{
    plain->min_length = 0;
    plain->length_plus--;
    plain->length_offset = 1;
}

/* M2M100, NLLB and mBART-50 put the source's language before the sentence, and the target's after
 * the start token, where it counts as a token of the translation. mBART-25, which has no start
 * token, puts the source's after the sentence and begins with the target's. The tokeniser's files
 * may say otherwise about the source. */
static void put_both(struct ct2_reader *reader, json_t *languages)
{
    struct plain_config *plain = &reader->plain;
    end_source(plain);
    if (tokenizer_language_behind(reader->tokenizer, reader->tokenizer, reader->whole_tokenizer,
                                  languages, reader->tokens.start_given))
        plain->suffix[plain->suffix_count++] = PLAIN_SOURCE_LANGUAGE;
    else
        plain->prefix[plain->prefix_count++] = PLAIN_SOURCE_LANGUAGE;
    if (reader->tokens.start_given) {
        plain->start_count = 0;
    } else {
        count_given(plain);
    }
    plain->start[plain->start_count++] = PLAIN_TARGET_LANGUAGE;
    plain->languages = languages;
    plain->source_language = languages_any_source(languages);
    plain->target_language = languages_any_target(languages, plain->source_language);
}

static void put_targets(struct ct2_reader *reader, json_t *languages)
{
    struct plain_config *plain = &reader->plain;
    end_source(plain);
    plain->prefix[plain->prefix_count++] = PLAIN_TARGET_LANGUAGE;
    plain->languages = languages;
    plain->target_language = languages_any_target(languages, "");
}

/* Converters of transformers' models leave the tokens around sources to transformers' tokenizers;
 * converters of other toolkits state them. Such models are recognised by how translations begin:
 * with an embedding of zeros (Marian), with padding (T5 and its kind, Pegasus), or with
 * end-of-sentence or, if fine-tuned so, <s>, and a norm of embeddings (BART). All these tokenizers
 * put end-of-sentence after a source; BART's also begins sources and targets with its own token. */
static void put_ends(struct ct2_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const struct ct2_tokens *tokens = &reader->tokens;
    bool starts =
        strcmp(tokens->start, tokens->eos) == 0 || strcmp(tokens->start, tokens->bos) == 0;
    bool bart = !reader->zero_start && starts &&
                ct2_find(reader->file, "encoder/layernorm_embedding/gamma");
    if (tokens->add_bos || tokens->add_eos ||
        !(reader->zero_start || bart || strcmp(tokens->start, "<pad>") == 0))
        return;
    end_source(plain);
    int64_t begin = ct2_piece_id(reader, 0, tokens->bos);
    int64_t target = ct2_piece_id(reader, 1, tokens->bos);
    if (bart && begin >= 0)
        plain->prefix[plain->prefix_count++] = begin;
    if (bart && target >= 0)
        plain->target_prefix[plain->target_prefix_count++] = target;
}

/* A package of Argos Translate may name a token with which every translation begins
 * (target_prefix); such a model has no other languages. The token is not shown, as argostranslate
 * removes it from the text. If it is not a piece, CTranslate2 uses the unknown piece. */
static const char *given_prefix(const struct ct2_reader *reader)
{
    const char *prefix = json_string_value(json_object_get(reader->package, "target_prefix"));
    return prefix && *prefix ? prefix : NULL;
}

static void put_prefix(struct ct2_reader *reader, const char *prefix)
{
    struct plain_config *plain = &reader->plain;
    int64_t id = ct2_piece_id(reader, 1, prefix);
    put_ends(reader);
    plain->target_prefix_count = 0;
    if (reader->tokens.start_given)
        plain->start_count = 0;
    else
        count_given(plain);
    plain->start[plain->start_count++] = id < 0 ? plain->unk : id;
}

/* Takes the names of the languages from the package. */
static void put_names(struct ct2_reader *reader)
{
    const char *from = json_string_value(json_object_get(reader->package, "from_code"));
    const char *to = json_string_value(json_object_get(reader->package, "to_code"));
    if (from && *from)
        reader->plain.source_language = from;
    if (to && *to)
        reader->plain.target_language = to;
}

/* For a model without languages. */
static bool put_none(struct ct2_reader *reader)
{
    put_names(reader);
    if (reader->tokens.start_given)
        return status_fail(reader->status, STATUS_INVALID,
                           "translations begin with tokens that CTranslate2's users give, expected "
                           "a token of its own, or languages");
    put_ends(reader);
    return true;
}

bool ct2_read_languages(struct ct2_reader *reader)
{
    const char *prefix = given_prefix(reader);
    if (prefix) {
        put_names(reader);
        put_prefix(reader, prefix);
        return true;
    }
    struct spelling both = {.languages = json_object()}, targets = {.languages = json_object()};
    bool good = (both.languages && targets.languages) || status_no_memory(reader->status);
    good = good && find_tokens(reader, &both, &targets);
    bool list = good && is_list(reader, &both);
    reader->languages = json_incref(list ? both.languages : targets.languages);
    if (list)
        put_both(reader, reader->languages);
    else if (good && json_object_size(targets.languages) > 1)
        put_targets(reader, reader->languages);
    else
        good = good && put_none(reader);
    json_decref(both.languages);
    json_decref(targets.languages);
    return good;
}
