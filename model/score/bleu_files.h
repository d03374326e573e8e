/* Tokenisers of BLEU that are in files, as sacreBLEU has them: SentencePiece models, in its own
 * place ($SACREBLEU/models, or ~/.sacrebleu/models), and MeCab's dictionaries, there, where MeCab
 * installs them, or where pip does: $VIRTUAL_ENV, $CONDA_PREFIX, ~/.local, /usr/local, /usr.
 *
 * A file is opened when it is first needed, once in a process, from any thread, and stays open to
 * its end.
 */
#ifndef ATTNSCOPE_BLEU_FILES_H
#define ATTNSCOPE_BLEU_FILES_H

#include "base/status.h"
#include "model/score/bleu_tokenizers.h"
#include "model/text/text.h"

/* Appends the pieces of a text (valid UTF-8) that such a tokeniser cuts. */
bool bleu_files_split(enum bleu_tokenizer tokenizer, const char *text, struct strings *pieces,
                      struct status *status);

/* Checks that a tokeniser of that name, if there is one, can be opened. */
bool bleu_files_check(const char *name, struct status *status);

#endif
