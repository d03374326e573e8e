/* Reads the original model's tokeniser, as CTranslate2 folders have it. */
#include <string.h>

#include "model/formats/added_tokens_list.h"
#include "model/formats/ctranslate2/reader.h"
#include "model/formats/language_tokens.h"
#include "model/formats/tokenizer_class.h"

enum { MAX_TOKENIZER = 1 << 28 };

/* *object NULL: the folder has no such file. */
static bool read_file(struct ct2_reader *reader, const char *name, json_t **object)
{
    if (!family_has(reader->folder, name))
        return true;
    *object = family_json(reader->contents, reader->folder, name, MAX_TOKENIZER, reader->status);
    return *object != NULL;
}

bool ct2_read_tokenizer_files(struct ct2_reader *reader)
{
    return read_file(reader, "tokenizer_config.json", &reader->tokenizer) &&
           read_file(reader, "tokenizer.json", &reader->whole_tokenizer);
}

static bool is_piece(const void *reader, const char *piece)
{
    struct ct2_reader *of = (struct ct2_reader *)reader;
    return ct2_piece_id(of, 0, piece) >= 0 || ct2_piece_id(of, 1, piece) >= 0;
}

/* Classes that split off "<mask>", with the blanks before it, even if no file names it. */
static const struct {
    const char *name;
    bool languages; // and the tokens of languages
} classes[] = {
    {"NllbTokenizer", true},  {"MBartTokenizer", true},       {"MBart50Tokenizer", true},
    {"BartTokenizer", false}, {"XLMRobertaTokenizer", false},
};

/* Adds special tokens, and those that some classes add by themselves. */
static bool add_own(struct added_list *list, struct ct2_reader *reader)
{
    const char *const specials[] = {reader->tokens.bos, reader->tokens.eos, reader->tokens.unk,
                                    "<pad>"};
    const char *at = reader->pieces[0].text;
    bool languages = false, mask = false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (tokenizer_class_is(reader->tokenizer, classes[i].name))
            mask = true, languages = classes[i].languages;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (!added_list_text(list, specials[i], false, reader->status))
            return false;
    if (mask && !added_list_text(list, "<mask>", true, reader->status))
        return false;
    for (int id = 0; languages && id < reader->pieces[0].count; id++) {
        char piece[LANGUAGE_NAME_BYTES] = "", name[LANGUAGE_NAME_BYTES];
        const char *newline = strchr(at, '\n');
        if ((size_t)(newline - at) < sizeof piece)
            memcpy(piece, at, (size_t)(newline - at));
        if (language_of_token(piece, name) && !added_list_text(list, piece, false, reader->status))
            return false;
        at = newline + 1;
    }
    return true;
}

/* Without a tokeniser's files, nothing is known of such tokens except that Marian's tokeniser
 * splits off a language. */
bool ct2_read_added(struct ct2_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    struct added_list list = {json_array(), is_piece, reader,
                              !tokenizer_class_is(reader->tokenizer, "PegasusTokenizer")};
    reader->added = list.tokens;
    if (!list.tokens)
        return status_no_memory(reader->status);
    if (strcmp(plain->tokenizer, "whitespace") == 0)
        return true;
    plain->language_codes = reader->zero_start && (plain->languages || reader->tokenizer);
    plain->last_blank = strcmp(plain->tokenizer, "sentencepiece") == 0 &&
                        tokenizer_keeps_last_blank(reader->tokenizer);
    plain->added = list.tokens;
    return added_list_folder(&list, reader->contents, reader->folder, reader->tokenizer,
                             reader->status) &&
           ((!reader->tokenizer && !json_array_size(list.tokens)) || add_own(&list, reader));
}
