#include "tui/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "render/figure.h"
#include "tui/arguments.h"
#include "tui/commands.h"
#include "tui/manual.h"

static bool add_model(struct options *options, const char *path, struct status *status)
{
    if (!*path)
        return status_fail(status, STATUS_INVALID, "MODEL is empty: expected the path of a model");
    options->models[options->model_count++] = path;
    return true;
}

static bool add_script(struct options *options, enum script_kind kind, const char *text,
                       struct status *status)
{
    if (command_blank(text))
        return status_fail(status, STATUS_INVALID, "%s is empty: expected a %s",
                           kind == SCRIPT_COMMAND ? "-e" : "-f",
                           kind == SCRIPT_COMMAND ? "command or a sentence" : "file");
    options->scripts[options->count++] = (struct script){kind, text};
    return true;
}

/* The table ------------------------------------------------------------------------------------- */

#define OPTION(name)                                                                               \
    static bool set_##name(struct options *options, const char *value, struct status *status)

OPTION(command)
{
    return add_script(options, SCRIPT_COMMAND, value, status);
}

OPTION(file)
{
    return add_script(options, SCRIPT_FILE, value, status);
}

OPTION(json)
{
    (void)value, (void)status;
    return options->json = true;
}

OPTION(device)
{
    return device_parse(value, &options->device, status);
}

OPTION(backend)
{
    options->device.plugin = value;
    return *value ? true
                  : status_fail(status, STATUS_INVALID, "--backend is empty: expected a plug-in");
}

OPTION(precision)
{
    return precision_parse(value, &options->device.precision, status);
}

OPTION(threads)
{
    return parse_int("--threads", value, 1, 1024, &options->threads, status);
}

OPTION(dpi)
{
    return parse_int("--dpi", value, DPI_LEAST, DPI_MOST, &options->dpi, status);
}

OPTION(no_clobber)
{
    (void)value, (void)status;
    return options->keep_files = true;
}

OPTION(ascii)
{
    (void)value, (void)status;
    return options->ascii = true;
}

OPTION(line)
{
    (void)value, (void)status;
    return options->line = true;
}

OPTION(replay)
{
    options->replay = value;
    return *value ? true
                  : status_fail(status, STATUS_INVALID, "--replay is empty: expected a file");
}

OPTION(generate)
{
    options->generate = manual_find(value, status);
    return options->generate != NULL;
}

OPTION(help)
{
    (void)value, (void)status;
    return options->help = true;
}

OPTION(version)
{
    (void)value, (void)status;
    return options->version = true;
}

/* Of the GPUs that N may name, two show the form. */
static const char *const devices[] = {"auto", "cpu", "cuda", "cuda:0", "cuda:1", NULL};

const struct program_option option_table[] = {
    {'e', NULL, "COMMAND", VALUE_COMMAND, NULL, OPTION_REPEATED,
     "run a command, or translate a sentence",
     "With -e or -f the program ends after the last of them; they are run in the order given.",
     set_command},
    {'f', NULL, "FILE", VALUE_FILE, NULL, OPTION_REPEATED,
     "run the commands in FILE, one a line; - is standard input", NULL, set_file},
    {0, "ascii", NULL, VALUE_OTHER, NULL, OPTION_ONCE, "draw the full screen with ASCII alone",
     NULL, set_ascii},
    {0, "line", NULL, VALUE_OTHER, NULL, OPTION_ONCE,
     "prompt line by line, without the full screen",
     "As on terminals that cannot move their cursor.", set_line},
    {0, "json", NULL, VALUE_OTHER, NULL, OPTION_ONCE, "print one JSON object for every command",
     NULL, set_json},
    {0, "device", "DEVICE", VALUE_CHOICE, devices, OPTION_ONCE,
     "compute on auto, cpu, cuda or cuda:N",
     "auto, the default, is the first GPU, else the CPU; N counts GPUs from 0.", set_device},
    {0, "backend", "FILE", VALUE_FILE, NULL, OPTION_ONCE, "plug-in that CUDA devices come from",
     "Default: attnscope-cuda.so beside the program.", set_backend},
    {0, "precision", "NAME", VALUE_CHOICE, precision_names, OPTION_ONCE,
     "how GPUs multiply: fp32, tf32 or bf16; default: fp32",
     "fp32 is exact. tf32 rounds factors to 10 bits of fraction. bf16 rounds weights and factors "
     "to 7,\n"
     "and weights take half the memory. Sums are of fp32 in all three. The CPU has fp32 alone.",
     set_precision},
    {0, "threads", "N", VALUE_OTHER, NULL, OPTION_ONCE,
     "threads of the CPU; default: as many as processors", NULL, set_threads},
    {0, "dpi", "N", VALUE_OTHER, NULL, OPTION_ONCE,
     "pixels to the inch of exported figures; default: 300", "From 30 to 2400: :set figure.dpi N.",
     set_dpi},
    {0, "no-clobber", NULL, VALUE_OTHER, NULL, OPTION_ONCE, "replace no file that is there",
     "Writing over one is an error. Otherwise it is replaced, at the prompt after a question.",
     set_no_clobber},
    {0, "replay", "FILE", VALUE_FILE, NULL, OPTION_ONCE,
     "make an exported file again from what it says of itself",
     "Says whether it is the same, byte for byte; where it is not, the new one stays as\n"
     "NAME.replayed.EXT beside it, and the exit status is 1. MODEL must be the checkpoint that\n"
     "it was made from, of :beside both. Not with -e or -f.",
     set_replay},
    {0, "generate", "WHAT", VALUE_CHOICE, manual_names, OPTION_WITHOUT_MODEL,
     "write a part of the manual",
     "WHAT is man (this page), readme (the tables of README.md), or complete-bash,\n"
     "complete-zsh or complete-fish (what these shells complete arguments with).",
     set_generate},
    {0, "help", NULL, VALUE_OTHER, NULL, OPTION_WITHOUT_MODEL, "write a summary of the options",
     NULL, set_help},
    {0, "version", NULL, VALUE_OTHER, NULL, OPTION_WITHOUT_MODEL, "write the program's version",
     NULL, set_version},
};
const int option_count = sizeof option_table / sizeof *option_table;

/* Reading argv ---------------------------------------------------------------------------------- */

enum {
    COUNT = sizeof option_table / sizeof *option_table,
    NAMED = 256 // getopt's value of the option at index 0, behind all letters
};

/* The table as getopt_long wants it: letters, and names that end with a zeroed one. */
static void list_options(char letters[2 * COUNT + 3], struct option names[COUNT + 1])
{
    // "-": MODEL may stand before options, whatever the environment says of their order.
    strcpy(letters, "-:");
    for (int i = 0; i < COUNT; i++) {
        const struct program_option *option = &option_table[i];
        if (option->name)
            *names++ = (struct option){
                option->name, option->value ? required_argument : no_argument, NULL, NAMED + i};
        if (option->letter)
            strcat(letters, (char[]){option->letter, option->value ? ':' : '\0', '\0'});
    }
    *names = (struct option){0};
}

/* NULL: getopt's value is none of the table's. */
static const struct program_option *option_of(int value)
{
    for (int i = 0; i < COUNT; i++)
        if (value == NAMED + i || (option_table[i].letter && value == option_table[i].letter))
            return &option_table[i];
    return NULL;
}

static bool set_option(struct options *options, int value, char **argv, struct status *status)
{
    const struct program_option *option = option_of(value);
    if (option)
        return option->set(options, optarg, status);
    if (value == 1) // not an option
        return add_model(options, optarg, status);
    if (value == ':')
        return status_fail(status, STATUS_INVALID, "%s: expected a value after it",
                           argv[optind - 1]);
    if (optopt > 0 && optopt < NAMED)
        return status_fail(status, STATUS_INVALID, "unknown option -%c", optopt);
    return status_fail(status, STATUS_INVALID, "unknown option %s", argv[optind - 1]);
}

static bool parse(int argc, char **argv, struct options *options, struct status *status)
{
    char letters[2 * COUNT + 3];
    struct option names[COUNT + 1];
    int value;
    list_options(letters, names);
    opterr = 0;
    while ((value = getopt_long(argc, argv, letters, names, NULL)) != -1)
        if (!set_option(options, value, argv, status))
            return false;
    for (; optind < argc; optind++)
        if (!add_model(options, argv[optind], status))
            return false;
    if (options->device.kind == DEVICE_CPU && options->device.precision != PRECISION_FP32)
        return status_fail(
            status, STATUS_INVALID,
            "--precision %s with --device cpu: expected fp32, which is all the CPU has",
            precision_names[options->device.precision]);
    if (!options->model_count && !options->help && !options->version && !options->generate)
        return status_fail(status, STATUS_INVALID, "expected the path of a model");
    if (options->replay && options->count)
        return status_fail(status, STATUS_INVALID,
                           "--replay runs no commands: expected no -e or -f");
    return true;
}

bool options_parse(int argc, char **argv, struct options *options, struct status *status)
{
    *options = (struct options){.device = {.kind = DEVICE_AUTO}};
    options->scripts = memory_new(argc, sizeof *options->scripts, status);
    options->models = memory_new(argc, sizeof *options->models, status);
    if (options->scripts && options->models && parse(argc, argv, options, status))
        return true;
    options_free(options);
    return false;
}

void options_free(struct options *options)
{
    free(options->scripts);
    free(options->models);
    *options = (struct options){0};
}

/* Help ------------------------------------------------------------------------------------------ */

/* "-e COMMAND", "--json". */
static void name_option(const struct program_option *option, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s%s", option->letter ? "-" : "--",
             option->letter ? (char[]){option->letter, '\0'} : option->name,
             option->value ? " " : "", option->value ? option->value : "");
}

/* Options with letters, which everybody needs; --help lists the others. */
void options_usage(FILE *stream)
{
    fputs("usage: attnscope [OPTION]...", stream);
    for (int i = 0; i < option_count; i++) {
        char name[40];
        if (!option_table[i].letter)
            continue;
        name_option(&option_table[i], name, sizeof name);
        fprintf(stream, " [%s]%s", name, option_table[i].use == OPTION_REPEATED ? "..." : "");
    }
    fputs(" " OPTIONS_OPERANDS "\n       attnscope --help says more\n", stream);
}

void options_help(FILE *stream)
{
    fputs("usage: attnscope [OPTION]... " OPTIONS_OPERANDS "\n\n"
          "Opens translation models, .bin files, to translate and look at their attention.\n"
          "Of several the first is current; \":model NAME\" goes to another.\n\n",
          stream);
    for (int i = 0; i < option_count; i++) {
        char name[40];
        name_option(&option_table[i], name, sizeof name);
        fprintf(stream, "  %-16s  %s\n", name, option_table[i].summary);
    }
    fputs("\n-e and -f may be repeated; without them commands are read from standard input.\n"
          "A line that does not begin with \":\" is a sentence to translate; \":help\" lists\n"
          "the commands, \"man attnscope\" explains them.\n"
          "Exit status: 0, 1 when a command failed, 2 for wrong usage.\n",
          stream);
}
