/* A session: a model on a device, the state that the user has put it in, and the sentence at hand.
 *
 * Order of calls: session_open; any commands (commands.h); session_close. Nothing here prints.
 * A function that fails leaves the session as it was.
 */
#ifndef ATTNSCOPE_SESSION_H
#define ATTNSCOPE_SESSION_H

#include "gpu/loader.h"
#include "model/net/search.h"
#include "tui/settings.h"
#include "tui/subject.h"

struct sink;

/* One checkpoint and its weights on the device. */
struct loaded {
    char *path; // as the user named it
    struct checkpoint *checkpoint;
    struct model *model;
    char digest[65]; // of the file, once asked for (loaded_digest)
};

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
    struct loaded *loaded;
    struct state state; // model, dials and search of every command
    struct settings settings, defaults;
    struct subject *subject; // the sentence at hand; NULL: none yet
    struct view view;        // last shown
    char *shown;             // the command that showed it, without its colon; NULL: none yet
    struct sink *sink;       // where commands put what they have before they are done
    bool quit;               // `:quit` was given
};

struct session_spec {
    const char *path;
    struct device_choice device;
    int threads; // 0: as many as there are processors
    int dpi;     // of figures; 0: the default
};

/* NULL on failure; messages about the checkpoint begin with its path. */
struct session *session_open(const struct session_spec *spec, struct status *status);
void session_close(struct session *session); // NULL: nothing

static inline const struct config *session_config(const struct session *session)
{
    return session->loaded->checkpoint->config;
}

/* SHA-256 of the checkpoint's file in hexadecimal digits, computed when first asked for. NULL: failure. */
const char *loaded_digest(struct loaded *loaded, struct status *status);

/* The sentence at hand under the current state, translated or forced again where the state has changed
 * since. NULL: there is none yet, or that failed. Owned by the session. */
const struct subject *session_subject(struct session *session, struct status *status);

/* Makes `subject` (taken) the sentence at hand. */
void session_take(struct session *session, struct subject *subject);

/* Puts `dials` (taken, also on failure) into force. The sentence at hand is done again at once; *before,
 * unless NULL, receives what it was (NULL where there is none), the caller frees it. */
bool session_change_dials(struct session *session, struct dials *dials, struct subject **before,
                          struct status *status);

/* Puts other settings into force: the search from the next use of the sentence on, threads at once. */
bool session_change_settings(struct session *session, const struct settings *settings,
                             struct status *status);

#endif
