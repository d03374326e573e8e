/* Subword models of a CTranslate2 folder, or of the package that it is in. */
#include <stdio.h>

#include "model/formats/ctranslate2/reader.h"
#include "model/formats/tokenizer_file.h"

/* PACKAGE/metadata.json, PACKAGE/model/model.bin, PACKAGE/sentencepiece.model */
bool ct2_is_package(const char *folder, const char *at)
{
    char about[32], model[32];
    snprintf(about, sizeof about, "%smetadata.json", at);
    snprintf(model, sizeof model, "%smodel/model.bin", at);
    return family_has(folder, about) && family_has(folder, model);
}

/* A SentencePiece model beside the model, or above its folder, as a package of Argos Translate has it. */
bool ct2_put_tokenizer(struct ct2_reader *reader)
{
    const bool packed = ct2_is_package(reader->folder, "../");
    const char *const names[] = {"sentencepiece.model", "spm.model", "sentencepiece.bpe.model",
                                 packed ? "../sentencepiece.model" : NULL, NULL};
    bool taken, good = contents_take_sentencepiece(reader->contents, reader->folder, names, &taken,
                                                   reader->status);
    if (taken)
        reader->plain.tokenizer = "sentencepiece";
    return good;
}
