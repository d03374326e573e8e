#include "tui/command/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/lines.h"
#include "model/text/quote.h"
#include "model/text/utf8.h"
#include "report/origins.h"
#include "report/output/export.h"
#include "terminal/text/arguments.h"
#include "terminal/text/nearest.h"
#include "tui/argument/argument.h"
#include "tui/command/command.h"

/* Returns the command that was most likely meant; NULL: none is close. */
static const char *nearest_command(const char *name, bool views)
{
    struct nearest nearest = {.typed = name};
    for (int i = 0; i < command_count; i++)
        if (!views || command_table[i]->view)
            nearest_try(&nearest, command_table[i]->name);
    return nearest.name;
}

static void fail_unknown(const char *name, const char *advice, struct status *status)
{
    const char *nearest = nearest_command(name, false);
    if (nearest)
        status_fail(status, STATUS_INVALID, "unknown command :%s: did you mean :%s?", QUOTED(name),
                    nearest);
    else
        status_fail(status, STATUS_INVALID, "unknown command :%s: `:help` lists the commands%s",
                    QUOTED(name), advice);
}

/* Translates what users of other programs type by habit. */
static const char *usual_name(const char *name)
{
    static const struct {
        const char *typed, *command;
    } names[] = {{"q!", "quit"},   {"qa", "quit"}, {"qa!", "quit"}, {"quit!", "quit"},
                 {"exit", "quit"}, {"x", "quit"},  {"x!", "quit"},  {"wq", "quit"},
                 {"wq!", "quit"},  {"?", "help"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].typed, name) == 0)
            return names[i].command;
    return name;
}

/* `advice`: what else to say about a name unlike any other. "disab" could be disable or disabled:
 * the shorter one is taken, because the longer one can be typed in full. A name with which all
 * other candidates begin is the one that is meant. */
static const struct command *find_command(const char *name, const char *advice,
                                          struct status *status)
{
    const struct command *found = NULL;
    char candidates[200] = "";
    bool ambiguous = false;
    name = usual_name(name);
    for (int i = 0; *name && i < command_count; i++) {
        const struct command *command = command_table[i];
        if (!begins_with(command->name, name))
            continue;
        size_t used = strlen(candidates);
        snprintf(candidates + used, sizeof candidates - used, "%s:%s", used ? ", " : "",
                 command->name);
        if (!found)
            found = command;
        else if (!begins_with(command->name, found->name))
            ambiguous = true;
    }
    if (found && !ambiguous)
        return found;
    if (found)
        status_fail(status, STATUS_INVALID, "ambiguous command :%s: expected %s", QUOTED(name),
                    candidates);
    else if (!*name)
        status_fail(status, STATUS_INVALID,
                    "a colon without a command: `:help` lists the commands");
    else
        fail_unknown(name, advice, status);
    return NULL;
}

const struct command *command_find(const char *name, struct status *status)
{
    return find_command(name, "", status);
}

bool command_is(const char *name)
{
    for (int i = 0; i < command_count; i++)
        if (strcmp(command_table[i]->name, name) == 0)
            return true;
    return false;
}

void command_usage(const struct command *command, FILE *out)
{
    arguments_usage(&command->arguments, out);
}

char *command_usage_text(const struct command *command)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    command_usage(command, out);
    fclose(out);
    return text;
}

bool command_blank(const char *line)
{
    return line_blank(line);
}

bool command_comment(const char *line)
{
    return begins_with(line, ":#");
}

/* Returns the length of the command's name in a line that begins with a colon. */
static size_t name_length(const char *line)
{
    size_t length = 0;
    while (line[1 + length] && !is_blank(line[1 + length]))
        length++;
    return length;
}

/* Cuts off what does not fit: unknown names may have any length. */
static void copy_name(const char *line, char *name, size_t size)
{
    size_t length = name_length(line);
    snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), line + 1);
}

/* The view types a command's colon itself; users type another one by habit. */
static const char *skip_second_colon(const char *line)
{
    while (line[0] == ':' && line[1] == ':')
        line++;
    return line;
}

const struct command *command_of_line(const char *line)
{
    struct status unused;
    char name[64];
    line = skip_second_colon(line);
    if (*line != ':')
        return &sentence_command;
    copy_name(line, name, sizeof name);
    return command_find(name, &unused);
}

void command_name(const char *line, char *name, size_t size)
{
    const struct command *command = command_of_line(line);
    if (command)
        snprintf(name, size, "%s", command->name);
    else
        copy_name(skip_second_colon(line), name, size);
}

/* The files that the arguments name are what a report was made from. */
static void keep_files(struct report *report, const struct argument_values *given)
{
    struct origin *origin = &report->origin;
    int most = 0;
    for (int i = 0; i < given->list->count; i++)
        most += given->each[i].count;
    origin->files = most ? report_new(report, (size_t)most, sizeof *origin->files) : NULL;
    for (int i = 0; origin->files && i < given->list->count; i++)
        for (int w = 0; given->list->each[i].kind == ARGUMENT_FILE && w < given->each[i].count; w++)
            origin->files[origin->file_count++] = report_copy(report, given->each[i].words[w]);
}

static bool has_files(const struct argument_values *given)
{
    bool any = false;
    for (int i = 0; given->list && i < given->list->count; i++)
        any = any || (given->list->each[i].kind == ARGUMENT_FILE && given->each[i].count > 0);
    return any;
}

/* Checks whether the command may run in the middle of another one. */
static bool check_aside(const struct command *command, const struct argument_values *given,
                        struct status *status)
{
    return (command->needs != NEEDS_MODEL && !has_files(given)) ||
           status_fail(status, STATUS_BUSY, "a command is at work");
}

/* After a stop, says how the work can be continued. */
static void tell_stop(const struct command *command, const struct argument_values *given,
                      struct status *status)
{
    size_t used = strlen(status->message);
    if (status->code == STATUS_CANCELLED && command->continues && has_files(given))
        snprintf(status->message + used, sizeof status->message - used,
                 "; the same command goes on from there");
}

static bool run_request(struct session *session, const struct command *command,
                        struct request *request, struct report *report, struct status *status)
{
    bool ok = true;
    struct argument_values given = {.list = NULL};
    if (command->takes_text)
        ok = arguments_parse_text(&command->arguments, request->text, &given, status);
    else
        ok = arguments_split(request->text, &request->words, status) &&
             arguments_parse(&command->arguments, &request->words, &given, status);
    request->command = command;
    request->given = &given;
    report->name = command->name;
    if (session->aside)
        ok = ok && check_aside(command, &given, status);
    else
        shards_forget_counts(session->shards);
    ok = ok && command->run(session, request, report, status);
    if (report->title && !report->origin.file_count) // some files are the test set's
        keep_files(report, &given);
    if (ok)
        report_unknown_languages(report, session, &given);
    if (ok && !session->aside && report_part(report, session, request->line))
        ok = report_end(report, status);
    if (!session->aside) {
        report_refused(report, session);
        shards_forget_counts(session->shards);
    }
    if (!ok && report->lacking) // a part would look like all that was finished
        report_free(report);
    if (!ok)
        tell_stop(command, &given, status);
    arguments_free(&given);
    request->given = NULL;
    strings_free(&request->words);
    return ok;
}

/* True if `title` is among the names, which are separated by ", ". */
static bool is_among(const char *names, const char *title)
{
    size_t length = strlen(title);
    for (const char *at = names; length && (at = strstr(at, title)); at++)
        if ((at == names || (at - names >= 2 && strncmp(at - 2, ", ", 2) == 0)) &&
            (!at[length] || strncmp(at + length, ", ", 2) == 0))
            return true;
    return false;
}

const char *command_column(const char *name, const char *title)
{
    const struct help_item *item = NULL;
    for (int i = 0; name && i < command_count; i++)
        if (strcmp(command_table[i]->name, name) == 0)
            item = command_table[i]->columns;
    for (; item && item->name; item++)
        if (is_among(item->name, title))
            return item->text;
    return NULL;
}

/* On failure, the model and the state are named, too. Written files get their paths last. */
static bool attribute(const struct session *session, bool ok, struct report *report,
                      struct status *status)
{
    report_add_provenance(report, session);
    if (!report->lacking)
        return ok && export_file_place(report, status);
    report_free(report);
    return ok && status_no_memory(status);
}

static bool run_line(struct session *session, const char *line, struct report *report,
                     struct status *status)
{
    const struct command *command = &sentence_command;
    line = skip_second_colon(line);
    // A line is a command only if the colon comes first; after a blank it is part of a sentence.
    bool is_sentence = *line != ':';
    char *trimmed = check_utf8(line, status) ? arguments_trim(line, status) : NULL;
    if (!trimmed)
        return false;
    struct request request = {.line = trimmed, .text = trimmed};
    if (!is_sentence) {
        char name[64];
        copy_name(trimmed, name, sizeof name);
        command = find_command(name, "; start with a space to translate it literally", status);
        request.text = skip_blanks(trimmed + 1 + name_length(trimmed));
    }
    struct view last = session->view;
    bool ok = command && run_request(session, command, &request, report, status);
    bool view = ok && command->view && (report->command || report->of_part);
    bool of_sentence = navigation_is_of_sentence(&report->navigation);
    if (view && !session_take_view(session, trimmed + 1, of_sentence)) {
        // A view that cannot be remembered cannot be exported or shown again, so it is not shown at
        // all.
        session->view = last;
        report_free(report);
        ok = status_no_memory(status);
    }
    free(trimmed);
    return ok;
}

bool command_run(struct session *session, const char *line, struct report *report,
                 struct status *status)
{
    *report = (struct report){0};
    bool ok = run_line(session, line, report, status);
    return attribute(session, ok, report, status);
}

/* Writes "attn, importance or gates". */
static void list_views(char *list, size_t size)
{
    int last = command_count;
    while (last > 0 && !command_table[--last]->view)
        continue;
    *list = '\0';
    for (int i = 0; i <= last; i++) {
        size_t used = strlen(list);
        const char *separator = !used ? "" : i == last ? " or " : ", ";
        if (command_table[i]->view)
            snprintf(list + used, size - used, "%s%s", separator, command_table[i]->name);
    }
}

static bool is_beginning(const char *name)
{
    for (int i = 0; i < command_count; i++)
        if (begins_with(command_table[i]->name, name))
            return true;
    return false;
}

static const struct command *find_view(const char *line, struct status *status)
{
    char name[64], views[200];
    list_views(views, sizeof views);
    copy_name(line, name, sizeof name);
    const struct command *command = *name ? command_find(name, status) : NULL;
    if (command && command->view)
        return command;
    const char *nearest = nearest_command(name, true);
    if (!is_beginning(name) && nearest)
        status_fail(status, STATUS_INVALID, "unknown view \"%s\": did you mean %s?", QUOTED(name),
                    nearest);
    else if (!is_beginning(name))
        status_fail(status, STATUS_INVALID, "unknown view \"%s\": expected %s", QUOTED(name),
                    views);
    else if (command)
        status_fail(status, STATUS_INVALID, ":%s is not a view: expected %s", command->name, views);
    else if (!*name)
        status_fail(status, STATUS_INVALID, "expected a view: %s", views);
    return NULL;
}

bool command_view(struct session *session, const char *view, struct report *report,
                  struct status *status)
{
    struct view last = session->view;
    char *line = NULL;
    *report = (struct report){0};
    if (asprintf(&line, ":%s", view) < 0)
        return status_no_memory(status);
    const struct command *command = find_view(line, status);
    struct request request = {
        .line = line, .text = skip_blanks(line + 1 + name_length(line)), .silent = true};
    bool ok = command && run_request(session, command, &request, report, status);
    session->view = last;
    free(line);
    return attribute(session, ok, report, status);
}
