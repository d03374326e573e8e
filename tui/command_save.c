/* `:save`: the session as a script of commands that make it again. */
#include <stdlib.h>
#include <string.h>

#include "model/net/new_file.h"
#include "tui/arguments.h"
#include "tui/command.h"
#include "tui/describe.h"
#include "tui/titles.h"
#include "tui/view.h"

/* The script under way. */
struct script_writer {
    const struct session *session;
    FILE *stream;
    int commands;
};

static bool check_line(const char *what, const char *text, struct status *status)
{
    return !strchr(text, '\n') ||
           status_fail(status, STATUS_INVALID,
                       "the %s has a line break: expected one that fits into a script's line",
                       what);
}

static void write_setting(struct script_writer *writer, const struct setting *setting)
{
    const struct settings *now = &writer->session->settings, *usual = &writer->session->defaults;
    double value = setting_number(setting, now);
    if (value == setting_number(setting, usual))
        return;
    writer->commands++;
    if (setting->type == SETTING_CHOICE)
        fprintf(writer->stream, ":set %s %s\n", setting->name, setting_choice(setting, now));
    else
        fprintf(writer->stream, ":set %s %.17g\n", setting->name, value);
}

static void write_settings(struct script_writer *writer)
{
    for (int i = 0; i < setting_count; i++)
        write_setting(writer, &setting_table[i]);
}

/* Heads -------------------------------------------------------------------------------------------- */

/* A command for the heads that `chosen` holds for: "NAME SELECTOR ARGUMENTS", a line for each selector that
 * it takes to name them. */
static bool write_heads(struct script_writer *writer, const char *name, const char *arguments,
                        bool (*chosen)(const struct session *, enum module, int, int, const void *),
                        const void *context, struct status *status)
{
    char *text = describe_chosen(writer->session, chosen, context);
    if (!text)
        return status_fail(status, STATUS_MEMORY, "out of memory");
    char *rest = text, *end;
    for (; *rest; rest = end) {
        size_t length = strcspn(rest, ";");
        fprintf(writer->stream, ":%s %.*s%s\n", name, (int)length, rest, arguments);
        writer->commands++;
        end = rest + length;
        end += strspn(end, "; ");
    }
    free(text);
    return true;
}

static bool same_head(const struct head *a, const struct head *b)
{
    if (a->energy != b->energy)
        return false;
    if (a->energy == ENERGY_FIXED)
        return a->pattern == b->pattern && a->unit == b->unit;
    return a->mask == b->mask && (a->mask != MASK_LOCAL || a->window == b->window);
}

static bool changed_to(const struct session *session, enum module module, int layer, int head,
                       const void *context)
{
    return head_changed(session, module, layer, head) &&
           same_head(dials_head(session->state.dials, module, layer, head), context);
}

static bool is_off(const struct session *session, enum module module, int layer, int head,
                   const void *context)
{
    (void)context;
    return head_off(session, module, layer, head);
}

/* All heads that were changed to the same at once. */
static bool write_change(struct script_writer *writer, const struct head *head,
                         struct status *status)
{
    char arguments[64];
    if (head->energy == ENERGY_FIXED)
        snprintf(arguments, sizeof arguments, " %s%s", pattern_names[head->pattern],
                 head->unit == UNIT_WORD ? " word" : "");
    else if (head->mask == MASK_LOCAL)
        snprintf(arguments, sizeof arguments, " local %d", (int)head->window);
    else
        snprintf(arguments, sizeof arguments, " %s", mask_names[head->mask]);
    return write_heads(writer, head->energy == ENERGY_FIXED ? "pattern" : "mask", arguments,
                       changed_to, head, status);
}

static bool write_changes(struct script_writer *writer, struct status *status)
{
    const struct dials *dials = writer->session->state.dials;
    const struct head **seen = NULL; // what changes have been written
    size_t capacity = 0, count = 0, i;
    bool ok = true;
    for (int m = 0; ok && m < MODULE_COUNT; m++)
        for (int place = 0; ok && place < dials->layers[m] * dials->count[m]; place++) {
            int layer = place / dials->count[m], h = place % dials->count[m];
            const struct head *head = dials_head(dials, m, layer, h);
            if (!head_changed(writer->session, m, layer, h))
                continue;
            for (i = 0; i < count && !same_head(seen[i], head); i++)
                continue;
            if (i < count)
                continue;
            ok = memory_grow((void **)&seen, &capacity, count + 1, sizeof *seen, status) &&
                 write_change(writer, head, status);
            if (ok)
                seen[count++] = head;
        }
    free(seen);
    return ok;
}

/* From where the checkpoint has them, whatever the session that runs the script had changed. */
static bool write_dials(struct script_writer *writer, struct status *status)
{
    fputs(":reset\n", writer->stream);
    writer->commands++;
    return write_changes(writer, status) &&
           write_heads(writer, "disable", "", is_off, NULL, status);
}

/* States ------------------------------------------------------------------------------------------- */

static bool write_named(struct script_writer *writer, const char *command, const char *name,
                        struct status *status)
{
    if (!check_line("name", name, status))
        return false;
    fprintf(writer->stream, ":%s ", command);
    arguments_quote(writer->stream, name);
    fputc('\n', writer->stream);
    writer->commands++;
    return true;
}

/* What a state has otherwise than its model's file; where there are several, from that model on. */
static bool write_state(struct script_writer *writer, const struct saved_state *state,
                        struct status *status)
{
    const struct session *session = writer->session;
    struct session under = session_under(session, state, NULL);
    if ((session->model_count > 1 || session->states.count) &&
        !write_named(writer, "model", states_model_name(session, state->loaded), status))
        return false;
    writer->session = &under;
    write_settings(writer);
    bool ok = write_dials(writer, status);
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

/* The sentence ------------------------------------------------------------------------------------- */

/* Within quotes where blanks or quotes around it would be taken off. */
static void write_text(FILE *stream, const char *text)
{
    size_t length = strlen(text);
    bool bare = length && !is_blank(text[0]) && !is_blank(text[length - 1]) && text[0] != '"' &&
                text[0] != '\'';
    if (bare) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

/* *there: the sentence at hand is the test set's. */
static bool write_testset(struct script_writer *writer, bool *there, struct status *status)
{
    const struct testset *testset = writer->session->testset;
    *there = false;
    if (!testset)
        return true;
    if (!check_line("test set's path", testset->path, status) ||
        (testset->reference_path &&
         !check_line("test set's path", testset->reference_path, status)))
        return false;
    fputs(":open ", writer->stream);
    arguments_quote(writer->stream, testset->path);
    if (testset->reference_path) {
        fputc(' ', writer->stream);
        arguments_quote(writer->stream, testset->reference_path);
    }
    fprintf(writer->stream, "\n:goto %d\n", testset->current + 1);
    writer->commands += 2;
    const struct subject *subject = writer->session->subject;
    *there = subject && strcmp(subject->text, testset_source(testset)) == 0;
    return true;
}

static bool write_sentence(struct script_writer *writer, struct status *status)
{
    const struct subject *subject = writer->session->subject;
    bool there;
    if (!write_testset(writer, &there, status))
        return false;
    if (!subject)
        return true;
    if (!check_line("sentence", subject->text, status) ||
        (subject->forced && !check_line("translation", subject->texts[0], status)))
        return false;
    // After a blank a colon makes no command.
    if (!there)
        fprintf(writer->stream, "%s%s\n", *subject->text == ':' ? " " : "", subject->text);
    writer->commands += !there;
    if (subject->chosen > 0) {
        fprintf(writer->stream, ":hypothesis %d\n", subject->chosen + 1);
        writer->commands++;
    }
    if (!subject->forced)
        return true;
    fputs(":force ", writer->stream);
    write_text(writer->stream, subject->texts[0]);
    fputc('\n', writer->stream);
    writer->commands++;
    return true;
}

/* What views leave to the one last shown: the head that :attn would show. */
static bool write_attention(struct script_writer *writer, const struct view *view, bool over_words,
                            struct status *status)
{
    const struct result shown = {.kind = RESULT_ATTENTION,
                                 .attention = {.view = *view, .words = over_words}};
    char *command = view_command(&shown, status);
    if (!command)
        return false;
    fprintf(writer->stream, ":%s\n", command);
    writer->commands++;
    free(command);
    return true;
}

static bool has_word(const struct pieces *words, const char *word)
{
    for (int i = 1; i < words->count; i++)
        if (strcmp(words->text[i], word) == 0)
            return true;
    return false;
}

/* Whether all states that a `:beside` shows come back: what a script leaves behind as `before` is the state
 * before its own last change. */
static bool states_come_back(const struct session *session, const struct pieces *words)
{
    struct saved_state state;
    struct status unused;
    for (int i = 1; i < words->count; i++)
        if (!states_find(session, words->text[i], &state, &unused) ||
            strcmp(state.name, STATE_BEFORE) == 0)
            return false;
    return true;
}

/* `words` is the command of the view last shown. */
static bool write_shown(struct script_writer *writer, const struct command *command,
                        const struct pieces *words, struct status *status)
{
    const struct session *session = writer->session;
    const struct view view = view_fit(session_config(session), session->view);
    bool first = view.module == 0 && view.layer == 0 && view.head == 0; // as at the start
    if (command->run == command_attn)
        return write_attention(writer, &view, has_word(words, "word"), status);
    if (!first && !write_attention(writer, &view, false, status))
        return false;
    if (command->run == command_beside && !states_come_back(session, words))
        return true;
    fprintf(writer->stream, ":%s\n", session->shown);
    writer->commands++;
    return true;
}

static bool write_view(struct script_writer *writer, struct status *status)
{
    const char *shown = writer->session->shown;
    struct pieces words = {0};
    if (!writer->session->subject || !shown)
        return true;
    if (!check_line("view's command", shown, status))
        return false;
    bool ok = arguments_split(shown, &words, status);
    const struct command *command = ok ? command_find(words.text[0], status) : NULL;
    ok = command && write_shown(writer, command, &words, status);
    pieces_free(&words);
    return ok;
}

/* In the order in which they can be run: the sentence is translated once, when all else is in place. */
static bool (*const parts[])(struct script_writer *, struct status *) = {
    write_states,
    write_sentence,
    write_view,
};

COMMAND(save)
{
    struct new_file file;
    if (!no_more_words(request, 1, status))
        return false;
    if (request->words.count < 1 || !*request->words.text[0])
        return status_fail(status, STATUS_INVALID, "expected FILE");
    char *path = copy_text(request->words.text[0], status);
    if (!path || !new_file_open(&file, path, status)) {
        free(path);
        return false;
    }
    struct script_writer writer = {session, file.stream, 0};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof parts / sizeof *parts; i++)
        ok = parts[i](&writer, status);
    ok = new_file_close(&file, ok, status);
    result->kind = RESULT_SAVE;
    result->save = (struct save_result){path, writer.commands};
    if (!ok)
        result_free(result);
    return ok;
}
