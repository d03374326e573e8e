/* The manual page, in the man macros that mandoc and groff both know. */
#include <ctype.h>
#include <string.h>

#include <utf8proc.h>

#include "tui/commands.h"
#include "tui/manual.h"
#include "tui/options.h"
#include "tui/screen/bindings.h"
#include "tui/selector.h"
#include "tui/settings.h"

/* Text of the tables ---------------------------------------------------------------------------- */

/* One character as roff reads it. `literal`: a dash is to be typed as it is seen. */
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

/* A dash between lowercase letters hyphenates; others stand in what a reader may copy. Lines are filled, but
 * what the tables begin on a new line after a full stop begins on one here. */
static void put_text(FILE *stream, const char *text)
{
    const char *at = text;
    utf8proc_int32_t c;
    for (utf8proc_ssize_t size;
         *at && (size = utf8proc_iterate((const utf8proc_uint8_t *)at, -1, &c)) > 0; at += size) {
        if (at > text + 1 && at[-1] == '\n' && at[-2] == '.')
            fputs(".br\n", stream);
        if ((at == text || at[-1] == '\n') && *at == '.')
            fputs("\\&", stream); // no request
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

/* The help's notation: what is typed bold, what stands for something else (in capitals) in italics,
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
        for (; length > 0; length--)
            put_character(stream, *text++, true);
        fputs(mark ? "\\fR" : "", stream);
    }
}

/* Parts from the tables ------------------------------------------------------------------------- */

static void put_option_name(FILE *stream, const struct program_option *option)
{
    fprintf(stream, option->letter ? "\\fB\\-%.1s" : "\\fB\\-\\-%.0s", &option->letter);
    fprintf(stream, "%s\\fR", option->letter ? "" : option->name);
    fputs(option->value ? " " : "", stream);
    put_notation(stream, option->value ? option->value : "");
}

static void put_synopsis(FILE *stream)
{
    fputs(".SH SYNOPSIS\n.B attnscope\n", stream);
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
    fputs(".SH OPTIONS\n", stream);
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

static void put_command(FILE *stream, const char *mark, const char *name,
                        const struct command *command)
{
    const char *details = manual_details(command);
    fprintf(stream, ".TP\n\\fB%s%s\\fR%s", mark, name, *name && *command->arguments ? " " : "");
    put_notation(stream, command->arguments);
    fputc('\n', stream);
    put_text(stream, command->summary);
    if (details) {
        fputs(".br\n", stream);
        put_text(stream, details);
    }
}

static void put_commands(FILE *stream)
{
    fputs(
        ".SH COMMANDS\n"
        "A name may be shortened to any beginning that no other command has. Words are split as a\n"
        "shell does it: blanks between them, quotes and backslashes around what belongs "
        "together.\n",
        stream);
    put_command(stream, "", "", &sentence_command);
    for (int i = 0; i < command_count; i++)
        put_command(stream, ":", command_table[i].name, &command_table[i]);
}

static void put_selectors(FILE *stream)
{
    fputs(".SH SELECTORS\nA selector says which attention a command is about:\n.PP\n.RS 4\n",
          stream);
    put_notation(stream, SELECTOR_SYNTAX);
    fputs("\n.RE\n.PP\n", stream);
    put_text(stream, SELECTOR_RULES);
    fputs("The module is the encoder's or the decoder's self\\-attention, or the decoder's "
          "attention\n"
          "to the source; the word\n.B in\nmay stand before it.\n"
          ".B mean\nand\n.B max\nare for\n.B :attn\nalone.\n",
          stream);
}

static void put_settings(FILE *stream)
{
    fputs(".SH SETTINGS\n"
          ".B :set\nshows and changes them. "
          "Those of the search begin with what the checkpoint says.\n",
          stream);
    for (int i = 0; i < setting_count; i++) {
        fputs(".TP\n\\fB", stream);
        fputs(setting_table[i].name, stream);
        fputs("\\fR (", stream);
        setting_write_range(&setting_table[i], stream);
        fputs(")\n", stream);
        put_text(stream, setting_table[i].help);
    }
}

static void put_keys(FILE *stream)
{
    fputs(".SH KEYS\n"
          "The screen begins in its prompt, where lines are edited as a shell has it.\n"
          "Tab completes, the arrow up brings back what was typed before, Enter runs.\n"
          "Esc goes to the view, where keys are:\n",
          stream);
    for (int i = 0; i < binding_count; i++) {
        fputs(".TP\n\\fB", stream);
        for (const char *c = binding_table[i].ascii; *c; c++)
            put_character(stream, *c, true);
        fputs("\\fR (", stream);
        bindings_write_places(stream, binding_table[i].places);
        fputs(")\n", stream);
        put_text(stream, binding_table[i].help);
    }
    fputs(".PP\n", stream);
    put_text(stream, BINDINGS_RULES);
}

/* Prose ----------------------------------------------------------------------------------------- */

static const char name_section[] =
    ".SH NAME\n"
    "attnscope \\- look into and change the attention of translation Transformers\n";

static const char description[] =
    ".SH DESCRIPTION\n"
    ".B attnscope\n"
    "opens a trained encoder\\-decoder Transformer for machine translation, the file\n"
    ".IR MODEL ,\n"
    "to translate with it, to see the attention weights of every layer and head, to switch heads "
    "off\n"
    "and see what changes, and to score given translations.\n"
    ".PP\n"
    "At a terminal it opens a session that fills the screen, or with\n.B \\-\\-line\n"
    "a prompt; elsewhere, without\n.B \\-e\nand\n.BR \\-f ,\n"
    "it reads commands from standard input, one a line.\n"
    "A line that does not begin with a colon is a sentence to translate; all later commands are "
    "about\n"
    "it until another one is given. Heads that are off and masks that were changed stay so until\n"
    ".B :enable\nor\n.BR :reset .\n"
    "Layers and heads count from 1. Ctrl\\-C stops the command that is running.\n"
    ".PP\n"
    "A\n.I MODEL\n"
    "is a safetensors file that also holds the configuration, the vocabulary and the subword "
    "model.\n"
    "Of several the first is current;\n.B :model\ngoes to another.\n";

static const char json[] =
    ".SH JSON\n"
    "With\n.B \\-\\-json\n"
    "every command prints one object on one line, with the members\n"
    ".B command\n(its full name, or\n.BR sentence )\nand\n.BR ok .\n"
    "Where that is true the command\\(aqs results follow; where it is false,\n"
    ".B error\nis the message, with what was finished before Ctrl-C where the command keeps it, "
    "and the\n"
    "commands after it still run.\n"
    "Numbers have 9 significant digits; layers and heads count from 1; control characters are "
    "always\n"
    "written as \\eu00XX. A model that does not open gives one such object, of the command\n"
    ".BR load ;\n"
    "a script, or a line of it, that cannot be read gives one of the command\n"
    ".BR script .\n"
    ".B :source\nprints one object for every command that it runs, and its own after them.\n";

static const char files[] = ".SH FILES\n"
                            ".TP\n.I share/attnscope/samples\n"
                            "Sample models, under the folder that attnscope was installed into: "
                            "/usr/local unless another was\n"
                            "chosen.\n"
                            ".TP\n.I $XDG_STATE_HOME/attnscope/history\n"
                            "What was typed at the prompt, its newest 2000 lines; without that "
                            "variable under ~/.local/state.\n"
                            ".TP\n.I $XDG_STATE_HOME/attnscope/copied.tsv\n"
                            "What the keys y and Y copied last.\n";

static const char environment[] =
    ".SH ENVIRONMENT\n"
    ".TP\n.B ATTNSCOPE_ISA\n"
    "The instructions that the CPU computes with:\n.BR avx512 ,\n.B avx2\nor\n.BR c .\n"
    "Unset or empty: the best that the processor has. Results do not depend on it.\n"
    ".TP\n.B COLORTERM\n"
    "Of truecolor or 24bit: the terminal shows all colours, though TERM does not say so.\n"
    ".TP\n.B COLUMNS\n"
    "The width to draw in where standard output is no terminal; 80 when unset.\n"
    ".TP\n.B LC_ALL\n"
    "With LC_CTYPE and LANG the locale of the prompt. Text is UTF\\-8 all the same: one that is "
    "not "
    "counts as\nC.UTF\\-8.\n"
    ".TP\n.B NO_COLOR\n"
    "Unless empty: the screen has no colours; weights are shaded by characters.\n"
    ".TP\n.B PAGER\n"
    "What shows results that are taller than the terminal, at the prompt;\n.B less\nwhen unset. "
    "Empty or\n.BR cat :\nnothing does.\n"
    ".TP\n.B SOURCE_DATE_EPOCH\n"
    "Seconds since 1970 that exported files carry as their date. Unset: they carry none, so that "
    "the\nsame session writes the same bytes.\n"
    ".TP\n.B XDG_STATE_HOME\n"
    "The folder of the history, as FILES says.\n";

static const char exit_status[] = ".SH EXIT STATUS\n"
                                  ".TP\n.B 0\nEvery command did what it should.\n"
                                  ".TP\n.B 1\nA model did not open, a command failed, was stopped "
                                  "with Ctrl\\-C or could not write its\n"
                                  "output. What is typed at a terminal does not count.\n"
                                  ".TP\n.B 2\nWrong usage.\n";

static const char examples[] =
    ".SH EXAMPLES\n"
    "Translate a sentence and draw where the third head of the second decoder layer looked:\n"
    ".PP\n.RS 4\n.EX\n"
    "attnscope samples/en\\-de.bin \\-e \\(aqTwo dogs are running.\\(aq \\e\n"
    "    \\-e \\(aq:attn cross layer 2 head 3 word\\(aq\n"
    ".EE\n.RE\n.PP\n"
    "Translate a file without the first head of any encoder layer:\n"
    ".PP\n.RS 4\n.EX\n"
    "attnscope samples/en\\-de.bin \\-e \\(aq:disable head 1\\(aq \\-e \\(aq:translate "
    "input.en\\(aq\n"
    ".EE\n.RE\n.PP\n"
    "The weights of that head as numbers:\n"
    ".PP\n.RS 4\n.EX\n"
    "attnscope \\-\\-json samples/en\\-de.bin \\-e \\(aqTwo dogs are running.\\(aq \\e\n"
    "    \\-e \\(aq:attn cross layer 2 head 3\\(aq | jq .weights\n"
    ".EE\n.RE\n";

static const char see_also[] =
    ".SH SEE ALSO\n"
    ".BR jq (1)\n"
    ".PP\n"
    "H. Cui, S. Iida, P.\\-H. Hung, T. Utsuro and M. Nagata,\n"
    ".IR \"Mixed Multi\\-Head Self\\-Attention for Neural Machine Translation\" ,\n"
    "2019: masks.\n"
    ".PP\n"
    "A. Raganato, Y. Scherrer and J. Tiedemann,\n"
    ".IR \"Fixed Encoder Self\\-Attention Patterns in Transformer\\-Based Machine Translation\" ,\n"
    "2020: patterns.\n"
    ".PP\n"
    "A. Goindani and M. Shrivastava,\n"
    ".IR \"A Dynamic Head Importance Computation Mechanism for Neural Machine Translation\" ,\n"
    "2021: importance.\n"
    ".PP\n"
    "B. Yang, J. Li, D. F. Wong, L. S. Chao, X. Wang and Z. Tu,\n"
    ".IR \"Context\\-Aware Self\\-Attention Networks\" ,\n"
    "2019: gates.\n";

void manual_man(FILE *stream)
{
    fputs(".\\\" Written by attnscope --generate man.\n", stream);
    fprintf(stream, ".TH ATTNSCOPE 1 \"%s\" \"attnscope %s\" \"User Commands\"\n", ATTNSCOPE_DATE,
            ATTNSCOPE_VERSION);
    fputs(name_section, stream);
    put_synopsis(stream);
    fputs(description, stream);
    put_options(stream);
    put_commands(stream);
    put_selectors(stream);
    put_keys(stream);
    put_settings(stream);
    fputs(json, stream);
    fputs(files, stream);
    fputs(environment, stream);
    fputs(exit_status, stream);
    fputs(examples, stream);
    fputs(see_also, stream);
}
