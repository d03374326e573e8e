/* States as JSON. */
#include "tui/describe.h"
#include "tui/json.h"

static void write_state(struct json_writer *json, const struct session *session,
                        const struct saved_state *state)
{
    struct session other = session_under(session, state, NULL);
    put_member_string(json, "state", state->name);
    put_member_string(json, "model", state->loaded->path);
    put_key(json, "disabled");
    put_heads_off(json, &other);
    put_key(json, "changed");
    put_heads_changed(json, &other);
    put_key(json, "search");
    put_search(json, &state->search);
}

void json_state(struct json_writer *json, const struct session *session,
                const struct result *result)
{
    struct saved_state current = states_current(session);
    current.name = result->state.name;
    write_state(json, session, &current);
    json_change(json, result->state.before, session->subject);
}

static void write_entry(struct json_writer *json, const struct session *session,
                        const struct saved_state *state, bool current)
{
    put_object(json);
    write_state(json, session, state);
    put_member_bool(json, "current", current);
    put_object_end(json);
}

void json_states(struct json_writer *json, const struct session *session,
                 const struct result *result)
{
    (void)result;
    struct saved_state current = states_current(session);
    bool named = false;
    put_key(json, "states");
    put_array(json);
    for (int i = 0; i < states_count(session); i++) {
        struct saved_state state = states_get(session, i);
        bool same = states_equal(&state, &current);
        named |= same;
        write_entry(json, session, &state, same);
    }
    if (!named)
        write_entry(json, session, &current, true);
    put_array_end(json);
}
