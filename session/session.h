/* A session: models on a device, the current state of one of them, and the current sentence.
 *
 * Order of calls: session_open; any commands (commands.h); session_close. Nothing here prints.
 * A function that fails leaves the session as it was.
 */
#ifndef ATTNSCOPE_SESSION_H
#define ATTNSCOPE_SESSION_H

#include "gpu/loader.h"
#include "model/search/search.h"
#include "model/study/study_context.h"
#include "session/loaded.h"
#include "session/selector.h"
#include "session/sentence_pair.h"
#include "session/settings.h"
#include "session/testset.h"

/* The states of a session, by name. A state is a model, its head settings and the settings of the
 * search.
 *
 * Every loaded model is a state under its file name, with heads and search as in the file. `before`
 * is the state before the last change, to which `:undo` returns; `current` is the current one. The
 * user names all others. A model's name is its path as typed, or its base name. All names except
 * `current` may be shortened to any unique prefix.
 */

struct session;

#define STATE_BEFORE "before"
#define STATE_CURRENT "current"
#define STATES_IN "in" // the word before the states that a command runs in

struct saved_state {
    const char *name;
    struct loaded *loaded; // one of the session's; models live as long as the session
    struct head_settings *head_settings;
    struct search_options search;
};

/* The number of changes that can be undone. */
enum { MOST_UNDONE = 200 };

/* A sequence of states, each with its own head_settings. */
struct state_line {
    struct saved_state *states; // (count), the most recent last
    int count;
    size_t capacity;
};

/* The states that the user named, and those that changes left behind. */
struct states {
    struct saved_state *named; // (count), each owns its name and head_settings
    int count;
    size_t capacity;
    struct state_line past;   // before the current state: the last one is `before`
    struct state_line future; // undone states, until the next change
};
void states_free(struct states *states); // leaves it empty

/* All states that the user can switch to: models in order of loading, named states, `before`. The
 * parts of a state are borrowed until the state of the session changes. */
int states_count(const struct session *session);
struct saved_state states_get(const struct session *session, int index);
struct saved_state states_current(const struct session *session);

/* A name by which states_find finds the model: its base name if unique, else its path. Borrowed. */
const char *states_model_name(const struct session *session, const struct loaded *loaded);

/* True if two states are the same, so that they give the same translations. */
bool states_equal(const struct saved_state *a, const struct saved_state *b);

/* Finds a state by its name, a file name without its extension, or a unique prefix. Its parts are
 * borrowed as above. */
bool states_find(const struct session *session, const char *name, struct saved_state *out,
                 struct status *status);

/* Names the current state, replacing a named state of the same name. */
bool states_name(struct session *session, const char *name, struct status *status);

/* The state before the last change, and the state undone last. False: none. Borrowed. */
bool states_before(const struct session *session, struct saved_state *out);
bool states_after(const struct session *session, struct saved_state *out);

/* Reasons for leaving the current state. */
enum leaving { LEAVE_CHANGED, LEAVE_UNDONE, LEAVE_REDONE };

/* Reserves memory for states_leave, which then cannot fail. */
bool states_prepare(struct session *session, struct status *status);
/* LEAVE_CHANGED: makes the current state `before`, unless it equals `next`, and discards undone
 * states. LEAVE_UNDONE: makes it the state undone last. LEAVE_REDONE: makes it `before` again.
 * Always takes the session's head_settings; the caller sets new ones. */
void states_leave(struct session *session, const struct saved_state *next, enum leaving leaving);

/* Fails if a model with this path could not be distinguished from the existing states and
 * models. */
bool states_admit(const struct session *session, const char *path, struct status *status);

/* The number of commands that a script ran, and how many of them failed. */
struct script_counts {
    int commands, failed;
};

/* Callbacks into the program that commands need; each receives `context` first. Set before the
 * first command (program_connect). */
struct session_host {
    void *context;
    /* Shows the next `count` translations of a file's lines, in order, while the command is still
     * running. False: they cannot be written. */
    bool (*show_lines)(void *context, char *const *translations, int count, struct status *status);
    /* Runs the commands of a file and shows their results and failures. False: the file cannot be
     * read, or the script was interrupted; `counts` is valid in either case. */
    bool (*run_script)(void *context, const char *path, struct script_counts *counts,
                       struct status *status);
};

/* The module, layer and head of the current view: the defaults of a SELECTOR. */
struct view {
    enum module module;
    int layer;      // 0-based
    int head;       // 0-based, or VIEW_MEAN, ... (selector.h)
    enum method as; // METHOD_WEIGHTS: attention weights
    bool overview;  // many heads were shown last, with none chosen
};

/* Where the session was before it went to a test set. Owns what the session gave up. */
struct left_place {
    struct sentence_pair *pair; // NULL: it was nowhere
    struct testset *testset;
    bool among_typed;
    char *looked_at;
};

struct session {
    struct device_choice choice;
    struct opened_device opened;
    struct loaded **models; // (model_count), in the order of loading
    int model_count;
    size_t model_capacity;
    struct loaded *loaded; // the current model
    struct state state;    // model, head_settings and search of every command
    struct states states;  // the other states, by name
    struct settings settings, defaults;
    struct sentence_pair *current; // the current sentence; NULL: none yet
    struct testset *testset;       // NULL: none open
    struct testset *typed;         // the typed sentences; NULL: none yet
    bool among_typed;              // the sentence shown last was typed, not from the test set
    struct left_place left;        // to which `:back` returns
    struct result_cache cache;     // results of studies
    struct shards *shards;         // of studies over files; NULL: they are not divided
    struct view view;              // last shown
    char *shown;     // the command that showed the last view, without its colon; NULL: none yet
    char *looked_at; // the same for the last view of the current sentence; NULL: none yet
    struct session_host host;
    bool keep_files;                       // never replace an existing file
    bool (*confirm)(const char *question); // asks the user; NULL: nobody types
    bool in_script;                        // a script runs: ask no questions
    /* The running command interrupts another: it fails with STATUS_BUSY if it would change a state
     * or the sentence. The models are reserved. */
    bool aside;
    bool quit; // `:quit` was given
};

struct session_spec {
    const char *const *paths; // (count), at least one; the first model becomes the current one
    int count;
    struct device_choice device;
    int threads; // 0: as many as there are processors
    int dpi;     // of figures; 0: the default
    bool keep_files;
    struct tokenizer_files tokenizers; // replace those of every model
};

/* NULL on failure; messages about a checkpoint begin with its path. Refuses a path that is the name
 * of a state, as session_load does. With DEVICE_AUTO all models go to the CPU if they do not fit
 * into GPU memory. */
struct session *session_open(const struct session_spec *spec, struct status *status);
void session_close(struct session *session); // NULL: nothing
/* Frees everything that commands made, including all models but the first. Pointers to it dangle:
 * the caller closes the session or resets its fields. */
void session_release(struct session *session);

static inline const struct config *session_config(const struct session *session)
{
    return session->loaded->checkpoint->config;
}

/* Makes the view of `command` (without its colon) the one shown last and, if it is of the current
 * sentence, the one that is shown again. False: `command` is NULL, or out of memory; the earlier
 * views stay. */
bool session_take_view(struct session *session, const char *command, bool of_sentence);

/* The current sentence in the current state. Translates or forces it again if the state has changed
 * since. NULL: none yet, or failure. Owned by the session. */
const struct sentence_pair *session_current(struct session *session, struct status *status);

/* The tokens that label the rows of a module's weights; for cross-attention, according to the
 * setting `cross_rows`. */
struct token_list session_rows(const struct session *session, const struct sentence_pair *pair,
                               enum module module);

/* The list that the sentence shown last is from: typed sentences or the test set. NULL: none. */
static inline struct testset *session_walk(const struct session *session)
{
    return session->among_typed || !session->testset ? session->typed : session->testset;
}

/* Makes `pair` (taken; NULL: none) the current sentence. */
void session_take(struct session *session, struct sentence_pair *pair);
/* Makes `testset` (taken) the open one. */
void session_take_testset(struct session *session, struct testset *testset);

/* Records where the session is before it goes to a sentence of a test set: nowhere, if there is no
 * current sentence. */
void session_leave(struct session *session);
/* Returns there: to the sentence, the test set and the view of the sentence. False: it left from
 * nowhere, or the sentence cannot be translated again in the current state. */
bool session_back(struct session *session, struct status *status);

/* Loads another model without making it the current one. Refuses a file that is already loaded or
 * has the name of a state. Fails if the device has too little memory, even with DEVICE_AUTO: the
 * other models stay on the GPU, because the CPU would compute different bits. */
struct loaded *session_load(struct session *session, const char *path, struct status *status);
/* Unloads the model loaded last. Nothing may refer to it. */
void session_unload(struct session *session);

/* Switches to a state (states_get, states_find); its parts are copied. The current sentence is
 * translated or forced again at once. *before, unless NULL, receives the old pair, which the caller
 * frees, or NULL. The old state becomes the state before the last change. */
bool session_go(struct session *session, const struct saved_state *state,
                struct sentence_pair **before, struct status *status);

/* session_undo switches to the state before the last change; further calls go further back.
 * session_redo switches to the state undone last. Both fail if there is no such state. */
bool session_undo(struct session *session, struct sentence_pair **before, struct status *status);
bool session_redo(struct session *session, struct sentence_pair **before, struct status *status);

/* Switches the current model to other head_settings (taken, also on failure), in the same way. */
bool session_change_head_settings(struct session *session, struct head_settings *head_settings,
                                  struct sentence_pair **before, struct status *status);

/* Applies other settings. If search results depend on a changed setting, the state changes as
 * above; otherwise *before is NULL. */
bool session_change_settings(struct session *session, const struct settings *settings,
                             struct sentence_pair **before, struct status *status);

/* The session as it would be in another state, with another pair: for functions that only read. It
 * owns nothing and is valid as long as its sources. */
struct session session_under(const struct session *session, const struct saved_state *state,
                             struct sentence_pair *pair);

/* The parts of a saved state that translation needs. */
struct state saved_state_parts(const struct saved_state *state);

/* The context of a study, in the current state or in another one. Borrowed until the state of the
 * session changes. */
struct study_context session_study(struct session *session, const struct watch *watch);
struct study_context session_study_in(struct session *session, const struct saved_state *state,
                                      const struct watch *watch);

/* The loaded model of a checkpoint, which must belong to the session. */
struct loaded *session_loaded(const struct session *session, const struct checkpoint *checkpoint);

/* Divided studies (model/study/shards/shards.h): each process works on one part, or the session
 * merges the results of all.
 */

/* From now on studies over files compute only part `part` of `count` and append results to its file
 * in the folder. */
bool session_take_shard(struct session *session, const char *folder, int part, int count,
                        struct status *status);

/* From now on studies take results from these files, or from the parts in these folders. Fails in a
 * session that works on a part. On failure the session is as before. */
bool session_merge(struct session *session, const char *const *paths, int count,
                   struct status *status);

#endif
