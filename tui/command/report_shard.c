#include "tui/command/report_shard.h"

/* In JSON `shard`: "2/7"; `unit`: "sentences", or "items" of suites; `count` of them in all,
 * `first` and `last` of the part (null: it has none); `computed` and `found` results; `file`. */
static void tell_part(struct report *report, const struct session *session)
{
    const struct shards_counts counts = shards_counts(session->shards);
    const struct shards_spec *spec = shards_spec(session->shards);
    const struct shard_range range = shards_range(session->shards, counts.sentences);
    const char *path = report_copy(report, shards_path(session->shards));
    bool some = range.end > range.first;
    report_json(report, "shard",
                value_text(report_format(report, "%d/%d", spec->part, spec->count)));
    report_json(report, "unit", value_text(counts.unit));
    report_json(report, "count", value_int(counts.sentences));
    report_json(report, "first", some ? value_int(range.first + 1) : value_null());
    report_json(report, "last", some ? value_int(range.end) : value_null());
    report_json(report, "computed", value_int(counts.computed));
    report_json(report, "found", value_int(counts.found));
    report_json(report, "file", value_text(path));
    const char *which = some
                            ? report_format(report, "%s %d to %d of %d", counts.unit,
                                            range.first + 1, range.end, counts.sentences)
                            : report_format(report, "none of %d %s", counts.sentences, counts.unit);
    report_line(report, FOR_PEOPLE, "part %d of %d: %s are in %s; %ld results computed, %ld found",
                spec->part, spec->count, which, path, counts.computed, counts.found);
}

bool report_part(struct report *report, const struct session *session, const char *line)
{
    const char *name = report->name;
    if (!shards_divided(session->shards) || !shards_counts(session->shards).studies)
        return false;
    report_free(report);
    report->name = name;
    report->of_part = true;
    report_command(report, "%s", line + 1);
    tell_part(report, session);
    return true;
}

bool report_needs_whole(struct report *report, const struct session *session)
{
    if (!shards_divided(session->shards))
        return false;
    report->of_part = true;
    report_json(report, "left_to_merge", value_bool(true));
    report_line(report, FOR_PEOPLE, "this needs all sentences and runs in the merge of the parts");
    return true;
}
