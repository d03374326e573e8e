#include "base/strings.h"
#include "tui/program/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/text/quote.h"
#include "report/output/export.h"
#include "report/output/provenance.h"
#include "session/replace.h"
#include "terminal/text/arguments.h"
#include "terminal/text/display.h"
#include "tui/command/commands.h"

/* Returns the note's text; NULL, with a message, if there is none. */
static const char *note_text(const json_t *notes, const char *key, struct status *status)
{
    const char *text = json_string_value(json_object_get(notes, key));
    if (!text)
        status_fail(status, STATUS_INVALID, "note \"%s\": missing, expected text", key);
    return text;
}

/* Commands ------------------------------------------------------------------------------------- */

/* A file may come from anyone: it may change this session, but not write files or run scripts. */
static bool may_run(const char *line)
{
    static const char *const names[] = {"sentence", "set",     "mask",  "entmax",
                                        "pattern",  "disable", "force", "hypothesis"};
    char name[64];
    command_name(line, name, sizeof name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool run_line(struct session *session, const char *line, struct status *status)
{
    struct report result;
    bool ok = command_run(session, line, &result, status);
    report_free(&result);
    return ok || status_prefix(status, "\"%s\"", QUOTED(line));
}

/* Runs the note `session`. */
static bool run_session(struct session *session, const json_t *notes, struct status *status)
{
    const json_t *lines = json_object_get(notes, "session");
    if (!json_is_array(lines))
        return status_fail(status, STATUS_INVALID, "note \"session\": expected a list of commands");
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const char *line = json_string_value(json_array_get(lines, i));
        if (!line || !may_run(line))
            return status_fail(status, STATUS_INVALID,
                               "note \"session\": \"%s\" is not a command that sets up a view",
                               QUOTED(line ? line : ""));
        if (!run_line(session, line, status))
            return false;
    }
    return true;
}

/* Models --------------------------------------------------------------------------------------- */

/* Returns the index of the model that the notes describe, or -1. */
static int find_model(const struct session *session, const json_t *notes, struct status *status)
{
    const char *wanted = note_text(notes, "checkpoint_sha256", status);
    for (int i = 0; wanted && i < session->model_count; i++) {
        const struct digests *digests = loaded_digests(session->models[i], status);
        if (!digests)
            return -1;
        if (strcmp(digests->whole, wanted) == 0)
            return i;
    }
    const char *name = json_string_value(json_object_get(notes, "checkpoint"));
    if (wanted)
        status_fail(status, STATUS_INVALID,
                    "was made from %s with SHA-256 %.12s...: expected that file as MODEL",
                    name ? QUOTED(name) : "a checkpoint", QUOTED(wanted));
    return -1;
}

/* Enters a model as in its file, and from there the state in the notes. If they name no model, none
 * was used. */
static bool enter_state(struct session *session, const json_t *notes, struct status *status)
{
    if (!json_object_get(notes, "checkpoint_sha256") && !json_object_get(notes, "model"))
        return run_session(session, notes, status);
    int model = find_model(session, notes, status);
    if (model < 0)
        return false;
    const struct saved_state state = states_get(session, model);
    return session_go(session, &state, NULL, status) && run_session(session, notes, status);
}

/* Several states ------------------------------------------------------------------------------- */

/* Writes the name of a side until all are entered in the right order. */
static void keep_name(int side, char name[20])
{
    snprintf(name, 20, "replayed %s", provenance_sides[side]);
}

static bool is_model(const struct session *session, const char *name)
{
    for (int i = 0; i < session->model_count; i++)
        if (strcmp(loaded_name(session->models[i]), name) == 0)
            return true;
    return false;
}

/* Scores the suite of `:flips` in both states, in order. */
static bool score_suite(struct session *session, const json_t *notes, struct status *status)
{
    const json_t *files = json_object_get(notes, "suite");
    struct written written;
    if (!files)
        return true;
    FILE *out = written_open(&written);
    if (!out)
        return status_no_memory(status);
    fputs(":contrast", out);
    for (size_t i = 0; i < json_array_size(files); i++) {
        const char *file = json_string_value(json_array_get(files, i));
        fputc(' ', out);
        arguments_quote(out, file ? file : "");
    }
    char *line = written_close(&written);
    bool ok = line ? run_line(session, line, status) : status_no_memory(status);
    free(line);
    return ok;
}

/* Makes the state of a side and names it. */
static bool make_state(struct session *session, const json_t *notes, int side,
                       struct status *status)
{
    char kept[20];
    keep_name(side, kept);
    const char *name = note_text(notes, "state", status);
    if (!name || !enter_state(session, notes, status) || !states_name(session, kept, status))
        return false;
    bool named = strcmp(name, STATE_BEFORE) != 0 && strcmp(name, STATE_CURRENT) != 0 &&
                 !is_model(session, name);
    return !named || states_name(session, name, status);
}

static bool go_to(struct session *session, int side, struct status *status)
{
    struct saved_state state;
    char kept[20];
    keep_name(side, kept);
    return states_find(session, kept, &state, status) && session_go(session, &state, NULL, status);
}

/* The side that was `before` is entered and left for another one; the one that was `current` comes
 * last. */
static bool enter_sides(struct session *session, const json_t *notes, struct status *status)
{
    int count = 0, before = -1, current = -1;
    for (; count < ORIGINS_MOST; count++) {
        const json_t *side = json_object_get(notes, provenance_sides[count]);
        if (!side)
            break;
        if (!make_state(session, side, count, status) || !score_suite(session, notes, status))
            return status_prefix(status, "state %s", provenance_sides[count]);
        const char *name = json_string_value(json_object_get(side, "state"));
        before = strcmp(name, STATE_BEFORE) == 0 ? count : before;
        current = strcmp(name, STATE_CURRENT) == 0 ? count : current;
    }
    if (current < 0)
        current = before == count - 1 ? 0 : count - 1;
    if (before < 0)
        before = current == 0 ? count - 1 : 0;
    return go_to(session, before, status) && go_to(session, current, status) &&
           run_session(session, notes, status);
}

/* Shows the compared head in one of the states; scores of two states have none. */
static bool show_head(struct session *session, const json_t *notes, struct status *status)
{
    char *line = NULL, name[64];
    if (!json_object_get(notes, "view"))
        return true;
    const char *view = note_text(notes, "view", status);
    if (!view)
        return false;
    if (asprintf(&line, ":%s", view) < 0)
        return status_no_memory(status);
    command_name(line, name, sizeof name);
    bool ok = strcmp(name, "attn") == 0
                  ? run_line(session, line, status)
                  : status_fail(status, STATUS_INVALID, "note \"view\": expected attn");
    free(line);
    return ok;
}

/* Drawing -------------------------------------------------------------------------------------- */

/* Returns "NAME.replayed.EXT"; NULL: out of memory. */
static char *name_copy(const char *path)
{
    const char *extension = export_extension(path);
    char *name = NULL;
    int stem = (int)(extension - path) - 1;
    return asprintf(&name, "%.*s.replayed.%s", stem, path, extension) < 0 ? NULL : name;
}

/* Writes to standard error, like warnings of commands. */
static void write_warnings(const struct report *view)
{
    for (int i = 0; i < view->warning_count; i++) {
        fprintf(stderr, "attnscope: :%s: warning: ", view->name);
        display_write(stderr, view->warnings[i]);
        fputc('\n', stderr);
    }
}

static bool draw_view(struct session *session, const char *command, const char *path,
                      struct status *status)
{
    struct report view = {0};
    struct figure_missing missing = {.count = 0};
    session->settings.exports.comments = true; // else the table would have had no notes
    const struct view_format *format = view_format_find(export_extension(path));
    bool ok = command_view(session, command + 1, &view, status) &&
              export_write(session, format, &view, command + 1, path, &missing, status);
    report_missing(&view, &missing);
    write_warnings(&view);
    report_free(&view);
    return ok;
}

static bool draw_tensors(struct session *session, const char *command, const char *path,
                         struct status *status)
{
    struct provenance provenance;
    int tensors;
    const struct sentence_pair *pair = session_current(session, status);
    if (!pair || !provenance_open(&provenance, session, pair, command, status))
        return false;
    struct new_file file;
    bool ok = new_file_open(&file, path, status);
    if (ok) {
        ok = export_tensors(session, pair, file.stream, &provenance, &tensors, status);
        ok = new_file_close(&file, ok, status);
    }
    provenance_close(&provenance);
    return ok;
}

/* Runs the command whose result the view shows, too. */
static bool run_before(struct session *session, const json_t *notes, struct status *status)
{
    char name[64] = "";
    if (!json_object_get(notes, "before"))
        return true;
    const char *line = note_text(notes, "before", status);
    if (!line)
        return false;
    command_name(line, name, sizeof name);
    return strcmp(name, "prune") == 0
               ? run_line(session, line, status)
               : status_fail(status, STATUS_INVALID, "note \"before\": expected :prune");
}

static bool draw(struct session *session, const json_t *notes, const char *path,
                 struct status *status)
{
    const char *command = note_text(notes, "command", status);
    if (!command || !replace_file(session, path, status))
        return false;
    if (*command != ':')
        return status_fail(status, STATUS_INVALID, "note \"command\": expected a command");
    if (!run_before(session, notes, status))
        return false;
    return view_format_find(export_extension(path)) ? draw_view(session, command, path, status)
                                                    : draw_tensors(session, command, path, status);
}

/* Sets the date of figures to the original one. */
static bool set_date(const json_t *notes, struct status *status)
{
    const char *text = json_string_value(json_object_get(notes, "date"));
    struct tm parts = {0};
    char seconds[32];
    if (!text)
        return unsetenv("SOURCE_DATE_EPOCH") == 0;
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    if (!end || *end)
        return status_fail(status, STATUS_INVALID,
                           "note \"date\": \"%s\", expected a date such as "
                           "2026-01-31T12:00:00Z",
                           QUOTED(text));
    snprintf(seconds, sizeof seconds, "%lld", (long long)timegm(&parts));
    return setenv("SOURCE_DATE_EPOCH", seconds, 1) == 0;
}

/* Comparing ------------------------------------------------------------------------------------ */

static bool same_bytes(FILE *a, FILE *b)
{
    int byte;
    while ((byte = getc(a)) == getc(b))
        if (byte == EOF)
            return !ferror(a) && !ferror(b);
    return false;
}

static bool compare_files(const char *a, const char *b, bool *same, struct status *status)
{
    FILE *file = fopen(a, "rb"), *other = file ? fopen(b, "rb") : NULL;
    *same = other && same_bytes(file, other);
    bool ok = other || status_fail(status, STATUS_IO, "cannot be compared: %s", strerror(errno));
    if (file)
        fclose(file);
    if (other)
        fclose(other);
    return ok;
}

/* True if both are JSON with the same content, but for the paths of models, which the provenance
 * identifies by SHA-256. */
static bool same_content(const char *a, const char *b)
{
    json_t *one = json_load_file(a, 0, NULL), *other = json_load_file(b, 0, NULL);
    json_object_del(one, "model");
    json_object_del(other, "model");
    bool same = one && other && json_equal(one, other);
    json_decref(one);
    json_decref(other);
    return same;
}

/* Writes the names of files whose digests have changed, or which are now missing: " (ref.de,
 * gold)". Writes nothing for other notes. */
static void name_files(FILE *out, const json_t *then, const json_t *now)
{
    int count = 0;
    for (size_t i = 0; i < json_array_size(then); i++) {
        const json_t *file = json_array_get(then, i);
        const char *name = json_string_value(json_object_get(file, "name"));
        if (!name || json_equal(file, json_array_get(now, i)))
            continue;
        fputs(count++ ? ", " : " (", out);
        display_write(out, name);
    }
    fputs(count ? ")" : "", out);
}

/* Lists the keys of notes that have changed: "program, files (ref.de)"; "" if none has. NULL: out
 * of memory. */
static char *list_differences(const json_t *then, const char *path)
{
    struct status unused;
    struct written written;
    const char *key;
    json_t *value, *now = notes_read(path, &unused), *all = json_object();
    FILE *out = written_open(&written);
    bool any = false;
    json_object_update(all, (json_t *)then);
    json_object_update_missing(all, now); // such as a precision that was the default
    json_object_foreach(all, key, value)
    {
        if (!out || json_equal(json_object_get(then, key), json_object_get(now, key)))
            continue;
        fprintf(out, "%s%s", any ? ", " : "", key);
        name_files(out, json_object_get(then, key), json_object_get(now, key));
        any = true;
    }
    json_decref(all);
    json_decref(now);
    return out ? written_close(&written) : NULL;
}

struct outcome {
    bool exact, same;  // byte for byte; or in content (same_content)
    char *differences; // unless the same; owned
};

/* Removes the copy if it is the same. */
static bool compare(const char *path, const char *copy, const json_t *notes, struct outcome *out,
                    struct status *status)
{
    if (!compare_files(path, copy, &out->exact, status))
        return false;
    out->same = out->exact || same_content(path, copy);
    if (out->same) {
        unlink(copy);
        return true;
    }
    out->differences = list_differences(notes, copy);
    return out->differences || status_no_memory(status);
}

static bool make_again(struct session *session, const json_t *notes, const char *copy,
                       struct status *status)
{
    bool sides = json_object_get(notes, provenance_sides[0]) != NULL;
    return set_date(notes, status) &&
           (sides ? enter_sides(session, notes, status) && show_head(session, notes, status)
                  : enter_state(session, notes, status)) &&
           draw(session, notes, copy, status);
}

/* If no notes differ, it is the drawing: fonts, or the libraries that draw. */
static void tell(struct report *report, const char *path, const char *copy,
                 const struct outcome *outcome)
{
    const char *differences = outcome->differences;
    report_json(report, "file", value_text(report_copy(report, path)));
    report_json(report, "same", value_bool(outcome->same));
    report_json(report, "exact", value_bool(outcome->exact));
    if (outcome->same) {
        report_line(report, FOR_PEOPLE, "%s: the same%s", path,
                    outcome->exact ? ", byte for byte" : " content; the model has another path");
        return;
    }
    report_json(report, "redrawn", value_text(report_copy(report, copy)));
    report_json(report, "differences", value_text(report_copy(report, differences)));
    if (*differences)
        report_line(report, FOR_PEOPLE, "%s: not the same as %s; other: %s", path, copy,
                    differences);
    else
        report_line(report, FOR_PEOPLE, "%s: not the same as %s, though made in the same way", path,
                    copy);
}

static bool replay_notes(struct session *session, const char *path, const json_t *notes,
                         struct report *report, bool *same, struct status *status)
{
    char *copy = name_copy(path);
    struct outcome outcome = {.same = false};
    bool ok = copy ? make_again(session, notes, copy, status) &&
                         compare(path, copy, notes, &outcome, status)
                   : status_no_memory(status);
    if (ok) {
        *same = outcome.same;
        tell(report, path, copy, &outcome);
        ok = report_end(report, status);
    }
    free(copy);
    free(outcome.differences);
    return ok;
}

bool replay_file(struct session *session, const char *path, struct report *result, bool *same,
                 struct status *status)
{
    *result = (struct report){0};
    json_t *notes = notes_read(path, status);
    if (!notes)
        return false;
    bool ok = replay_notes(session, path, notes, result, same, status);
    json_decref(notes);
    return ok || status_prefix(status, "%s", QUOTED_PATH(path));
}
