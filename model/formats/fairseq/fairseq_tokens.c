/* Finds the tokens that fairseq's tasks put around sources and before targets:
 * fairseq/tasks/translation.py, translation_from_pretrained_bart (mBART) and
 * translation_multi_simple_epoch (M2M-100, mBART-50). */
#include <string.h>

#include "model/formats/fairseq/fairseq.h"
#include "model/formats/language_tokens.h"
#include "model/text/quote.h"

/* Finds the ids of the languages' tokens, which both sides' dictionaries share. */
static bool number_languages(struct fs_reader *reader)
{
    const char *name;
    json_t *old;
    void *next;
    json_object_foreach_safe(reader->languages, next, name, old)
    {
        char token[LANGUAGE_NAME_BYTES + 8];
        fs_language_token(reader, name, token, sizeof token);
        int64_t id = fs_id(reader, 0, token);
        if (id < 0 || fs_id(reader, 1, token) != id)
            return fs_fail(reader, "%s: different ids on both sides; expected one", QUOTED(token));
        if (json_object_set_new(reader->languages, name, json_integer(id)) != 0)
            return status_no_memory(reader->status);
    }
    return true;
}

/* Around sources and targets ------------------------------------------------------------------- */

static void put_source(struct plain_config *plain, int64_t before, int64_t after)
{
    if (before)
        plain->prefix[plain->prefix_count++] = before;
    plain->suffix[plain->suffix_count++] = FS_EOS;
    if (after)
        plain->suffix[plain->suffix_count++] = after;
}

/* mBART: the source's language follows end-of-sentence; translations begin and end with the
 * target's language. */
static bool read_mbart(struct fs_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    int64_t source = family_integer(reader->languages, plain->source_language, -1);
    int64_t target = family_integer(reader->languages, plain->target_language, -1);
    if (source < 0 || target < 0)
        return fs_fail(reader, "%s: %s is not one of langs, expected a language of the model",
                       source < 0 ? "source_lang" : "target_lang",
                       QUOTED(source < 0 ? plain->source_language : plain->target_language));
    put_source(plain, 0, source);
    plain->start[plain->start_count++] = target;
    plain->eos_target = target;
    return true;
}

/* Reads which language's token each side begins with: "src", "tgt", or "" for none. `langtoks`
 * has it for each type of data, and the two older options if it says nothing of "main". */
static bool read_specifications(struct fs_reader *reader, const char *of[2])
{
    static const char *const known[2][3] = {{"", "src", "tgt"}, {"", "tgt", "tgt"}};
    const struct pickle_value *main = pickle_get(fs_option(reader, "langtoks"), "main");
    of[0] = fs_text(reader, "encoder_langtok", "");
    of[1] = fs_flag(reader, "decoder_langtok") ? "tgt" : "";
    for (int side = 0; side < 2; side++) {
        const struct pickle_value *item = pickle_item(main, (size_t)side);
        const char *text = pickle_text(item);
        if (!pickle_none(main))
            of[side] = text ? text : pickle_none(item) ? "" : "no text";
        bool found = false;
        for (int i = 0; i < 3; i++)
            found |= strcmp(of[side], known[side][i]) == 0;
        if (!found)
            return fs_fail(reader, "langtoks: %s is not supported, expected %s", QUOTED(of[side]),
                           side ? "tgt" : "src or tgt");
    }
    return true;
}

/* The source may begin with a language's token; one may also follow the decoder's start token. */
static bool read_multilingual(struct fs_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const char *of[2];
    if (!read_specifications(reader, of))
        return false;
    bool decoder = *of[1];
    int64_t before = strcmp(of[0], "src") == 0   ? PLAIN_SOURCE_LANGUAGE
                     : strcmp(of[0], "tgt") == 0 ? PLAIN_TARGET_LANGUAGE
                                                 : 0;
    if (fs_flag(reader, "lang_tok_replacing_bos_eos"))
        return fs_fail(reader, "lang_tok_replacing_bos_eos: is not supported, expected "
                               "tokens of languages beside the others");
    put_source(plain, before, 0);
    plain->start[plain->start_count++] = FS_EOS;
    if (decoder) {
        plain->start[plain->start_count++] = PLAIN_TARGET_LANGUAGE;
        plain->length_plus -= plain->length_plus > 1; // there the language's token counts
        plain->min_length -= plain->min_length > 0;
    }
    if (!before && !decoder)
        return true;
    const char *source = languages_known(reader->languages, fs_text(reader, "source_lang", ""));
    const char *target = languages_known(reader->languages, fs_text(reader, "target_lang", ""));
    plain->languages = reader->languages;
    plain->source_language = source ? source : languages_any_source(reader->languages);
    plain->target_language =
        target ? target : languages_any_target(reader->languages, plain->source_language);
    return true;
}

/* fairseq never selects padding, but may select any other token (sequence_generator.py,
 * _generate). */
static bool exclude_padding(struct fs_reader *reader)
{
    reader->excluded = json_pack("[i]", FS_PAD);
    reader->plain.excluded = reader->excluded;
    reader->plain.specials_allowed = true;
    return reader->excluded || status_no_memory(reader->status);
}

bool fs_read_tokens(struct fs_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    plain->pad = FS_PAD;
    plain->unk = FS_UNK;
    plain->has_bos = true;
    plain->bos[0] = plain->bos[1] = FS_BOS;
    plain->eos_source = plain->eos_target = FS_EOS;
    plain->source_language = fs_language(reader, 0, "source");
    plain->target_language = fs_language(reader, 1, "target");
    if (!exclude_padding(reader) || !number_languages(reader))
        return false;
    if (fs_is_mbart(reader))
        return read_mbart(reader);
    if (fs_is_multilingual(reader))
        return read_multilingual(reader);
    put_source(plain, 0, 0);
    plain->start[plain->start_count++] = FS_EOS;
    return true;
}
