/* The tokens that transformers puts around sentences and at the beginning of translations, and its
 * search options: from config.json, generation_config.json and tokenizer_config.json. */
#include <string.h>

#include "model/formats/hugging_face/reader.h"
#include "model/formats/language_tokens.h"
#include "model/formats/tokenizer_class.h"
#include "model/text/quote.h"

enum { LONGEST = 20 }; // as GenerationConfig has it

/* True if the key is to be read from config.json instead of generation_config.json. If the latter
 * exists, transformers ignores the former, unless the latter says that it was made from it
 * (generation/utils.py, _prepare_generation_config). */
static bool is_older(const struct hf_reader *reader, const char *key)
{
    bool made = json_is_true(json_object_get(reader->generation, "_from_model_config"));
    return json_object_size(reader->generation) == 0 ||
           (made && json_object_get(reader->config, key));
}

static const char *generation_file(const struct hf_reader *reader, const char *key)
{
    return is_older(reader, key) ? "config.json" : "generation_config.json";
}

json_t *hf_generation_value(const struct hf_reader *reader, const char *key)
{
    return json_object_get(is_older(reader, key) ? reader->config : reader->generation, key);
}

json_t *hf_generation_options(const struct hf_reader *reader)
{
    json_t *options = json_copy(reader->generation), *value;
    const char *key;
    json_object_foreach(reader->config, key, value)
    {
        if (options && is_older(reader, key) && json_object_set(options, key, value) != 0) {
            json_decref(options);
            options = NULL;
        }
    }
    return options;
}

static double generation_number(const struct hf_reader *reader, const char *key, double otherwise)
{
    const json_t *value = hf_generation_value(reader, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

/* Returns an id from either file, or -1. */
static int64_t generation_id(const struct hf_reader *reader, const char *key)
{
    return family_integer(reader->generation, key, family_integer(reader->config, key, -1));
}

/* Returns text, or the content of a token with options: {"content": "</s>", "lstrip": false, …}. */
static const char *tokenizer_text(const struct hf_reader *reader, const char *key)
{
    const json_t *value = json_object_get(reader->tokenizer, key);
    return json_string_value(json_is_object(value) ? json_object_get(value, "content") : value);
}

/* Only some types have language tokens; those of Marian and T5 have a fixed spelling. All other
 * pieces are words. */
static bool may_be_language(const struct hf_type *type, const char *piece)
{
    const char *token = type->target_token;
    return type->languages || type->indictrans ||
           (token && strncmp(piece, token, strlen(token)) == 0);
}

/* Finds the languages for which the vocabulary has tokens. */
static bool find_languages(struct hf_reader *reader)
{
    reader->languages = json_object();
    if (!reader->languages)
        return status_no_memory(reader->status);
    for (int64_t id = 0; id < reader->sizes[0]; id++) {
        const char *piece = reader->pieces[0][id];
        if (piece && may_be_language(reader->type, piece) &&
            !languages_add(reader->languages, piece, id, reader->status))
            return false;
    }
    return true;
}

/* Returns the target language: one named in the folder, or any except the source's. */
static const char *target_language(const struct hf_reader *reader, const char *source)
{
    const char *name =
        languages_of_id(reader->languages, generation_id(reader, "forced_bos_token_id"));
    if (!name)
        name = languages_of_id(reader->languages, generation_id(reader, "decoder_start_token_id"));
    if (!name)
        name = languages_known(reader->languages, tokenizer_text(reader, "tgt_lang"));
    return name ? name : languages_any_target(reader->languages, source);
}

const json_t *hf_class_names(const struct hf_reader *reader)
{
    return json_object_get(reader->tokenizer, "tokenizer_class") ? reader->tokenizer
                                                                 : reader->config;
}

/* Without other information, models whose translations begin with just a language are
 * mBART-25's. */
static bool is_behind(const struct hf_reader *reader)
{
    return tokenizer_language_behind(hf_class_names(reader), reader->tokenizer,
                                     reader->whole_tokenizer, reader->languages,
                                     reader->plain.start_count == 0);
}

/* The target language is the first token of the translation. */
static bool read_languages(struct hf_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const char *wanted = tokenizer_text(reader, "src_lang");
    const char *source = languages_known(reader->languages, wanted);
    if (!json_object_size(reader->languages))
        return status_fail(reader->status, STATUS_INVALID,
                           "no piece is the token of a language, expected some such as __en__, "
                           "eng_Latn or en_XX");
    if (wanted && !source)
        return status_fail(reader->status, STATUS_INVALID,
                           "tokenizer_config.json: src_lang: \"%s\", expected a language of the "
                           "model",
                           QUOTED(wanted));
    if (is_behind(reader))
        plain->suffix[plain->suffix_count++] = PLAIN_SOURCE_LANGUAGE;
    else
        plain->prefix[plain->prefix_count++] = PLAIN_SOURCE_LANGUAGE;
    plain->start[plain->start_count++] = PLAIN_TARGET_LANGUAGE;
    plain->languages = reader->languages;
    plain->source_language = source ? source : languages_any_source(reader->languages);
    plain->target_language = target_language(reader, plain->source_language);
    return true;
}

/* Models for several target languages expect the target's token before the sentence: >>deu<<
 * (Marian), <2de> (MADLAD). */
static void read_targets(struct hf_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    if (!json_object_size(reader->languages))
        return;
    const char *wanted = languages_known(reader->languages, tokenizer_text(reader, "target_lang"));
    plain->languages = reader->languages;
    plain->prefix[plain->prefix_count++] = PLAIN_TARGET_LANGUAGE;
    plain->target_language = wanted ? wanted : languages_any_target(reader->languages, "");
}

static const char *language_name(const struct hf_reader *reader, int side)
{
    static const char *const keys[2] = {"source_lang", "target_lang"}, *const any[2] = {"source",
                                                                                        "target"};
    const char *name =
        reader->type->fsmt ? hf_fsmt_language(reader, side) : tokenizer_text(reader, keys[side]);
    return name ? name : any[side];
}

/* mBART-25 begins translations with the language, which may be decoder_start_token_id; all others
 * begin with a start token. */
static bool read_start(struct hf_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    static const char key[] = "decoder_start_token_id";
    int64_t start = generation_id(reader, key);
    if (start < 0 && reader->type->t5gemma)
        start = generation_id(reader, "bos_token_id");
    if (start < 0 && !json_object_get(reader->config, key))
        start = reader->type->defaults.start;
    if (start < 0 && reader->type->t5)
        start = plain->pad;
    if (reader->type->starts_in_language &&
        (start < 0 || languages_of_id(reader->languages, start)))
        return true;
    plain->start[plain->start_count++] = start;
    return start >= 0 || status_fail(reader->status, STATUS_INVALID,
                                     "config.json: %s: missing, expected an id", key);
}

/* Reads a forced first token of translations that is not a language, such as BART's <s>. If it is
 * not forced, BART learns to predict it: its tokeniser puts it before targets as before sources. */
static void read_forced(struct hf_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    int64_t forced = (int64_t)generation_number(reader, "forced_bos_token_id", -1);
    if (forced >= 0)
        plain->start[plain->start_count++] = forced;
    else if (reader->type->begins && plain->prefix_count)
        plain->target_prefix[plain->target_prefix_count++] = plain->prefix[0];
}

/* Reads the tokenizer's bos: M2M100 and BART have one, Marian and T5 have none. */
static void read_bos(struct hf_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const char *named = tokenizer_text(reader, "bos_token");
    const char *piece = named ? named : reader->type->t5gemma ? "<bos>" : "<s>";
    for (int side = 0; side < 2; side++)
        plain->bos[side] = hf_id(reader, side, piece);
    plain->has_bos = plain->bos[0] >= 0 && plain->bos[1] >= 0;
}

/* If config.json lists tokens that end translations, returns the tokenizer's, which ends sentences;
 * else -1. */
static int64_t tokenizer_eos(const struct hf_reader *reader)
{
    const char *named = tokenizer_text(reader, "eos_token");
    return json_is_array(json_object_get(reader->config, "eos_token_id"))
               ? hf_id(reader, 0,
                       named                   ? named
                       : reader->type->t5gemma ? "<eos>"
                                               : "</s>")
               : -1;
}

static bool put_end(struct hf_reader *reader, bool before, int64_t id, const char *what)
{
    enum { MOST = sizeof reader->plain.prefix / sizeof *reader->plain.prefix };
    struct plain_config *plain = &reader->plain;
    int *count = before ? &plain->prefix_count : &plain->suffix_count;
    if (id < 0 || *count == MOST)
        return status_fail(reader->status, STATUS_INVALID,
                           "tokenizer: %s around sentences: expected up to %d pieces of the "
                           "vocabulary",
                           what, MOST);
    (before ? plain->prefix : plain->suffix)[(*count)++] = id;
    return true;
}

/* The template of tokenizer.json: {"single": [{"SpecialToken": {"id": "<bos>"}}, {"Sequence": …}]}.
 */
static bool read_template(struct hf_reader *reader)
{
    json_t *processor = json_object_get(reader->whole_tokenizer, "post_processor"), *step;
    bool before = true;
    size_t i;
    json_array_foreach(json_object_get(processor, "single"), i, step)
    {
        const char *token =
            json_string_value(json_object_get(json_object_get(step, "SpecialToken"), "id"));
        before &= json_object_get(step, "Sequence") == NULL;
        if (token && !put_end(reader, before, hf_id(reader, 0, token), "special tokens"))
            return false;
    }
    return true;
}

/* The tokens around sources, by Gemma's tokeniser, which in version 4 of the package ignores the
 * template of its file. */
static bool read_gemma_ends(struct hf_reader *reader)
{
    const json_t *class = json_object_get(hf_class_names(reader), "tokenizer_class");
    const json_t *begins = json_object_get(reader->tokenizer, "add_bos_token");
    const json_t *ends = json_object_get(reader->tokenizer, "add_eos_token");
    if (class && !tokenizer_class_is(hf_class_names(reader), "GemmaTokenizer"))
        return read_template(reader);
    return (json_is_false(begins) || put_end(reader, true, reader->plain.bos[0], "bos_token")) &&
           (!json_is_true(ends) || put_end(reader, false, reader->plain.eos_source, "eos_token"));
}

static bool read_special(struct hf_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    static const char bos[] = "bos_token_id";
    int64_t begin =
        json_object_get(reader->config, bos) ? family_integer(reader->config, bos, -1) : 0;
    int64_t eos = tokenizer_eos(reader), pad;
    int64_t unk = hf_id(reader, 0, "<unk>");
    if ((eos < 0 && !hf_need_or(reader, "eos_token_id", reader->type->defaults.eos, &eos)) ||
        !hf_need_or(reader, "pad_token_id", reader->type->defaults.pad, &pad))
        return false;
    plain->eos_source = plain->eos_target = eos;
    plain->pad = pad;
    plain->unk = unk < 0 ? pad : unk;
    read_bos(reader);
    if (reader->type->t5gemma)
        return read_gemma_ends(reader);
    if (reader->type->begins && begin >= 0)
        plain->prefix[plain->prefix_count++] = begin;
    plain->suffix[plain->suffix_count++] = eos;
    return true;
}

/* Returns a list that decides which tokens are generated, and the name of its file. */
static json_t *generation_list(const struct hf_reader *reader, const char *key, const char **file)
{
    *file = generation_file(reader, key);
    return hf_generation_value(reader, key);
}

/* bad_words_ids: lists of tokens. The search can exclude only single tokens, so longer lists are
 * refused. transformers never excludes end-of-sentence, even if listed. */
static bool read_bad_words(struct hf_reader *reader)
{
    static const char key[] = "bad_words_ids";
    const char *file;
    json_t *lists = generation_list(reader, key, &file), *list;
    size_t index;
    json_array_foreach(lists, index, list)
    {
        json_t *id = json_array_get(list, 0);
        if (json_array_size(list) != 1 || !json_is_integer(id))
            return status_fail(reader->status, STATUS_INVALID,
                               "%s: %s[%zu]: not one token, expected lists of one token each", file,
                               key, index);
        if (json_integer_value(id) != reader->plain.eos_target &&
            json_array_append(reader->excluded, id) != 0)
            return status_no_memory(reader->status);
    }
    return true;
}

/* suppress_tokens: ids. Without end-of-sentence no translation would end. */
static bool read_suppressed(struct hf_reader *reader)
{
    static const char key[] = "suppress_tokens";
    const char *file;
    json_t *ids = generation_list(reader, key, &file), *id;
    size_t index;
    json_array_foreach(ids, index, id)
    {
        bool ends = json_is_integer(id) && json_integer_value(id) == reader->plain.eos_target;
        if (!json_is_integer(id) || ends)
            return status_fail(reader->status, STATUS_INVALID,
                               "%s: %s[%zu]: %s, expected an id of another token", file, key, index,
                               ends ? "end-of-sentence" : "not an id");
        if (json_array_append(reader->excluded, id) != 0)
            return status_no_memory(reader->status);
    }
    return true;
}

/* transformers excludes only the tokens in these lists: its logits processors treat start tokens
 * and padding like any other (generation/utils.py, _get_logits_processor). A BART fine-tuned with
 * <s> before its targets begins every translation with it. */
static bool read_excluded(struct hf_reader *reader)
{
    reader->plain.specials_allowed = true;
    reader->excluded = json_array();
    if (!reader->excluded)
        return status_no_memory(reader->status);
    if (!read_bad_words(reader) || !read_suppressed(reader))
        return false;
    if (json_array_size(reader->excluded))
        reader->plain.excluded = reader->excluded;
    return true;
}

/* max_length and min_length also count the start tokens; if the number of new tokens is given too,
 * it takes precedence. New tokens are all but the first start token. */
static double length_limit(const struct hf_reader *reader, const char *new_tokens, const char *key,
                           double otherwise)
{
    double more = generation_number(reader, new_tokens, -1);
    return more >= 0 ? more + 1 : generation_number(reader, key, otherwise);
}

/* With early_stopping transformers ends a search once as many translations have ended as the beam
 * is wide; without it, once no live hypothesis seems able to beat these, which "never" estimates
 * differently. */
static const char *endings_of(const struct hf_reader *reader)
{
    const json_t *early = hf_generation_value(reader, "early_stopping");
    const char *text = json_string_value(early);
    return json_is_true(early)                  ? "best"
           : text && strcmp(text, "never") == 0 ? "never"
                                                : "attainable";
}

/* True if the defaults of the model's class apply to the search: if config.json controls it. */
static bool by_default(const struct hf_reader *reader)
{
    return json_object_size(reader->generation) == 0 ||
           json_is_true(json_object_get(reader->generation, "_from_model_config"));
}

/* With forced_eos_token_id end-of-sentence has all the probability at the maximum length
 * (generation/logits_process.py, ForcedEOSTokenLogitsProcessor); without it translations of that
 * length just stop. */
static const char *limit_of(const struct hf_reader *reader)
{
    const json_t *forced = hf_generation_value(reader, "forced_eos_token_id");
    bool on = forced ? !json_is_null(forced) : by_default(reader) && reader->type->defaults.forced;
    return on ? "free" : "open";
}

static int64_t target_size(const struct hf_reader *reader)
{
    return reader->separate_vocabularies ? reader->sizes[1] : reader->sizes[0];
}

static bool add_end(struct hf_reader *reader, json_t *id)
{
    int64_t value = json_is_integer(id) ? json_integer_value(id) : -1;
    if (value < 0 || value >= target_size(reader))
        return status_fail(reader->status, STATUS_INVALID,
                           "%s: eos_token_id: expected ids of the vocabulary's %lld pieces",
                           generation_file(reader, "eos_token_id"), (long long)target_size(reader));
    return json_array_append(reader->ends, id) == 0 || status_no_memory(reader->status);
}

/* Reads the tokens at which the search ends: one or several. */
static bool read_ends(struct hf_reader *reader)
{
    json_t *eos = hf_generation_value(reader, "eos_token_id"), *id;
    size_t index;
    reader->ends = json_array();
    if (!reader->ends)
        return status_no_memory(reader->status);
    if (json_is_integer(eos) && !add_end(reader, eos))
        return false;
    json_array_foreach(eos, index, id)
    {
        if (!add_end(reader, id))
            return false;
    }
    if (json_array_size(reader->ends))
        reader->plain.ends = reader->ends;
    return true;
}

static void read_search(struct hf_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const int64_t usual_beam = by_default(reader) ? reader->type->defaults.beam : 0;
    const int64_t usual_most = by_default(reader) ? reader->type->defaults.longest : 0;
    double beam = generation_number(reader, "num_beams", usual_beam ? (double)usual_beam : 1);
    double most = length_limit(reader, "max_new_tokens", "max_length",
                               usual_most ? (double)usual_most : LONGEST);
    double least = length_limit(reader, "min_new_tokens", "min_length", 0) - plain->start_count;
    plain->beam = beam >= 1 && beam <= 1000 ? (int64_t)beam : 1;
    plain->alpha = generation_number(reader, "length_penalty", 1);
    plain->length_offset = plain->start_count - 1; // transformers generates all but the first
    plain->endings = endings_of(reader);
    plain->limit = limit_of(reader);
    plain->length_plus = (most >= 2 && most <= 1e6 ? (int64_t)most : LONGEST) - plain->start_count;
    plain->min_length = least >= 1 && least <= 1e6 ? (int64_t)least : 0;
    plain->renormalize = json_is_true(hf_generation_value(reader, "renormalize_logits"));
}

bool hf_read_tokens(struct hf_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    if (!read_special(reader) || !find_languages(reader) || !read_start(reader) ||
        !read_excluded(reader))
        return false;
    plain->source_language = language_name(reader, 0);
    plain->target_language = language_name(reader, 1);
    if ((reader->type->languages && !read_languages(reader)) ||
        (reader->type->indictrans && !hf_read_indictrans_languages(reader)))
        return false;
    if (reader->type->target_token)
        read_targets(reader);
    if (!reader->type->languages)
        read_forced(reader);
    read_search(reader);
    return read_ends(reader);
}
