/* BLEU tokenisers that need files, as in sacreBLEU: SentencePiece models, in sacreBLEU's folder
 * ($SACREBLEU/models, or ~/.sacrebleu/models), and MeCab's dictionaries, in the same folder or
 * where MeCab or pip installs them: $VIRTUAL_ENV, $CONDA_PREFIX, ~/.local, /usr/local, /usr.
 *
 * A file is opened on first use, once per process and from any thread, and stays open until the
 * process ends.
 */
#ifndef ATTNSCOPE_BLEU_FILES_H
#define ATTNSCOPE_BLEU_FILES_H

#include "base/status.h"
#include "model/score/bleu_tokenizers.h"
#include "model/text/text.h"

/* Splits a text (valid UTF-8) with such a tokeniser and appends the pieces. */
bool bleu_files_split(enum bleu_tokenizer tokenizer, const char *text, struct strings *pieces,
                      struct status *status);

/* Checks that the tokeniser of that name can be opened; true if there is no such tokeniser. */
bool bleu_files_check(const char *name, struct status *status);

#endif
