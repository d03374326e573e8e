/* A session: models on a device, the state that the user has put one in, and the sentence at hand.
 *
 * Order of calls: session_open; any commands (commands.h); session_close. Nothing here prints.
 * A function that fails leaves the session as it was.
 */
#ifndef ATTNSCOPE_SESSION_H
#define ATTNSCOPE_SESSION_H

#include "gpu/loader.h"
#include "model/net/search.h"
#include "tui/contrasted.h"
#include "tui/kept.h"
#include "tui/loaded.h"
#include "tui/settings.h"
#include "tui/states.h"
#include "tui/subject.h"
#include "tui/testset.h"
#include "tui/translated.h"

struct sink;
struct program;

/* What the current view is of; the default of every SELECTOR. */
struct view {
    enum module module;
    int layer; // 0-based
    int head;  // 0-based, or VIEW_MEAN, VIEW_MAX
};
enum { VIEW_MEAN = -1, VIEW_MAX = -2 };

struct session {
    struct device_choice choice;
    struct opened_device opened;
    struct loaded **models; // (model_count), in the order of loading
    int model_count;
    size_t model_capacity;
    struct loaded *loaded; // the current one of them
    struct state state;    // model, dials and search of every command
    struct states states;  // others, by name
    struct settings settings, defaults;
    struct subject *subject;          // the sentence at hand; NULL: none yet
    struct testset *testset;          // NULL: none is open
    struct translations translations; // of files that were scored
    struct contrasts contrasts;       // contrastive suites that were scored
    struct kept kept;                 // the last studies with heads off
    struct view view;                 // last shown
    char *shown;       // the command that showed it, without its colon; NULL: none yet
    char *looked_at;   // the last one of those that are of the sentence at hand; NULL: none yet
    struct sink *sink; // where commands put what they have before they are done
    struct program *program;               // runs the lines of scripts (program.h)
    bool keep_files;                       // no file that is there is replaced
    bool (*confirm)(const char *question); // asks whoever types; NULL: nobody does
    bool quit;                             // `:quit` was given
};

struct session_spec {
    const char *const *paths; // (count), at least one; the first model becomes the current one
    int count;
    struct device_choice device;
    int threads; // 0: as many as there are processors
    int dpi;     // of figures; 0: the default
    bool keep_files;
};

/* NULL on failure; messages about a checkpoint begin with its path. A path that names a state is
 * refused, as by session_load. With DEVICE_AUTO all models go to the CPU when a GPU has too little memory
 * for them. */
struct session *session_open(const struct session_spec *spec, struct status *status);
void session_close(struct session *session); // NULL: nothing

static inline const struct config *session_config(const struct session *session)
{
    return session->loaded->checkpoint->config;
}

/* The sentence at hand under the current state, translated or forced again where the state has changed
 * since. NULL: there is none yet, or that failed. Owned by the session. */
const struct subject *session_subject(struct session *session, struct status *status);

/* Makes `subject` (taken; NULL: none) the sentence at hand. */
void session_take(struct session *session, struct subject *subject);

/* Loads a further model beside those there; it does not become the current one. A file that is loaded
 * already is refused, as is one named like a state. One that the device has too little memory for fails also
 * with DEVICE_AUTO: what is on a GPU stays there, since the CPU would give it other bits. */
struct loaded *session_load(struct session *session, const char *path, struct status *status);
/* Takes the model last loaded away again. Nothing may refer to it. */
void session_unload(struct session *session);

/* Goes to a state (states_get, states_find; its parts are copied). The sentence at hand is done again at
 * once; *before, unless NULL, receives what it was (NULL where there is none), the caller frees it. What
 * was in force becomes the state before the last change. */
bool session_go(struct session *session, const struct saved_state *state, struct subject **before,
                struct status *status);

/* The same back to the state before the last change, as often as there are such (states.h), and forth again to
 * what was undone. Nothing there: an error. */
bool session_undo(struct session *session, struct subject **before, struct status *status);
bool session_redo(struct session *session, struct subject **before, struct status *status);

/* The same for other dials (taken, also on failure) of the current model. */
bool session_change_dials(struct session *session, struct dials *dials, struct subject **before,
                          struct status *status);

/* Puts other settings into force. Where the search's results depend on them, that is a change of state
 * as above, otherwise *before is NULL. */
bool session_change_settings(struct session *session, const struct settings *settings,
                             struct subject **before, struct status *status);

/* The session as it would be in another state with that subject: for functions that only read. Owns
 * nothing; lives as long as what it was made from. */
struct session session_under(const struct session *session, const struct saved_state *state,
                             struct subject *subject);

/* State, as what translates needs it. */
struct state saved_state_parts(const struct saved_state *state);

#endif
