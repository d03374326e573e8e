/* States of a session by name: a model, what its heads do, and the settings of the search.
 *
 * Every model that is loaded is a state under its file name: heads and search as its file has them.
 * `before` is the state before the last change, to which `:undo` goes back, `current` the one in force; the
 * others the user has named.
 * A model's name is its path as typed or its base name. Names but for `current` may be shortened to any
 * unique beginning.
 */
#ifndef ATTNSCOPE_STATES_H
#define ATTNSCOPE_STATES_H

#include "model/net/search.h"
#include "tui/loaded.h"

struct session;

#define STATE_BEFORE "before"
#define STATE_CURRENT "current"

struct saved_state {
    const char *name;
    struct loaded *loaded; // one of the session's: models stay until it ends
    struct dials *dials;
    struct search_options search;
};

/* Changes that are remembered. */
enum { MOST_UNDONE = 200 };

/* States one after the other, each with dials of its own. */
struct state_line {
    struct saved_state *states; // (count), the nearest to the one in force last
    int count;
    size_t capacity;
};

/* What the user has named, and what changes have left. */
struct states {
    struct saved_state *named; // (count), each owns its name and dials
    int count;
    size_t capacity;
    struct state_line past;   // before the one in force: the last of them is `before`
    struct state_line future; // undone, until the next change
};
void states_free(struct states *states); // leaves it empty

/* All that can be gone to: models in the order of loading, what the user has named, `before`. The parts of
 * a state are borrowed until the session's state changes. */
int states_count(const struct session *session);
struct saved_state states_get(const struct session *session, int index);
struct saved_state states_current(const struct session *session);

/* A name that states_find finds a model under: without its folders where no other model is called so.
 * Borrowed. */
const char *states_model_name(const struct session *session, const struct loaded *loaded);

/* Whether two states translate alike because they are the same. */
bool states_equal(const struct saved_state *a, const struct saved_state *b);

/* The state of that name, file name without its ending, or unique beginning; its parts are borrowed as above. */
bool states_find(const struct session *session, const char *name, struct saved_state *out,
                 struct status *status);

/* Gives the current state a name, which may be that of an older one: it is replaced. */
bool states_name(struct session *session, const char *name, struct status *status);

/* The state before the last change, and the one last undone; false: there is none. Borrowed. */
bool states_before(const struct session *session, struct saved_state *out);
bool states_after(const struct session *session, struct saved_state *out);

/* How the state in force comes to be left. */
enum leaving { LEAVE_CHANGED, LEAVE_UNDONE, LEAVE_REDONE };

/* Makes room for states_leave, which then cannot fail. */
bool states_prepare(struct session *session, struct status *status);
/* Makes the state in force `before`, unless it equals `next`, and forgets what was undone; on the way back
 * makes it the one that was last undone. Takes the session's dials in any case: the caller puts others in
 * their place. */
void states_leave(struct session *session, const struct saved_state *next, enum leaving leaving);

/* Whether a model of that path could be told from the states and models there are. */
bool states_admit(const struct session *session, const char *path, struct status *status);

#endif
