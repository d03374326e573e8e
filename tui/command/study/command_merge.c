/* `:merge`: results of studies that other processes have computed in parts. */
#include "tui/command/command.h"
#include "tui/session/session_parts.h"

/* In JSON `parts`: how many files; `results` in them; `notices`: lines about damaged ones. */
COMMAND(merge)
{
    const struct pieces *words = &request->words;
    if (words->count < 1)
        return status_fail(status, STATUS_INVALID, "expected PATH..., parts or folders of parts");
    if (!session_merge(session, (const char *const *)words->text, words->count, status))
        return false;
    const struct parts *parts = session->parts;
    const struct pieces *notices = parts_notices(parts);
    report_json(report, "parts", value_int(parts_files(parts)));
    report_json(report, "results", value_int(parts_results(parts)));
    report_json(report, "notices", value_texts((const char *const *)notices->text, notices->count));
    for (int i = 0; i < notices->count; i++)
        report_line(report, FOR_PEOPLE, "%s", notices->text[i]);
    report_line(report, FOR_PEOPLE | IF_WATCHED, "%d parts, %d results", parts_files(parts),
                parts_results(parts));
    return report_end(report, status);
}
