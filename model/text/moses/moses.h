/* The Moses tokeniser and detokeniser, as in sacremoses (MosesTokenizer.tokenize with escape;
 * MosesDetokenizer.detokenize with unescape), and the preceding steps of transformers'
 * FSMTTokenizer.
 *
 * Pure functions over text of one line; `language` is an ISO 639-1 code or NULL (English). Text is
 * valid UTF-8. False, with a status: out of memory. */
#ifndef ATTNSCOPE_MOSES_H
#define ATTNSCOPE_MOSES_H

#include "model/text/buffer.h"

/* Normalises punctuation in place, as FSMTTokenizer._tokenize does before calling Moses:
 * replace_unicode_punct, sacremoses' MosesPunctNormalizer, remove_non_printing_char. */
bool moses_normalize(struct text_buffer *text, const char *language, struct status *status);

/* Dashes within words stay, or become tokens "@-@" (aggressive_dash_splits), which detokenising
 * undoes. */
enum moses_dashes { MOSES_DASHES_KEPT, MOSES_DASHES_SPLIT };

/* Replaces the content of `out` by the tokens of `text`, separated by single blanks; &, |, <, >, ',
 * ", [ and ] are escaped as &amp; and so on. */
bool moses_tokenize(const char *text, const char *language, enum moses_dashes dashes,
                    struct text_buffer *out, struct status *status);

/* Replaces the content of `out` by the text of tokens separated by blanks. */
bool moses_detokenize(const char *tokens, const char *language, struct text_buffer *out,
                      struct status *status);

#endif
