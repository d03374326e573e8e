/* `:ablate … by gradient`: the importance of heads by derivatives
 * (model/study/head_gradients.h). */
#ifndef ATTNSCOPE_ABLATE_GRADIENT_H
#define ATTNSCOPE_ABLATE_GRADIENT_H

#include "tui/command/command.h"
#include "tui/command/study/ablate_words.h"

/* The command, whose arguments stand in these places. */
bool ablate_by_gradient(struct session *session, const struct argument_values *given,
                        const struct ablate_places *places, struct report *report,
                        struct status *status);

#endif
