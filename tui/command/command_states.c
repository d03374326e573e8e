/* Models and states: `:load`, `:model`, `:state`, `:undo`, `:redo`. */
#include <stdlib.h>

#include "model/text/quote.h"
#include "report/origins.h"
#include "session/model_folders.h"
#include "terminal/text/arguments.h"
#include "tui/command/command.h"

enum { NAME };
static const struct argument of_state[] = {
    [NAME] = {"NAME", .kind = ARGUMENT_STATE},
};
static const struct argument model_file[] = {
    [NAME] = {"FILE|NAME", .kind = ARGUMENT_MODEL, .required = true},
};

/* Reports -------------------------------------------------------------------------------------- */

/* Members of JSON with the differences from the model's file. */
enum { STATE_MEMBERS = 3 };
static const char *const member_keys[STATE_MEMBERS] = {"disabled", "changed", "search"};

static struct value member_value(struct report *report, const struct session *session, int member)
{
    return member == 0   ? heads_off_value(report, session)
           : member == 1 ? heads_changed_value(report, session)
                         : search_value(report, session);
}

static const struct column columns[] = {
    {.title = "", .least = 1},
    {.key = "state", .title = "state"},
    {.key = "model"},
    {.key = "disabled"},
    {.key = "changed"},
    {.key = "search"},
    {.key = "current"},
    {.title = "off", .type = COLUMN_SENTENCE},
    {.title = "changed", .type = COLUMN_SENTENCE},
    {.title = "search", .type = COLUMN_SENTENCE},
    {.title = "model"},
};

static struct table *begin_table(struct report *report, unsigned in)
{
    struct table *table = report_table(report, in, "states", columns, COUNT(columns));
    table->style = TABLE_RECORDS;
    return table;
}

static void put_text_if_any(struct table *table, const char *text)
{
    table_put(table, value_text(*text ? text : NULL));
}

/* Puts a state's name, its model, and how it differs from the model's file. */
static void put_state(struct table *table, const struct session *session,
                      const struct saved_state *state, bool here)
{
    struct report *report = table->report;
    struct session other = session_under(session, state, NULL);
    const char *name = report_copy(report, state->name);
    table_add(table, value_text(here ? "*" : ""), value_text(name),
              value_text(state->loaded->path));
    for (int m = 0; m < STATE_MEMBERS; m++)
        table_put(table, member_value(report, &other, m));
    table_put(table, value_bool(here));
    put_text_if_any(table, report_heads_off(report, &other));
    put_text_if_any(table, report_heads_changed(report, &other));
    put_text_if_any(table, report_search(report, &other));
    table_put(table, value_text(state->loaded->path));
}

/* Enter goes to the state, unless its name does not fit in a line. */
static void enter_state(struct table *table, const char *name)
{
    struct report_writer writer;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            return;
    FILE *out = report_write(&writer, table->report);
    if (out)
        arguments_quote(out, name);
    table_enter(table, ":model %s", report_written(&writer));
}

static bool list(const struct session *session, struct report *report, struct status *status)
{
    struct table *table = begin_table(report, IN_JSON | FOR_PEOPLE);
    struct saved_state current = states_current(session);
    bool named = false;
    for (int i = 0; i < states_count(session); i++) {
        struct saved_state state = states_get(session, i);
        bool same = states_equal(&state, &current);
        named |= same;
        put_state(table, session, &state, same);
        enter_state(table, state.name);
    }
    if (!named)
        put_state(table, session, &current, true);
    return report_end(report, status);
}

/* Reports the present state under a name. */
static bool tell(const struct session *session, const char *name, struct sentence_pair *before,
                 struct report *report, struct status *status)
{
    struct saved_state current = states_current(session);
    current.name = report_copy(report, name);
    report_json(report, "name", value_text(current.name));
    for (int m = 0; m < STATE_MEMBERS; m++)
        report_json(report, member_keys[m], member_value(report, session, m));
    put_state(begin_table(report, IN_TEXT), session, &current, true);
    report_line(report, IN_SCREEN, "%s  (%s)", current.name, current.loaded->path);
    const bool other =
        session->current && before && session->current->checkpoint != before->checkpoint;
    report_change(report, session, before);
    if (other)
        report_unknown(report, session->current);
    return report_end(report, status);
}

/* Going ---------------------------------------------------------------------------------------- */

static bool go(struct session *session, const struct saved_state *state, struct report *report,
               struct status *status)
{
    struct sentence_pair *before = NULL;
    char *name = copy_text(state->name, status); // going drops the state `before`
    bool ok = name && session_go(session, state, &before, status) &&
              tell(session, name, before, report, status);
    free(name);
    return ok;
}

static bool run_model(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    struct saved_state state;
    const char *name = argument_text(request->given, NAME);
    if (!name)
        return list(session, report, status);
    return states_find(session, name, &state, status) && go(session, &state, report, status);
}

static bool load(struct session *session, const char *path, struct report *report,
                 struct status *status)
{
    if (!session_load(session, path, status))
        return false;
    struct saved_state state = states_get(session, session->model_count - 1);
    struct sentence_pair *before = NULL;
    char notice[NOTICE_BYTES];
    if (session_go(session, &state, &before, status)) {
        bool ok = tell(session, state.name, before, report, status);
        for (int i = 0; loaded_notice(state.loaded, i, notice); i++)
            report_warn(report, "%s", notice);
        return ok && report_end(report, status);
    }
    // The file is fine, but this model cannot translate the current sentence.
    session_unload(session);
    return status_prefix(status, "%s", QUOTED_PATH(path));
}

static bool run_load(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    char *path = model_find_path(argument_text(request->given, NAME), status);
    bool ok = path && load(session, path, report, status);
    free(path);
    return ok;
}

static bool run_state(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    const char *name = argument_text(request->given, NAME);
    if (!name)
        return list(session, report, status);
    return states_name(session, name, status) && tell(session, name, NULL, report, status);
}

/* Runs `:undo` and `:redo`. */
static bool run_walk(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    struct sentence_pair *before = NULL;
    return (request->command->which < 0 ? session_undo : session_redo)(session, &before, status) &&
           tell(session, STATE_CURRENT, before, report, status);
}

/* The commands --------------------------------------------------------------------------------- */

#define STATE_NOTE                                                                                 \
    "A state is a model with its head settings and its search settings. The name of a model's "    \
    "file is the state that the file describes, \"before\" is the state before the last change, "  \
    "\"current\" the present one."
#define AGAIN_NOTE "The current sentence is translated again."

static const char *const notes_of_state[] = {
    STATE_NOTE,
    "If another state has this name, the name moves to the current one.",
    NULL,
};

const struct command command_state = {
    .name = "state",
    .summary = "name the current state, or list the states",
    .arguments = ARGUMENT_LIST(of_state),
    .notes = notes_of_state,
    .examples = (const char *const[]){":disable enc head 8", ":state without8", ":state", NULL},
    .run = run_state,
    .group = GROUP_SESSION,
    .needs = NEEDS_SESSION,
};

static const char *const notes_of_undo[] = {
    "Each step is one change: of heads, masks and patterns, of the settings of the search, or "
    "of the model. The last 200 changes can be undone. \"before\" is the state that the next "
    ":undo returns to. A new change discards what was undone.",
    AGAIN_NOTE, NULL};

const struct command command_undo = {
    .name = "undo",
    .summary = "undo the last change of the state",
    .notes = notes_of_undo,
    .examples = (const char *const[]){":disable enc head 8", ":mask cross 1.1 backward", ":undo",
                                      ":undo", NULL},
    .run = run_walk,
    .which = -1,
    .group = GROUP_SESSION,
};

const struct command command_redo = {
    .name = "redo",
    .summary = "redo the change that was undone last",
    .notes = notes_of_undo,
    .examples =
        (const char *const[]){":disable enc head 8", ":undo", ":redo", ":undo", ":redo", NULL},
    .run = run_walk,
    .which = 1,
    .group = GROUP_SESSION,
};

static const struct help_item meanings_of_load[] = {
    {"NAME", "the name of a model that attnscope lists when it is started without arguments"},
    {NULL, NULL},
};
static const char *const notes_of_load[] = {
    AGAIN_NOTE " The other models stay loaded: :model switches back to them.",
    NULL,
};

const struct command command_load = {
    .name = "load",
    .summary = "load another model and switch to it",
    .arguments = ARGUMENT_LIST(model_file),
    .meanings = meanings_of_load,
    .notes = notes_of_load,
    .examples =
        (const char *const[]){":load samples/en-de-fixed.bin", ":load samples/en-de-mma.bin", NULL},
    .run = run_load,
    .group = GROUP_SESSION,
    .decides = true,
};

static const char *const notes_of_model[] = {
    STATE_NOTE,
    AGAIN_NOTE,
    NULL,
};

const struct command command_model = {
    .name = "model",
    .summary = "switch to a model or to another state, or list them",
    .arguments = ARGUMENT_LIST(of_state),
    .notes = notes_of_model,
    .examples =
        (const char *const[]){":load samples/en-de-fixed.bin", ":model", ":model en-de.bin", NULL},
    .run = run_model,
    .group = GROUP_SESSION,
    .decides = true,
};
