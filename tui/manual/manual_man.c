/* The manual page, in the man macros that mandoc and groff both know. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "base/version.h"
#include "tui/command/commands.h"
#include "tui/command/topics.h"
#include "tui/manual/key_table.h"
#include "tui/manual/manual.h"
#include "tui/program/options.h"
#include "tui/session/selector.h"
#include "tui/session/settings.h"
#include "tui/text/arguments.h"

/* Text of the tables ---------------------------------------------------------------------------- */

/* Writes one character for roff. `literal`: a dash stays a minus sign, so that it can be copied and typed. */
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

/* A dash between lowercase letters is a hyphen; other dashes are part of commands, which readers copy. roff fills lines,
 * but a line that begins after a full stop in the tables also begins a line here. */
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

/* In a man page literal words of the help are bold, placeholders (in capitals) italic, brackets and bars between
 * choices plain. */
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

static void put_items(FILE *stream, const struct help_item *items)
{
    for (; items && items->name; items++) {
        fputs(".br\n\\fI", stream);
        put_notation(stream, items->name);
        fputs("\\fR: ", stream);
        put_text(stream, items->text);
    }
}

static void put_help(FILE *stream, const struct help *help)
{
    put_items(stream, help->arguments);
    if (help->columns)
        fputs(".br\nColumns:\n", stream);
    put_items(stream, help->columns);
    for (const char *const *note = help->notes; note && *note; note++) {
        fputs(".br\n", stream);
        put_text(stream, *note);
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
    if (command->help)
        put_help(stream, command->help);
}

static void put_commands(FILE *stream)
{
    fputs(
        ".SH COMMANDS\n"
        "A name may be shortened to any beginning that no other command has. Words are separated\n"
        "by blanks; quotes and backslashes keep a word with blanks together, as in a shell.\n",
        stream);
    put_command(stream, "", "", &sentence_command);
    for (int i = 0; i < command_count; i++)
        put_command(stream, ":", command_table[i]->name, command_table[i]);
}

static void put_settings(FILE *stream)
{
    fputs(".SH SETTINGS\n"
          ".B :set\nshows and changes them. "
          "Settings of the search start at the values of the checkpoint.\n",
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

static void put_typed(FILE *stream, const char *line)
{
    for (; *line; line++)
        put_character(stream, (unsigned char)*line, true);
    fputc('\n', stream);
}

/* Lines to be typed stay lines, and ASCII. */
static void put_topic(FILE *stream, const struct topic *topic)
{
    fputs(".SH ", stream);
    for (const char *c = topic->name; *c; c++)
        fputc(toupper((unsigned char)*c), stream);
    fputc('\n', stream);
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

static const struct topic *keys_topic(void)
{
    return topic_find("keys");
}

static void put_keys(FILE *stream)
{
    put_topic(stream, keys_topic());
    fputs(".PP\nThe view has these keys:\n", stream);
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

/* Prose ----------------------------------------------------------------------------------------- */

static const char name_section[] =
    ".SH NAME\n"
    "attnscope \\- inspect and change the attention of translation Transformers\n";

static const char description[] =
    ".SH DESCRIPTION\n"
    ".B attnscope\n"
    "opens a trained encoder\\-decoder Transformer for machine translation, the file\n"
    ".IR MODEL .\n"
    "It translates sentences and files, shows the attention weights of every layer and head, "
    "switches\n"
    "heads off to see what changes, and scores given translations.\n"
    ".PP\n"
    "At a terminal it opens a session that fills the screen, or with\n.B \\-\\-line\n"
    "a prompt. Elsewhere, it reads commands from standard input, one a line, unless\n.B \\-e\n"
    "or\n.B \\-f\nis given.\n"
    "A line that does not begin with a colon is a sentence to translate. Later commands are about\n"
    "this sentence until another one is given. Heads stay off until\n"
    ".B :enable\nor\n.BR :reset ,\nand masks stay changed until\n.BR :reset .\n"
    "Layers and heads count from 1. Ctrl\\-C stops the command that is running.\n"
    ".PP\n"
    "A\n.I MODEL\n"
    "is a file of attnscope's own format, or a file or folder of another toolkit's; the README\n"
    "lists them.\n"
    "If several are given, the first one is current;\n.B :model\nswitches to another.\n";

static const char json[] =
    ".SH JSON\n"
    "With\n.B \\-\\-json\n"
    "every command prints one object on one line, with the members\n"
    ".B command\n(its full name, or\n.BR sentence )\nand\n.BR ok .\n"
    "If\n.B ok\nis true, the results of the command follow. If it is false,\n"
    ".B error\nis the message; results finished before Ctrl-C follow if the command keeps them,\n"
    "and the commands after it still run.\n"
    "Numbers have 9 significant digits; layers and heads count from 1; control characters are "
    "always\n"
    "written as \\eu00XX. If a model does not open, the object names the command\n"
    ".BR load ;\n"
    "if a script, or a line of it, cannot be read, the object names the command\n"
    ".BR script .\n"
    ".B :source\nprints one object for every command that it runs, then its own.\n";

static const char files[] =
    ".SH FILES\n"
    ".TP\n.I share/attnscope/samples\n"
    "Sample models, under the folder that attnscope was installed into: "
    "/usr/local unless another was\n"
    "chosen.\n"
    ".TP\n.I $XDG_STATE_HOME/attnscope/history\n"
    "The newest 2000 lines typed at the prompt. If the variable is not set, "
    "the folder is ~/.local/state.\n"
    ".TP\n.I $XDG_STATE_HOME/attnscope/copied.tsv\n"
    "The value or matrix that the keys y and Y copied last.\n";

static const char environment[] =
    ".SH ENVIRONMENT\n"
    ".TP\n.B ARGOS_PACKAGES_DIR\n"
    "Where Argos Translate keeps its models; if unset, in\n.BR XDG_DATA_HOME .\n"
    ".TP\n.B ATTNSCOPE_CUDA\n"
    "How a GPU computes: names of shortcuts, separated by commas.\n\\-\\fINAME\\fR "
    "switches one off,\n.B all\nand\n.B none\nswitch all of them;\n"
    "gpu/cuda/shortcuts.cuh in the sources lists them.\n.B \\-graphs\n"
    "runs the operations of each decoding step one by one, which is slower,\n"
    "instead of recording them once as a graph; results do not depend on it.\n"
    ".TP\n.B ATTNSCOPE_ISA\n"
    "The instruction set that the CPU computes with:\n.BR avx512 ,\n.B avx2\nor\n.BR c .\n"
    "If it is unset or empty, the best one that the processor has. Results do not depend on it.\n"
    ".TP\n.B ATTNSCOPE_MODELS\n"
    "Folders with models, separated by colons. Models there, in the current folder and among the "
    "installed\nsamples may be opened by the names of their files, without .bin;\n.B attnscope\n"
    "alone lists them.\n"
    ".TP\n.B COLORTERM\n"
    "If it is truecolor or 24bit, the terminal is taken to show all colours, even if TERM does "
    "not\n"
    "say so.\n"
    ".TP\n.B COLUMNS\n"
    "The width of the output if standard output is not a terminal; 80 if unset.\n"
    ".TP\n.B HF_HUB_CACHE\n"
    "The cache of the Hugging Face hub, whose models may be opened by the names that the hub has "
    "for "
    "them.\nIf unset, that of\n.B HUGGINGFACE_HUB_CACHE\nor hub in\n.BR HF_HOME .\n"
    ".TP\n.B HF_HOME\n"
    "The folder with the cache; if unset, huggingface in\n.BR XDG_CACHE_HOME .\n"
    ".TP\n.B HUGGINGFACE_HUB_CACHE\n"
    "The older name of\n.BR HF_HUB_CACHE .\n"
    ".TP\n.B LC_ALL\n"
    "LC_ALL, LC_CTYPE and LANG set the locale of the prompt. Text is always UTF\\-8: a locale "
    "with\n"
    "another encoding is taken as C.UTF\\-8.\n"
    ".TP\n.B NO_COLOR\n"
    "If it is not empty, the screen has no colours, and weights are shaded by characters.\n"
    ".TP\n.B PAGER\n"
    "The program that shows results taller than the terminal, at the prompt;\n.B less\nif unset. "
    "If it is empty or\n.BR cat ,\nno pager is used.\n"
    ".TP\n.B SACREBLEU\n"
    "The folder in which sacreBLEU keeps its files, \\[ti]/.sacrebleu if unset: the models of its "
    "tokenisers\nflores101 and flores200, and, as links in its folder models, the dictionaries "
    "ipadic and mecab\\-ko\\-dic.\n"
    ".TP\n.B SOURCE_DATE_EPOCH\n"
    "The date of exported files, in seconds since 1970. If it is unset, they have no date, so that "
    "the\nsame session writes the same bytes.\n"
    ".TP\n.B XDG_CACHE_HOME\n"
    "~/.cache if unset.\n"
    ".TP\n.B XDG_CONFIG_HOME\n"
    "translateLocally keeps models in its folder there; ~/.config if unset.\n"
    ".TP\n.B XDG_DATA_HOME\n"
    "translateLocally and Argos Translate keep models there; ~/.local/share if unset.\n"
    ".TP\n.B XDG_STATE_HOME\n"
    "The folder of the history: see FILES.\n";

static const char exit_status[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nEvery command succeeded.\n"
    ".TP\n.B 1\nA model did not open, or a command failed or could not write its\n"
    "output. Commands typed at a terminal do not count.\n"
    ".TP\n.B 2\nWrong usage.\n"
    ".PP\nCtrl\\-C ends a script as the signal SIGINT ends other programs: a shell says 130.\n";

static const char examples[] =
    ".SH EXAMPLES\n"
    "Translate a sentence and show where the third head of the second decoder layer attends:\n"
    ".PP\n.RS 4\n.EX\n"
    "attnscope samples/en\\-de.bin \\-e \\(aqTwo dogs are running.\\(aq \\e\n"
    "    \\-e \\(aq:attn cross layer 2 head 3 word\\(aq\n"
    ".EE\n.RE\n.PP\n"
    "Translate a file with the first head of every encoder layer off:\n"
    ".PP\n.RS 4\n.EX\n"
    "attnscope samples/en\\-de.bin \\-e \\(aq:disable head 1\\(aq \\-e \\(aq:translate "
    "input.en\\(aq\n"
    ".EE\n.RE\n.PP\n"
    "Print the weights of that head as numbers:\n"
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
    put_keys(stream);
    put_settings(stream);
    for (int i = 0; i < topic_count; i++)
        if (&topic_table[i] != keys_topic())
            put_topic(stream, &topic_table[i]);
    fputs(json, stream);
    fputs(files, stream);
    fputs(environment, stream);
    fputs(exit_status, stream);
    fputs(examples, stream);
    fputs(see_also, stream);
}
