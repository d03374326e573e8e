/* Tokeniser files: beside a model, or named by the user. */
#ifndef ATTNSCOPE_TOKENIZER_FILE_H
#define ATTNSCOPE_TOKENIZER_FILE_H

#include "model/formats/contents.h"
#include "model/text/text.h"

/* Takes the SentencePiece models of a folder: source.spm and target.spm, or the first of `names`
 * (NULL at the end) for both sides. *taken: true if any. For readers only. */
bool contents_take_sentencepiece(struct contents *contents, const char *folder,
                                 const char *const *names, bool *taken, struct status *status);

/* Takes the first file of `names` (NULL at the end) in the folder for both sides; *tokenizer
 * becomes the name of its kind. If it is not supported, a notice of the contents says why it is not
 * used. For readers only. */
bool contents_take_any(struct contents *contents, const char *folder, const char *const *names,
                       const char **tokenizer, struct status *status);

/* Makes the file the tokeniser of a side (0: source, 1: target): a SentencePiece model, merge
 * codes, GPT-2's merges or a tokenizer.json, recognised by content. It then counts as one of the
 * model's files. Call after contents_open; messages begin with the path. */
bool contents_take_tokenizer(struct contents *contents, int side, const char *path,
                             struct status *status);

#endif
