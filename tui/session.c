#include "tui/session.h"

#include <stdlib.h>
#include <string.h>

#include "tui/interrupt.h"

static void close_device(struct opened_device *opened)
{
    if (opened->device)
        opened->backend->close(opened->device);
    opened->device = NULL;
}

static void loaded_close(struct loaded *loaded)
{
    if (!loaded)
        return;
    model_close(loaded->model);
    checkpoint_close(loaded->checkpoint);
    free(loaded->path);
    free(loaded);
}

/* Checks the whole file before a device is asked for. */
static struct loaded *loaded_open(const char *path, struct status *status)
{
    struct loaded *loaded = memory_new(1, sizeof *loaded, status);
    if (!loaded)
        return NULL;
    loaded->path = strdup(path);
    if (!loaded->path)
        status_fail(status, STATUS_MEMORY, "out of memory");
    else
        loaded->checkpoint = checkpoint_open(path, status);
    if (loaded->checkpoint)
        return loaded;
    loaded_close(loaded);
    return NULL;
}

const char *loaded_digest(struct loaded *loaded, struct status *status)
{
    char digest[sizeof loaded->digest];
    if (*loaded->digest)
        return loaded->digest;
    if (!checkpoint_digest(loaded->checkpoint, digest, status))
        return NULL;
    memcpy(loaded->digest, digest, sizeof digest);
    return loaded->digest;
}

/* A device of its own with the model on it. */
static bool place_model(struct session *session, int threads, struct opened_device *opened,
                        struct model **model, struct status *status)
{
    if (!device_open(&session->choice, threads, opened, status))
        return false;
    *model = model_open(session->loaded->checkpoint, opened->backend, opened->device, status);
    if (*model)
        return true;
    close_device(opened);
    return false;
}

static bool open_parts(struct session *session, const struct session_spec *spec,
                       struct status *status)
{
    session->choice = spec->device;
    session->loaded = loaded_open(spec->path, status);
    if (!session->loaded ||
        !place_model(session, spec->threads, &session->opened, &session->loaded->model, status))
        return false;
    session->defaults.search = search_defaults(session_config(session));
    session->defaults.threads = 0;
    session->defaults.figure = figure_defaults;
    session->settings = session->defaults;
    session->settings.threads = spec->threads;
    if (spec->dpi)
        session->settings.figure.dpi = spec->dpi;
    session->state.model = session->loaded->model;
    session->state.search = session->settings.search;
    session->state.dials = dials_copy(model_dials(session->loaded->model), status);
    return session->state.dials != NULL;
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

void session_close(struct session *session)
{
    if (!session)
        return;
    interrupt_watch(NULL, NULL);
    subject_free(session->subject);
    dials_free(session->state.dials);
    free(session->shown);
    loaded_close(session->loaded);
    close_device(&session->opened);
    free(session);
}

void session_take(struct session *session, struct subject *subject)
{
    subject_free(session->subject);
    session->subject = subject;
}

const struct subject *session_subject(struct session *session, struct status *status)
{
    if (!session->subject) {
        status_fail(status, STATUS_INVALID, "no sentence yet: give one first");
        return NULL;
    }
    if (subject_holds(session->subject, &session->state))
        return session->subject;
    struct subject *again = subject_again(&session->state, session->subject, status);
    if (again)
        session_take(session, again);
    return again;
}

bool session_change_dials(struct session *session, struct dials *dials, struct subject **before,
                          struct status *status)
{
    struct subject *again = NULL;
    if (before)
        *before = NULL;
    if (session->subject) {
        struct state state = session->state;
        state.dials = dials;
        // What it was must be what the state until now makes of it.
        if (session_subject(session, status))
            again = subject_again(&state, session->subject, status);
        if (!again) {
            dials_free(dials);
            return false;
        }
    }
    dials_free(session->state.dials);
    session->state.dials = dials;
    if (before) {
        *before = session->subject;
        session->subject = NULL;
    }
    session_take(session, again);
    return true;
}

/* Threads belong to the device: another one is opened, and the model put there, before the old ones go. */
static bool change_threads(struct session *session, int threads, struct status *status)
{
    struct opened_device opened;
    struct model *model;
    if (!place_model(session, threads, &opened, &model, status))
        return false;
    interrupt_watch(opened.backend, opened.device);
    model_close(session->loaded->model);
    close_device(&session->opened);
    session->opened = opened;
    session->loaded->model = session->state.model = model;
    return true;
}

bool session_change_settings(struct session *session, const struct settings *settings,
                             struct status *status)
{
    if (settings->threads != session->settings.threads &&
        !change_threads(session, settings->threads, status))
        return false;
    session->settings = *settings;
    session->state.search = settings->search;
    return true;
}
