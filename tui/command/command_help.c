/* `:help`, and `:quit`. */
#include <string.h>

#include "tui/command/command.h"
#include "tui/command/commands.h"

static const char *const titles[GROUP_COUNT] = {
    [GROUP_SENTENCES] = "Sentences", [GROUP_VIEWS] = "Views of the current sentence",
    [GROUP_HEADS] = "Heads",         [GROUP_STUDY] = "Test sets",
    [GROUP_SESSION] = "Session",
};

/* JSON ----------------------------------------------------------------------------------------- */

static const char *arguments_of(struct report *report, const struct command *command)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        command_usage(command, out);
    return report_written(&writer);
}

static void put_texts(struct report *report, const char *key, const char *const *texts)
{
    int count = 0;
    while (texts[count])
        count++;
    report_json(report, key, value_texts(texts, count));
}

/* Puts an object `key` with a member for each item. */
static void put_items(struct report *report, const char *key, const struct help_item *items)
{
    if (!items)
        return;
    struct group *object = report_object(report);
    for (; items->name; items++)
        report_json(report, items->name, value_text(items->text));
    report_group_end(report);
    report_json(report, key, value_object(&object->blocks));
}

static void put_members(struct report *report, const struct command *command)
{
    report_json(report, "name", value_text(command->name));
    report_json(report, "arguments", value_text(arguments_of(report, command)));
    report_json(report, "summary", value_text(command->summary));
    put_texts(report, "examples", command->examples);
    put_items(report, "meanings", command->meanings);
    put_items(report, "columns", command->columns);
    if (command->notes)
        put_texts(report, "notes", command->notes);
}

static void put_commands(struct report *report)
{
    struct value *list = report_new(report, (size_t)command_count, sizeof *list);
    for (int i = 0; list && i < command_count; i++) {
        struct group *object = report_object(report);
        put_members(report, command_table[i]);
        report_group_end(report);
        list[i] = value_object(&object->blocks);
    }
    report_json(report, "commands", value_list(list, list ? command_count : 0));
}

/* In words ------------------------------------------------------------------------------------- */

static const char *usage_of(struct report *report, const struct command *command)
{
    const char *arguments = arguments_of(report, command);
    return report_format(report, ":%s%s%s", command->name, *arguments ? " " : "", arguments);
}

static void list_group(struct report *report, enum command_group group)
{
    enum { USAGE_COLUMNS = 23 };
    static const struct column columns[] = {
        {.title = "command", .least = USAGE_COLUMNS, .grows = true}, {.title = "meaning"}};
    report_line(report, IN_TEXT, "%s", titles[group]);
    struct table *table = report_table(report, IN_TEXT, NULL, columns, COUNT(columns));
    table->style = TABLE_LIST;
    if (group == GROUP_SENTENCES) {
        table_add(table, value_text(arguments_of(report, &sentence_command)),
                  value_text(report_format(report, "%s. %s", sentence_command.summary,
                                           sentence_command.notes[0])));
    }
    for (int i = 0; i < command_count; i++) {
        const struct command *command = command_table[i];
        if (command->group != group)
            continue;
        table_add(table, value_text(usage_of(report, command)), value_text(command->summary));
    }
    report_line(report, IN_TEXT, "%s", "");
}

/* Lists names; on the screen, Enter on a line opens its `:help`. */
static void list_names(struct report *report)
{
    static const struct column columns[] = {{.title = "command"}, {.title = "meaning"}};
    struct table *table = report_table(report, IN_SCREEN, NULL, columns, COUNT(columns));
    for (int group = GROUP_NONE + 1; group < GROUP_COUNT; group++)
        for (int i = 0; i < command_count; i++) {
            const struct command *command = command_table[i];
            if (command->group != (enum command_group)group)
                continue;
            table_add(table, value_text(report_format(report, ":%s", command->name)),
                      value_text(command->summary));
            table_enter(table, ":help %s", command->name);
        }
    for (int i = 0; i < topic_count; i++) {
        table_add(table, value_text(topic_table[i].name), value_text(topic_table[i].summary));
        table_enter(table, ":help %s", topic_table[i].name);
    }
}

static void say_commands(struct report *report)
{
    for (int group = GROUP_NONE + 1; group < GROUP_COUNT; group++)
        list_group(report, (enum command_group)group);
    report_line(report, IN_SCREEN,
                "Enter explains the selected line. Text that is not a command is translated.");
    list_names(report);
    report_paragraph(report, IN_TEXT,
                     "SELECTOR is " SELECTOR_SYNTAX
                     " in any order; LIST is like 3, 1-4 or 2,5-7, counted from 1.");
    report_paragraph(report, IN_TEXT,
                     "Commands may be shortened to any unique beginning. `:help COMMAND` says more "
                     "about one, `:set` lists the settings.");
    for (int i = 0; i < topic_count; i++)
        report_line(report, IN_TEXT, "`:help %s`: %s", topic_table[i].name, topic_table[i].summary);
}

/* Writes sections: a title with indented text below it. */
static void say_title(struct report *report, const char *title)
{
    report_line(report, FOR_PEOPLE, "%s", "");
    report_line(report, FOR_PEOPLE, "%s", title);
}

static void say_items(struct report *report, const char *title, const struct help_item *items)
{
    enum { NAME_COLUMNS = 12 };
    static const struct column columns[] = {{.title = "name", .least = NAME_COLUMNS},
                                            {.title = "meaning"}};
    if (!items)
        return;
    say_title(report, title);
    struct table *table = report_table(report, FOR_PEOPLE, NULL, columns, COUNT(columns));
    table->style = TABLE_LIST;
    for (; items->name; items++) {
        table_add(table, value_text(items->name), value_text(items->text));
    }
}

static void say_notes(struct report *report, const char *const *notes)
{
    if (!notes)
        return;
    say_title(report, "NOTES");
    for (; *notes; notes++)
        report_paragraph(report, FOR_PEOPLE, *notes);
}

static void say_command(struct report *report, const struct session *session,
                        const struct command *command)
{
    report_paragraph(report, FOR_PEOPLE, command->summary);
    say_title(report, "USAGE");
    report_paragraph(report, FOR_PEOPLE, usage_of(report, command));
    say_title(report, "EXAMPLES");
    report_paragraph(report, FOR_PEOPLE, "With samples/en-de.bin:");
    for (const char *const *line = command->examples; *line; line++)
        report_paragraph(report, FOR_PEOPLE, *line);
    say_items(report, "ARGUMENTS", command->meanings);
    say_items(report, "COLUMNS", command->columns);
    say_notes(report, command->notes);
    if (command->arguments.count && command->arguments.each[0].kind == ARGUMENT_SETTING) {
        say_title(report, "SETTINGS");
        report_settings(report, FOR_PEOPLE, session, NULL);
    }
}

/* Topics --------------------------------------------------------------------------------------- */

static void say_topic(struct report *report, const struct topic *topic)
{
    struct value *parts;
    int count = 0;
    while (topic->parts[count])
        count++;
    parts = report_new(report, (size_t)count, sizeof *parts);
    report_json(report, "name", value_text(topic->name));
    report_json(report, "summary", value_text(topic->summary));
    report_line(report, FOR_PEOPLE, "%s", topic->summary);
    for (int i = 0; i < count; i++) {
        if (*topic->parts[i] == ' ')
            report_line(report, FOR_PEOPLE, "%s", topic->parts[i]);
        else
            report_paragraph(report, FOR_PEOPLE, topic->parts[i]);
        if (parts)
            parts[i] = value_text(topic->parts[i]);
    }
    report_json(report, "details", value_list(parts, parts ? count : 0));
}

/* Commands ------------------------------------------------------------------------------------- */

static const struct command *find_named(const char *name, struct status *status)
{
    name += *name == ':';
    if (*name)
        return command_find(name, status);
    status_fail(status, STATUS_INVALID, "expected the name of a command: `:help` lists them");
    return NULL;
}

/* Returns NULL if a command has that name. */
static const struct setting *setting_named(const char *name)
{
    struct status unused;
    const struct command *command = *name ? command_find(name, &unused) : NULL;
    if (command && strcmp(command->name, name) == 0)
        return NULL;
    for (int i = 0; i < setting_count; i++)
        if (strcmp(setting_table[i].name, name) == 0)
            return &setting_table[i];
    return NULL;
}

static bool say_named(struct report *report, const struct session *session, const char *name,
                      struct status *status)
{
    const struct topic *topic = topic_find(name);
    const struct setting *setting = topic ? NULL : setting_named(name);
    const struct command *command = topic || setting ? NULL : find_named(name, status);
    if (topic) {
        say_topic(report, topic);
    } else if (setting) {
        report_setting(report, FOR_PEOPLE, session, setting);
    } else if (command) {
        put_members(report, command);
        say_command(report, session, command);
    }
    return topic || setting || command;
}

enum { NAME };
static const struct argument arguments[] = {
    [NAME] = {"NAME", .kind = ARGUMENT_COMMAND, .verbatim = true},
};

static bool run_help(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    const char *name = argument_text(request->given, NAME);
    if (!name) {
        put_commands(report);
        say_commands(report);
    } else if (!say_named(report, session, name, status)) {
        return false;
    }
    return report_end(report, status);
}

static bool run_quit(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    (void)request;
    (void)report;
    (void)status;
    session->quit = true;
    return true;
}

static const char *const notes_of_help[] = {
    "`:help colours` explains the colours of the screen, and how to get all of them.",
    NULL,
};

const struct command command_help = {
    .name = "help",
    .summary = "list the commands, or explain a command or a setting",
    .arguments = ARGUMENT_LIST(arguments),
    .notes = notes_of_help,
    .examples = (const char *const[]){":help attn", ":help", NULL},
    .run = run_help,
    .group = GROUP_SESSION,
    .needs = NEEDS_NOTHING,
};

static const char *const notes_of_quit[] = {
    "On the screen, while a command runs, it waits until that is done; `:q!`, or :quit a second "
    "time, ends the session at once.",
    NULL,
};

const struct command command_quit = {
    .name = "quit",
    .summary = "end the session",
    .notes = notes_of_quit,
    .examples = (const char *const[]){":quit", ":q", NULL},
    .run = run_quit,
    .group = GROUP_SESSION,
};
