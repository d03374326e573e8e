#include "tui/options.h"

#include <getopt.h>
#include <stdlib.h>

#include "tui/arguments.h"
#include "tui/commands.h"

enum { OPTION_JSON = 256, OPTION_DEVICE, OPTION_THREADS, OPTION_HELP, OPTION_VERSION };

static const struct option long_options[] = {
    {"json", no_argument, NULL, OPTION_JSON},
    {"device", required_argument, NULL, OPTION_DEVICE},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static const char usage[] =
    "usage: attnscope [--json] [--device auto|cpu|cuda|cuda:N] [--threads N] MODEL\n"
    "                 [-e COMMAND]... [-f FILE]...        (attnscope --help says more)\n";

static const char help[] =
    "\n"
    "Opens a translation model, a .bin file, to translate and to look at its attention.\n"
    "\n"
    "  -e COMMAND    run a command, or translate a sentence; may be repeated\n"
    "  -f FILE       run the commands in FILE, one a line; - is standard input\n"
    "  --json        print one JSON object for every command\n"
    "  --device D    auto (the default: the first GPU, else the CPU), cpu, cuda or cuda:N\n"
    "  --threads N   threads of the CPU; default: as many as there are processors\n"
    "  --help, --version\n"
    "\n"
    "Without -e and -f commands are read from standard input. A line that does not begin\n"
    "with \":\" is a sentence to translate; \":help\" lists the commands.\n"
    "Exit status: 0, 1 when a command failed, 2 for wrong usage.\n";

void options_usage(FILE *stream)
{
    fputs(usage, stream);
}

void options_help(FILE *stream)
{
    fputs("usage: attnscope [OPTION]... MODEL\n", stream);
    fputs(help, stream);
}

static bool set_model(struct options *options, const char *path, struct status *status)
{
    if (!*path)
        return status_fail(status, STATUS_INVALID, "MODEL is empty: expected the path of a model");
    if (options->model)
        return status_fail(status, STATUS_INVALID, "two models, \"%s\" and \"%s\": expected one",
                           options->model, path);
    options->model = path;
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

static bool set_option(struct options *options, int option, char **argv, struct status *status)
{
    switch (option) {
    case 1: // not an option
        return set_model(options, optarg, status);
    case 'e':
        return add_script(options, SCRIPT_COMMAND, optarg, status);
    case 'f':
        return add_script(options, SCRIPT_FILE, optarg, status);
    case OPTION_JSON:
        return options->json = true;
    case OPTION_DEVICE:
        return device_parse(optarg, &options->device, status);
    case OPTION_THREADS:
        return parse_int("--threads", optarg, 1, 1024, &options->threads, status);
    case OPTION_HELP:
        return options->help = true;
    case OPTION_VERSION:
        return options->version = true;
    case ':':
        return status_fail(status, STATUS_INVALID, "%s: expected a value after it",
                           argv[optind - 1]);
    default:
        if (optopt > 0 && optopt < 256)
            return status_fail(status, STATUS_INVALID, "unknown option -%c", optopt);
        return status_fail(status, STATUS_INVALID, "unknown option %s", argv[optind - 1]);
    }
}

static bool parse(int argc, char **argv, struct options *options, struct status *status)
{
    int option;
    opterr = 0;
    // "-": MODEL may stand before options, whatever the environment says of their order.
    while ((option = getopt_long(argc, argv, "-:e:f:", long_options, NULL)) != -1)
        if (!set_option(options, option, argv, status))
            return false;
    for (; optind < argc; optind++)
        if (!set_model(options, argv[optind], status))
            return false;
    if (!options->model && !options->help && !options->version)
        return status_fail(status, STATUS_INVALID, "expected the path of a model");
    return true;
}

bool options_parse(int argc, char **argv, struct options *options, struct status *status)
{
    *options = (struct options){.device = {DEVICE_AUTO, 0}};
    options->scripts = memory_new(argc, sizeof *options->scripts, status);
    if (options->scripts && parse(argc, argv, options, status))
        return true;
    options_free(options);
    return false;
}

void options_free(struct options *options)
{
    free(options->scripts);
    *options = (struct options){0};
}
