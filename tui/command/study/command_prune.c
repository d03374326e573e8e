/* `:prune`: how many heads a model can do without. */
#include "model/study/prune.h"
#include "model/study/sentences/importance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "terminal/progress.h"
#include "terminal/text/arguments.h"
#include "tui/command/command.h"
#include "tui/command/study/report_ablation.h"
#include "tui/command/study/report_study.h"

static const char *const by_choices[] = {"gradient", "importance", NULL}; // as enum prune_order
enum { SRC, REF, UNTIL, BY, SELECTED, SHOW };
static const struct argument arguments[] = {
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .required = true, .sources = true},
    [REF] = {"REF", .kind = ARGUMENT_FILE, .required = true, .most = ARGUMENT_MANY},
    [UNTIL] = {"DELTA", "until", ARGUMENT_NUMBER, .to = 100, .required = true,
               .expected = "until DELTA after the files, how far BLEU may fall"},
    [BY] = {.keyword = "by", .kind = ARGUMENT_CHOICE, .choices = by_choices},
    [SELECTED] = {.kind = ARGUMENT_SELECTORS},
    [SHOW] = {"N", "show", ARGUMENT_INTEGER, .expected = "the number of a step"},
};

static bool add_head(struct ablation_list *list, enum module module, int layer, int head,
                     struct status *status)
{
    struct ablation *added = ablation_list_add(list, status);
    if (!added)
        return false;
    added->module = module;
    added->layers = memory_new(1, sizeof *added->layers, status);
    added->heads = memory_new(1, sizeof *added->heads, status);
    if (!added->layers || !added->heads)
        return false;
    added->layers[0] = layer;
    added->heads[0] = head;
    added->layer_count = added->head_count = 1;
    return true;
}

/* Selects all heads that have an importance. */
static bool select_important(const struct config *config, struct ablation_list *out,
                             struct status *status)
{
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int layer = 0; layer < module_layers(config, m); layer++)
            for (int h = 0; config->attention[m][layer].dhicm && h < module_heads(config, m); h++)
                if (!add_head(out, m, layer, h, status))
                    return false;
    return out->count > 0 ||
           status_fail(status, STATUS_INVALID, "by importance: no layer combines heads by dhicm");
}

static bool read_request(const struct session *session, const struct argument_values *given,
                         struct prune_request *out, struct status *status)
{
    out->until = given->each[UNTIL].number;
    out->order = argument_given(given, BY) ? PRUNE_BY_GRADIENT + argument_choice(given, BY, 0)
                                           : PRUNE_GREEDY;
    out->shown = argument_integer(given, SHOW, 0);
    return arguments_copy(given, SRC, REF, &out->files, status) &&
           (out->order == PRUNE_BY_IMPORTANCE && !given->selectors.words.count
                ? select_important(session_config(session), &out->heads, status)
                : ablation_list_select(&given->selectors, ABLATE_LAYER_HEAD,
                                       session_config(session), &out->heads, status));
}

/* Measures the mean importance of all heads over the source. */
static bool measure_importance(const struct study_context *context, struct prune_request *out,
                               struct report *report, struct status *status)
{
    const struct config *config = model_checkpoint(context->state.model)->config;
    struct importance_study study = {.config = config, .walk.path = out->files.text[0]};
    for (int m = 0; m < MODULE_COUNT; m++) {
        const int layers = module_layers(config, m), heads = module_heads(config, m);
        bool *wanted = report_new(report, (size_t)layers, sizeof *wanted);
        out->importance[m] = memory_new((size_t)(layers * heads), sizeof(double), status);
        if (!wanted || !out->importance[m])
            return wanted ? false : report_end(report, status);
        for (int layer = 0; layer < layers; layer++)
            wanted[layer] = config->attention[m][layer].dhicm;
        study.wanted[m] = wanted;
    }
    const bool ok = importance_run(context, &study, status);
    for (int m = 0; ok && m < MODULE_COUNT; m++)
        for (int i = 0, heads = module_heads(config, m); i < module_layers(config, m) * heads;
             i++) {
            const struct importance_sums *of = &study.layers[m][i / heads];
            out->importance[m][i] = study.wanted[m][i / heads] && of->tokens
                                        ? of->importance[i % heads] / (double)of->tokens
                                        : NAN;
        }
    importance_free(&study);
    return ok;
}

/* Report --------------------------------------------------------------------------------------- */

static const char *signature_of(struct report *report, const struct prune_result *prune)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        prune_write_signature(out, prune);
    return report_written(&writer);
}

/* Before the first step, all heads are on. */
static void put_base(struct table *table, double base)
{
    table_add_in(table, IN_TABLE | IN_ARRAYS, value_int(0));
    for (int i = 0; i < ABLATION_COLUMN_COUNT + 1; i++)
        table_put(table, value_null());
    table_put(table, value_real(base));
}

static void put_step(struct table *table, const struct session *session,
                     const struct strings *files, const struct prune_step *step, int number,
                     bool compared)
{
    int layer = step->layer, head = step->head;
    table_put(table, value_int(number));
    table_put_ablation(table, session,
                       &(struct ablation){.module = step->module,
                                          .layers = &layer,
                                          .heads = &head,
                                          .layer_count = 1,
                                          .head_count = 1},
                       files);
    table_put(table, value_int(step->left), value_real(step->score), value_real(step->delta));
    if (!compared)
        return;
    table_put(table, value_real(step->greedy), value_real(step->greedy - step->score));
}

/* If sentences are requested, they are the table in files and on the screen. `command` shows those
 * of a step. */
static void add_steps(struct report *report, const struct session *session,
                      const struct prune_result *prune, const char *command)
{
    static const struct column all[] = {
        {.name = "step", .title = "step", .type = COLUMN_INT},
        ABLATION_COLUMNS,
        {.all = "left", .type = COLUMN_INT},
        {.all = "score", .title = "BLEU", .type = COLUMN_REAL, .digits = 2},
        {.all = "delta", .type = COLUMN_SIGNED, .digits = 2},
        // Only orders known in advance have these:
        {.all = "greedy", .type = COLUMN_REAL, .digits = 2},
        {.all = "cost", .type = COLUMN_SIGNED, .digits = 2},
    };
    const bool compared = prune->request.order != PRUNE_GREEDY;
    int count = COUNT(all) - (compared ? 0 : 2);
    unsigned others = IN_SCREEN | IN_TABLE | IN_ARRAYS;
    unsigned in = IN_TEXT | IN_JSON | (prune->request.shown ? 0 : others);
    struct table *table = report_table(report, in, "steps", all, count);
    put_base(table, prune->base);
    for (int i = 0; i < prune->count; i++) {
        table_row(table);
        put_step(table, session, &prune->request.files, &prune->steps[i], i + 1, compared);
        table_enter(table, ":%s show %d", command, i + 1);
    }
}

static void add_shown(struct report *report, const struct prune_result *prune)
{
    int shown = prune->request.shown;
    const struct prune_step *step = &prune->steps[shown - 1];
    report_json(report, "show", value_int(shown));
    report_line(report, IN_SCREEN, " step %d  BLEU %.2f  delta %+.2f", shown, step->score,
                step->delta);
    report_line(report, FOR_PEOPLE,
                " step %d: a with all heads, b without those of steps 1 to %d; %d of %d sentences "
                "differ",
                shown, shown, prune->shown.differing, prune->sentences);
    report_listed(report, FOR_PEOPLE | FOR_PROGRAMS, &prune->shown, &prune->request.files);
}

/* Plots BLEU over the number of heads left. The last step may be the one that fell too far, below
 * the line. */
static void add_plot(struct report *report, const struct prune_result *prune, const char *heads)
{
    static const char *const titles[] = {[PRUNE_GREEDY] = "Greedy head pruning",
                                         [PRUNE_BY_GRADIENT] = "Head pruning by gradient",
                                         [PRUNE_BY_IMPORTANCE] = "Head pruning by importance"};
    int points = prune->count + 1;
    struct plot *plot = report_plot(report, IN_FIGURE, PLOT_LINES, 1, points);
    const char **labels = report_new(report, (size_t)points, sizeof *labels);
    for (int i = 0; plot->values && labels && i < points; i++) {
        const struct prune_step *step = i ? &prune->steps[i - 1] : NULL;
        labels[i] = report_format(report, "%d", step ? step->left : prune->heads);
        plot->values[i] = (float)(step ? step->score : prune->base);
    }
    plot->labels = labels;
    plot->series[0] = "BLEU";
    plot->x_title = "heads left";
    plot->y_title = "BLEU";
    double limit = prune->base - prune->request.until;
    plot->mean = limit > 0 ? limit : NAN; // the lowest BLEU allowed
    plot->mean_name = "limit";
    plot->without_zero = true;
    plot->title = report_format(report, "%s (ΔBLEU ≤ %.9g)%s", titles[prune->request.order],
                                prune->request.until, heads);
}

static void tell_facts(struct report *report, const struct prune_result *prune)
{
    if (prune->partial)
        report_partial(report, FOR_PEOPLE, prune->count, 0, "steps");
    report_line(report, FOR_PEOPLE, " baseline BLEU %.2f with all of %d heads  %d sentence%s",
                prune->base, prune->heads, prune->sentences, prune->sentences == 1 ? "" : "s");
}

static void set_title(struct report *report, const struct prune_request *request, const char *heads)
{
    report_title(report, "heads pruned by %s until %.9g%s",
                 report_joined(report, &request->files, ", "), request->until, heads);
}

/* JSON has `base`, `heads` (on at first), `steps` [{`module`, `layer`, `head`, `left`, `score`,
 * `delta`}], `until`, `signature`, `files`, `sentences`, `partial`; `show` and `listed` as in
 * `:ablate`. */
static void report_prune(struct report *report, const struct session *session,
                         const struct prune_result *prune, const struct strings *selectors)
{
    const struct prune_request *request = &prune->request;
    const char *heads = ablation_words(report, ABLATE_SELECTED, selectors);
    const char *by =
        request->order ? report_format(report, " by %s", by_choices[request->order - 1]) : "";
    const char *files = report_paths(report, &request->files);
    const char *command = report_format(report, "prune %s until %s%s%s", files,
                                        report_exactly(report, request->until), by, heads);
    if (request->order && !isnan(prune->greedy_until))
        report->origin.before = report_format(report, ":prune %s until %s%s", files,
                                              report_exactly(report, prune->greedy_until), heads);
    const char *signature = signature_of(report, prune);
    set_title(report, request, report_format(report, "%s%s", by, heads));
    report_command(report, "%s%s", command, report_show_words(report, request->shown));
    if (request->order)
        report_json(report, "by", value_text(by_choices[request->order - 1]));
    report_json(report, "base", value_real(prune->base));
    report_json(report, "heads", value_int(prune->heads));
    tell_facts(report, prune);
    add_steps(report, session, prune, command);
    if (prune_fell(prune))
        report_line(report, FOR_PEOPLE, " with step %d it falls by more than %.9g", prune->count,
                    request->until);
    if (request->order && prune->count && isnan(prune->steps[0].greedy))
        report_line(report, FOR_PEOPLE,
                    " greedy: run the command without%s before, to see what this order costs", by);
    report_json(report, "until", value_real(request->until));
    report_json(report, "signature", value_text(signature));
    report_json(report, "files", report_files(&request->files));
    report_json(report, "sentences", value_int(prune->sentences));
    report_json(report, "partial", value_bool(prune->partial));
    if (request->shown)
        add_shown(report, prune);
    else
        add_plot(report, prune, *heads ? report_format(report, ", %s", heads + 1) : "");
    report_line(report, FOR_PEOPLE, " BLEU|%s", signature);
}

/* Running -------------------------------------------------------------------------------------- */

static bool run_prune(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    const struct argument_values *given = request->given;
    struct study_context context = session_study(session, &progress_watch);
    context.shards = NULL; // each step needs all of the step before
    if (report_needs_whole(report, session))
        return report_end(report, status);
    struct prune_result *prune = report_hold(report, sizeof *prune, prune_release);
    bool ok = prune && read_request(session, given, &prune->request, status);
    if (ok) {
        prune->settings = session->settings.study;
        ok = (prune->request.order != PRUNE_BY_IMPORTANCE ||
              measure_importance(&context, &prune->request, report, status)) &&
             prune_run(&context, prune, status);
    }
    bool found = ok || (prune && prune->partial && !prune->request.shown);
    report_is_of_current(report, session);
    if (found)
        report_prune(report, session, prune, &given->selectors.words);
    return study_finish(ok, found, report, status);
}

static const struct help_item meanings[] = {
    {"SELECTOR", "the heads to try (:help selector); by default the encoder's"},
    {"by gradient",
     "heads go in the order of their importance as :ablate ... by gradient has it, compared "
     "within layers, the least important first (Michel et al. 2019): a step translates the file "
     "once"},
    {"by importance",
     "heads go in the order of the importance that their layer gives them on average over SRC, as "
     ":importance SRC has it, the least important first; without SELECTOR all heads of layers that "
     "combine heads by dhicm (Goindani and Shrivastava 2021)"},
    {"show N",
     "also list the sentences that the model translates differently without the heads of steps 1 "
     "to N: those whose BLEU differs most, as many as compare.sentences"},
    {NULL, NULL},
};
static const struct help_item column_meanings[] = {
    {"step, off", "the number of the step, and the head that it switches off"},
    {"left", "the number of heads still on"},
    {"delta", "BLEU minus BLEU with all heads"},
    {"greedy",
     "after the same command without by: BLEU with as many heads off in the order found there"},
    {"cost", "greedy minus BLEU: what the order of by costs"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "Each step tries every selected head that is still on, one head of one layer at a time, and "
    "switches off the head without which BLEU is best; if several are equal, the first of them. "
    "Pruning ends with the first step whose BLEU is more than DELTA below that of all heads; "
    "this step is still shown. The current state does not change.",
    "Steps taken earlier are used again. With another DELTA, or after Ctrl-C, the same command "
    "continues from there; with show N it lists what there is.",
    "csv, tsv: a line for each step, or after show N the sentences. Figures show BLEU over the "
    "number of heads left.",
    NULL,
};

const struct command command_prune = {
    .name = "prune",
    .summary = "switch off head after head until BLEU falls by more than DELTA",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .columns = column_meanings,
    .notes = notes,
    .examples =
        (const char *const[]){":prune " TESTSET " until 1 cross layer 2 head 1-3",
                              ":prune " TESTSET " until 1 cross layer 2 head 1-3 show 1", NULL},
    .run = run_prune,
    .group = GROUP_STUDY,
    .view = true,
    .continues = true,
};
