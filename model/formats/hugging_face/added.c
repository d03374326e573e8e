/* The tokens that transformers cuts out of a text before its subword model sees it, and what its
 * tokenisers do with the text around them (src/transformers/models, tokenization_*.py of version
 * 5). */
#include <stdio.h>
#include <string.h>

#include "model/formats/added_tokens_list.h"
#include "model/formats/hugging_face/reader.h"
#include "model/formats/language_tokens.h"
#include "model/formats/tokenizer_class.h"
#include "model/text/text.h"

static bool is_piece(const void *reader, const char *piece)
{
    const struct hf_reader *of = reader;
    return hf_id(of, 0, piece) >= 0 || (of->separate_vocabularies && hf_id(of, 1, piece) >= 0);
}

/* Adds a class's special tokens, which apply if no file names them. */
static bool add_specials(struct added_list *list, const struct hf_reader *reader)
{
    static const char *const all[] = {"<s>", "</s>", "<unk>", "<pad>"};
    bool mask = reader->type->begins || reader->type->languages;
    bool bos = mask || reader->type->fsmt || reader->type->indictrans;
    if (reader->type->t5gemma && !(added_list_text(list, "<bos>", false, reader->status) &&
                                   added_list_text(list, "<eos>", false, reader->status)))
        return false;
    for (int i = !bos; i < 4; i++)
        if (!added_list_text(list, all[i], false, reader->status))
            return false;
    return (!mask || added_list_text(list, "<mask>", true, reader->status)) &&
           (!reader->type->pretraining_tokens ||
            (added_list_text(list, "<mask_1>", false, reader->status) &&
             added_list_text(list, "<mask_2>", false, reader->status)));
}

/* True for languages of mBART and NLLB. M2M100's are not added tokens unless a file lists them. */
static bool is_language(const struct hf_reader *reader, const char *piece)
{
    char name[LANGUAGE_NAME_BYTES];
    return reader->type->languages && language_of_token(piece, name) &&
           strncmp(piece, "__", 2) != 0;
}

/* True for pieces such as T5's <extra_id_0> and Pegasus' <unk_2>. */
static bool is_numbered(const struct hf_reader *reader, const char *piece)
{
    const char *name = reader->type->t5                   ? "<extra_id_"
                       : reader->type->pretraining_tokens ? "<unk_"
                                                          : NULL;
    if (!name || strncmp(piece, name, strlen(name)) != 0)
        return false;
    const char *number = piece + strlen(name);
    size_t digits = strspn(number, "0123456789");
    return digits > 0 && strcmp(number + digits, ">") == 0;
}

/* Adds the lists of many tokens that a class makes by itself. */
static bool add_made(struct added_list *list, const struct hf_reader *reader)
{
    for (int64_t id = 0; id < reader->sizes[0]; id++) {
        const char *piece = reader->pieces[0][id];
        if (piece && (is_language(reader, piece) || is_numbered(reader, piece)) &&
            !added_list_text(list, piece, false, reader->status))
            return false;
    }
    return true;
}

bool hf_read_added(struct hf_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    struct added_list list = {json_array(), is_piece, reader, !reader->type->pretraining_tokens};
    bool is_sentencepiece = strcmp(plain->tokenizer, tokenizer_names[TOKENIZER_SENTENCEPIECE]) == 0;
    reader->added = list.tokens;
    if (!list.tokens)
        return status_no_memory(reader->status);
    if (strcmp(plain->tokenizer, tokenizer_names[TOKENIZER_WHITESPACE]) == 0)
        return true; // pieces are given
    plain->added = list.tokens;
    plain->last_blank = is_sentencepiece && (tokenizer_keeps_last_blank(hf_class_names(reader)) ||
                                             reader->type->pretraining_tokens);
    plain->language_codes = reader->type->separate;
    return added_list_folder(&list, reader->contents, reader->folder, reader->tokenizer,
                             reader->status) &&
           add_specials(&list, reader) && add_made(&list, reader);
}
