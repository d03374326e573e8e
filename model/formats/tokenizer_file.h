/* Files of tokenisers: those beside a model, and one that the user names. */
#ifndef ATTNSCOPE_TOKENIZER_FILE_H
#define ATTNSCOPE_TOKENIZER_FILE_H

#include "model/formats/contents.h"
#include "model/text/text.h"

/* Takes the SentencePiece models of a folder: source.spm and target.spm, or the first of `names`
 * (NULL at the end) for both sides. *taken: whether there are any. Inside readers. */
bool contents_take_sentencepiece(struct contents *contents, const char *folder,
                                 const char *const *names, bool *taken, struct status *status);

/* Takes the first file of `names` (NULL at the end) that the folder has for both sides: *tokenizer
 * becomes the name of its kind. Where it is none that is supported, a notice of the contents says
 * why it is not used. Inside readers. */
bool contents_take_any(struct contents *contents, const char *folder, const char *const *names,
                       const char **tokenizer, struct status *status);

/* Puts the file in the place of what cuts the text of a side (0: source, 1: target): a
 * SentencePiece model, merge codes, GPT-2's merges or a tokenizer.json, recognised by what is in
 * it. It is one of the model's files from then on. After contents_open; messages begin with the
 * path. */
bool contents_take_tokenizer(struct contents *contents, int side, const char *path,
                             struct status *status);

#endif
