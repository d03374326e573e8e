/* Models and states: `:load`, `:model`, `:state`, `:undo`, `:redo`. */
#include <stdlib.h>

#include "model/net/quote.h"
#include "tui/command.h"

static bool list(const struct request *request, struct result *result, struct status *status)
{
    if (!no_more_words(request, 1, status))
        return false;
    result->kind = RESULT_STATES;
    return true;
}

/* Goes to a state; the result tells what that did. */
static bool go(struct session *session, const struct saved_state *state, struct result *result,
               struct status *status)
{
    char *name = copy_text(state->name, status);
    if (!name)
        return false;
    result->kind = RESULT_STATE;
    result->state.name = name;
    if (session_go(session, state, &result->state.before, status))
        return true;
    result_free(result);
    return false;
}

COMMAND(model)
{
    struct saved_state state;
    if (request->words.count != 1)
        return list(request, result, status);
    return states_find(session, request->words.text[0], &state, status) &&
           go(session, &state, result, status);
}

COMMAND(load)
{
    if (!no_more_words(request, 1, status))
        return false;
    if (request->words.count == 0)
        return status_fail(status, STATUS_INVALID, "expected FILE");
    const char *path = request->words.text[0];
    if (!session_load(session, path, status))
        return false;
    struct saved_state state = states_get(session, session->model_count - 1);
    if (go(session, &state, result, status))
        return true;
    // Not the file is at fault: the sentence at hand is one that this model cannot translate.
    session_unload(session);
    return status_prefix(status, "%s", QUOTED_PATH(path));
}

COMMAND(state)
{
    if (request->words.count != 1)
        return list(request, result, status);
    const char *name = request->words.text[0];
    char *copy = copy_text(name, status);
    if (!copy || !states_name(session, name, status)) {
        free(copy);
        return false;
    }
    result->kind = RESULT_STATE;
    result->state.name = copy;
    return true;
}

typedef bool walk(struct session *session, struct subject **before, struct status *status);

static bool walk_changes(struct session *session, const struct request *request, walk *walk_to,
                         struct result *result, struct status *status)
{
    if (!no_more_words(request, 0, status))
        return false;
    char *name = copy_text(STATE_CURRENT, status);
    if (!name)
        return false;
    result->kind = RESULT_STATE;
    result->state.name = name;
    if (walk_to(session, &result->state.before, status))
        return true;
    result_free(result);
    return false;
}

COMMAND(undo)
{
    return walk_changes(session, request, session_undo, result, status);
}

COMMAND(redo)
{
    return walk_changes(session, request, session_redo, result, status);
}
