#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "terminal/interrupt.h"
#include "terminal/progress.h"

/* Devices and models -------------------------------------------------------------------------- */

static void close_device(struct opened_device *opened)
{
    if (opened->device)
        opened->backend->close(opened->device);
    opened->device = NULL;
}

/* Checks the whole file before it asks for a device. The model becomes the session's last. */
static struct loaded *add_model(struct session *session, const char *path,
                                const struct tokenizer_files *tokenizers, struct status *status)
{
    if (!states_admit(session, path, status) ||
        !memory_grow((void **)&session->models, &session->model_capacity,
                     (size_t)session->model_count + 1, sizeof(struct loaded *), status))
        return NULL;
    struct loaded *loaded = loaded_open(path, tokenizers, status);
    if (loaded)
        session->models[session->model_count++] = loaded;
    return loaded;
}

/* Puts a model on the session's device, or on one that is about to become it. */
static struct model *put_on_device(const struct session *session, const struct loaded *loaded,
                                   const struct opened_device *opened, struct status *status)
{
    struct device_info info;
    opened->backend->info(opened->device, &info);
    if (!session->choice.shipped && info.precision == PRECISION_INT8 &&
        !checkpoint_has_integers(loaded->checkpoint)) {
        status_fail(
            status, STATUS_INVALID,
            "%s: no weights of 8 bits as students of Marian have them, expected --precision "
            "fp32",
            QUOTED_PATH(loaded->path));
        return NULL;
    }
    struct model *model = model_open(loaded->checkpoint, opened->backend, opened->device, status);
    // Messages about the file name it already.
    if (!model && (status->code == STATUS_MEMORY || status->code == STATUS_DEVICE))
        status_prefix(status, "%s", QUOTED_PATH(loaded->path));
    return model;
}

/* Puts every model on the device: models (model_count). Closes the device if one fails. */
static bool put_models(const struct session *session, struct opened_device *opened,
                       struct model **models, struct status *status)
{
    int placed = 0;
    while (placed < session->model_count) {
        models[placed] = put_on_device(session, session->models[placed], opened, status);
        if (!models[placed])
            break;
        placed++;
    }
    if (placed == session->model_count)
        return true;
    while (placed > 0)
        model_close(models[--placed]);
    close_device(opened);
    return false;
}

/* Opens another device and puts every model on it. DEVICE_AUTO: the GPU if it has room for them. */
static bool place_models(const struct session *session, int threads, struct opened_device *opened,
                         struct model **models, struct status *status)
{
    if (!device_open(&session->choice, threads, opened, status))
        return false;
    const bool gpu = opened->backend != &cpu_backend;
    if (put_models(session, opened, models, status))
        return true;
    if (!gpu || session->choice.kind != DEVICE_AUTO || status->code != STATUS_MEMORY)
        return false;
    const struct status reason = *status;
    return device_open_instead(&session->choice, threads, &reason, opened, status) &&
           put_models(session, opened, models, status);
}

static bool open_models(struct session *session, const struct session_spec *spec,
                        struct status *status)
{
    for (int i = 0; i < spec->count; i++)
        if (!add_model(session, spec->paths[i], &spec->tokenizers, status))
            return false;
    struct model **models = memory_new(spec->count, sizeof(struct model *), status);
    bool ok = models && place_models(session, spec->threads, &session->opened, models, status);
    for (int i = 0; ok && i < spec->count; i++)
        session->models[i]->model = models[i];
    free(models);
    return ok;
}

/* Returns the checkpoint's options, with enough sentences at once to keep the device busy. */
static struct search_options default_search(const struct session *session)
{
    struct search_options search = search_defaults(session_config(session));
    search.batch = session->opened.backend->batch;
    return search;
}

/* The available languages belong to the model, as do the defaults of the search. */
static void take_search(struct session *session, const struct search_options *search)
{
    const struct config *config = session_config(session);
    session->defaults.search = default_search(session);
    session->settings.search = *search;
    for (int side = 0; side < 2; side++)
        session->settings.language_names[side] = session->defaults.language_names[side] =
            (const char *const *)config->choices[side];
}

static bool open_parts(struct session *session, const struct session_spec *spec,
                       struct status *status)
{
    session->choice = spec->device;
    if (!open_models(session, spec, status))
        return false;
    session->loaded = session->models[0];
    if (session->opened.backend == &cpu_backend)
        session->choice.kind = DEVICE_CPU; // even if a GPU becomes free later
    session->defaults.threads = 0;
    session->defaults.figure = figure_defaults;
    session->defaults.study = study_defaults;
    session->defaults.attribution = attribution_defaults;
    session->settings = session->defaults;
    session->settings.threads = spec->threads;
    const struct search_options search = default_search(session);
    take_search(session, &search);
    session->keep_files = spec->keep_files;
    if (spec->dpi)
        session->settings.figure.dpi = spec->dpi;
    session->state.model = session->loaded->model;
    session->state.search = session->settings.search;
    session->state.head_settings = head_settings_copy(session->loaded->head_settings, status);
    return session->state.head_settings != NULL;
}

struct session *session_open(const struct session_spec *spec, struct status *status)
{
    struct session *session = memory_new(1, sizeof *session, status);
    if (!session)
        return NULL;
    if (!open_parts(session, spec, status)) {
        session_close(session);
        return NULL;
    }
    interrupt_watch(session->opened.backend, session->opened.device);
    return session;
}

static void forget_left(struct session *session)
{
    pair_free(session->left.pair);
    if (session->left.testset != session->testset)
        testset_close(session->left.testset);
    free(session->left.looked_at);
    session->left = (struct left_place){0};
}

void session_release(struct session *session)
{
    session_take(session, NULL);
    session_take_testset(session, NULL);
    forget_left(session);
    testset_close(session->typed);
    result_cache_free(&session->cache);
    shards_close(session->shards);
    head_settings_free(session->state.head_settings);
    free(session->shown);
    free(session->looked_at);
    states_free(&session->states);
    while (session->model_count > 1)
        session_unload(session);
}

void session_close(struct session *session)
{
    if (!session)
        return;
    interrupt_watch(NULL, NULL);
    session_release(session);
    while (session->model_count > 0)
        session_unload(session);
    free(session->models);
    close_device(&session->opened);
    free(session);
}

struct loaded *session_load(struct session *session, const char *path, struct status *status)
{
    struct loaded *loaded = add_model(session, path, NULL, status);
    if (!loaded)
        return NULL;
    loaded->model = put_on_device(session, loaded, &session->opened, status);
    // Ctrl-C may have cut short the transfer of weights.
    if (loaded->model && interrupt_check(status))
        return loaded;
    session_unload(session);
    return NULL;
}

void session_unload(struct session *session)
{
    loaded_close(session->models[--session->model_count]);
}

/* The current sentence ------------------------------------------------------------------------- */

void session_take(struct session *session, struct sentence_pair *pair)
{
    pair_free(session->current);
    session->current = pair;
}

void session_take_testset(struct session *session, struct testset *testset)
{
    if (session->testset != session->left.testset)
        testset_close(session->testset);
    session->testset = testset;
}

void session_leave(struct session *session)
{
    forget_left(session);
    if (!session->current)
        return;
    // If memory is too short for the view, the sentence's first view is shown again.
    session->left =
        (struct left_place){pair_hold(session->current), session->testset, session->among_typed,
                            session->looked_at ? strdup(session->looked_at) : NULL};
}

bool session_back(struct session *session, struct status *status)
{
    const struct left_place left = session->left;
    if (!left.pair)
        return status_fail(
            status, STATUS_INVALID,
            "nothing to go back to: expected a sentence, and a test set opened after it");
    // Looked up again, as more sentences may have been typed since.
    if (left.among_typed && !testset_return(&session->typed, left.pair->text, status))
        return false;
    session_take(session, left.pair);
    session_take_testset(session, left.testset);
    session->among_typed = left.among_typed;
    free(session->looked_at);
    session->looked_at = left.looked_at;
    session->left = (struct left_place){0};
    return session_current(session, status);
}

struct token_list session_rows(const struct session *session, const struct sentence_pair *pair,
                               enum module module)
{
    bool predicted = module == MODULE_CROSS && session->settings.cross_rows == CROSS_ROWS_PREDICTED;
    return predicted ? pair_predicted(pair) : pair_rows(pair, module);
}

const struct sentence_pair *session_current(struct session *session, struct status *status)
{
    if (!session->current) {
        status_fail(status, STATUS_INVALID, "no sentence yet: give one first");
        return NULL;
    }
    if (pair_holds(session->current, &session->state))
        return session->current;
    struct sentence_pair *again = pair_again(&session->state, session->current, status);
    if (again)
        session_take(session, again);
    return again;
}

/* States --------------------------------------------------------------------------------------- */

struct state saved_state_parts(const struct saved_state *state)
{
    return (struct state){state->loaded->model, state->head_settings, state->search};
}

struct study_context session_study(struct session *session, const struct watch *watch)
{
    return (struct study_context){session->state, &session->cache, watch, session->shards};
}

struct study_context session_study_in(struct session *session, const struct saved_state *state,
                                      const struct watch *watch)
{
    return (struct study_context){saved_state_parts(state), &session->cache, watch,
                                  session->shards};
}

struct loaded *session_loaded(const struct session *session, const struct checkpoint *checkpoint)
{
    for (int i = 0; i < session->model_count; i++)
        if (session->models[i]->checkpoint == checkpoint)
            return session->models[i];
    return NULL;
}

struct session session_under(const struct session *session, const struct saved_state *state,
                             struct sentence_pair *pair)
{
    struct session other = *session;
    other.loaded = state->loaded;
    other.state = saved_state_parts(state);
    take_search(&other, &state->search);
    other.current = pair;
    return other;
}

/* Makes the current sentence again under `next`. True, with NULL, if there is none. */
static bool do_again(struct session *session, const struct saved_state *next,
                     struct sentence_pair **again, struct status *status)
{
    struct state state = saved_state_parts(next);
    *again = NULL;
    if (!session->current)
        return true;
    // The current sentence must first match the present state.
    if (session_current(session, status))
        *again = pair_again(&state, session->current, status);
    return *again != NULL;
}

/* All changes go through here. Takes next->head_settings, also on failure. */
static bool change(struct session *session, const struct saved_state *next, enum leaving leaving,
                   struct sentence_pair **before, struct status *status)
{
    struct sentence_pair *again;
    if (before)
        *before = NULL;
    if (session->aside) {
        head_settings_free(next->head_settings);
        return status_fail(status, STATUS_BUSY, "a command is at work in this state");
    }
    if (!states_prepare(session, status) || !do_again(session, next, &again, status)) {
        head_settings_free(next->head_settings);
        return false;
    }
    states_leave(session, next, leaving);
    session->loaded = next->loaded;
    session->state = saved_state_parts(next);
    take_search(session, &next->search);
    if (before) {
        *before = session->current;
        session->current = NULL;
    }
    session_take(session, again);
    return true;
}

static bool go(struct session *session, const struct saved_state *state, enum leaving leaving,
               struct sentence_pair **before, struct status *status)
{
    struct saved_state next = *state;
    next.head_settings = head_settings_copy(state->head_settings, status);
    return next.head_settings && change(session, &next, leaving, before, status);
}

bool session_go(struct session *session, const struct saved_state *state,
                struct sentence_pair **before, struct status *status)
{
    return go(session, state, LEAVE_CHANGED, before, status);
}

bool session_undo(struct session *session, struct sentence_pair **before, struct status *status)
{
    struct saved_state state;
    if (!states_before(session, &state))
        return status_fail(status, STATUS_INVALID, "nothing to undo: there is no earlier change");
    return go(session, &state, LEAVE_UNDONE, before, status);
}

bool session_redo(struct session *session, struct sentence_pair **before, struct status *status)
{
    struct saved_state state;
    if (!states_after(session, &state))
        return status_fail(status, STATUS_INVALID, "nothing to redo: no change was undone");
    return go(session, &state, LEAVE_REDONE, before, status);
}

bool session_change_head_settings(struct session *session, struct head_settings *head_settings,
                                  struct sentence_pair **before, struct status *status)
{
    struct saved_state next = states_current(session);
    next.head_settings = head_settings;
    return change(session, &next, LEAVE_CHANGED, before, status);
}

/* Threads belong to the device. Another device is opened, and the models put there, before the old
 * one closes. A GPU has no CPU threads. */
static bool change_threads(struct session *session, int threads, struct status *status)
{
    struct opened_device opened;
    if (session->opened.backend != &cpu_backend)
        return true; // the setting is kept for later
    struct model **models = memory_new(session->model_count, sizeof(struct model *), status);
    bool ok = models && place_models(session, threads, &opened, models, status);
    if (ok) {
        interrupt_watch(opened.backend, opened.device);
        for (int i = 0; i < session->model_count; i++) {
            model_close(session->models[i]->model);
            session->models[i]->model = models[i];
        }
        close_device(&session->opened);
        session->opened = opened;
        session->state.model = session->loaded->model;
        session->settings.threads = threads;
    }
    free(models);
    return ok;
}

static bool change_search(struct session *session, const struct search_options *search,
                          struct sentence_pair **before, struct status *status)
{
    struct saved_state next = states_current(session);
    next.search = *search;
    return session_go(session, &next, before, status);
}

bool session_change_settings(struct session *session, const struct settings *settings,
                             struct sentence_pair **before, struct status *status)
{
    if (before)
        *before = NULL;
    if (settings->threads != session->settings.threads &&
        !change_threads(session, settings->threads, status))
        return false;
    if (!search_equal(&settings->search, &session->state.search) &&
        !change_search(session, &settings->search, before, status))
        return false;
    session->settings = *settings;
    session->state.search = settings->search;
    return true;
}

/* Studies in parts ----------------------------------------------------------------------------- */

/* Describes what the results of all models depend on. The devices of single models (model_device)
 * differ in whether they use integers, which not every model has. */
static void describe_device(const struct session *session, char text[DEVICE_TEXT])
{
    const struct opened_device *opened = &session->opened;
    struct device_info info;
    bool integers = false;
    opened->backend->info(opened->device, &info);
    for (int i = 0; i < session->model_count; i++)
        integers |= checkpoint_has_integers(session->models[i]->checkpoint);
    if (info.precision == PRECISION_INT8 && !integers)
        info.precision = PRECISION_FP32;
    device_describe(opened->backend, &info, text);
}

bool session_take_shard(struct session *session, const char *folder, int part, int count,
                        struct status *status)
{
    char device[DEVICE_TEXT];
    describe_device(session, device);
    const struct shards_spec spec = {folder, part, count, device};
    session->shards = shards_open_one(&spec, &progress_watch, status);
    return session->shards != NULL;
}

bool session_merge(struct session *session, const char *const *paths, int count,
                   struct status *status)
{
    char device[DEVICE_TEXT];
    describe_device(session, device);
    if (shards_divided(session->shards))
        return status_fail(status, STATUS_INVALID,
                           "merge: this session works on part %d of %d, expected one without "
                           "--shard",
                           shards_spec(session->shards)->part, shards_spec(session->shards)->count);
    struct shards *shards = shards_open_merge(device, status);
    bool ok = shards != NULL;
    for (int i = 0; ok && i < count; i++)
        ok = shards_merge(shards, paths[i], &progress_watch, status);
    if (!ok) {
        shards_close(shards);
        return false;
    }
    shards_close(session->shards);
    session->shards = shards;
    return true;
}
