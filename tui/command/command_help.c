/* `:help`, and `:quit`. */
#include <string.h>

#include "tui/command/command.h"
#include "tui/command/topics.h"

static const char *const titles[GROUP_COUNT] = {
    [GROUP_SENTENCES] = "Sentences", [GROUP_VIEWS] = "Views of the current sentence",
    [GROUP_HEADS] = "Heads",         [GROUP_STUDY] = "Test sets",
    [GROUP_SESSION] = "Session",
};

/* JSON --------------------------------------------------------------------------------------------- */

static void put_members(struct report *report, const struct command *command)
{
    report_json(report, "name", value_text(command->name));
    report_json(report, "arguments", value_text(command->arguments));
    report_json(report, "summary", value_text(command->summary));
    if (command->details)
        report_json(report, "details", value_text(command->details));
    const char *const *examples = command_examples(command);
    int count = 0;
    while (examples[count])
        count++;
    report_json(report, "examples", value_texts(examples, count));
}

static void put_commands(struct report *report)
{
    struct value *list = report_new(report, (size_t)command_count, sizeof *list);
    for (int i = 0; list && i < command_count; i++) {
        struct group *object = report_object(report);
        put_members(report, &command_table[i]);
        report_group_end(report);
        list[i] = value_object(&object->blocks);
    }
    report_json(report, "commands", value_list(list, list ? command_count : 0));
}

/* In words ----------------------------------------------------------------------------------------- */

static const char *usage_of(struct report *report, const struct command *command)
{
    return report_format(report, ":%s%s%s", command->name, *command->arguments ? " " : "",
                         command->arguments);
}

static void list_group(struct report *report, enum command_group group)
{
    enum { USAGE_COLUMNS = 23 };
    static const struct column columns[] = {
        {.title = "command", .least = USAGE_COLUMNS, .grows = true}, {.title = "meaning"}};
    report_line(report, FOR_PEOPLE, "%s", titles[group]);
    struct table *table = report_table(report, FOR_PEOPLE, NULL, columns, COUNT(columns));
    table->style = TABLE_LIST;
    if (group == GROUP_SENTENCES) {
        table_row(table);
        table_put(table, value_text(sentence_command.arguments));
        table_put(table, value_text(report_format(report, "%s. %s", sentence_command.summary,
                                                  sentence_command.details)));
    }
    for (int i = 0; i < command_count; i++) {
        const struct command *command = &command_table[i];
        if (command->group != group)
            continue;
        table_row(table);
        table_put(table, value_text(usage_of(report, command)));
        table_put(table, value_text(command->summary));
    }
    report_line(report, FOR_PEOPLE, "%s", "");
}

static void say_commands(struct report *report)
{
    for (int group = GROUP_NONE + 1; group < GROUP_COUNT; group++)
        list_group(report, (enum command_group)group);
    report_paragraph(report, FOR_PEOPLE,
                     "SELECTOR is " SELECTOR_SYNTAX
                     " in any order; LIST is like 3, 1-4 or 2,5-7, counted from 1.");
    report_paragraph(report, FOR_PEOPLE,
                     "Commands may be shortened to any unique beginning. `:help COMMAND` says more "
                     "about one, `:set` lists the settings.");
    for (int i = 0; i < topic_count; i++)
        report_line(report, FOR_PEOPLE, "`:help %s`: %s", topic_table[i].name,
                    topic_table[i].summary);
}

/* What begins on a new line after a full stop begins on one here, as in the manual page; all other lines are
 * filled. */
static void say_details(struct report *report, const char *details)
{
    char *text = report_new(report, strlen(details) + 1, 1);
    if (text)
        strcpy(text, details);
    for (char *at = text, *next; at; at = next) {
        char *end = at - 1;
        while ((end = strchr(end + 1, '\n')) && end > at && end[-1] != '.')
            *end = ' ';
        next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        report_paragraph(report, FOR_PEOPLE, at);
    }
}

static void say_command(struct report *report, const struct session *session,
                        const struct command *command)
{
    report_paragraph(report, FOR_PEOPLE, usage_of(report, command));
    report_paragraph(report, FOR_PEOPLE, command->summary);
    if (command->details)
        say_details(report, command->details);
    report_paragraph(report, FOR_PEOPLE, "Examples, in a session of samples/en-de.bin:");
    for (const char *const *line = command_examples(command); *line; line++)
        report_paragraph(report, FOR_PEOPLE, *line);
    if (command->completes[0] & COMPLETE_SETTING)
        report_settings(report, FOR_PEOPLE, session, NULL);
}

/* Topics ------------------------------------------------------------------------------------------- */

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

/* Commands ----------------------------------------------------------------------------------------- */

static const struct command *find_named(const char *name, struct status *status)
{
    name += *name == ':';
    if (*name)
        return command_find(name, status);
    status_fail(status, STATUS_INVALID, "expected the name of a command: `:help` lists them");
    return NULL;
}

/* NULL where a command has that name. */
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

COMMAND(help)
{
    if (!no_more_words(request, 1, status))
        return false;
    if (request->words.count == 0) {
        put_commands(report);
        say_commands(report);
    } else if (!say_named(report, session, request->words.text[0], status)) {
        return false;
    }
    return report_end(report, status);
}

COMMAND(quit)
{
    if (!no_more_words(request, 0, status))
        return false;
    (void)report;
    session->quit = true;
    return true;
}
