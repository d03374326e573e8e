/* Finds subword models of a CTranslate2 folder, or of the package that contains it. */
#include <string.h>

#include "model/formats/ctranslate2/reader.h"
#include "model/formats/tokenizer_file.h"

/* Takes the merge codes of older packages, which are applied to the words of Moses' tokeniser. */
static bool take_codes(struct ct2_reader *reader)
{
    static const char *const names[] = {"../bpe.model", NULL};
    struct plain_config *plain = &reader->plain;
    if (!contents_take_any(reader->contents, reader->folder, names, &plain->tokenizer,
                           reader->status))
        return false;
    plain->moses = strcmp(plain->tokenizer, tokenizer_names[TOKENIZER_BPE]) == 0;
    return true;
}

/* The subword model is beside the model or, in packages of Argos Translate, in the folder above. */
bool ct2_put_tokenizer(struct ct2_reader *reader)
{
    static const char *const others[] = {"tokenizer.json", "merges.txt", NULL};
    const char *const names[] = {"sentencepiece.model",
                                 "spm.model",
                                 "sentencepiece.bpe.model",
                                 "spiece.model",
                                 reader->package ? "../sentencepiece.model" : NULL,
                                 NULL};
    bool taken;
    if (!contents_take_sentencepiece(reader->contents, reader->folder, names, &taken,
                                     reader->status))
        return false;
    if (taken) {
        reader->plain.tokenizer = tokenizer_names[TOKENIZER_SENTENCEPIECE];
        return true;
    }
    if (reader->package && family_has(reader->folder, "../bpe.model"))
        return take_codes(reader);
    return contents_take_any(reader->contents, reader->folder, others, &reader->plain.tokenizer,
                             reader->status);
}
