/* The Moses tokeniser and detokeniser, as sacremoses has them (MosesTokenizer.tokenize with escape,
 * without aggressive dash splits; MosesDetokenizer.detokenize with unescape).
 *
 * Pure functions over text of one line; `language` is an ISO 639-1 code or NULL (English).
 * Text is valid UTF-8; false with a status when memory is short. */
#ifndef ATTNSCOPE_MOSES_H
#define ATTNSCOPE_MOSES_H

#include "model/text/buffer.h"

/* Replaces the content of `out` by the tokens of `text`, separated by single blanks; &, |, <, >, ',
 * ", [ and ] are escaped as &amp; and so on. */
bool moses_tokenize(const char *text, const char *language, struct text_buffer *out,
                    struct status *status);

/* Replaces the content of `out` by the text that tokens (separated by blanks) came from. */
bool moses_detokenize(const char *tokens, const char *language, struct text_buffer *out,
                      struct status *status);

#endif
