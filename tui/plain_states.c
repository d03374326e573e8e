/* States as plain text. */
#include "tui/commands.h"
#include "tui/describe.h"
#include "tui/display.h"
#include "tui/plain.h"

void plain_search(FILE *stream, const struct session *session, const char *title)
{
    const char *separator = title;
    for (int i = 0; i < setting_count; i++) {
        const struct setting *setting = &setting_table[i];
        if (!setting_of_state(setting) ||
            setting_equal(setting, &session->settings, &session->defaults))
            continue;
        fprintf(stream, "%s%s ", separator, setting->name);
        setting_write(setting, &session->settings, false, stream);
        separator = ", ";
    }
    if (separator[0] == ',')
        fputc('\n', stream);
}

/* A state's name, its model, and what it changes of what the model's file has. */
static void print_state(FILE *stream, const struct session *session,
                        const struct saved_state *state, const char *mark)
{
    struct session other = session_under(session, state, NULL);
    fputs(mark, stream);
    display_write(stream, state->name);
    fputs("  (", stream);
    display_write(stream, state->loaded->path);
    fputs(")\n", stream);
    plain_heads(stream, &other, "      ");
    plain_search(stream, &other, "      search: ");
}

void plain_states(struct sink *sink, const struct session *session, const struct result *result)
{
    (void)result;
    struct saved_state current = states_current(session);
    bool named = false;
    for (int i = 0; i < states_count(session); i++) {
        struct saved_state state = states_get(session, i);
        bool same = states_equal(&state, &current);
        named |= same;
        print_state(sink->stream, session, &state, same ? "* " : "  ");
    }
    if (!named)
        print_state(sink->stream, session, &current, "* ");
}

void plain_state(struct sink *sink, const struct session *session, const struct result *result)
{
    struct saved_state current = states_current(session);
    current.name = result->state.name;
    if (sink->interactive)
        print_state(sink->stream, session, &current, "* ");
    plain_change(sink, result->state.before, session->subject);
}
