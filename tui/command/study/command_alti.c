/* `:alti`: how much every token of the source and of the target so far contributes to each
 * prediction (ALTI+), and the share of the source over a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/sentences/alti.h"
#include "tui/command/command.h"
#include "tui/command/study/report_study.h"
#include "tui/report/view_report.h"
#include "tui/terminal/progress.h"

enum { SRC, TGT };
static const struct argument arguments[] = {
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .sources = true},
    [TGT] = {"TGT", .kind = ARGUMENT_FILE, .needs = ARG(SRC)},
};

/* The current sentence ------------------------------------------------------------------------- */

/* Tokens of the source, then those of the target that the decoder reads. */
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
                             const struct sentence_pair *pair, const struct alti_joint *joint,
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

static struct value row_shares(struct report *report, const struct alti_joint *joint)
{
    struct value *shares = report_new(report, (size_t)joint->rows, sizeof *shares);
    for (int i = 0; shares && i < joint->rows; i++)
        shares[i] = isnan(joint->shares[i]) ? value_null() : value_real(joint->shares[i]);
    return shares ? value_list(shares, joint->rows) : value_null();
}

static bool report_sentence_shares(struct session *session, const struct sentence_pair *pair,
                                   struct alti_joint *joint, struct report *report,
                                   struct status *status)
{
    const double mean = alti_joint_mean(joint);
    report_title(report, "contributions to each prediction  ALTI+  source %.3f", mean);
    report_command(report, "alti");
    report_origin(report, session, pair);
    report_json(report, "source_share", isnan(mean) ? value_null() : value_real(mean));
    report_json(report, "source_shares", row_shares(report, joint));
    report_json(report, "source_columns", value_int(joint->sources));
    report_line(report, IN_TEXT, " target (predicted) ↓  source, then target so far →");
    struct matrix *matrix = report_matrix(report, EVERYWHERE, joint->values);
    joint->values = NULL;
    matrix->key = matrix->name = "weights";
    matrix->rows = rows_axis(report, session, pair, joint, status);
    matrix->columns = columns_axis(report, session, pair, status);
    matrix->scale = method_table[METHOD_ALTI].scale;
    return report_end(report, status);
}

static bool of_sentence(struct session *session, struct report *report, struct status *status)
{
    struct alti_joint joint;
    const struct sentence_pair *pair = session_current(session, status);
    if (!pair)
        return false;
    const struct walk_sentence sentence = {.state = &session->state,
                                           .watch = &progress_watch,
                                           .source = pair->source,
                                           .ids = pair_hypothesis(pair)->ids,
                                           .count = pair_hypothesis(pair)->count};
    if (!alti_joint_compute(&sentence, &joint, status))
        return false;
    bool ok = report_sentence_shares(session, pair, &joint, report, status);
    alti_joint_free(&joint);
    return ok;
}

/* A file --------------------------------------------------------------------------------------- */

static const struct column share_columns[] = {
    {.all = "sentence", .title = "#", .type = COLUMN_INT},
    {.all = "source_share", .title = "source %", .type = COLUMN_PERCENT, .digits = 2},
    {.all = "rows", .title = "tokens", .type = COLUMN_INT},
    {.all = "source", .type = COLUMN_TEXT},
    {.all = "target", .type = COLUMN_TEXT},
};

static void enter_sentence(struct table *table, const struct study_walk *walk, int line)
{
    const char *source = report_quoted(table->report, walk->path);
    if (walk->targets)
        table_enter(table, ":open %s %s\n:goto %d\n:force\n:alti", source,
                    report_quoted(table->report, walk->targets), line);
    else
        table_enter(table, ":open %s\n:goto %d\n:alti", source, line);
}

static void put_shares(struct report *report, const struct alti_study *study)
{
    struct table *table = report_table(report, FOR_PEOPLE | FOR_PROGRAMS, "shares", share_columns,
                                       COUNT(share_columns));
    table->style = TABLE_FITTED;
    for (int i = 0; i < study->count; i++) {
        const struct alti_sentence *one = &study->each[i];
        table_row(table);
        enter_sentence(table, &study->walk, one->line);
        table_put(table, value_int(one->line),
                  isnan(one->share) ? value_null() : value_real(one->share), value_int(one->rows),
                  value_text(report_copy(report, one->source)),
                  value_text(report_copy(report, one->target)));
    }
}

/* Plots how many sentences have a share in each tenth. */
static void plot_shares(struct report *report, const struct alti_study *study)
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
                          const struct alti_study *study)
{
    const struct study_walk *walk = &study->walk;
    const char *gap = walk->targets ? " " : "";
    const char *targets = walk->targets ? report_quoted(report, walk->targets) : "";
    const double mean = study->sum / (double)study->rows;
    report_title(report, "share of the source in %s  ALTI+  mean %.3f", walk->path, mean);
    report_command(report, "alti %s%s%s", report_quoted(report, walk->path), gap, targets);
    report->navigation.kind = VIEW_FILE;
    report->origin.state = states_current(session);
    report_json(report, "file", value_text(report_copy(report, walk->path)));
    report_json(report, "target_file", value_text(report_copy(report, walk->targets)));
    report_json(report, "sentences", value_int(study->count));
    report_json(report, "partial", value_bool(walk->sentences < walk->lines));
    report_json(report, "rows", value_int(study->rows));
    report_json(report, "source_share", study->rows ? value_real(mean) : value_null());
    report_partial(report, FOR_PEOPLE, walk->sentences, walk->lines, "sentences");
    put_shares(report, study);
    plot_shares(report, study);
}

static bool of_file(struct session *session, const struct request *request, struct report *report,
                    struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    const char *target = argument_text(request->given, TGT);
    struct alti_study study = {.walk = {.path = argument_text(request->given, SRC),
                                        .targets = target ? report_copy(report, target) : NULL}};
    const bool ok = alti_run(&context, &study, status);
    const bool found = study_walk_found(&context, &study.walk, ok, status);
    if (found)
        report_shares(report, session, &study);
    alti_free(&study);
    return study_finish(ok, found, report, status);
}

static bool run_alti(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    return argument_given(request->given, SRC) ? of_file(session, request, report, status)
                                               : of_sentence(session, report, status);
}

static const struct help_item meanings[] = {
    {"SRC",
     "the share of the source in each sentence of a file, as the model translates it; sentences "
     "with the least share come first. Means are over tokens"},
    {"TGT", "the same in these translations"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "The numbers are ALTI+ (Ferrando et al. 2022; :help methods) of all layers. A row is a "
    "predicted token, its columns are the tokens of the source and then those of the target that "
    "the decoder has read; it sums to 1. The share of the source is the sum over the source's "
    "columns: where it is low, the model writes without looking at the source.",
    "Figures show how many sentences have which share.",
    NULL,
};

const struct command command_alti = {
    .name = "alti",
    .summary = "contributions to each prediction: the source, the target so far (ALTI+)",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .notes = notes,
    .examples = (const char *const[]){STARS, ":alti", ":alti samples/sentences-ja.en", NULL},
    .run = run_alti,
    .group = GROUP_VIEWS,
    .view = true,
};
