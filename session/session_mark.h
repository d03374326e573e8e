/* A place in a session to return to: its state and its current view.
 *
 *     session_mark_set; changes of the state, views; session_mark_return; session_mark_free
 */
#ifndef ATTNSCOPE_SESSION_MARK_H
#define ATTNSCOPE_SESSION_MARK_H

#include "session/session.h"

struct session_mark {
    struct saved_state state; // owns its head_settings
    int changes;              // number of changes that can be undone
    struct view view;
    char *shown, *looked_at;
};

/* Marks a session in which `visible` (NULL: session->shown) is the current view. On failure nothing
 * needs to be freed. */
bool session_mark_set(const struct session *session, const char *visible, struct session_mark *mark,
                      struct status *status);
/* Undoes and redoes changes until the session is back at the mark. Keeps the current sentence and
 * the test set. If memory runs out, stops at a state in between. */
bool session_mark_return(struct session *session, const struct session_mark *mark,
                         struct status *status);
void session_mark_free(struct session_mark *mark); // leaves it empty

#endif
