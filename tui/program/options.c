#include "tui/program/options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/shards/shards.h"
#include "model/text/quote.h"
#include "render/figure.h"
#include "terminal/text/arguments.h"
#include "terminal/text/nearest.h"
#include "tui/command/commands.h"

const char *const manual_names[MANUAL_PARTS + 1] = {
    [MANUAL_MAN] = "man",
    [MANUAL_MARKDOWN] = "markdown",
    [MANUAL_BASH] = "complete-bash",
    [MANUAL_ZSH] = "complete-zsh",
    [MANUAL_FISH] = "complete-fish",
    [MANUAL_OPTIONS] = "option-tables",
};

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

/* The table ------------------------------------------------------------------------------------ */

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

OPTION(device)
{
    options->gpu_asked = true;
    return device_parse(value, &options->device, status);
}

OPTION(backend)
{
    options->gpu_asked = true;
    options->device.plugin = value;
    return *value ? true
                  : status_fail(status, STATUS_INVALID, "--backend is empty: expected a plug-in");
}

OPTION(precision)
{
    options->device.shipped = false;
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

OPTION(shard)
{
    int used = 0;
    if (sscanf(value, "%9d/%9d%n", &options->part, &options->part_count, &used) == 2 &&
        !value[used] && options->part >= 1 && options->part <= options->part_count &&
        options->part_count <= SHARDS_MOST)
        return true;
    return status_fail(status, STATUS_INVALID,
                       "--shard \"%s\": expected K/N, part K of N, such as 1/4", QUOTED(value));
}

OPTION(merge)
{
    options->merged[options->merged_count++] = value;
    return *value || status_fail(status, STATUS_INVALID,
                                 "--merge is empty: expected a part, or a folder of parts");
}

OPTION(generate)
{
    for (int i = 0; i < MANUAL_PARTS; i++)
        if (strcmp(manual_names[i], value) == 0) {
            options->generate = manual_names[i];
            return true;
        }
    return status_fail(status, STATUS_INVALID,
                       "--generate \"%s\": expected man, markdown, complete-bash, complete-zsh, "
                       "complete-fish or option-tables",
                       QUOTED(value));
}

#define PLACE(member) NULL, offsetof(struct options, member)

/* Two examples show the form of GPUs. */
static const char *const devices[] = {"auto", "cpu", "cuda", "cuda:0", "cuda:1", NULL};

const struct program_option option_table[] = {
    {'e', NULL, "COMMAND", VALUE_COMMAND, NULL, OPTION_REPEATED,
     "run a command, or translate a sentence",
     "-e and -f run in the order given; after the last of them the program ends. If :load or\n"
     ":model fails, neither the rest of its file runs nor the -e and -f after it; standard\n"
     "input goes on.",
     set_command, 0},
    {'f', NULL, "FILE", VALUE_FILE, NULL, OPTION_REPEATED,
     "run the commands in FILE, one a line; - is standard input", NULL, set_file, 0},
    {0, "ascii", NULL, VALUE_OTHER, NULL, OPTION_ONCE, "draw the full screen in ASCII only", NULL,
     PLACE(ascii)},
    {0, "line", NULL, VALUE_OTHER, NULL, OPTION_ONCE,
     "prompt line by line instead of using the full screen",
     "The default on terminals that cannot move their cursor.", PLACE(line)},
    {0, "json", NULL, VALUE_OTHER, NULL, OPTION_ONCE, "print one JSON object for every command",
     "`:help json` describes its members.", PLACE(json)},
    {0, "device", "DEVICE", VALUE_CHOICE, devices, OPTION_ONCE,
     "compute on auto, cpu, cuda or cuda:N",
     "auto, the default, is the first GPU, or the CPU if there is none. :info says why; so does\n"
     "a line on standard error if auto was given. N counts GPUs from 0.",
     set_device, 0},
    {0, "backend", "FILE", VALUE_FILE, NULL, OPTION_ONCE, "plug-in that provides CUDA devices",
     "Default: attnscope-cuda.so beside the program.", set_backend, 0},
    {0, "precision", "NAME", VALUE_CHOICE, precision_names, OPTION_ONCE,
     "products: fp32 (default), tf32, bf16, fp16, int8 (students)",
     "fp32 multiplies factors as they are. tf32, on a GPU, rounds them to 10 bits of fraction.\n"
     "bf16 stores weights with 7 bits of fraction, fp16, on the CPU, with 10, in half the\n"
     "memory; in bf16 a GPU also rounds the other factors, and the decoder's keys and values. On\n"
     "the CPU, weights that have 16 bits in the file stay as they are. Sums are always in fp32.\n"
     "int8 multiplies the integers of Marian's students as Marian does: on the CPU, their default.",
     set_precision, 0},
    {0, "threads", "N", VALUE_OTHER, NULL, OPTION_ONCE,
     "CPU threads; default: OMP_NUM_THREADS, or one per processor", NULL, set_threads, 0},
    {0, "dpi", "N", VALUE_OTHER, NULL, OPTION_ONCE,
     "pixels per inch of exported figures; default: 300",
     "N is 30 to 2400. The same as :set figure.dpi N.", set_dpi, 0},
    {0, "no-clobber", NULL, VALUE_OTHER, NULL, OPTION_ONCE, "never replace an existing file",
     "Writing to an existing file is then an error. Without this option the file is replaced; the\n"
     "prompt asks before.",
     PLACE(keep_files)},
    {0, "quiet", NULL, VALUE_OTHER, NULL, OPTION_ONCE,
     "keep standard error for warnings and errors",
     "Neither the progress of long commands nor the device that is used is shown, nor what a "
     "command\n"
     "has changed in the state.",
     PLACE(quiet)},
    {0, "shard", "K/N", VALUE_OTHER, NULL, OPTION_ONCE,
     "compute part K of N of every study over files",
     "Results go to a file in the folder that --parts names; see `:help merge`.", set_shard, 0},
    {0, "parts", "FOLDER", VALUE_FILE, NULL, OPTION_ONCE, "folder that --shard writes its part to",
     NULL, PLACE(parts)},
    {0, "merge", "PATH", VALUE_FILE, NULL, OPTION_REPEATED,
     "use results from parts: a folder of them, or one file",
     "The same commands then print what they print without --shard. `:merge` does this within a\n"
     "session.",
     set_merge, 0},
    {0, "replay", "FILE", VALUE_FILE, NULL, OPTION_ONCE,
     "make an exported file again from what it records",
     "The program says whether the new file is the same, byte for byte; JSON may name MODEL by\n"
     "another path. If it is not the same, it stays beside the old one as NAME.replayed.EXT, and\n"
     "the exit status is 1. MODEL must be the checkpoint that the file was made from; for :beside, "
     "give both. -e and -f are not allowed.",
     PLACE(replay)},
    {0, "convert", "FILE", VALUE_FILE, NULL, OPTION_ONCE,
     "write MODEL to FILE in attnscope's own format",
     "MODEL may be of any toolkit that attnscope reads. FILE holds all of it: unchanged weights,\n"
     "configuration, vocabularies and tokenisers, and what it was converted from, which :info\n"
     "shows. Results are the same to the bit. An existing file is replaced unless --no-clobber\n"
     "is given. -e, -f and --replay are not allowed.",
     PLACE(convert)},
    {0, "source-tokenizer", "FILE", VALUE_FILE, NULL, OPTION_ONCE,
     "cut source text with a tokeniser from FILE",
     "Some toolkits keep the tokeniser apart from the model. attnscope says so when it opens such\n"
     "a model, and reads text as pieces separated by spaces. FILE is a SentencePiece model, codes\n"
     "of subword-nmt or fastBPE, a merges.txt as of GPT-2, or a tokenizer.json; its content tells\n"
     "which. It is used for every MODEL of the command line. Exported files record it as one of\n"
     "the model's files, so --replay needs it too. --convert writes it into its file.",
     PLACE(tokenizers.paths[SIDE_SOURCE])},
    {0, "target-tokenizer", "FILE", VALUE_FILE, NULL, OPTION_ONCE,
     "the same for target text: translations, :force, :score", NULL,
     PLACE(tokenizers.paths[SIDE_TARGET])},
    {0, "generate", "WHAT", VALUE_CHOICE, manual_names, OPTION_WITHOUT_MODEL,
     "print tables of the manual",
     "WHAT is man (the tables of this page), markdown (doc/manual.md), option-tables\n"
     "(doc/options.md), or complete-bash, complete-zsh or complete-fish (completions for these\n"
     "shells).",
     set_generate, 0},
    {0, "help", NULL, VALUE_OTHER, NULL, OPTION_WITHOUT_MODEL, "print a summary of the options",
     NULL, PLACE(help)},
    {0, "version", NULL, VALUE_OTHER, NULL, OPTION_WITHOUT_MODEL, "print the program's version",
     NULL, PLACE(version)},
};
const int option_count = sizeof option_table / sizeof *option_table;

/* Reading argv --------------------------------------------------------------------------------- */

enum {
    COUNT = sizeof option_table / sizeof *option_table,
    NAMED = 256 // getopt's value for the option at index 0, beyond all letters
};

/* Prepares the table for getopt_long: letters, and names, which end with a zeroed one. */
static void list_options(char letters[2 * COUNT + 3], struct option names[COUNT + 1])
{
    // "-": MODEL may come before options, whatever the environment says about their order.
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

/* Returns NULL if getopt's value is not from the table. */
static const struct program_option *option_of(int value)
{
    for (int i = 0; i < COUNT; i++)
        if (value == NAMED + i || (option_table[i].letter && value == option_table[i].letter))
            return &option_table[i];
    return NULL;
}

static bool fail_unknown(const char *typed, struct status *status)
{
    struct nearest nearest = {.typed = typed + strspn(typed, "-")};
    for (int i = 0; i < COUNT; i++)
        if (option_table[i].name)
            nearest_try(&nearest, option_table[i].name);
    return nearest.name ? status_fail(status, STATUS_INVALID,
                                      "unknown option %s: did you mean --%s?", typed, nearest.name)
                        : status_fail(status, STATUS_INVALID, "unknown option %s", typed);
}

static bool take(const struct program_option *option, struct options *options, const char *value,
                 struct status *status)
{
    void *place = (char *)options + option->place;
    if (option->set)
        return option->set(options, value, status);
    if (!option->value)
        return *(bool *)place = true;
    *(const char **)place = value;
    return *value ||
           status_fail(status, STATUS_INVALID, "--%s is empty: expected a %s", option->name,
                       strcmp(option->value, "FOLDER") == 0 ? "folder" : "file");
}

static bool set_option(struct options *options, int value, char **argv, struct status *status)
{
    const struct program_option *option = option_of(value);
    if (option)
        return take(option, options, optarg, status);
    if (value == 1) // not an option
        return add_model(options, optarg, status);
    if (value == ':')
        return status_fail(status, STATUS_INVALID, "%s: expected a value", argv[optind - 1]);
    if (optopt > 0 && optopt < NAMED)
        return status_fail(status, STATUS_INVALID, "unknown option -%c", optopt);
    return fail_unknown(argv[optind - 1], status);
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
    if (options->device.kind == DEVICE_CPU && options->device.precision == PRECISION_TF32)
        return status_fail(status, STATUS_INVALID,
                           "--precision tf32 with --device cpu: expected fp32, bf16, fp16 or int8");
    bool about = options->help || options->version || options->generate;
    bool runs = options->count || options->replay || options->convert || options->json;
    if (!options->model_count && !about && runs)
        return status_fail(status, STATUS_INVALID, "expected the path of a model");
    options->list = !options->model_count && !about;
    if (!options->part_count != !options->parts)
        return status_fail(status, STATUS_INVALID,
                           options->parts ? "--parts without --shard: expected --shard K/N, which "
                                            "writes part K, or --merge"
                                          : "--shard: expected --parts FOLDER, where the part is "
                                            "written");
    if ((options->part_count || options->merged_count) && (options->replay || options->convert))
        return status_fail(status, STATUS_INVALID,
                           "--replay and --convert have no parts: expected no --shard or --merge");
    if (options->part_count && options->merged_count)
        return status_fail(status, STATUS_INVALID,
                           "--shard with --merge: expected one of them, a part is not merged "
                           "while it is computed");
    if (options->replay && options->count)
        return status_fail(status, STATUS_INVALID,
                           "--replay does not run commands: expected no -e or -f");
    if (options->convert && (options->count || options->replay || options->model_count > 1))
        return status_fail(status, STATUS_INVALID,
                           "--convert writes one model: expected one MODEL, and no -e, -f or "
                           "--replay");
    return true;
}

bool options_parse(int argc, char **argv, struct options *options, struct status *status)
{
    *options = (struct options){.device = {.kind = DEVICE_AUTO, .shipped = true}};
    options->scripts = memory_new(argc, sizeof *options->scripts, status);
    options->models = memory_new(argc, sizeof *options->models, status);
    options->merged = memory_new(argc, sizeof *options->merged, status);
    if (options->scripts && options->models && options->merged &&
        parse(argc, argv, options, status))
        return true;
    options_free(options);
    return false;
}

void options_free(struct options *options)
{
    free(options->scripts);
    free(options->models);
    free(options->merged);
    *options = (struct options){0};
}

/* Help ----------------------------------------------------------------------------------------- */

/* Writes "-e COMMAND", "--json". */
static void name_option(const struct program_option *option, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s%s", option->letter ? "-" : "--",
             option->letter ? (char[]){option->letter, '\0'} : option->name,
             option->value ? " " : "", option->value ? option->value : "");
}

/* Lists the options with letters, which everybody needs; --help lists the others. */
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

/* After a longer name, the summary is on the next line. */
enum { NAME_COLUMNS = 16 };

void options_help(FILE *stream)
{
    fputs("usage: attnscope [OPTION]... " OPTIONS_OPERANDS "\n\n"
          "Opens translation models, its own and those of other toolkits, to translate and\n"
          "look at their attention.\n"
          "The first one is current; \":model NAME\" switches to another.\n"
          "MODEL is a path, or the name of a model that \"attnscope\" alone lists.\n\n",
          stream);
    for (int i = 0; i < option_count; i++) {
        char name[40];
        name_option(&option_table[i], name, sizeof name);
        bool apart = (int)strlen(name) > NAME_COLUMNS;
        fprintf(stream, "  %-*s%s  %s\n", NAME_COLUMNS, name, apart ? "\n                  " : "",
                option_table[i].summary);
    }
    fputs("\n-e and -f may be repeated; without them, commands are read from standard input.\n"
          "A line that does not begin with \":\" is a sentence to translate; \":help\" lists\n"
          "the commands, \"man attnscope\" explains them.\n"
          "Exit status: 0; 1 if a command failed; 2 for wrong usage; 130 after Ctrl-C.\n",
          stream);
}
