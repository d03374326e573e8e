/* `:merge`: combines results of studies that other processes have computed in parts. */
#include "session/session.h"
#include "tui/command/command.h"

enum { PATHS };
static const struct argument arguments[] = {
    [PATHS] = {"PATH", .kind = ARGUMENT_FILE, .required = true, .most = ARGUMENT_MANY},
};

/* JSON has `parts`: how many files; `results`: how many in them; `notices`: lines about damaged
 * files. */
static bool run_merge(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    const struct strings paths = argument_texts(request->given, PATHS);
    if (!session_merge(session, (const char *const *)paths.text, paths.count, status))
        return false;
    const struct shards *shards = session->shards;
    const struct strings *notices = shards_notices(shards);
    report_json(report, "parts", value_int(shards_files(shards)));
    report_json(report, "results", value_int(shards_results(shards)));
    report_json(report, "notices", value_texts((const char *const *)notices->text, notices->count));
    for (int i = 0; i < notices->count; i++)
        report_line(report, FOR_PEOPLE, "%s", notices->text[i]);
    report_line(report, FOR_PEOPLE | IF_WATCHED, "%d parts, %d results", shards_files(shards),
                shards_results(shards));
    return report_end(report, status);
}

static const struct help_item meanings[] = {
    {"PATH", "the file of a part, or a folder of such files"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "A large study can be computed in parts, by several processes or machines. attnscope --shard "
    "K/N --parts FOLDER MODEL -f SCRIPT computes part K of N of every study in SCRIPT and writes "
    "it to FOLDER/K-of-N.part. It prints which sentences are done, but no results, and exports "
    "write nothing. After a stop, the same command continues where the file ends. Two "
    "processes cannot work on one part at once.",
    "attnscope --merge FOLDER MODEL -f SCRIPT then prints what one run of SCRIPT prints, to the "
    "last digit, with its tests of significance, and writes its exports. It fails if a part is "
    "missing or not finished. :merge does the same as --merge, within a session.",
    "Each result is stored under a digest of the model's files, its head settings, the settings "
    "of the search, the device with its precision and the texts, so that a result of anything else "
    "is never used. Damaged lines "
    "are named and computed again. Values that the study cannot have written are computed again, "
    "with a warning. All parts must be computed on the same kind of device, in the "
    "precision of this session.",
    ":prune and :flips need all sentences, so they run in the merge.",
    NULL,
};

const struct command command_merge = {
    .name = "merge",
    .summary = "use results of studies that were computed in parts",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .notes = notes,
    .examples = (const char *const[]){":merge parts", ":bleu " TESTSET, ":merge parts/1-of-1.part",
                                      ":translate samples/sentences.en", NULL},
    .run = run_merge,
    .group = GROUP_STUDY,
};
