/* `:stats SRC [TGT]`: what each head does with its attention over a file, and how far heads are apart. */
#include <string.h>

#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/command/study/report_stats.h"
#include "tui/command/study/stats_parts.h"
#include "tui/terminal/progress.h"

/* Words -------------------------------------------------------------------------------------------- */

static bool parse_measure(const char *word, enum head_measure *measure, struct status *status)
{
    for (int m = 0; m < MEASURE_COUNT; m++)
        if (strcmp(word, head_measure_names[m]) == 0) {
            *measure = m;
            return true;
        }
    return status_fail(status, STATUS_INVALID,
                       "show %s: expected entropy, confidence, confidence_no_eos, distance, "
                       "offset, eos, self, punctuation, within_word or rare",
                       QUOTED(word));
}

/* `by pos` at the word `at`, and perhaps a measure that has means: of the offset there is none. */
static bool parse_parts(struct pieces *words, int at, struct stats_request *out,
                        struct status *status)
{
    const char *word = at + 2 < words->count ? words->text[at + 2] : head_measure_names[0];
    out->shown = SHOW_PARTS;
    words->count = at;
    if (strcmp(word, head_measure_names[MEASURE_OFFSET]) != 0)
        for (int m = 0; m < MEASURE_COUNT; m++)
            if (strcmp(word, head_measure_names[m]) == 0) {
                out->measure = m;
                return true;
            }
    return status_fail(status, STATUS_INVALID,
                       "by pos %s: expected entropy, confidence, confidence_no_eos, distance, eos, "
                       "self, punctuation, within_word or rare",
                       QUOTED(word));
}

/* The last words may be `distances`, `by pos` and a measure, or `show` and a measure, of which entropy is the default. */
static bool parse_shown(struct pieces *words, struct stats_request *out, struct status *status)
{
    const int count = words->count;
    out->measure = MEASURE_ENTROPY;
    for (int at = count > 3 ? count - 3 : 1; at + 1 < count; at++)
        if (strcmp(words->text[at], "by") == 0 && strcmp(words->text[at + 1], "pos") == 0)
            return parse_parts(words, at, out, status);
    if (count >= 2 && strcmp(words->text[count - 1], "distances") == 0) {
        out->shown = SHOW_DISTANCES;
        words->count--;
    } else if (count >= 2 && strcmp(words->text[count - 1], "show") == 0) {
        out->shown = SHOW_EXAMPLES;
        words->count--;
    } else if (count >= 3 && strcmp(words->text[count - 2], "show") == 0) {
        out->shown = SHOW_EXAMPLES;
        words->count -= 2;
        return parse_measure(words->text[count - 1], &out->measure, status);
    }
    return true;
}

/* The words that are no path, joined. */
static const char *selected_words(struct report *report, const struct pieces *words,
                                  const struct selection *selection)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    const char *gap = "";
    for (int i = 0, path = 0; out && i < words->count; i++) {
        if (path < selection->count && words->text[i] == selection->rest[path]) {
            path++;
            continue;
        }
        fprintf(out, "%s%s", gap, words->text[i]);
        gap = " ";
    }
    return report_written(&writer);
}

static bool is_wanted(const struct selector *selector, enum module module, int layer, int head)
{
    return (!selector->module_given || selector->module == module) &&
           selector_has_layer(selector, layer) && selector_has_head(selector, head);
}

/* Fills in request->wanted with memory of the report. Without a module heads of all modules are meant. */
static bool want_heads(struct report *report, const struct config *config,
                       const struct selector *selector, struct stats_request *request,
                       struct status *status)
{
    int count = 0;
    for (int m = 0; m < MODULE_COUNT; m++) {
        const int layers = module_layers(config, m), heads = module_heads(config, m);
        bool *wanted = report_new(report, (size_t)layers * (size_t)heads, sizeof *wanted);
        for (int i = 0; wanted && i < layers * heads; i++)
            count += wanted[i] = is_wanted(selector, m, i / heads, i % heads);
        request->wanted[m] = wanted;
    }
    if (report->lacking)
        return report_end(report, status);
    return count > 0 || status_fail(status, STATUS_INVALID,
                                    "no head of any module has that layer and that number");
}

/* Examples are of one head. */
static bool check_one(const struct config *config, const struct stats_request *request,
                      struct status *status)
{
    int count = 0;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < module_layers(config, m) * module_heads(config, m); i++)
            count += request->wanted[m][i];
    return count == 1 ||
           status_fail(status, STATUS_INVALID,
                       "show: %d heads are selected, expected one, such as cross 2.7", count);
}

static bool parse(struct report *report, const struct config *config, struct pieces *words,
                  struct selection *selection, struct stats_request *out, struct status *status)
{
    if (selection->count < 1 || selection->count > 2)
        return status_fail(status, STATUS_INVALID, "expected SRC [TGT] [SELECTOR]");
    out->source = report_copy(report, selection->rest[0]);
    if (selection->count == 2)
        out->target = report_copy(report, selection->rest[1]);
    out->selected = selected_words(report, words, selection);
    return (!selection->selector.module_given ||
            selector_check(&selection->selector, config, status)) &&
           want_heads(report, config, &selection->selector, out, status) &&
           (out->shown != SHOW_EXAMPLES || check_one(config, out, status));
}

/* Running ------------------------------------------------------------------------------------------ */

/* After Ctrl-C what is finished is shown. */
static bool run(struct session *session, const struct stats_request *request, struct report *report,
                struct status *status)
{
    if (request->shown == SHOW_PARTS)
        return stats_by_parts(session, request, report, status);
    const struct study_context context = session_study(session, &progress_watch);
    const struct head_stats_request heads = {
        request->source,
        request->target,
        {request->wanted[0], request->wanted[1], request->wanted[2]}};
    const struct head_stats_result *result;
    struct status other;
    bool ok = head_stats_run(&context, &heads, request->shown == SHOW_EXAMPLES, &result, status);
    if (!result)
        return ok; // a part
    if (!report_stats(report, session, request, result, &other)) {
        *status = other;
        return false;
    }
    return ok;
}

COMMAND(stats)
{
    struct request left = *request; // without `show …`
    struct stats_request wanted = {.source = NULL};
    struct selection selection;
    if (!parse_shown(&left.words, &wanted, status) ||
        !selection_parse(&left, HEADS_SINGLE, &selection, status))
        return false;
    bool ok = parse(report, session_config(session), &left.words, &selection, &wanted, status);
    selection_free(&selection);
    ok = ok && run(session, &wanted, report, status);
    bool found = report->title != NULL;
    if (ok || report->lacking)
        ok = report_end(report, status);
    if (!ok && (!found || status->code != STATUS_CANCELLED))
        report_free(report);
    return ok;
}
