/* Writes the tables of the shells' completions: options, their values, files and, after -e, the
 * commands. */
#include <string.h>

#include "tui/command/commands.h"
#include "tui/manual/manual.h"
#include "tui/program/options.h"

/* Writes text inside single quotes; a quote within it ends and reopens them, as sh, bash and zsh
 * require. */
static void put_quoted(FILE *stream, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stream);
        else
            fputc(*text, stream);
}

/* Writes text with a backslash before each character of `special`. */
static void put_escaped(FILE *stream, const char *text, const char *special)
{
    for (; *text; text++)
        fprintf(stream, "%s%c", strchr(special, *text) ? "\\" : "", *text);
}

static void put_choices(FILE *stream, const struct program_option *option, const char *special)
{
    for (int i = 0; option->choices[i]; i++) {
        fputs(i ? " " : "", stream);
        put_escaped(stream, option->choices[i], special);
    }
}

/* Writes "-e", "--json". */
static void put_name(FILE *stream, const struct program_option *option)
{
    if (option->letter)
        fprintf(stream, "-%c", option->letter);
    else
        fprintf(stream, "--%s", option->name);
}

/* bash ----------------------------------------------------------------------------------------- */

/* Writes the case of an option with a value. bash completes files itself, as it knows how to quote
 * them. */
static void put_bash_case(FILE *stream, const struct program_option *option)
{
    if (!option->value)
        return;
    fputs("    ", stream);
    put_name(stream, option);
    if (option->kind == VALUE_FILE || option->kind == VALUE_OTHER) {
        fputs(option->kind == VALUE_FILE ? ") compopt -o bashdefault -o default ;;\n" : ") ;;\n",
              stream);
        return;
    }
    fputs(") _attnscope_reply \"$head\" \"$value\" '", stream);
    if (option->kind == VALUE_CHOICE)
        put_choices(stream, option, "");
    for (int i = 0; option->kind == VALUE_COMMAND && i < command_count; i++)
        fprintf(stream, "%s:%s", i ? " " : "", command_table[i]->name);
    fputs("' ;;\n", stream);
}

void manual_bash(FILE *stream)
{
    manual_place(stream, "cases");
    for (int i = 0; i < option_count; i++)
        put_bash_case(stream, &option_table[i]);
    manual_place(stream, "options");
    for (int i = 0; i < option_count; i++) {
        fputs(i ? " " : "", stream);
        put_name(stream, &option_table[i]);
    }
    fputc('\n', stream);
}

/* zsh ------------------------------------------------------------------------------------------ */

static void put_zsh_option(FILE *stream, const struct program_option *option)
{
    fprintf(stream, "        '%s",
            option->use == OPTION_REPEATED        ? "*"
            : option->use == OPTION_WITHOUT_MODEL ? "(- *)"
                                                  : "");
    put_name(stream, option);
    fputs(option->name && option->value ? "=[" : "[", stream);
    for (const char *c = option->summary; *c; c++) {
        fputs(strchr("[]\\", *c) ? "\\" : "", stream);
        put_quoted(stream, (char[]){*c, '\0'});
    }
    fputs("]", stream);
    if (option->value)
        fprintf(stream, ":%s:", option->value);
    if (option->kind == VALUE_FILE)
        fputs("_files", stream);
    if (option->kind == VALUE_COMMAND)
        fputs("_attnscope_commands", stream);
    if (option->kind == VALUE_CHOICE) {
        fputs("(", stream);
        put_choices(stream, option, ":");
        fputs(")", stream);
    }
    fputs("' \\\n", stream);
}

void manual_zsh(FILE *stream)
{
    manual_place(stream, "commands");
    for (int i = 0; i < command_count; i++) {
        fprintf(stream, "        '\\:%s:", command_table[i]->name);
        put_quoted(stream, command_table[i]->summary);
        fputs("'\n", stream);
    }
    manual_place(stream, "options");
    for (int i = 0; i < option_count; i++)
        put_zsh_option(stream, &option_table[i]);
}

/* fish ----------------------------------------------------------------------------------------- */

static const char fish_special[] = "'\\"; // inside single quotes

static void put_fish_option(FILE *stream, const struct program_option *option)
{
    fputs("complete -c attnscope ", stream);
    if (option->letter)
        fprintf(stream, "-s %c", option->letter);
    else
        fprintf(stream, "-l %s", option->name);
    if (option->value)
        fputs(option->kind == VALUE_FILE ? " -r -F" : " -x", stream);
    if (option->kind == VALUE_COMMAND)
        fputs(" -a '(__attnscope_commands)'", stream);
    if (option->kind == VALUE_CHOICE) {
        fputs(" -a '", stream);
        put_choices(stream, option, fish_special);
        fputs("'", stream);
    }
    fputs(" -d '", stream);
    put_escaped(stream, option->summary, fish_special);
    fputs("'\n", stream);
}

void manual_fish(FILE *stream)
{
    manual_place(stream, "commands");
    for (int i = 0; i < command_count; i++) {
        fprintf(stream, "    printf '%%s\\t%%s\\n' :%s '", command_table[i]->name);
        put_escaped(stream, command_table[i]->summary, fish_special);
        fputs("'\n", stream);
    }
    manual_place(stream, "options");
    for (int i = 0; i < option_count; i++)
        put_fish_option(stream, &option_table[i]);
}
