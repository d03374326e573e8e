/* Tokens for the eye: end-of-sentence as ⏎, SentencePiece's marks gone, nothing a terminal would obey. */
#ifndef ATTNSCOPE_EYE_H
#define ATTNSCOPE_EYE_H

#include "tui/result.h"

/* One text for every label (word: of whole words); freed with eye_free. Short of memory a text is empty, or
 * the result NULL. */
char **eye_labels(const struct session *session, const struct labels *labels, bool word);
/* One of them; NULL: out of memory. */
char *eye_label(const struct session *session, int side, bool word, const char *text);
void eye_free(char **eyes, int count);

#endif
