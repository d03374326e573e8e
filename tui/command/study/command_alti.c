/* `:alti`: how much every token of the source and of the target so far contributes to each prediction (ALTI+), and the
 * share of the source over a file. model/attribution/method.h has definition and papers.
 *
 * Rows are the predicted tokens of the translation, end-of-sentence included. The mean of a sentence is over its rows,
 * that of a file over all rows of all sentences.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/attribution/attribute.h"
#include "tui/command/command.h"
#include "tui/command/study/report_study.h"
#include "tui/report/view_report.h"
#include "tui/session/sentence_file.h"
#include "tui/terminal/progress.h"

/* What the last decoder layer's outputs are made of. */
enum { SRC, TGT };
static const struct argument arguments[] = {
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .sources = true},
    [TGT] = {"TGT", .kind = ARGUMENT_FILE, .needs = ARG(SRC)},
};

struct joint {
    int rows, sources, targets; // rows: without those of start tokens that another one precedes
    float *values;              // (rows, sources + targets)
    double *shares;             // (rows) of the source; NaN: a row of zeros
};

static void joint_free(struct joint *joint)
{
    free(joint->values);
    free(joint->shares);
}

static int columns_of(const struct joint *joint)
{
    return joint->sources + joint->targets;
}

/* From all rows of the decoder: joint (m, n + m). */
static bool take_rows(const struct config *config, const double *all, struct joint *joint,
                      struct status *status)
{
    int first = config->start.count - 1, columns = columns_of(joint);
    joint->rows = joint->targets - first;
    joint->values = memory_new((size_t)joint->rows * (size_t)columns, sizeof(float), status);
    joint->shares = memory_new((size_t)joint->rows, sizeof(double), status);
    for (int i = 0; joint->values && joint->shares && i < joint->rows; i++) {
        const double *row = all + (size_t)(first + i) * (size_t)columns;
        double source = 0, sum = 0;
        for (int j = 0; j < columns; j++) {
            joint->values[(size_t)i * (size_t)columns + (size_t)j] = (float)row[j];
            sum += row[j];
            source += j < joint->sources ? row[j] : 0;
        }
        joint->shares[i] = sum > 0 ? source / sum : NAN;
    }
    return joint->values && joint->shares;
}

/* On failure there is nothing to free. */
static bool compute_joint(const struct state *state, const struct sentence_pair *pair,
                          struct joint *out, struct status *status)
{
    const struct config *config = model_checkpoint(state->model)->config;
    int last = module_layers(config, MODULE_CROSS) - 1;
    struct attribution_request request = {
        .method = METHOD_ALTI, .module = MODULE_CROSS, .first = last, .last = last};
    struct capture capture;
    *out = (struct joint){.rows = 0};
    if (!method_check(METHOD_ALTI, config, MODULE_CROSS, status) ||
        !attribution_request(&request, config, status))
        return false;
    bool ok = pair_capture(state, pair, &request.capture, &capture, status);
    attribution_free(&request);
    if (!ok)
        return false;
    const struct captured captured = {config, state->head_settings, &capture};
    out->sources = capture.source_count;
    out->targets = capture.target_rows;
    double *all = memory_new((size_t)out->targets * (size_t)columns_of(out), sizeof *all, status);
    ok = all && attribution_joint(&captured, METHOD_ALTI, last, &progress_watch, all, status) &&
         take_rows(config, all, out, status);
    free(all);
    capture_free(&capture);
    if (!ok)
        joint_free(out);
    return ok;
}

/* Rows that have a share, and the sum of their shares. */
static int add_shares(const struct joint *joint, double *sum)
{
    int count = 0;
    for (int i = 0; i < joint->rows; i++)
        if (!isnan(joint->shares[i])) {
            *sum += joint->shares[i];
            count++;
        }
    return count;
}

/* The current sentence ----------------------------------------------------------------------------- */

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
                             const struct sentence_pair *pair, const struct joint *joint,
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

static struct value row_shares(struct report *report, const struct joint *joint)
{
    struct value *shares = report_new(report, (size_t)joint->rows, sizeof *shares);
    for (int i = 0; shares && i < joint->rows; i++)
        shares[i] = isnan(joint->shares[i]) ? value_null() : value_real(joint->shares[i]);
    return shares ? value_list(shares, joint->rows) : value_null();
}

static bool report_sentence_shares(struct session *session, const struct sentence_pair *pair,
                                   struct joint *joint, struct report *report,
                                   struct status *status)
{
    double sum = 0;
    int count = add_shares(joint, &sum);
    report_title(report, "contributions to each prediction  ALTI+  source %.3f",
                 count ? sum / count : NAN);
    report_command(report, "alti");
    report_origin(report, session, pair);
    report_json(report, "source_share", count ? value_real(sum / count) : value_null());
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
    struct joint joint;
    const struct sentence_pair *pair = session_current(session, status);
    if (!pair || !compute_joint(&session->state, pair, &joint, status))
        return false;
    bool ok = report_sentence_shares(session, pair, &joint, report, status);
    joint_free(&joint);
    return ok;
}

/* A file ------------------------------------------------------------------------------------------- */

struct sentence_share {
    int line, rows;
    double share; // NaN: no row has one
    const char *source, *target;
};

struct shares {
    const struct sentence_file *file;
    struct report *report;
    struct sentence_share *each; // (count)
    size_t capacity;
    int count, rows;
    double sum; // over the rows
};

/* Rows that have a share, and the sum of their shares. */
static bool measure_shares(const struct state *state, const struct sentence_pair *pair,
                           void *context, struct sentence_numbers *out, struct status *status)
{
    struct joint joint;
    double sum = 0;
    (void)context;
    if (!compute_joint(state, pair, &joint, status))
        return false;
    int rows = add_shares(&joint, &sum);
    joint_free(&joint);
    return sentence_numbers_put(out, rows, status) && sentence_numbers_put(out, sum, status);
}

static bool take_shares(void *context, const struct sentence_numbers *numbers,
                        struct status *status)
{
    struct shares *shares = context;
    if (numbers->count != 2 || !(numbers->numbers[0] >= 0 && numbers->numbers[0] < 1e6))
        return status_fail(status, STATUS_INVALID, "no shares of a sentence");
    if (!memory_grow((void **)&shares->each, &shares->capacity, (size_t)shares->count + 1,
                     sizeof *shares->each, status))
        return false;
    int rows = (int)numbers->numbers[0];
    double sum = numbers->numbers[1];
    shares->each[shares->count++] =
        (struct sentence_share){.line = numbers->line,
                                .rows = rows,
                                .share = rows ? sum / rows : NAN,
                                .source = report_copy(shares->report, numbers->source),
                                .target = report_copy(shares->report, numbers->target)};
    shares->rows += rows;
    shares->sum += sum;
    return true;
}

/* The least first: what the model wrote without the source. */
static int by_share(const void *first, const void *second)
{
    const struct sentence_share *a = first, *b = second;
    if (isnan(a->share) != isnan(b->share))
        return isnan(a->share) ? 1 : -1;
    if (a->share != b->share && !isnan(a->share))
        return a->share < b->share ? -1 : 1;
    return a->line < b->line ? -1 : 1;
}

static const struct column share_columns[] = {
    {.key = "sentence", .name = "sentence", .title = "#", .type = COLUMN_INT},
    {.key = "source_share",
     .name = "source_share",
     .title = "source %",
     .type = COLUMN_PERCENT,
     .digits = 2},
    {.key = "rows", .name = "rows", .title = "tokens", .type = COLUMN_INT},
    {.key = "source", .name = "source", .title = "source", .type = COLUMN_TEXT},
    {.key = "target", .name = "target", .title = "target", .type = COLUMN_TEXT},
};

static void enter_sentence(struct table *table, const struct sentence_file *file, int line)
{
    const char *source = report_quoted(table->report, file->path);
    if (file->targets)
        table_enter(table, ":open %s %s\n:goto %d\n:force\n:alti", source,
                    report_quoted(table->report, file->targets), line);
    else
        table_enter(table, ":open %s\n:goto %d\n:alti", source, line);
}

static void put_shares(struct report *report, const struct shares *shares)
{
    struct table *table = report_table(report, FOR_PEOPLE | FOR_PROGRAMS, "shares", share_columns,
                                       COUNT(share_columns));
    table->style = TABLE_FITTED;
    for (int i = 0; i < shares->count; i++) {
        const struct sentence_share *one = &shares->each[i];
        table_row(table);
        enter_sentence(table, shares->file, one->line);
        table_put(table, value_int(one->line));
        table_put(table, isnan(one->share) ? value_null() : value_real(one->share));
        table_put(table, value_int(one->rows));
        table_put(table, value_text(one->source));
        table_put(table, value_text(one->target));
    }
}

/* How many sentences have a share in each tenth. */
static void plot_shares(struct report *report, const struct shares *shares)
{
    enum { TENTHS = 10 };
    struct plot *plot = report_plot(report, IN_FIGURE, PLOT_BARS, 1, TENTHS);
    const char **labels = report_new(report, TENTHS, sizeof *labels);
    for (int i = 0; labels && plot->values && i < TENTHS; i++) {
        labels[i] = report_format(report, "%d-%d", 10 * i, 10 * (i + 1));
        plot->values[i] = 0;
    }
    for (int i = 0; plot->values && i < shares->count; i++)
        if (!isnan(shares->each[i].share))
            plot->values[(int)fmin(shares->each[i].share * TENTHS, TENTHS - 1)]++;
    plot->labels = labels;
    plot->x_title = "share of the source (%)";
    plot->y_title = "sentences";
}

static void report_shares(struct report *report, const struct session *session,
                          const struct sentence_file *file, const struct shares *shares)
{
    const char *gap = file->targets ? " " : "";
    const char *targets = file->targets ? report_quoted(report, file->targets) : "";
    report_title(report, "share of the source in %s  ALTI+  mean %.3f", file->path,
                 shares->sum / shares->rows);
    report_command(report, "alti %s%s%s", report_quoted(report, file->path), gap, targets);
    report->navigation.kind = VIEW_FILE;
    report->origin.state = states_current(session);
    report_json(report, "file", value_text(file->path));
    report_json(report, "target_file", value_text(file->targets));
    report_json(report, "sentences", value_int(shares->count));
    report_json(report, "partial", value_bool(file->sentences < file->lines));
    report_json(report, "rows", value_int(shares->rows));
    report_json(report, "source_share",
                shares->rows ? value_real(shares->sum / shares->rows) : value_null());
    if (file->sentences < file->lines)
        report_line(report, FOR_PEOPLE, " partial: the first %d of %d sentences", file->sentences,
                    file->lines);
    put_shares(report, shares);
    plot_shares(report, shares);
}

static bool of_file(struct session *session, const struct request *request, struct report *report,
                    struct status *status)
{
    const char *target = argument_text(request->given, TGT);
    struct sentence_file file = {.path = report_copy(report, argument_text(request->given, SRC)),
                                 .targets = target ? report_copy(report, target) : NULL,
                                 .what = "attributing"};
    struct shares shares = {.file = &file, .report = report};
    const struct sentence_work work = {measure_shares, take_shares, &shares};
    bool ok = method_check(METHOD_ALTI, session_config(session), MODULE_CROSS, status) &&
              sentence_file_walk(session, &file, &work, status);
    bool found = (ok && !shards_divided(session->shards)) ||
                 (status->code == STATUS_CANCELLED && shares.count > 0);
    if (shares.count)
        qsort(shares.each, (size_t)shares.count, sizeof *shares.each, by_share);
    if (found)
        report_shares(report, session, &file, &shares);
    free(shares.each);
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
static const struct help help = {.arguments = meanings, .notes = notes};

const struct command command_alti = {
    .name = "alti",
    .summary = "what each prediction comes from: the source, the target so far (ALTI+)",
    .arguments = ARGUMENT_LIST(arguments),
    .help = &help,
    .examples = (const char *const[]){STARS, ":alti", ":alti samples/sentences-ja.en", NULL},
    .run = run_alti,
    .group = GROUP_VIEWS,
    .view = true,
};
