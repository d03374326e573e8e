/* `:attribute METHOD`: how much each token of the source and of the target so far contributes to
 * each prediction (model/attribution/predictions.h), and the share of the source over a file.
 * `:alti` does the same by ALTI+. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/sentences/attributions.h"
#include "report/view_report.h"
#include "terminal/progress.h"
#include "tui/command/command.h"
#include "tui/command/study/report_study.h"

enum { METHOD, AGAINST, SRC, TGT };
static const struct argument arguments[] = {
    [METHOD] = {"METHOD", .kind = ARGUMENT_CHOICE, .required = true, .choices = PREDICTION_NAMES},
    [AGAINST] = {"WORD", "against", ARGUMENT_TEXT, .most = ARGUMENT_MANY, .without = ARG(SRC)},
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .sources = true},
    [TGT] = {"TGT", .kind = ARGUMENT_FILE, .needs = ARG(SRC)},
};
static const struct argument alti_arguments[] = {
    {"SRC", .kind = ARGUMENT_FILE, .sources = true},
    {"TGT", .kind = ARGUMENT_FILE, .needs = ARG(0)},
};

/* The request of either command. */
struct asked {
    const char *command; // "attribute saliency"
    struct prediction_question question;
    const char *against;           // NULL: no contrast
    const char *sources, *targets; // NULL: the current sentence; the model's own translations
};

/* Returns the published name for both modules jointly. */
static const char *title_of(const struct asked *asked)
{
    return asked->question.method == METHOD_ALTI ? "ALTI+"
                                                 : method_table[asked->question.method].title;
}

/* The current sentence ------------------------------------------------------------------------- */

/* Makes the axis: tokens of the source, then those of the target that the decoder reads. */
static struct axis columns_axis(struct report *report, const struct session *session,
                                const struct sentence_pair *pair, struct status *status)
{
    struct token_list tokens[] = {pair_columns(pair, MODULE_CROSS),
                                  pair_columns(pair, MODULE_DECODER)};
    struct labels labels[2] = {{.words = false}, {.words = false}};
    struct axis axes[2] = {{.count = 0}, {.count = 0}};
    for (int i = 0; i < 2; i++) {
        if (labels_of_tokens(&tokens[i], &labels[i], status))
            axes[i] = report_axis(report, session->loaded, "columns", &labels[i], false);
        else
            report->lacking = true;
        strings_free(&labels[i].texts);
    }
    struct axis all = axes[0];
    all.title = "source, then target so far";
    all.count = axes[0].count + axes[1].count;
    const char **texts = report_new(report, (size_t)all.count, sizeof *texts);
    const char **shown = report_new(report, (size_t)all.count, sizeof *shown);
    for (int i = 0; texts && shown && !report->lacking && i < all.count; i++) {
        bool own = i >= axes[0].count;
        texts[i] = axes[own].texts[own ? i - axes[0].count : i];
        shown[i] = axes[own].labels[own ? i - axes[0].count : i];
    }
    all.texts = texts;
    all.labels = shown;
    return all;
}

static struct axis rows_axis(struct report *report, const struct session *session,
                             const struct sentence_pair *pair, const struct predictions *joint,
                             struct status *status)
{
    struct token_list tokens = pair_predicted(pair);
    int before = tokens.count - joint->rows;
    struct labels labels = {.words = false};
    struct axis axis = {.count = 0};
    tokens.texts += before;
    tokens.ids += before;
    tokens.words += before;
    tokens.count = joint->rows;
    if (labels_of_tokens(&tokens, &labels, status))
        axis = report_axis(report, session->loaded, "rows", &labels, false);
    else
        report->lacking = true;
    strings_free(&labels.texts);
    return axis;
}

static struct value row_shares(struct report *report, const struct predictions *joint)
{
    struct value *shares = report_new(report, (size_t)joint->rows, sizeof *shares);
    for (int i = 0; shares && i < joint->rows; i++)
        shares[i] = isnan(joint->shares[i]) ? value_null() : value_real(joint->shares[i]);
    return shares ? value_list(shares, joint->rows) : value_null();
}

static void report_of_rows(struct report *report, const char *key, const double *numbers, int rows)
{
    struct value *values = numbers ? report_new(report, (size_t)rows, sizeof *values) : NULL;
    for (int i = 0; values && i < rows; i++)
        values[i] = value_real(numbers[i]);
    if (values)
        report_json(report, key, value_list(values, rows));
}

/* Returns the end of the title. */
static const char *title_end(struct report *report, const struct asked *asked,
                             const struct predictions *joint)
{
    const double error = predictions_error(joint);
    const char *against =
        asked->against ? report_format(report, "  against %s", asked->against) : "";
    const char *off =
        isnan(error) ? "" : report_format(report, "  sums off by %.2f%%", 100 * error);
    const double share = predictions_share(joint);
    const char *source = isnan(share) ? "" : report_format(report, "  source %.3f", share);
    return report_format(report, "%s%s%s", against, source, off);
}

static void report_question(struct report *report, const struct asked *asked,
                            const struct predictions *joint)
{
    const struct method_info *method = &method_table[asked->question.method];
    const double mean = predictions_share(joint), error = predictions_error(joint);
    report_json(report, "method", value_text(method->name));
    if (method->baseline)
        report_json(report, "baseline",
                    value_text(attribution_baseline_names[asked->question.options.baseline]));
    if (method->steps) {
        const int quadrature = asked->question.options.quadrature;
        report_json(report, "steps", value_int(asked->question.options.steps));
        report_json(report, "quadrature", value_text(attribution_quadrature_names[quadrature]));
    }
    if (asked->against)
        report_json(report, "against", value_text(asked->against));
    report_json(report, "source_share", isnan(mean) ? value_null() : value_real(mean));
    report_json(report, "source_shares", row_shares(report, joint));
    report_json(report, "source_columns", value_int(joint->sources));
    if (!joint->totals)
        return;
    report_of_rows(report, "totals", joint->totals, joint->rows);
    report_of_rows(report, "absorbed", joint->absorbed, joint->rows);
    report_json(report, "error", isnan(error) ? value_null() : value_real(error));
}

static bool report_predictions(struct session *session, const struct sentence_pair *pair,
                               const struct asked *asked, struct predictions *joint,
                               struct report *report, struct status *status)
{
    const struct method_info *method = &method_table[asked->question.method];
    report_title(report, "contributions to each prediction  %s%s", title_of(asked),
                 title_end(report, asked, joint));
    report_command(report, "%s%s%s", asked->command, asked->against ? " against " : "",
                   asked->against ? report_quoted(report, asked->against) : "");
    report_origin(report, session, pair);
    report_question(report, asked, joint);
    report_line(report, IN_TEXT, " target (predicted) ↓  source, then target so far →");
    struct matrix *matrix = report_matrix(report, EVERYWHERE, joint->values);
    joint->values = NULL;
    matrix->key = matrix->name = "weights";
    matrix->rows = rows_axis(report, session, pair, joint, status);
    matrix->columns = columns_axis(report, session, pair, status);
    matrix->scale = method->scale;
    if (method->changes)
        matrix->range = RANGE_OF_CHANGES;
    return report_end(report, status);
}

static bool of_sentence(struct session *session, struct asked *asked, struct report *report,
                        struct status *status)
{
    struct predictions joint;
    int *foils = NULL;
    const struct sentence_pair *pair = session_current(session, status);
    if (!pair)
        return false;
    const struct hypothesis *given = pair_hypothesis(pair);
    if (asked->against &&
        !foils_of_text(pair->checkpoint, asked->against, given->count, &foils, status))
        return false;
    asked->question.foils = foils;
    bool ok = predictions_run(&asked->question, &session->state, &pair->source, given->ids,
                              given->count, &progress_watch, &joint, status);
    if (ok) {
        ok = report_predictions(session, pair, asked, &joint, report, status);
        predictions_free(&joint);
    }
    free(foils);
    return ok;
}

/* A file --------------------------------------------------------------------------------------- */

static const struct column share_columns[] = {
    {.all = "sentence", .title = "#", .type = COLUMN_INT},
    {.all = "source_share", .title = "source %", .type = COLUMN_PERCENT},
    {.all = "rows", .title = "tokens", .type = COLUMN_INT},
    {.all = "source", .type = COLUMN_SENTENCE},
    {.all = "target", .type = COLUMN_SENTENCE},
};

static void enter_sentence(struct table *table, const struct asked *asked, int line)
{
    const char *source = report_quoted(table->report, asked->sources);
    if (asked->targets)
        table_enter(table, ":open %s %s\n:goto %d\n:force\n:%s", source,
                    report_quoted(table->report, asked->targets), line, asked->command);
    else
        table_enter(table, ":open %s\n:goto %d\n:%s", source, line, asked->command);
}

static void put_shares(struct report *report, const struct asked *asked,
                       const struct attribution_study *study)
{
    struct table *table = report_table(report, FOR_PEOPLE | FOR_PROGRAMS, "shares", share_columns,
                                       COUNT(share_columns));
    table->style = TABLE_FITTED;
    for (int i = 0; i < study->count; i++) {
        const struct attribution_sentence *one = &study->each[i];
        table_row(table);
        enter_sentence(table, asked, one->line);
        table_put(table, value_int(one->line),
                  isnan(one->share) ? value_null() : value_real(one->share), value_int(one->rows),
                  value_text(report_copy(report, one->source)),
                  value_text(report_copy(report, one->target)));
    }
}

/* Plots how many sentences have a share in each tenth. */
static void plot_shares(struct report *report, const struct attribution_study *study)
{
    enum { TENTHS = 10 };
    struct plot *plot = report_plot(report, IN_FIGURE, PLOT_BARS, 1, TENTHS);
    const char **labels = report_new(report, TENTHS, sizeof *labels);
    for (int i = 0; labels && plot->values && i < TENTHS; i++) {
        labels[i] = report_format(report, "%d-%d", 10 * i, 10 * (i + 1));
        plot->values[i] = 0;
    }
    for (int i = 0; plot->values && i < study->count; i++)
        if (!isnan(study->each[i].share))
            plot->values[(int)fmin(study->each[i].share * TENTHS, TENTHS - 1)]++;
    plot->labels = labels;
    plot->x_title = "share of the source (%)";
    plot->y_title = "sentences";
}

static void report_shares(struct report *report, const struct session *session,
                          const struct asked *asked, const struct attribution_study *study)
{
    const struct study_walk *walk = &study->walk;
    const char *gap = walk->targets ? " " : "";
    const char *targets = walk->targets ? report_quoted(report, walk->targets) : "";
    const double mean = study->sum / (double)study->rows;
    report_title(report, "share of the source in %s  %s%s", walk->path, title_of(asked),
                 study->rows ? report_format(report, "  mean over tokens %.1f%%", 100 * mean) : "");
    report_command(report, "%s %s%s%s", asked->command, report_quoted(report, walk->path), gap,
                   targets);
    report->navigation.kind = VIEW_FILE;
    report->origin.state = states_current(session);
    report_json(report, "method", value_text(method_table[asked->question.method].name));
    report_json(report, "file", value_text(report_copy(report, walk->path)));
    report_json(report, "target_file", value_text(report_copy(report, walk->targets)));
    report_json(report, "sentences", value_int(study->count));
    report_json(report, "partial", value_bool(walk->sentences < walk->lines));
    report_json(report, "rows", value_int(study->rows));
    report_json(report, "source_share", study->rows ? value_real(mean) : value_null());
    report_partial(report, FOR_PEOPLE, walk->sentences, walk->lines, "sentences");
    put_shares(report, asked, study);
    plot_shares(report, study);
}

static bool of_file(struct session *session, const struct asked *asked, struct report *report,
                    struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct attribution_study study = {
        .walk = {.path = asked->sources,
                 .targets = asked->targets ? report_copy(report, asked->targets) : NULL},
        .question = asked->question};
    const bool ok = attribution_study_run(&context, &study, status);
    const bool found = study_walk_found(&context, &study.walk, ok, status);
    if (found)
        report_shares(report, session, asked, &study);
    attribution_study_free(&study);
    return study_finish(ok, found, report, status);
}

/* Commands ------------------------------------------------------------------------------------- */

static bool run(struct session *session, struct asked *asked, struct report *report,
                struct status *status)
{
    asked->question.options = session->settings.attribution;
    return asked->sources ? of_file(session, asked, report, status)
                          : of_sentence(session, asked, report, status);
}

static bool run_attribute(struct session *session, const struct request *request,
                          struct report *report, struct status *status)
{
    const struct argument_values *given = request->given;
    const struct strings against = argument_texts(given, AGAINST);
    struct asked asked = {.sources = argument_text(given, SRC),
                          .targets = argument_text(given, TGT)};
    method_find(argument_text(given, METHOD), &asked.question.method);
    asked.command = report_format(report, "attribute %s", argument_text(given, METHOD));
    if (against.count)
        asked.against = report_joined(report, &against, " ");
    return run(session, &asked, report, status);
}

static bool run_alti(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    struct asked asked = {.command = "alti",
                          .question = {.method = METHOD_ALTI},
                          .sources = argument_text(request->given, 0),
                          .targets = argument_text(request->given, 1)};
    return run(session, &asked, report, status);
}

#define SRC_ITEM                                                                                   \
    {                                                                                              \
        "SRC", "the share of the source in each sentence of a file, as the model translates it; "  \
               "sentences with the least share come first. Means are over tokens"                  \
    }
#define TGT_ITEM                                                                                   \
    {                                                                                              \
        "TGT", "the same in these translations"                                                    \
    }

static const struct help_item alti_meanings[] = {SRC_ITEM, TGT_ITEM, {NULL, NULL}};
static const struct help_item meanings[] = {
    {"METHOD", "how contributions are measured (:help methods)"},
    {"against WORD", "a contrast: why this token rather than WORD, which is one token, or rather "
                     "than the tokens of another translation of the same length"},
    SRC_ITEM,
    TGT_ITEM,
    {NULL, NULL},
};
static const struct help_item column_meanings[] = {
    {"source %",
     "the share of the source in the contributions, the mean over the tokens predicted"},
    {"tokens", "the number of tokens predicted"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "A row is a predicted token, its columns are the tokens of the source and then those of the "
    "target that the decoder has read. The share of the source is the sum over the source's "
    "columns, of sizes where values are signed.",
    "Integrated gradients of a row sum to what its log-probability loses without any token; the "
    "title says how far off the sums are. :set attribute.steps brings them closer, "
    ":set attribute.quadrature places the steps as other programs do, "
    ":set attribute.baseline says what stands in the place of a token. Values of LRP sum to the "
    "token's logit, less what biases, positions and softmax absorb (absorbed in --json).",
    "Figures of a file show how many sentences have which share.",
    NULL,
};
static const char *const alti_notes[] = {
    "The numbers are ALTI+ (Ferrando et al. 2022; :help methods) of all layers. A row is a "
    "predicted token, its columns are the tokens of the source and then those of the target that "
    "the decoder has read; it sums to 1. The share of the source is the sum over the source's "
    "columns: where it is low, the model writes without looking at the source.",
    "Figures show how many sentences have which share.",
    NULL,
};

const struct command command_attribute = {
    .name = "attribute",
    .summary = "why each token was predicted: how much every token before it contributes",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .columns = column_meanings,
    .notes = notes,
    .examples =
        (const char *const[]){DOGS, ":attribute saliency", ":attribute gradient-input against .",
                              ":attribute saliency samples/sentences-ja.en", NULL},
    .run = run_attribute,
    .group = GROUP_VIEWS,
    .view = true,
    .continues = true,
};

const struct command command_alti = {
    .name = "alti",
    .summary = "contributions to each prediction: the source, the target so far (ALTI+)",
    .arguments = ARGUMENT_LIST(alti_arguments),
    .meanings = alti_meanings,
    .columns = column_meanings,
    .notes = alti_notes,
    .examples = (const char *const[]){STARS, ":alti", ":alti samples/sentences-ja.en", NULL},
    .run = run_alti,
    .group = GROUP_VIEWS,
    .view = true,
    .continues = true,
};
