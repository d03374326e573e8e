#include "tui/report/report_provenance.h"

#include <stdlib.h>
#include <string.h>

#include "tui/session/script.h"

/* States --------------------------------------------------------------------------------------- */

/* The commands that lead from the model's file to the session's state, one a line. NULL: out of
 * memory. */
static char *write_state(const struct session *session)
{
    char *text = NULL;
    size_t size;
    struct status status;
    struct script_writer writer = {session, open_memstream(&text, &size), 0};
    if (!writer.stream)
        return NULL;
    script_write_settings(&writer, setting_of_state);
    bool ok = script_write_heads(&writer, &status);
    if (fclose(writer.stream) == 0 && ok)
        return text;
    free(text);
    return NULL;
}

static struct value list_lines(struct report *report, const char *text)
{
    int count = 0;
    for (const char *c = text; *c; c++)
        count += *c == '\n';
    const char **lines = report_new(report, (size_t)count, sizeof *lines);
    for (int i = 0; lines && i < count; i++) {
        size_t length = strcspn(text, "\n");
        lines[i] = report_format(report, "%.*s", (int)length, text);
        text += length + 1;
    }
    return value_texts(lines, lines ? count : 0);
}

static struct value state_value(struct report *report, const struct session *session,
                                const struct saved_state *state)
{
    struct session other = session_under(session, state, NULL);
    return list_lines(report, report_take_text(report, write_state(&other)));
}

/* In words: "model en-de.bin  :disable encoder layer 2 head 1". */
static const char *state_words(struct report *report, const char *path, const struct value *state)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        fprintf(out, "model %s", path);
    for (int i = 0; out && i < state->count; i++)
        fprintf(out, "  %s", state->texts[i]);
    return report_written(&writer);
}

static void put_one(struct report *report, const struct session *session)
{
    const struct saved_state state =
        report->origin.state.loaded ? report->origin.state : states_current(session);
    struct value commands = state_value(report, session, &state);
    report_json(report, "model", value_text(state.loaded->path));
    report_json(report, "state", commands);
    if (report->navigation.kind == VIEW_FILE)
        report->computed_with = state_words(report, state.loaded->path, &commands);
}

static void put_several(struct report *report, const struct session *session)
{
    const struct origin *origin = &report->origin;
    struct value *models = report_new(report, (size_t)origin->count, sizeof *models);
    struct value *states = report_new(report, (size_t)origin->count, sizeof *states);
    int count = models && states ? origin->count : 0;
    for (int i = 0; i < count; i++) {
        models[i] = value_text(origin->states[i].state.loaded->path);
        states[i] = state_value(report, session, &origin->states[i].state);
    }
    report_json(report, "model", value_list(models, count));
    report_json(report, "state", value_list(states, count));
}

/* Scores of translations made elsewhere. */
static void put_none(struct report *report)
{
    report_json(report, "model", value_null());
    report_json(report, "state", value_null());
}

/* The sentence --------------------------------------------------------------------------------- */

/* Several states have a translation each, which stands beside their weights. */
static void put_sentence(struct report *report, const struct sentence_pair *pair)
{
    report_group(report, IN_JSON, "sentence");
    report_json(report, "source", value_text(report_copy(report, pair->text)));
    if (report->origin.count == 0) {
        report_json(report, "target", value_text(report_copy(report, pair_target(pair))));
        report_json(report, "forced", value_bool(pair->forced));
        report_json(report, "hypothesis", value_int(pair->chosen + 1));
    }
    report_group_end(report);
}

void report_add_provenance(struct report *report, const struct session *session)
{
    const struct origin *origin = &report->origin;
    struct group *group = report_object(report);
    if (origin->count)
        put_several(report, session);
    else if (origin->study && !origin->state.loaded)
        put_none(report);
    else
        put_one(report, session);
    if (origin->pair)
        put_sentence(report, origin->pair);
    report_group_end(report);
    report->provenance = &group->blocks;
}
