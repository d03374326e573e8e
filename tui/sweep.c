#include "tui/sweep.h"

#include <stdlib.h>

/* A session in each of the states that are not the same, and their translations. */
struct work {
    struct session *sessions;   // (count)
    struct translating *states; // (count)
    int count;
};

static bool is_new(const struct sweep *sweep, int index)
{
    for (int i = 0; i < index; i++)
        if (sweep->made[i] == sweep->made[index])
            return false;
    return true;
}

bool sweep_open(struct session *session, struct sweep *sweep, struct status *status)
{
    struct saved_state state = states_current(session);
    sweep->made = memory_new((size_t)sweep->count, sizeof(struct translated *), status);
    if (!sweep->made)
        return false;
    translations_want(&session->translations, sweep->count + sweep->kept);
    for (int i = 0; i < sweep->count; i++) {
        state.dials = sweep->dials[i];
        sweep->made[i] = translations_get(&session->translations, &state, sweep->sources, status);
        if (!sweep->made[i])
            return false;
    }
    return true;
}

void sweep_free(struct sweep *sweep)
{
    free(sweep->made);
    sweep->made = NULL;
}

static bool open_states(const struct session *session, const struct sweep *sweep, struct work *work,
                        struct status *status)
{
    size_t count = (size_t)sweep->count;
    struct saved_state state = states_current(session);
    work->sessions = memory_new(count, sizeof *work->sessions, status);
    work->states = memory_new(count, sizeof *work->states, status);
    for (int i = 0; work->sessions && work->states && i < sweep->count; i++) {
        if (!is_new(sweep, i))
            continue;
        state.dials = sweep->dials[i];
        work->sessions[work->count] = session_under(session, &state, NULL);
        work->states[work->count] = (struct translating){.session = &work->sessions[work->count],
                                                         .path = sweep->path,
                                                         .lines = sweep->sources,
                                                         .texts = sweep->made[i]->texts};
        work->count++;
    }
    return work->sessions && work->states;
}

static bool translate(struct work *work, const struct follower *follower, struct status *status)
{
    struct translating *states = work->states;
    const struct lines *lines = states[0].lines;
    int step = translating_step(states[0].session, work->count);
    double tokens = 0;
    struct progress progress;
    if (!translating_measure(states, work->count, &tokens, status))
        return false;
    progress_begin(&progress, "translating", "sentences", tokens);
    states[0].progress = &progress;
    states[0].follower = follower;
    for (int first = 0; first < lines->count; first += step) {
        int left = lines->count - first;
        if (!translating_chunk(states, work->count, first, first + (left < step ? left : step),
                               status))
            return false;
    }
    return true;
}

bool sweep_translate(struct session *session, struct sweep *sweep, const struct follower *follower,
                     struct status *status)
{
    struct work work = {0};
    bool ok = open_states(session, sweep, &work, status) && translate(&work, follower, status);
    for (int i = 0; i < work.count; i++)
        sweep->tokens += work.states[i].tokens;
    free(work.sessions);
    free(work.states);
    return ok;
}

const char *const **sweep_texts(const struct sweep *sweep, struct status *status)
{
    const char *const **texts =
        memory_new((size_t)sweep->count, sizeof(const char *const *), status);
    for (int i = 0; texts && i < sweep->count; i++)
        texts[i] = (const char *const *)sweep->made[i]->texts;
    return texts;
}

void sweep_leave(struct session *session, const struct sweep *sweep)
{
    int most = SWEEP_TEXTS_KEPT / (sweep->sources->count + 1);
    struct saved_state state = states_current(session);
    if (sweep->count <= most)
        return;
    state.dials = sweep->dials[0];
    translations_touch(&session->translations, &state, sweep->sources);
    translations_want(&session->translations, most);
}
