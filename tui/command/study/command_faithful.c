/* `:faithful METHOD... SRC [TGT [GOLD]]`: which method of attribution to trust for this model
 * (model/study/sentences/faithful.h). */
#include "model/study/sentences/faithful.h"

#include <math.h>
#include <stdlib.h>

#include "terminal/progress.h"
#include "tui/command/command.h"
#include "tui/command/study/report_align.h"
#include "tui/command/study/report_study.h"

enum { METHOD, SRC, TGT, GOLD, FROM };
static const char *const from_choices[] = {"0", "1", NULL};
static const struct argument arguments[] = {
    [METHOD] = {"METHOD", .kind = ARGUMENT_CHOICE, .required = true, .most = ARGUMENT_MANY,
                .choices = row_method_names},
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .required = true, .sources = true},
    [TGT] = {"TGT", .kind = ARGUMENT_FILE, .needs = ARG(SRC)},
    [GOLD] = {"GOLD", .kind = ARGUMENT_FILE, .needs = ARG(TGT)},
    [FROM] = {.keyword = "from",
              .kind = ARGUMENT_CHOICE,
              .choices = from_choices,
              .needs = ARG(GOLD)},
};

/* Report --------------------------------------------------------------------------------------- */

/* The score, interval and p of a measure. */
#define MEASURE(of, words, whole, kind)                                                            \
    {.key = of ".score", .name = of, .title = words, .heading = whole, .type = kind, .digits = 3}, \
        {.key = of ".interval", .title = "±"}, {.name = of "_low"}, {.name = of "_high"},          \
    {                                                                                              \
        .key = of ".p", .name = of "_p", .title = "p", .type = COLUMN_P                            \
    }

static const struct column columns[] = {
    {.key = "name", .name = "method", .title = "method"},
    MEASURE("comprehensiveness", "compreh.", "comprehensiveness", COLUMN_REAL),
    MEASURE("sufficiency", "suffic.", "sufficiency", COLUMN_REAL),
    MEASURE("aer", "AER %", NULL, COLUMN_PERCENT),
};
enum { SCORES_BEGIN = 1, OF_MEASURE = 5, SCORE_OF_SUFFICIENCY = SCORES_BEGIN + OF_MEASURE };

static void put_score(struct table *table, const struct faithful_score *score,
                      enum faithful_measure measure)
{
    const struct interval *interval = &score->interval;
    const double unit = measure == AGREEMENT ? 100 : 1;
    table_put(table, value_real(score->score),
              isnan(interval->low)
                  ? value_null()
                  : report_half_interval(table->report, interval, unit,
                                         measure == AGREEMENT ? PERCENT_DIGITS : 3),
              value_real(interval->low), value_real(interval->high), value_real(score->p));
}

/* Enter shows what a method attributes in the file's sentences. */
static void enter_method(struct table *table, const struct faithful_study *study,
                         const struct faithful_method *method)
{
    const struct study_walk *walk = &study->walk;
    if (method->random || !method_predicts(method->method))
        return;
    table_enter(table, ":attribute %s %s%s%s", faithful_name(method),
                report_quoted(table->report, walk->path), walk->targets ? " " : "",
                walk->targets ? report_quoted(table->report, walk->targets) : "");
}

static void put_methods(struct report *report, const struct faithful_study *study)
{
    const bool gold = study->gold.files.count > 0;
    struct table *table = report_table(report, FOR_PEOPLE | FOR_PROGRAMS, "methods", columns,
                                       COUNT(columns) - (gold ? 0 : OF_MEASURE));
    for (int m = 0; m < study->method_count; m++) {
        const struct faithful_method *method = &study->methods[m];
        table_row(table);
        enter_method(table, study, method);
        table_put(table, value_text(faithful_name(method)));
        for (int i = 0; i < FAITHFUL_MEASURES - !gold; i++)
            put_score(table, &method->scores[i], i);
    }
    struct plot *plot = report_plot_table(report, IN_FIGURE, PLOT_BARS, table, 0,
                                          (int[]){SCORES_BEGIN, SCORE_OF_SUFFICIENCY}, 2);
    plot->x_title = "method";
    plot->y_title = "loss of probability";
    for (int i = 0; i < 2; i++)
        plot->series[i] = columns[SCORES_BEGIN + i * OF_MEASURE].name;
}

static void describe(struct report *report, const struct session *session,
                     const struct argument_values *given, const struct faithful_study *study)
{
    const struct study_walk *walk = &study->walk;
    const char *baseline = attribution_baseline_names[study->options.baseline];
    report_title(report, "faithfulness of methods in %s", walk->path);
    report_command(report, "faithful %s %s%s%s%s%s%s%s", report_typed(report, given, METHOD),
                   report_typed(report, given, SRC), walk->targets ? " " : "",
                   report_typed(report, given, TGT), study->gold.files.count ? " " : "",
                   report_typed(report, given, GOLD), argument_given(given, FROM) ? " " : "",
                   report_typed(report, given, FROM));
    report_is_of_current(report, session);
    report_json(report, "file", value_text(report_copy(report, walk->path)));
    report_json(report, "target_file", value_text(report_copy(report, walk->targets)));
    report_json(report, "gold_file", value_text(report_copy(report, argument_text(given, GOLD))));
    report_sentences(report, walk->sentences, walk->lines);
    if (study->sentences == 1)
        report_line(report, FOR_PEOPLE, " of one sentence: ± means nothing");
    report_json(report, "rows", value_int(study->rows));
    report_json(report, "baseline", value_text(baseline));
    report_json(report, "resamples", value_int(study->settings.resamples));
    report_json(report, "trials", value_int(study->settings.trials));
    report_json(report, "seed", value_int(study->settings.seed));
    report_line(report, FOR_PEOPLE,
                " %lld predicted tokens of %d sentence%s; an erased token's embedding is %s",
                (long long)study->rows, study->sentences, study->sentences == 1 ? "" : "s",
                study->options.baseline == BASELINE_ZERO
                    ? "zeros"
                    : report_format(report, "that of %s", baseline));
}

/* Running -------------------------------------------------------------------------------------- */

static bool fill_study(const struct session *session, const struct argument_values *given,
                       struct faithful_study *study, struct status *status)
{
    const struct strings names = argument_texts(given, METHOD);
    *study = (struct faithful_study){
        .options = session->settings.attribution,
        .settings = session->settings.study,
        .walk = {.path = argument_text(given, SRC), .targets = argument_text(given, TGT)},
        .gold = {.gold_from = argument_choice(given, FROM, GOLD_FROM_USUAL)}};
    return faithful_methods(study, &names, status) &&
           (!argument_given(given, GOLD) ||
            arguments_copy(given, SRC, GOLD, &study->gold.files, status));
}

static bool run_faithful(struct session *session, const struct request *request,
                         struct report *report, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct faithful_study study;
    const bool ok = fill_study(session, request->given, &study, status) &&
                    faithful_run(&context, &study, status);
    const bool found = study.sentences && study_walk_found(&context, &study.walk, ok, status);
    if (found) {
        describe(report, session, request->given, &study);
        put_methods(report, &study);
        report_gold_from_1(report, &study.gold);
    }
    faithful_free(&study);
    return study_finish(ok, found, report, status);
}

static const struct help_item meanings[] = {
    {"METHOD",
     "one or more methods of :attribute, or weights: the mean of cross-attention over all "
     "heads and layers (:help methods). A random ranking is measured beside them"},
    {"SRC", "one sentence a line, as the model translates it"},
    {"TGT", "the same with these translations"},
    {"GOLD",
     "alignments made by hand, as :align takes them: each word of TGT is linked to the word "
     "of SRC with the greatest sum of values, and scored by alignment error rate"},
    {NULL, NULL},
};
static const struct help_item column_meanings[] = {
    {"compreh.", "comprehensiveness: the mean loss of probability of a predicted token when the "
                 "tokens with the greatest values are erased; higher is better"},
    {"suffic.", "sufficiency: the mean loss when only these tokens are kept; lower is better"},
    {"AER %", "alignment error rate against GOLD (Och and Ney 2003)"},
    {"±", "half the width of the 95% interval of the resampled scores"},
    {"p", "p of approximate randomisation against the best method of the column before it; the "
          "best method has none"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "Comprehensiveness and sufficiency (DeYoung et al. 2020, ERASER) are means over the first 1, "
    "5, "
    "10, 20 and 50% of the tokens of the source, rounded up, and over the predicted tokens, each "
    "behind its given prefix. Tokens are ranked for each predicted token by its row of values, "
    "signed values by sign. An erased token keeps its position, and attribute.baseline replaces "
    "its "
    "embedding. End-of-sentence and language tokens are never erased.",
    "random shows what erasing any tokens does: a method that is not better says nothing about "
    "this model. erasure has an advantage: it erases tokens as the measure does, one at a time.",
    "Intervals resample sentences, and p exchanges two methods' values of sentences, as in "
    ":compare (settings significance.*; the seed is also that of random).",
    "Figures show both measures as bars.",
    NULL,
};

const struct command command_faithful = {
    .name = "faithful",
    .summary = "how faithful methods of attribution are: erasing what they find strongest",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .columns = column_meanings,
    .notes = notes,
    .examples =
        (const char *const[]){":faithful saliency " ALIGNED,
                              ":faithful weights " ALIGNED " samples/aligned.pharaoh", NULL},
    .run = run_faithful,
    .group = GROUP_VIEWS,
    .view = true,
    .continues = true,
};
