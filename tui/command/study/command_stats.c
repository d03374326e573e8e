/* `:stats SRC [TGT]`: statistics of each head's attention over a file, and the distances between
 * heads. */
#include <string.h>

#include "terminal/progress.h"
#include "tui/command/command.h"
#include "tui/command/study/report_stats.h"
#include "tui/command/study/report_study.h"

static const char *const by_choices[] = {"pos", NULL};
enum { SRC, TGT, SELECTED, DISTANCES, SHOW, BY, MEASURE };
static const struct argument arguments[] = {
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .required = true, .sources = true},
    [TGT] = {"TGT", .kind = ARGUMENT_FILE},
    [SELECTED] = {.kind = ARGUMENT_SELECTOR},
    [DISTANCES] = {.keyword = "distances", .kind = ARGUMENT_FLAG},
    [SHOW] = {"MEASURE", "show", ARGUMENT_CHOICE, .choices = head_measure_names,
              .value_optional = true, .without = ARG(DISTANCES)},
    [BY] = {.keyword = "by",
            .kind = ARGUMENT_CHOICE,
            .choices = by_choices,
            .without = ARG(DISTANCES) | ARG(SHOW)},
    [MEASURE] = {"MEASURE", .kind = ARGUMENT_CHOICE, .choices = head_measure_names,
                 .needs = ARG(BY)},
};

/* Reads which table to show, and its measure. */
static bool read_shown(const struct argument_values *given, struct stats_request *out,
                       struct status *status)
{
    const bool by_pos = argument_given(given, BY);
    out->shown = by_pos                             ? SHOW_POS
                 : argument_given(given, DISTANCES) ? SHOW_DISTANCES
                 : argument_given(given, SHOW)      ? SHOW_EXAMPLES
                                                    : SHOW_HEADS;
    out->measure =
        (enum head_measure)argument_choice(given, by_pos ? MEASURE : SHOW, MEASURE_ENTROPY);
    return !by_pos || out->measure != MEASURE_OFFSET ||
           status_fail(status, STATUS_INVALID,
                       "by pos offset_share: expected a measure that has means, which it has "
                       "not");
}

static bool is_wanted(const struct selector *selector, enum module module, int layer, int head)
{
    return (!selector->module_given || selector->module == module) &&
           selector_has_layer(selector, layer) && selector_has_head(selector, head);
}

/* Fills in request->wanted with memory of the report. Without a module, the heads of all modules
 * are meant. */
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

/* Examples belong to one head, which has the measure. */
static bool check_one(const struct config *config, const struct stats_request *request,
                      struct status *status)
{
    int count = 0;
    bool exists = true;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < module_layers(config, m) * module_heads(config, m); i++)
            if (request->wanted[m][i]) {
                exists = head_measure_exists(m, request->measure);
                count++;
            }
    if (count != 1)
        return status_fail(status, STATUS_INVALID,
                           "show: %d heads are selected, expected one, such as cross 2.7", count);
    return exists ||
           status_fail(status, STATUS_INVALID, "show %s: cross-attention has no such measure",
                       head_measure_names[request->measure]);
}

static bool read_request(struct report *report, const struct config *config,
                         const struct argument_values *given, struct stats_request *out,
                         struct status *status)
{
    const char *target = argument_text(given, TGT);
    out->source = report_copy(report, argument_text(given, SRC));
    if (target)
        out->target = report_copy(report, target);
    out->selected = report_typed(report, given, SELECTED);
    if (report->lacking)
        return status_no_memory(status);
    return read_shown(given, out, status) &&
           (!given->selector.module_given || selector_check(&given->selector, config, status)) &&
           want_heads(report, config, &given->selector, out, status) &&
           (out->shown != SHOW_EXAMPLES || check_one(config, out, status));
}

/* Running -------------------------------------------------------------------------------------- */

/* After Ctrl-C, shows what is finished. */
static bool run(struct session *session, const struct stats_request *request, struct report *report,
                struct status *status)
{
    if (request->shown == SHOW_POS)
        return stats_by_pos(session, request, report, status);
    const struct study_context context = session_study(session, &progress_watch);
    const struct head_stats_request heads = {
        request->source,
        request->target,
        {request->wanted[0], request->wanted[1], request->wanted[2]}};
    const struct head_stats_result *result;
    struct status other;
    bool ok = head_stats_run(&context, &heads, request->shown == SHOW_EXAMPLES, &result, status);
    if (!result)
        return ok; // only a part
    if (!report_stats(report, session, request, result, &other)) {
        *status = other;
        return false;
    }
    return ok;
}

static bool run_stats(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    struct stats_request wanted = {.source = NULL};
    bool ok = read_request(report, session_config(session), request->given, &wanted, status) &&
              run(session, &wanted, report, status);
    return study_finish(ok, report->title != NULL, report, status);
}

static const struct help_item meanings[] = {
    {"SRC, TGT",
     "one sentence a line. Each translation in TGT is forced; without TGT the model's own are "
     "taken"},
    {"SELECTOR", "the heads (:help selector); by default every head"},
    {"distances",
     "how far apart heads of the same module are, as a matrix in the order of clusters (average "
     "linkage). Jensen-Shannon distance, the square root of the divergence in bits, is 0 for "
     "equal rows and 1 for rows that have no column in common; the mean is over rows"},
    {"show MEASURE",
     "of one head: the sentences with the greatest and the least mean of it. On the screen Enter "
     "on a number shows them"},
    {"by pos MEASURE",
     "the mean of a measure, by default the entropy, over the tokens of each part of speech, for "
     "heads of the encoder, as a matrix; SRC is a CoNLL-U file (:help gates)"},
    {NULL, NULL},
};
static const struct help_item column_meanings[] = {
    {"name", "the first name whose rule holds, as the notes say"},
    {"entropy", "the mean entropy of a row, in bits"},
    {"max %", "the mean greatest weight of a row (confidence)"},
    {"no </s> %", "the mean greatest weight without the column of the end-of-sentence token "
                  "(confidence_no_eos)"},
    {"distance",
     "the mean distance in tokens; in cross-attention the row counts as the position of the "
     "target token that is predicted"},
    {"offset", "how far right of the row the greatest weight is most often"},
    {"at offset %", "the share of rows whose greatest weight is at that offset (offset_share)"},
    {"</s> %", "the mean weight on end-of-sentence tokens (eos)"},
    {"self %", "the mean weight on the token itself"},
    {"punct %", "the mean weight on tokens that are only punctuation (punctuation)"},
    {"word %", "the mean weight on other tokens of the same word (within_word)"},
    {"rare %",
     "the mean weight on the sentence's rarest token, the one with the highest number in the "
     "vocabulary (Voita et al. 2019)"},
    {"nearest pattern",
     "the pattern of Raganato et al. (2020) that its rows are nearest to, over tokens or, in "
     "enc and dec, over words, or a Gaussian of deviation 1 around the token itself or a neighbour "
     "(You et al. 2020); other Gaussians are not tried (nearest)"},
    {"near %",
     "how near: the mean over rows of twice the weight that head and pattern share, divided by "
     "the sum of both rows' weights; 100 is the same rows, and rows for which the pattern has no "
     "position count 0 (near)"},
    {"alpha",
     "α of the head's entmax, where some head of the model has one above 1, which is softmax"},
    {"zero %",
     "likewise: the mean share of the positions of a row that have no weight at all (zeros)"},
    {"shows it", "whether the sentence is among those with the greatest or the least mean"},
    {"mean", "of the measure, over the rows of the sentence"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "Means are over rows, the positions that attend. Rows without any weight are left out, and so "
    "are "
    "those of start tokens, except that in cross-attention the last one counts: the first token of "
    "the target is predicted from it.",
    "A head is named by the first rule that holds: current, previous, next (at least half of its "
    "weight is on that position, in cross-attention counted as above); within word, "
    "end-of-sentence, punctuation, rare token (half of it is there); with SRC in CoNLL-U, in the "
    "encoder a syntactic relation and where it looks along it, as in amod to head or nsubj to "
    "dependent (of the rows whose word has such a word, it has its greatest weight, "
    "end-of-sentence left out, there in a share that is at least 0.1 more than what the best "
    "single offset reaches, over at least 20 rows); sentence start, sentence end (half is in the "
    "first, or last, quarter of the sentence; not in dec); broad (the entropy is at least 0.9 of "
    "that of uniform weights); left context, right context (half is further left than previous, "
    "further right than next); focused (confidence is at least half); otherwise mixed. unused: "
    "no row has weight.",
    "After Ctrl-C, the same command continues.",
    "Figures show the distances; csv, tsv: the heads; after distances or show, the table shown.",
    NULL,
};

const struct command command_stats = {
    .name = "stats",
    .summary = "statistics of each head's attention over a file",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .columns = column_meanings,
    .notes = notes,
    .examples =
        (const char *const[]){":stats " TESTSET " cross", ":stats " TESTSET " cross distances",
                              ":stats " TESTSET " cross 2.7 show confidence",
                              ":stats samples/pos-en.conllu enc layer 4 by pos confidence", NULL},
    .run = run_stats,
    .group = GROUP_STUDY,
    .view = true,
    .continues = true,
};
