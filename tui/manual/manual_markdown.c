/* Writes the tables of doc/manual.md, in GitHub's Markdown. scripts/update_docs.py inserts them. */
#include <stdlib.h>
#include <string.h>

#include "session/settings.h"
#include "tui/command/commands.h"
#include "tui/manual/key_table.h"
#include "tui/manual/manual.h"
#include "tui/program/options.h"

/* Writes a table's cell. Every character stands for itself; inside `code` only the cell's border is
 * special. */
static void put_cell(FILE *stream, const char *text, bool code)
{
    for (; *text; text++) {
        if (*text == '|' || (!code && strchr("\\`*_<[", *text)))
            fputc('\\', stream);
        fputc(*text, stream);
    }
}

static void begin_table(FILE *stream, const char *name, const char *head)
{
    fprintf(stream, "<!-- generated: %s -->\n%s\n", name, head);
    for (const char *c = head; *c; c++)
        fputs(*c == '|' ? (c[1] ? "|---" : "|\n") : "", stream);
}

static void end_table(FILE *stream, const char *name)
{
    fprintf(stream, "<!-- end: %s -->\n", name);
}

/* Writes `MARK NAME VALUE`
 * text |. */
static void put_row(FILE *stream, const char *mark, const char *name, const char *value,
                    const char *text)
{
    fprintf(stream, "| `%s%s%s", mark, name, value && *value ? " " : "");
    put_cell(stream, value ? value : "", true);
    fputs("` | ", stream);
    put_cell(stream, text, false);
    fputs(" |\n", stream);
}

static void put_commands(FILE *stream)
{
    begin_table(stream, "commands", "| command | does |");
    put_row(stream, "", "TEXT", NULL, sentence_command.summary);
    for (int i = 0; i < command_count; i++) {
        char *usage = command_usage_text(command_table[i]);
        put_row(stream, ":", command_table[i]->name, usage, command_table[i]->summary);
        free(usage);
    }
    end_table(stream, "commands");
}

static void put_settings(FILE *stream)
{
    begin_table(stream, "settings", "| setting | values | meaning |");
    for (int i = 0; i < setting_count; i++) {
        fprintf(stream, "| `%s` | ", setting_table[i].name);
        setting_write_range(&setting_table[i], stream);
        fputs(" | ", stream);
        put_cell(stream, setting_table[i].help, false);
        fputs(" |\n", stream);
    }
    end_table(stream, "settings");
}

static void put_options(FILE *stream)
{
    begin_table(stream, "options", "| option | does |");
    for (int i = 0; i < option_count; i++) {
        const struct program_option *option = &option_table[i];
        put_row(stream, option->letter ? "-" : "--",
                option->letter ? (char[]){option->letter, '\0'} : option->name, option->value,
                option->summary);
    }
    end_table(stream, "options");
}

static void put_keys(FILE *stream)
{
    begin_table(stream, "keys", "| key | where | does |");
    for (int i = 0; i < key_count; i++) {
        fputs("| `", stream);
        put_cell(stream, key_table[i].name, true);
        fputs("` | ", stream);
        key_write_contexts(stream, key_table[i].contexts);
        fputs(" | ", stream);
        put_cell(stream, key_table[i].help, false);
        fputs(" |\n", stream);
    }
    end_table(stream, "keys");
}

void manual_markdown(FILE *stream)
{
    put_keys(stream);
    put_commands(stream);
    put_settings(stream);
    put_options(stream);
}
