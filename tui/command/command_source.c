/* `:source`: the commands of a file, one a line. */
#include "tui/command/command.h"

enum { FILE_OF_COMMANDS };
static const struct argument arguments[] = {
    [FILE_OF_COMMANDS] = {"FILE", .kind = ARGUMENT_FILE, .required = true},
};

/* The file's commands show their own results and failures; what is told here is how the file as a
 * whole came out. That commands in it failed is no failure of reading it. */
static bool run_source(struct session *session, const struct request *request,
                       struct report *report, struct status *status)
{
    struct script_counts counts;
    const char *path = argument_text(request->given, FILE_OF_COMMANDS);
    bool ok = session->host.run_script(session->host.context, path, &counts, status);
    path = report_copy(report, path);
    report->effect = EFFECT_SESSION;
    report_json(report, "file", value_text(path));
    report_json(report, "commands", value_int(counts.commands));
    report_json(report, "failed", value_int(counts.failed));
    report_line(report, FOR_PEOPLE | IF_WATCHED,
                counts.failed ? "ran %s: %d command%s, %d failed" : "ran %s: %d command%s", path,
                counts.commands, counts.commands == 1 ? "" : "s", counts.failed);
    if (!ok && counts.commands == 0)
        report_free(report);
    return ok && report_end(report, status);
}

static const char *const notes[] = {
    "A command that fails does not stop the commands after it. Ctrl-C stops the file. A file may "
    "run other files, but not itself. A line that begins with \":#\" is a comment.",
    NULL,
};
static const struct help help = {.notes = notes};

const struct command command_source = {
    .name = "source",
    .summary = "run the commands in a file, one a line",
    .arguments = ARGUMENT_LIST(arguments),
    .help = &help,
    .examples = (const char *const[]){":source samples/papers/dhicm-figure-3.scope",
                                      ":source samples/papers/mma-figure-3.scope", NULL},
    .run = run_source,
    .group = GROUP_SESSION,
};
