/* Tokens for the eye: SentencePiece's marks gone, nothing a terminal would obey. */
#ifndef ATTNSCOPE_DISPLAY_LABEL_H
#define ATTNSCOPE_DISPLAY_LABEL_H

#include "tui/report/labels.h"
#include "tui/session/session.h"

/* One text for every label (word: of whole words); freed with display_labels_free. Short of memory
 * a text is empty, or the result NULL. */
char **display_labels(const struct session *session, const struct labels *labels, bool word);
/* One of them; NULL: out of memory. */
char *display_label(const struct checkpoint *checkpoint, int side, bool word, const char *text);
void display_labels_free(char **texts, int count);

#endif
