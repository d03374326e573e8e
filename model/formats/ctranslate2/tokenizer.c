/* Subword models of a CTranslate2 folder, or of the package that it is in. */
#include <string.h>

#include "model/formats/ctranslate2/reader.h"
#include "model/formats/tokenizer_file.h"

/* Merge codes of older packages, which cut what Moses' tokeniser of the language made. */
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

/* A subword model beside the model, or above its folder, as a package of Argos Translate has it. */
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
