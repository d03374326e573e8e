/* Tables of what a session holds: states and settings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/arguments.h"
#include "tui/describe.h"
#include "tui/plain.h"
#include "tui/screen/sheet_results.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* A name that a line cannot hold goes to nothing. */
static bool put_model_command(struct sheet *sheet, const char *name, struct status *status)
{
    struct text_stream stream;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            return true;
    if (!text_begin(&stream, status))
        return false;
    fputs(":model ", stream.out);
    arguments_quote(stream.out, name);
    return text_command(&stream, sheet, status);
}

/* Heads in words; taken. */
static bool put_heads(struct sheet *sheet, int column, char *heads, struct status *status)
{
    bool ok = heads ? sheet_put_text(sheet, column, heads, status)
                    : status_fail(status, STATUS_MEMORY, "out of memory");
    free(heads);
    return ok;
}

static bool put_search_settings(struct sheet *sheet, int column, const struct session *session,
                                struct status *status)
{
    struct text_stream stream;
    if (!text_begin(&stream, status))
        return false;
    plain_search(stream.out, session, "");
    return text_cell(&stream, sheet, column, NAN, status);
}

static bool put_state(struct sheet *sheet, const struct session *session,
                      const struct saved_state *state, bool here, struct status *status)
{
    struct session other = session_under(session, state, NULL);
    return sheet_row(sheet, status) && sheet_put_text(sheet, 0, here ? "*" : "", status) &&
           sheet_put_text(sheet, 1, state->name, status) &&
           put_heads(sheet, 2, describe_heads(&other, head_off), status) &&
           put_heads(sheet, 3, describe_heads(&other, head_changed), status) &&
           put_search_settings(sheet, 4, &other, status) &&
           sheet_put_text(sheet, 5, state->loaded->path, status);
}

bool sheet_of_states(struct sheet *sheet, const struct session *session,
                     const struct result *result, struct status *status)
{
    static const struct sheet_column columns[] = {
        {.title = ""},        {.title = "state"},  {.title = "off"},
        {.title = "changed"}, {.title = "search"}, {.title = "model"},
    };
    struct saved_state current = states_current(session);
    bool named = false;
    (void)result;
    if (!sheet_begin(sheet, columns, COUNT(columns), status))
        return false;
    for (int i = 0; i < states_count(session); i++) {
        struct saved_state state = states_get(session, i);
        bool same = states_equal(&state, &current);
        named |= same;
        if (!put_state(sheet, session, &state, same, status) ||
            !put_model_command(sheet, state.name, status))
            return false;
    }
    return named || put_state(sheet, session, &current, true, status);
}

/* Settings --------------------------------------------------------------------------------------- */

static bool put_value(struct sheet *sheet, int column, const struct setting *setting,
                      const struct settings *settings, struct status *status)
{
    struct text_stream stream;
    const char *quote = setting->type == SETTING_TEXT ? "\"" : "";
    if (!text_begin(&stream, status))
        return false;
    fputs(quote, stream.out);
    setting_write(setting, settings, false, stream.out);
    fputs(quote, stream.out);
    return text_cell(&stream, sheet, column, NAN, status);
}

static bool put_range(struct sheet *sheet, int column, const struct setting *setting,
                      struct status *status)
{
    struct text_stream stream;
    if (!text_begin(&stream, status))
        return false;
    setting_write_range(setting, stream.out);
    return text_cell(&stream, sheet, column, NAN, status);
}

bool sheet_of_settings(struct sheet *sheet, const struct session *session,
                       const struct result *result, struct status *status)
{
    static const struct sheet_column columns[] = {
        {.title = "setting"}, {.title = "value"}, {.title = "default"},
        {.title = "meaning"}, {.title = "range"},
    };
    (void)result;
    if (!sheet_begin(sheet, columns, COUNT(columns), status))
        return false;
    for (int i = 0; i < setting_count; i++) {
        const struct setting *setting = &setting_table[i];
        if (!sheet_row(sheet, status) || !sheet_put_text(sheet, 0, setting->name, status) ||
            !put_value(sheet, 1, setting, &session->settings, status) ||
            !put_value(sheet, 2, setting, &session->defaults, status) ||
            !sheet_put_text(sheet, 3, setting->help, status) ||
            !put_range(sheet, 4, setting, status))
            return false;
    }
    return true;
}
