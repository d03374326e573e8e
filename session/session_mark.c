#include "session/session_mark.h"

#include <stdlib.h>
#include <string.h>

static bool copy_or_none(const char *text, char **copy)
{
    *copy = text ? strdup(text) : NULL;
    return *copy || !text;
}

bool session_mark_set(const struct session *session, const char *visible, struct session_mark *mark,
                      struct status *status)
{
    *mark = (struct session_mark){.state = states_current(session),
                                  .changes = session->states.past.count,
                                  .view = session->view};
    mark->state.head_settings = head_settings_copy(session->state.head_settings, status);
    bool copied = copy_or_none(visible ? visible : session->shown, &mark->shown) &&
                  copy_or_none(session->looked_at, &mark->looked_at);
    if (mark->state.head_settings && copied)
        return true;
    session_mark_free(mark);
    return status_no_memory(status);
}

static bool go_back(struct session *session, const struct session_mark *mark, struct status *status)
{
    const struct states *states = &session->states;
    while (states->past.count > mark->changes)
        if (!session_undo(session, NULL, status))
            return false;
    while (states->past.count < mark->changes && states->future.count > 0)
        if (!session_redo(session, NULL, status))
            return false;
    const struct saved_state now = states_current(session);
    return states_equal(&now, &mark->state) || session_go(session, &mark->state, NULL, status);
}

/* Puts back a copy of the text; if memory runs out, the place stays as it is. */
static void put_back(char **place, const char *text)
{
    char *copy = NULL;
    if (!copy_or_none(text, &copy))
        return;
    free(*place);
    *place = copy;
}

bool session_mark_return(struct session *session, const struct session_mark *mark,
                         struct status *status)
{
    bool ok = go_back(session, mark, status);
    session->view = mark->view;
    put_back(&session->shown, mark->shown);
    put_back(&session->looked_at, mark->looked_at);
    return ok;
}

void session_mark_free(struct session_mark *mark)
{
    head_settings_free(mark->state.head_settings);
    free(mark->shown);
    free(mark->looked_at);
    *mark = (struct session_mark){0};
}
