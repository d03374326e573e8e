/* `:ablate … by gradient`: the importance of heads by derivatives (model/attribution/head_gradients.h). */
#ifndef ATTNSCOPE_ABLATE_GRADIENT_H
#define ATTNSCOPE_ABLATE_GRADIENT_H

#include "tui/command/command.h"

/* Takes `by gradient` out of the words. Returns whether they were there. */
bool gradient_words_take(struct pieces *words);

/* The command, whose words lack `by gradient`. */
bool ablate_by_gradient(struct session *session, const struct pieces *words, struct report *report,
                        struct status *status);

#endif
