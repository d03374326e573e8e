/* `:save`: writes the session as a script of commands that recreate it. `:source`: runs a
 * script. */
#include <stdlib.h>
#include <string.h>

#include "report/output/export.h"
#include "report/view_report.h"
#include "session/replace.h"
#include "session/script.h"
#include "session/testset.h"
#include "terminal/text/arguments.h"
#include "tui/command/command.h"

/* States --------------------------------------------------------------------------------------- */

/* Starts from the checkpoint's settings, whatever the session that runs the script has changed. */
static bool write_head_settings(struct script_writer *writer, struct status *status)
{
    fputs(":reset\n", writer->stream);
    writer->commands++;
    return script_write_heads(writer, status);
}

static bool write_named(struct script_writer *writer, const char *command, const char *name,
                        struct status *status)
{
    if (!script_check_line("name", name, status))
        return false;
    fprintf(writer->stream, ":%s ", command);
    arguments_quote(writer->stream, name);
    fputc('\n', writer->stream);
    writer->commands++;
    return true;
}

/* Writes how a state differs from its model's file; if there are several models, starting from that
 * model. */
static bool write_state(struct script_writer *writer, const struct saved_state *state,
                        struct status *status)
{
    const struct session *session = writer->session;
    struct session under = session_under(session, state, NULL);
    if ((session->model_count > 1 || session->states.count) &&
        !write_named(writer, "model", states_model_name(session, state->loaded), status))
        return false;
    writer->session = &under;
    script_write_settings(writer, NULL);
    bool ok = write_head_settings(writer, status);
    writer->session = session;
    return ok;
}

static bool write_states(struct script_writer *writer, struct status *status)
{
    const struct session *session = writer->session;
    for (int i = 1; i < session->model_count; i++)
        if (!write_named(writer, "load", session->models[i]->path, status))
            return false;
    for (int i = 0; i < session->states.count; i++) {
        struct saved_state state = states_get(session, session->model_count + i);
        if (!write_state(writer, &state, status) ||
            !write_named(writer, "state", state.name, status))
            return false;
    }
    struct saved_state current = states_current(session);
    return write_state(writer, &current, status);
}

/* The sentence --------------------------------------------------------------------------------- */

/* *there: true if the current sentence is the test set's. */
static bool write_testset(struct script_writer *writer, bool *there, struct status *status)
{
    const struct testset *testset = writer->session->testset;
    *there = false;
    if (!testset)
        return true;
    if (!script_check_line("test set's path", testset->path, status) ||
        (testset->reference_path &&
         !script_check_line("test set's path", testset->reference_path, status)))
        return false;
    fputs(":open ", writer->stream);
    arguments_quote(writer->stream, testset->path);
    if (testset->reference_path) {
        fputc(' ', writer->stream);
        arguments_quote(writer->stream, testset->reference_path);
    }
    fprintf(writer->stream, "\n:goto %d\n", testset->current + 1);
    writer->commands += 2;
    const struct sentence_pair *pair = writer->session->current;
    *there = pair && strcmp(pair->text, testset_source(testset)) == 0;
    return true;
}

/* Writes the sentences that were typed and, if the current one is among them, where. */
static bool write_typed(struct script_writer *writer, bool *there, struct status *status)
{
    const struct testset *typed = writer->session->typed;
    const struct sentence_pair *pair = writer->session->current;
    const int count = typed ? typed->sources.count : 0;
    *there = typed && pair && strcmp(pair->text, testset_source(typed)) == 0;
    for (int i = 0; i < count; i++)
        if (!script_write_source(writer, typed->sources.text[i], status))
            return false;
    if (*there && typed->current + 1 < count) {
        fprintf(writer->stream, ":goto %d\n", typed->current + 1);
        writer->commands++;
    }
    return true;
}

static bool write_sentence(struct script_writer *writer, struct status *status)
{
    const struct sentence_pair *pair = writer->session->current;
    bool there = false;
    const bool written = writer->session->testset ? write_testset(writer, &there, status)
                                                  : write_typed(writer, &there, status);
    if (!written)
        return false;
    return !pair || ((there || script_write_source(writer, pair->text, status)) &&
                     script_write_translation(writer, pair, status));
}

/* Writes what views take from the one last shown: the head that :attn would show. */
static void write_attention(struct script_writer *writer, const struct view *view, bool over_words)
{
    fputc(':', writer->stream);
    head_command_write(writer->stream, "attn", view, over_words);
    fputc('\n', writer->stream);
    writer->commands++;
}

static bool has_word(const struct strings *words, const char *word)
{
    for (int i = 1; i < words->count; i++)
        if (strcmp(words->text[i], word) == 0)
            return true;
    return false;
}

/* True if the states named by words first … last will exist again: what a script leaves behind as
 * `before` is the state before its own last change. */
static bool states_come_back(const struct session *session, const struct strings *words, int first,
                             int last)
{
    struct saved_state state;
    struct status unused;
    for (int i = first; i < words->count && i <= last; i++)
        if (!states_find(session, words->text[i], &state, &unused) ||
            strcmp(state.name, STATE_BEFORE) == 0)
            return false;
    return true;
}

/* Returns the first word after `in`, or the end. After `ablate`, `in` belongs to a selector. */
static int across_first(const struct strings *words)
{
    for (int i = 0; i < words->count && strcmp(words->text[i], "ablate") != 0; i++)
        if (strcmp(words->text[i], STATES_IN) == 0)
            return i + 1;
    return words->count;
}

static bool is(const struct command *command, const char *name)
{
    return strcmp(command->name, name) == 0;
}

/* True if a script that ends with the view's command shows it: a script does not have the runs that
 * `:flips` compares. */
static bool comes_back(const struct session *session, const struct command *command,
                       const struct strings *words)
{
    bool of_two = is(command, "beside") || is(command, "compare");
    bool across = is(command, "bleu") || is(command, "contrast");
    return !is(command, "flips") && (!of_two || states_come_back(session, words, 1, 2)) &&
           (!across || states_come_back(session, words, across_first(words), words->count));
}

/* `words` is the command of the view last shown. */
static void write_shown(struct script_writer *writer, const struct command *command,
                        const struct strings *words)
{
    const struct session *session = writer->session;
    const struct view view = view_fit(session_config(session), session->view);
    bool first = view.module == 0 && view.layer == 0 && view.head == 0; // as at the start
    if (is(command, "attn")) {
        write_attention(writer, &view, has_word(words, "word"));
        return;
    }
    if (!first && session->current)
        write_attention(writer, &view, false);
    if (!comes_back(session, command, words))
        return;
    fprintf(writer->stream, ":%s\n", session->shown);
    writer->commands++;
}

static bool write_view(struct script_writer *writer, struct status *status)
{
    const char *shown = writer->session->shown;
    struct strings words = {0};
    if (!shown)
        return true;
    if (!script_check_line("view's command", shown, status))
        return false;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(shown, " "), shown);
    const struct command *command = command_find(name, status);
    // Typed text need not consist of words: it may contain apostrophes.
    if (command && !command->takes_text && !arguments_split(shown, &words, status))
        command = NULL;
    // Scores are about files; all other views need a sentence.
    bool possible = command && (writer->session->current || command->group == GROUP_STUDY);
    if (possible)
        write_shown(writer, command, &words);
    strings_free(&words);
    return command != NULL;
}

enum { FILE_TO_WRITE };
static const struct argument arguments[] = {
    [FILE_TO_WRITE] = {"FILE", .kind = ARGUMENT_FILE, .required = true},
};

/* In the order in which they can be run: sentences are translated once, when everything else is in
 * place. */
static bool (*const parts[])(struct script_writer *, struct status *) = {
    write_states,
    write_sentence,
    write_view,
};

static bool run_save(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    const char *path = argument_text(request->given, FILE_TO_WRITE);
    if (!*path)
        return status_fail(status, STATUS_INVALID, "expected FILE");
    struct new_file *file =
        replace_file(session, path, status) ? export_file_open(report, path, status) : NULL;
    if (!file)
        return false;
    struct script_writer writer = {session, file->stream, 0};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof parts / sizeof *parts; i++)
        ok = parts[i](&writer, status);
    if (!new_file_flush(file, ok, status))
        return false;
    report_json(report, "file", value_text(report_copy(report, path)));
    report_json(report, "commands", value_int(writer.commands));
    report_line(report, FOR_PEOPLE | IF_WATCHED, "wrote %s: %d command%s", path, writer.commands,
                writer.commands == 1 ? "" : "s");
    return report_end(report, status);
}

static const char *const notes[] = {
    "The script has what differs from the start of a session: models, states, settings, heads, "
    "the sentences and the view. No script can restore the state before the last change: of "
    "\"beside before\" only the head is saved, and \"compare before\" is left out. flips is left "
    "out as well, because the runs that it compares are not saved.",
    NULL,
};

const struct command command_save = {
    .name = "save",
    .summary = "write a script that restores this session with :source",
    .arguments = ARGUMENT_LIST(arguments),
    .notes = notes,
    .examples = (const char *const[]){STARS, ":save session.scope", ":disable cross 2.7",
                                      ":save without.scope", NULL},
    .run = run_save,
    .group = GROUP_SESSION,
};

/* `:source`: runs the commands of a file, one per line. */

enum { FILE_OF_COMMANDS };
static const struct argument of_source[] = {
    [FILE_OF_COMMANDS] = {"FILE", .kind = ARGUMENT_FILE, .required = true},
};

/* The file's commands show their own results and failures; this only reports on the file as a
 * whole. A failing command is not a failure to read the file. */
static bool run_source(struct session *session, const struct request *request,
                       struct report *report, struct status *status)
{
    struct script_counts counts;
    const char *path = argument_text(request->given, FILE_OF_COMMANDS);
    bool ok = session->host.run_script(session->host.context, path, &counts, status);
    path = report_copy(report, path);
    report->effect = EFFECT_SESSION;
    report_json(report, "file", value_text(path));
    report_json(report, "commands", value_int(counts.commands));
    report_json(report, "failed", value_int(counts.failed));
    report_line(report, FOR_PEOPLE | IF_WATCHED,
                counts.failed ? "ran %s: %d command%s, %d failed" : "ran %s: %d command%s", path,
                counts.commands, counts.commands == 1 ? "" : "s", counts.failed);
    if (!ok && counts.commands == 0)
        report_free(report);
    return ok && report_end(report, status);
}

static const char *const notes_of_source[] = {
    "A command that fails does not stop the commands after it, unless it is :load or :model: they "
    "would run with another model, in this file and in those that run it. Standard input goes on "
    "after these, too. Ctrl-C stops the file. A file may run other files, but not itself. A line "
    "that begins with \":#\" is a comment.",
    NULL,
};

const struct command command_source = {
    .name = "source",
    .summary = "run the commands in a file, one a line",
    .arguments = ARGUMENT_LIST(of_source),
    .notes = notes_of_source,
    .examples = (const char *const[]){":source samples/papers/dhicm-figure-3.scope",
                                      ":source samples/papers/mma-figure-3.scope", NULL},
    .run = run_source,
    .group = GROUP_SESSION,
};
