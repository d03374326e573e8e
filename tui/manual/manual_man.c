/* Writes the tables of the manual page, in the man macros that both mandoc and groff know. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "base/version.h"
#include "session/selector.h"
#include "session/settings.h"
#include "terminal/text/arguments.h"
#include "tui/command/commands.h"
#include "tui/manual/key_table.h"
#include "tui/manual/manual.h"
#include "tui/program/options.h"

/* Text of the tables --------------------------------------------------------------------------- */

/* Writes one character for roff. `literal`: a dash stays a minus sign, so that it can be copied and
 * typed. */
static void put_character(FILE *stream, utf8proc_int32_t c, bool literal)
{
    static const struct {
        char c;
        const char *roff;
    } special[] = {{'\\', "\\e"},  {'\'', "\\(aq"}, {'`', "\\(ga"},
                   {'^', "\\(ha"}, {'~', "\\(ti"},  {'"', "\\(dq"}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (c == special[i].c) {
            fputs(special[i].roff, stream);
            return;
        }
    if (c == '-' && literal)
        fputs("\\-", stream);
    else if (c < 0x80)
        fputc((int)c, stream);
    else
        fprintf(stream, "\\[u%04X]", (unsigned)c);
}

/* A dash between lowercase letters is a hyphen; other dashes are part of commands, which readers
 * copy. roff fills lines, but text that begins after a full stop in the tables also begins a line
 * here. */
static void put_text(FILE *stream, const char *text)
{
    const char *at = text;
    utf8proc_int32_t c;
    for (utf8proc_ssize_t size;
         *at && (size = utf8proc_iterate((const utf8proc_uint8_t *)at, -1, &c)) > 0; at += size) {
        if (at > text + 1 && at[-1] == '\n' && at[-2] == '.')
            fputs(".br\n", stream);
        if ((at == text || at[-1] == '\n') && *at == '.')
            fputs("\\&", stream); // not a request
        bool hyphen = *at == '-' && at > text && islower((unsigned char)at[-1]) &&
                      islower((unsigned char)at[1]);
        put_character(stream, c, !hyphen);
    }
    fputs(at > text && at[-1] == '\n' ? "" : "\n", stream);
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* In a man page, literal words of the help are bold, placeholders (in capitals) italic, and
 * brackets and bars between choices plain. */
static void put_notation(FILE *stream, const char *text)
{
    while (*text) {
        size_t length = 0;
        while (in_word(text[length]))
            length++;
        const char *font = isupper((unsigned char)*text) ? "\\fI" : "\\fB";
        bool mark = strncmp(text, "|||", 3) == 0;
        if (!length)
            length = mark ? 3 : 1;
        else
            mark = true;
        fputs(mark ? font : "", stream);
        utf8proc_int32_t c;
        for (const char *end = text + length; text < end; put_character(stream, c, true))
            text += utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &c);
        fputs(mark ? "\\fR" : "", stream);
    }
}

/* Parts from the tables ------------------------------------------------------------------------ */

static void put_option_name(FILE *stream, const struct program_option *option)
{
    fprintf(stream, option->letter ? "\\fB\\-%.1s" : "\\fB\\-\\-%.0s", &option->letter);
    fprintf(stream, "%s\\fR", option->letter ? "" : option->name);
    fputs(option->value ? " " : "", stream);
    put_notation(stream, option->value ? option->value : "");
}

static void put_synopsis(FILE *stream)
{
    manual_place(stream, "synopsis");
    for (int i = 0; i < option_count; i++) {
        if (option_table[i].use == OPTION_WITHOUT_MODEL)
            continue;
        fputs("[", stream);
        put_option_name(stream, &option_table[i]);
        fputs(option_table[i].use == OPTION_REPEATED ? "]...\\&\n" : "]\n", stream);
    }
    put_notation(stream, OPTIONS_OPERANDS);
    fputc('\n', stream);
    for (int i = 0; i < option_count; i++) {
        if (option_table[i].use != OPTION_WITHOUT_MODEL)
            continue;
        fputs(".br\n.B attnscope\n", stream);
        put_option_name(stream, &option_table[i]);
        fputc('\n', stream);
    }
}

static void put_options(FILE *stream)
{
    manual_place(stream, "options");
    for (int i = 0; i < option_count; i++) {
        const struct program_option *option = &option_table[i];
        fputs(".TP\n", stream);
        put_option_name(stream, option);
        fputc('\n', stream);
        put_text(stream, option->summary);
        fputs(option->use == OPTION_REPEATED ? "(may be repeated)\n" : "", stream);
        if (option->details) {
            fputs(".br\n", stream);
            put_text(stream, option->details);
        }
    }
}

static void put_items(FILE *stream, const struct help_item *items)
{
    for (; items && items->name; items++) {
        fputs(".br\n\\fI", stream);
        put_notation(stream, items->name);
        fputs("\\fR: ", stream);
        put_text(stream, items->text);
    }
}

static void put_command(FILE *stream, const char *mark, const char *name,
                        const struct command *command)
{
    char *usage = command_usage_text(command);
    fprintf(stream, ".TP\n\\fB%s%s\\fR%s", mark, name, *name && usage && *usage ? " " : "");
    put_notation(stream, usage ? usage : "");
    free(usage);
    fputc('\n', stream);
    put_text(stream, command->summary);
    put_items(stream, command->meanings);
    fputs(command->columns ? ".br\nColumns:\n" : "", stream);
    put_items(stream, command->columns);
    for (const char *const *note = command->notes; note && *note; note++) {
        fputs(".br\n", stream);
        put_text(stream, *note);
    }
}

static void put_commands(FILE *stream)
{
    manual_place(stream, "commands");
    put_command(stream, "", "", &sentence_command);
    for (int i = 0; i < command_count; i++)
        put_command(stream, ":", command_table[i]->name, command_table[i]);
}

static void put_settings(FILE *stream)
{
    manual_place(stream, "settings");
    for (int i = 0; i < setting_count; i++) {
        fputs(".TP\n\\fB", stream);
        fputs(setting_table[i].name, stream);
        fputs("\\fR (", stream);
        setting_write_range(&setting_table[i], stream);
        fputs(")\n", stream);
        put_text(stream, setting_table[i].help);
    }
}

static void put_typed(FILE *stream, const char *line)
{
    for (; *line; line++)
        put_character(stream, (unsigned char)*line, true);
    fputc('\n', stream);
}

/* Lines to be typed remain lines, in ASCII. */
static void put_topic(FILE *stream, const struct topic *topic)
{
    char place[64];
    snprintf(place, sizeof place, "topic-%s", topic->name);
    manual_place(stream, place);
    for (int i = 0; topic->parts[i]; i++) {
        bool typed = *topic->parts[i] == ' ', again = i > 0 && *topic->parts[i - 1] == ' ';
        fputs(i == 0 ? "" : typed && again ? ".br\n" : typed ? ".PP\n.RS 4\n" : ".PP\n", stream);
        if (typed)
            put_typed(stream, topic->parts[i] + strspn(topic->parts[i], " "));
        else
            put_text(stream, topic->parts[i]);
        fputs(typed && (!topic->parts[i + 1] || *topic->parts[i + 1] != ' ') ? ".RE\n" : "",
              stream);
    }
}

static void put_keys(FILE *stream)
{
    manual_place(stream, "keys");
    for (int i = 0; i < key_count; i++) {
        fputs(".TP\n\\fB", stream);
        for (const char *c = key_table[i].ascii; *c; c++)
            put_character(stream, *c, true);
        fputs("\\fR (", stream);
        key_write_contexts(stream, key_table[i].contexts);
        fputs(")\n", stream);
        put_text(stream, key_table[i].help);
    }
}

void manual_man(FILE *stream)
{
    manual_place(stream, "date");
    fputs(ATTNSCOPE_DATE "\n", stream);
    manual_place(stream, "version");
    fputs(ATTNSCOPE_VERSION "\n", stream);
    put_synopsis(stream);
    put_options(stream);
    put_commands(stream);
    put_keys(stream);
    put_settings(stream);
    for (int i = 0; i < topic_count; i++)
        put_topic(stream, &topic_table[i]);
}
