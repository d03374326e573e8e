/* The states of a session, by name. A state is a model, its head settings and the settings of the
 * search.
 *
 * Every loaded model is a state under its file name, with heads and search as in the file. `before`
 * is the state before the last change, to which `:undo` returns; `current` is the present one. The
 * user has named all others. The name of a model is its path as typed, or its base name. All names
 * except `current` may be shortened to any unique beginning.
 */
#ifndef ATTNSCOPE_STATES_H
#define ATTNSCOPE_STATES_H

#include "model/search/search.h"
#include "tui/session/loaded.h"

struct session;

#define STATE_BEFORE "before"
#define STATE_CURRENT "current"
#define STATES_IN "in" // the word before the states that a command runs in

struct saved_state {
    const char *name;
    struct loaded *loaded; // one of the session; models stay until it ends
    struct head_settings *head_settings;
    struct search_options search;
};

/* The number of changes that can be undone. */
enum { MOST_UNDONE = 200 };

/* A sequence of states, each with its own head_settings. */
struct state_line {
    struct saved_state *states; // (count), the one nearest to the current state last
    int count;
    size_t capacity;
};

/* The states that the user has named, and those that changes have left behind. */
struct states {
    struct saved_state *named; // (count), each owns its name and head_settings
    int count;
    size_t capacity;
    struct state_line past;   // before the current state: the last one is `before`
    struct state_line future; // undone states, until the next change
};
void states_free(struct states *states); // leaves it empty

/* All states that the user can switch to: models in the order of loading, named states, `before`.
 * The parts of a state are borrowed until the state of the session changes. */
int states_count(const struct session *session);
struct saved_state states_get(const struct session *session, int index);
struct saved_state states_current(const struct session *session);

/* A name by which states_find finds the model: its base name if no other model has it, else its
 * path. Borrowed. */
const char *states_model_name(const struct session *session, const struct loaded *loaded);

/* True if two states are the same, so that they give the same translations. */
bool states_equal(const struct saved_state *a, const struct saved_state *b);

/* Finds a state by its name, by a file name without its ending, or by a unique beginning. Its parts
 * are borrowed as above. */
bool states_find(const struct session *session, const char *name, struct saved_state *out,
                 struct status *status);

/* Names the current state. A named state with the same name is replaced. */
bool states_name(struct session *session, const char *name, struct status *status);

/* The state before the last change, and the one that was undone last. False: there is none.
 * Borrowed. */
bool states_before(const struct session *session, struct saved_state *out);
bool states_after(const struct session *session, struct saved_state *out);

/* Reasons for leaving the current state. */
enum leaving { LEAVE_CHANGED, LEAVE_UNDONE, LEAVE_REDONE };

/* Reserves memory for states_leave, which then cannot fail. */
bool states_prepare(struct session *session, struct status *status);
/* LEAVE_CHANGED: makes the current state `before`, unless it equals `next`, and discards undone
 * states. LEAVE_UNDONE: makes it the state that was undone last. LEAVE_REDONE: makes it `before`
 * again. Takes the head_settings of the session in any case; the caller puts others in their
 * place. */
void states_leave(struct session *session, const struct saved_state *next, enum leaving leaving);

/* Fails if a model with this path could not be distinguished from the existing states and
 * models. */
bool states_admit(const struct session *session, const char *path, struct status *status);

#endif
