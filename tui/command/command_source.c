/* `:source`: the commands of a file, one a line. */
#include "tui/command/command.h"

/* The file's commands show their own results and failures; what is told here is how the file as a whole
 * came out. That commands in it failed is no failure of reading it. */
COMMAND(source)
{
    struct script_counts counts;
    if (!no_more_words(request, 1, status))
        return false;
    if (request->words.count < 1)
        return status_fail(status, STATUS_INVALID, "expected FILE");
    const char *path = request->words.text[0];
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
