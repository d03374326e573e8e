#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "terminal/text/arguments.h"
#include "terminal/text/nearest.h"

enum { LONGEST_NAME = 100 }; // bytes

static void clear_state(struct saved_state *state)
{
    head_settings_free(state->head_settings);
    *state = (struct saved_state){0};
}

static void clear_named(struct saved_state *state)
{
    free((char *)state->name);
    clear_state(state);
}

static void clear_line(struct state_line *line)
{
    while (line->count > 0)
        clear_state(&line->states[--line->count]);
}

void states_free(struct states *states)
{
    for (int i = 0; i < states->count; i++)
        clear_named(&states->named[i]);
    free(states->named);
    clear_line(&states->past);
    clear_line(&states->future);
    free(states->past.states);
    free(states->future.states);
    *states = (struct states){0};
}

int states_count(const struct session *session)
{
    return session->model_count + session->states.count + (session->states.past.count > 0);
}

static struct saved_state model_state(struct loaded *loaded)
{
    return (struct saved_state){loaded_name(loaded), loaded, loaded->head_settings,
                                search_defaults(loaded->checkpoint->config)};
}

static struct saved_state *newest(const struct state_line *line)
{
    return &line->states[line->count - 1];
}

/* The number of sentences at once is not part of a state: it changes no result. */
static struct saved_state with_batch(const struct session *session, struct saved_state state)
{
    state.search.batch = session->settings.search.batch;
    return state;
}

struct saved_state states_get(const struct session *session, int index)
{
    const struct states *states = &session->states;
    int named = index - session->model_count;
    struct saved_state state = named < 0               ? model_state(session->models[index])
                               : named < states->count ? states->named[named]
                                                       : *newest(&states->past);
    return with_batch(session, state);
}

static bool find_newest(const struct session *session, const struct state_line *line,
                        struct saved_state *out)
{
    if (line->count > 0)
        *out = with_batch(session, *newest(line));
    return line->count > 0;
}

bool states_before(const struct session *session, struct saved_state *out)
{
    return find_newest(session, &session->states.past, out);
}

bool states_after(const struct session *session, struct saved_state *out)
{
    return find_newest(session, &session->states.future, out);
}

struct saved_state states_current(const struct session *session)
{
    return (struct saved_state){STATE_CURRENT, session->loaded, session->state.head_settings,
                                session->state.search};
}

bool states_equal(const struct saved_state *a, const struct saved_state *b)
{
    return a->loaded == b->loaded && head_settings_equal(a->head_settings, b->head_settings) &&
           search_equal(&a->search, &b->search);
}

/* Names ---------------------------------------------------------------------------------------- */

static bool is_reserved(const char *name)
{
    return strcmp(name, STATE_BEFORE) == 0 || strcmp(name, STATE_CURRENT) == 0;
}

/* The ways in which a name can mean state `index`, the most certain first. */
static bool is_path(const struct session *session, int index, const char *name)
{
    return index < session->model_count && strcmp(session->models[index]->path, name) == 0;
}

static bool is_name(const struct session *session, int index, const char *name)
{
    return strcmp(states_get(session, index).name, name) == 0;
}

static bool is_beginning(const struct session *session, int index, const char *name)
{
    return begins_with(states_get(session, index).name, name) ||
           (index < session->model_count && begins_with(session->models[index]->path, name));
}

/* A model's file without its ending: then "en-de" does not also mean "en-de-context.bin". */
static bool is_stem(const struct session *session, int index, const char *name)
{
    const char *file = states_get(session, index).name;
    size_t bytes = strlen(name);
    return index < session->model_count && begins_with(file, name) && file[bytes] == '.' &&
           !strchr(file + bytes + 1, '.');
}

typedef bool match(const struct session *session, int index, const char *name);

/* Returns how many states the name may mean; *out is the first. */
static int count_matches(const struct session *session, match *matches, const char *name,
                         struct saved_state *out)
{
    int found = 0;
    for (int i = 0; i < states_count(session); i++)
        if (matches(session, i, name) && found++ == 0)
            *out = states_get(session, i);
    return found;
}

/* Finds a state by a reserved name. */
static bool find_reserved(const struct session *session, const char *name, struct saved_state *out,
                          struct status *status)
{
    if (strcmp(name, STATE_CURRENT) == 0) {
        *out = states_current(session);
        return true;
    }
    return states_before(session, out) ||
           status_fail(status, STATUS_INVALID, STATE_BEFORE ": nothing has been changed yet");
}

bool states_find(const struct session *session, const char *name, struct saved_state *out,
                 struct status *status)
{
    static match *const ways[] = {is_path, is_name, is_stem, is_beginning};
    int found = 0;
    if (is_reserved(name))
        return find_reserved(session, name, out, status);
    for (size_t i = 0; *name && !found && i < sizeof ways / sizeof *ways; i++)
        found = count_matches(session, ways[i], name, out);
    if (found == 1)
        return true;
    struct nearest nearest = {.typed = name};
    for (int i = 0; !found && i < states_count(session); i++)
        nearest_try(&nearest, states_get(session, i).name);
    if (nearest.name)
        return status_fail(status, STATUS_INVALID, "unknown state \"%s\": did you mean %s?",
                           QUOTED(name), QUOTED(nearest.name));
    return status_fail(status, STATUS_INVALID, "%s \"%s\": `:state` lists the states",
                       found ? "ambiguous state" : "unknown state", QUOTED(name));
}

const char *states_model_name(const struct session *session, const struct loaded *loaded)
{
    const char *name = loaded_name(loaded);
    struct saved_state unused;
    return !is_reserved(name) && count_matches(session, is_path, name, &unused) == 0 &&
                   count_matches(session, is_name, name, &unused) == 1
               ? name
               : loaded->path;
}

static bool check_name(const struct session *session, const char *name, struct status *status)
{
    if (!*name)
        return status_fail(status, STATUS_INVALID, "the name is empty: expected a name");
    if (strlen(name) > LONGEST_NAME)
        return status_fail(status, STATUS_INVALID, "\"%s\": %zu bytes, expected at most %d",
                           QUOTED(name), strlen(name), LONGEST_NAME);
    if (is_reserved(name))
        return status_fail(status, STATUS_INVALID, "\"%s\" is reserved: expected another name",
                           name);
    for (int i = 0; i < session->model_count; i++)
        if (is_path(session, i, name) || is_name(session, i, name))
            return status_fail(status, STATUS_INVALID,
                               "\"%s\" is the file of a loaded model: expected another name",
                               QUOTED(name));
    return true;
}

static struct saved_state *find_named(struct states *states, const char *name)
{
    for (int i = 0; i < states->count; i++)
        if (strcmp(states->named[i].name, name) == 0)
            return &states->named[i];
    return NULL;
}

bool states_name(struct session *session, const char *name, struct status *status)
{
    struct states *states = &session->states;
    struct saved_state saved = states_current(session);
    if (session->aside)
        return status_fail(status, STATUS_BUSY, "a command is at work in these states");
    if (!check_name(session, name, status) ||
        !memory_grow((void **)&states->named, &states->capacity, (size_t)states->count + 1,
                     sizeof *states->named, status))
        return false;
    saved.name = strdup(name);
    saved.head_settings = head_settings_copy(session->state.head_settings, status);
    if (!saved.name || !saved.head_settings) {
        clear_named(&saved);
        return status_no_memory(status);
    }
    struct saved_state *place = find_named(states, name);
    if (place)
        clear_named(place);
    else
        place = &states->named[states->count++];
    *place = saved;
    return true;
}

static bool make_room(struct state_line *line, struct status *status)
{
    return memory_grow((void **)&line->states, &line->capacity, MOST_UNDONE, sizeof *line->states,
                       status);
}

bool states_prepare(struct session *session, struct status *status)
{
    return make_room(&session->states.past, status) && make_room(&session->states.future, status);
}

/* If the line is full, the furthest state makes room. Takes the head_settings. */
static void push(struct state_line *line, struct saved_state state)
{
    state.name = STATE_BEFORE;
    if (line->count == MOST_UNDONE) {
        clear_state(&line->states[0]);
        memmove(line->states, line->states + 1, (size_t)--line->count * sizeof *line->states);
    }
    line->states[line->count++] = state;
}

static void pop(struct state_line *line)
{
    clear_state(&line->states[--line->count]);
}

void states_leave(struct session *session, const struct saved_state *next, enum leaving leaving)
{
    struct states *states = &session->states;
    struct saved_state now = states_current(session);
    session->state.head_settings = NULL;
    if (leaving == LEAVE_UNDONE) {
        pop(&states->past);
        push(&states->future, now);
    } else if (leaving == LEAVE_REDONE) {
        pop(&states->future);
        push(&states->past, now);
    } else if (states_equal(&now, next)) {
        head_settings_free(now.head_settings);
    } else {
        clear_line(&states->future);
        push(&states->past, now);
    }
}

/* True if two paths lead to the same file. A path that leads nowhere is reported when it is
 * opened. */
static bool same_file(const char *a, const char *b)
{
    char *real_a = realpath(a, NULL), *real_b = realpath(b, NULL);
    bool same = real_a && real_b && strcmp(real_a, real_b) == 0;
    free(real_a);
    free(real_b);
    return same;
}

bool states_admit(const struct session *session, const char *path, struct status *status)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (is_reserved(path))
        return status_fail(
            status, STATUS_INVALID,
            "%s: reserved as the name of a state: expected ./%s for a file of this name", path,
            path);
    for (int i = 0; i < session->model_count; i++)
        if (same_file(session->models[i]->path, path))
            return status_fail(status, STATUS_INVALID,
                               "%s: already loaded, `:model` switches to it", QUOTED_PATH(path));
    for (int i = 0; i < session->states.count; i++) {
        const char *taken = session->states.named[i].name;
        if (strcmp(taken, name) == 0 || strcmp(taken, path) == 0)
            return status_fail(status, STATUS_INVALID,
                               "%s: a state has this name: expected a file of another name",
                               QUOTED_PATH(path));
    }
    return true;
}
