/* `:heads`: the heads of all layers side by side. */
#include <string.h>

#include "model/net/quote.h"
#include "tui/command.h"
#include "tui/view.h"

/* Checks and takes the words after the selector. */
static bool read_words(const struct selection *selection, bool *words, struct status *status)
{
    *words = selection->count > 0 && strcmp(selection->rest[0], "word") == 0;
    if (selection->count > *words)
        return status_fail(status, STATUS_INVALID,
                           "\"%s\": expected " SELECTOR_SINGLE_SYNTAX " [word]",
                           QUOTED(selection->rest[*words]));
    return true;
}

COMMAND(heads)
{
    struct selection selection;
    bool words;
    if (!selection_parse(request, HEADS_SINGLE, &selection, status))
        return false;
    result->kind = RESULT_HEADS;
    const struct subject *subject = NULL;
    if (read_words(&selection, &words, status) &&
        grid_choose(session, &selection.selector, &result->heads.grid, status))
        subject = session_subject(session, status);
    selection_free(&selection);
    if (subject && view_heads(session, subject, words, &result->heads, status)) {
        session->view.module = result->heads.grid.module;
        return true;
    }
    result_free(result);
    return false;
}
