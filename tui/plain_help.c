/* `:help` as text. */
#include <stdlib.h>
#include <string.h>

#include "tui/commands.h"
#include "tui/display.h"
#include "tui/plain.h"
#include "tui/selector.h"

enum {
    NAMES = 26,
    READABLE = 90
}; // columns: of commands with their arguments; of a paragraph, at most

static const char *const titles[GROUP_COUNT] = {
    [GROUP_SENTENCES] = "Sentences", [GROUP_VIEWS] = "Views of the sentence at hand",
    [GROUP_HEADS] = "Heads",         [GROUP_STUDY] = "Test sets",
    [GROUP_SESSION] = "Session",
};

/* What a command does stands beside it, or below where it is too long. */
static void print_line(FILE *stream, const char *usage, const char *summary)
{
    int columns = display_columns(stream);
    int indent = columns < 2 * NAMES ? 6 : NAMES;
    bool beside = 2 + (int)strlen(usage) < indent;
    if (beside)
        fprintf(stream, "  %-*s", indent - 2, usage);
    else
        fprintf(stream, "  %s\n%*s", usage, indent, "");
    display_filled(stream, summary, indent, columns);
}

static void print_command(FILE *stream, const struct command *command)
{
    char *usage = NULL;
    if (asprintf(&usage, ":%s%s%s", command->name, *command->arguments ? " " : "",
                 command->arguments) < 0) {
        display_have(NULL);
        return;
    }
    print_line(stream, usage, command->summary);
    free(usage);
}

static void print_sentence(FILE *stream)
{
    char *summary = NULL;
    if (asprintf(&summary, "%s. %s", sentence_command.summary, sentence_command.details) < 0) {
        display_have(NULL);
        return;
    }
    print_line(stream, sentence_command.arguments, summary);
    free(summary);
}

static void print_all(FILE *stream)
{
    int columns = display_columns(stream);
    for (int group = GROUP_NONE + 1; group < GROUP_COUNT; group++) {
        fprintf(stream, "%s%s\n", group == GROUP_NONE + 1 ? "" : "\n", titles[group]);
        if (group == GROUP_SENTENCES)
            print_sentence(stream);
        for (int i = 0; i < command_count; i++)
            if (command_table[i].group == (enum command_group)group)
                print_command(stream, &command_table[i]);
    }
    fputc('\n', stream);
    display_wrapped(stream,
                    "SELECTOR is " SELECTOR_SYNTAX " in any order; LIST is like 3, 1-4 or 2,5-7, "
                    "counted from 1.",
                    " ", 0, columns);
    display_wrapped(stream,
                    "Commands may be shortened to any unique beginning. `:help COMMAND` says more "
                    "about one, `:set` lists the settings.",
                    " ", 0, columns);
}

/* What begins on a new line after a full stop begins on one here, as in the manual page; all other lines are
 * filled. */
static void print_details(FILE *stream, const char *details)
{
    int columns = display_columns(stream);
    char *text = display_have(strdup(details));
    for (char *at = text, *next; at; at = next) {
        char *end = at - 1;
        while ((end = strchr(end + 1, '\n')) && end > at && end[-1] != '.')
            *end = ' ';
        next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        display_filled(stream, at, 0, columns < READABLE ? columns : READABLE);
    }
    free(text);
}

void plain_help(FILE *stream, const struct session *session, const struct command *one)
{
    if (!one) {
        print_all(stream);
        return;
    }
    fprintf(stream, ":%s%s%s\n%s\n", one->name, *one->arguments ? " " : "", one->arguments,
            one->summary);
    if (one->details)
        print_details(stream, one->details);
    if (one->completes[0] & COMPLETE_SETTING)
        plain_settings(stream, session, NULL);
}
