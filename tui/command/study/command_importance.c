/* `:importance`: how important each head is for each token of the current sentence, or over a file,
 * in layers that combine heads by dhicm. */
#include <math.h>

#include "model/study/sentences/importance.h"
#include "model/text/quote.h"
#include "report/view_report.h"
#include "terminal/progress.h"
#include "tui/command/command.h"
#include "tui/command/study/report_stats.h"
#include "tui/command/study/report_study.h"

enum rows_by { BY_HEAD, BY_LAYER, BY_POS };
static const char *const by_names[] = {"head", "layer", "pos", NULL};

enum { SELECTED, CORPUS, BY };
static const struct argument arguments[] = {
    [SELECTED] = {.kind = ARGUMENT_SELECTOR},
    [CORPUS] = {"FILE", .kind = ARGUMENT_FILE, .sources = true},
    [BY] = {.keyword = "by", .kind = ARGUMENT_CHOICE, .choices = by_names, .needs = ARG(CORPUS)},
};

/* The current sentence ------------------------------------------------------------------------- */

/* Returns the module's last layer whose heads are mixed by importance, or -1. */
static int last_importance(const struct config *config, enum module module)
{
    int layer = module_layers(config, module) - 1;
    while (layer >= 0 && !config->attention[module][layer].dhicm)
        layer--;
    return layer;
}

/* Chooses module and layer; by default the last layer that has any importance. */
static bool choose_importance(const struct config *config, const struct selector *selector,
                              enum module *module, int *layer, struct status *status)
{
    *module = selector->module;
    for (int m = 0; !selector->module_given && m < MODULE_COUNT; m++)
        if (last_importance(config, m) >= 0) {
            *module = m;
            break;
        }
    *layer = last_importance(config, *module);
    if (*layer < 0)
        return status_fail(status, STATUS_INVALID,
                           "%s has no head importance: no layer of it combines heads by dhicm",
                           selector->module_given ? module_titles[*module] : "the model");
    int chosen = number_list_single(&selector->layers);
    if (selector->layer == PART_ALL || (selector->layer == PART_LIST && !chosen))
        return status_fail(status, STATUS_INVALID, "shows one layer: expected layer 1 to %d",
                           module_layers(config, *module));
    if (selector->layer == PART_ABSENT)
        return true;
    if (chosen > module_layers(config, *module))
        return status_fail(status, STATUS_INVALID, "layer %d: %s has layers 1 to %d", chosen,
                           module_titles[*module], module_layers(config, *module));
    *layer = chosen - 1;
    if (config->attention[*module][*layer].dhicm)
        return true;
    return status_fail(status, STATUS_INVALID, "layer %d of %s has no head importance", chosen,
                       module_titles[*module]);
}

static bool fill_importance(const struct session *session, const struct sentence_pair *pair,
                            struct importance_view *importance, struct report *report,
                            struct status *status)
{
    const char *module = module_names[importance->module];
    int layer = importance->layer + 1;
    report_title(report, "%s  layer %d/%d  importance of heads", module, layer,
                 session->state.head_settings->layers[importance->module]);
    report_command(report, "importance %s layer %d", module, layer);
    report_origin(report, session, pair);
    report->navigation = (struct navigation){
        .kind = VIEW_IMPORTANCE, .view = {.module = importance->module, .layer = layer - 1}};
    report_json(report, "module", value_text(module));
    report_json(report, "layer", value_int(layer));
    report_cross_rows(report, importance->module, &importance->rows);
    report_cross_axes(report, importance->module, &importance->rows, "head");
    struct matrix *matrix = report_matrix(report, EVERYWHERE, importance->weights);
    importance->weights = NULL;
    matrix->key = matrix->name = "weights";
    matrix->rows = report_axis(report, session->loaded, "rows", &importance->rows, false);
    matrix->columns = report_numbers_axis(report, "head", importance->heads);
    matrix->scale = "importance";
    matrix->style = MATRIX_NUMBERS;
    return report_end(report, status);
}

static bool importance_of_sentence(struct session *session, const struct selector *selector,
                                   struct report *report, struct status *status)
{
    enum module module = MODULE_ENCODER;
    int layer = 0;
    bool ok = choose_importance(session_config(session), selector, &module, &layer, status);
    const struct sentence_pair *pair = ok ? session_current(session, status) : NULL;
    struct importance_view importance = {0};
    ok = pair && view_importance(session, pair, module, layer, &importance, status) &&
         fill_importance(session, pair, &importance, report, status);
    importance_view_free(&importance);
    if (!ok)
        return false;
    session->view.module = module;
    session->view.layer = layer;
    session->view.overview = true;
    return true;
}

/* A file --------------------------------------------------------------------------------------- */

/* An importance_study and what was requested of it. */
struct averages {
    struct importance_study study;
    enum rows_by by;
    int modules; // modules with importance
};

/* The last column is not shown: it labels the figure's points. */
static const struct column head_columns[] = {
    {.all = "module", .type = COLUMN_TEXT, .least = 7, .names_head = true},
    {.all = "layer", .type = COLUMN_INT, .names_head = true},
    {.all = "head", .type = COLUMN_INT, .names_head = true},
    {.all = "importance", .type = COLUMN_REAL, .digits = 4},
    {.all = "first", .title = "first %", .type = COLUMN_PERCENT},
    {.type = COLUMN_TEXT},
};

static const struct column layer_columns[] = {
    {.all = "module", .type = COLUMN_TEXT, .least = 7},
    {.all = "layer", .type = COLUMN_INT},
    {.all = "tokens", .type = COLUMN_INT},
    {.all = "entropy", .type = COLUMN_REAL, .digits = 4},
    {.all = "uniform", .title = "from uniform", .type = COLUMN_REAL, .digits = 4},
    {.all = "average", .title = "from average", .type = COLUMN_REAL, .digits = 4},
    {.type = COLUMN_TEXT},
};

static void put_place(struct table *table, enum module module, int layer)
{
    table_add(table, value_text(module_names[module]), value_int(layer + 1));
    table_enter(table, ":importance %s layer %d", module_names[module], layer + 1);
}

/* Names the module if there are several. */
static void put_label(struct table *table, const struct averages *averages, enum module module,
                      int layer, int head)
{
    const char *name = averages->modules > 1 ? module_names[module] : NULL;
    table_put(table, value_text(report_head_name(table->report, name, layer, head)));
}

static void put_heads(struct table *table, const struct averages *averages, enum module module,
                      int layer)
{
    const struct importance_sums *of = &averages->study.layers[module][layer];
    for (int h = 0; h < module_heads(averages->study.config, module); h++) {
        put_place(table, module, layer);
        table_enter_head(table, module_names[module], layer, h,
                         report_quoted(table->report, averages->study.walk.path));
        table_put(table, value_int(h + 1), value_real(of->importance[h] / (double)of->tokens),
                  value_real((double)of->first[h] / (double)of->tokens));
        put_label(table, averages, module, layer, h);
    }
}

static void put_layer(struct table *table, const struct averages *averages, enum module module,
                      int layer)
{
    const struct importance_sums *of = &averages->study.layers[module][layer];
    int heads = module_heads(averages->study.config, module);
    double average = 0, entropy = of->entropy / (double)of->tokens;
    for (int h = 0; h < heads; h++)
        average += importance_bits(of->importance[h] / (double)of->tokens);
    put_place(table, module, layer);
    table_put(table, value_int(of->tokens), value_real(entropy), value_real(log2(heads) - entropy),
              value_real(average - entropy));
    put_label(table, averages, module, layer, -1);
}

/* Reports parts of speech by heads, as the importance of a sentence is tokens by heads. */
static void report_pos(struct report *report, const struct importance_study *study)
{
    static const struct pos_titles titles = {"tokens", "importance", "mean importance"};
    const int layers = module_layers(study->config, MODULE_ENCODER);
    struct table *table = report_pos_table(report, &titles);
    for (int i = 0; i < layers; i++)
        for (int h = 0; h < study->pos[i].heads; h++)
            report_pos_head(table, &study->pos[i], h, i, h,
                            report_format(report, ":importance enc layer %d", i + 1));
    for (int i = 0; i < layers; i++) {
        struct matrix *matrix =
            study->pos[i].places ? report_pos_matrix(report, &study->pos[i], &titles) : NULL;
        if (!matrix)
            continue;
        matrix->columns = report_numbers_axis(report, "head", study->pos[i].heads);
        matrix->range = RANGE_OF_SHARES;
        matrix->title = matrix->said = report_format(report, "layer %d", i + 1);
    }
}

static void report_sums(struct report *report, const struct averages *averages)
{
    const struct importance_study *study = &averages->study;
    bool by_layer = averages->by == BY_LAYER;
    if (averages->by == BY_POS) {
        report_pos(report, study);
        return;
    }
    const struct column *columns = by_layer ? layer_columns : head_columns;
    int count = by_layer ? COUNT(layer_columns) : COUNT(head_columns);
    struct table *table = report_table(report, FOR_PEOPLE | FOR_PROGRAMS,
                                       by_layer ? "layers" : "heads", columns, count);
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < module_layers(study->config, m); i++)
            if (study->layers[m][i].tokens)
                (by_layer ? put_layer : put_heads)(table, averages, m, i);
    struct plot *plot = report_plot_table(report, IN_FIGURE, PLOT_BARS, table, count - 1,
                                          by_layer ? (int[]){3, 5} : (int[]){3}, 1 + by_layer);
    plot->x_title = by_layer ? "layer" : "layer.head";
    plot->y_title = by_layer ? "bits" : "mean importance";
}

/* Command -------------------------------------------------------------------------------------- */

static void describe(struct report *report, const struct session *session,
                     const struct averages *averages, const char *selector)
{
    const struct study_walk *walk = &averages->study.walk;
    const char *by = by_names[averages->by];
    const char *grouping = averages->by == BY_HEAD ? "" : report_format(report, " by %s", by);
    report_title(report, "importance of heads in %s%s%s%s", walk->path, *grouping ? " " : "",
                 grouping, report_format(report, "%s%s", *selector ? "  " : "", selector));
    report_command(report, "importance %s%s%s%s", selector, *selector ? " " : "",
                   report_quoted(report, walk->path), grouping);
    report->navigation.kind = VIEW_FILE;
    report->origin.state = states_current(session);
    report_json(report, "file", value_text(report_copy(report, walk->path)));
    report_json(report, "by", value_text(by));
    report_sentences(report, walk->sentences, walk->lines);
}

static bool has_importance(const struct averages *averages, const struct selector *selector,
                           enum module module, int layer)
{
    return (!selector->module_given || selector->module == module) &&
           (averages->by != BY_POS || module == MODULE_ENCODER) &&
           selector_has_layer(selector, layer) &&
           averages->study.config->attention[module][layer].dhicm;
}

static bool want_layers(struct report *report, struct averages *averages,
                        const struct selector *selector, struct status *status)
{
    struct importance_study *study = &averages->study;
    for (int m = 0; m < MODULE_COUNT; m++) {
        const int layers = module_layers(study->config, m);
        bool *wanted = report_new(report, (size_t)layers, sizeof *wanted), any = false;
        for (int i = 0; wanted && i < layers; i++)
            any |= wanted[i] = has_importance(averages, selector, m, i);
        study->wanted[m] = wanted;
        averages->modules += any;
    }
    return report_end(report, status) &&
           (averages->modules ||
            status_fail(status, STATUS_INVALID,
                        "no head importance there: no layer combines heads by dhicm"));
}

static bool average(struct session *session, const struct argument_values *given,
                    struct report *report, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct averages averages = {.by = argument_choice(given, BY, BY_HEAD)};
    struct importance_study *study = &averages.study;
    study->config = session_config(session);
    study->by_pos = averages.by == BY_POS;
    study->walk.path = argument_text(given, CORPUS);
    if (study->by_pos && given->selector.module_given && given->selector.module != MODULE_ENCODER)
        return status_fail(status, STATUS_INVALID,
                           "by pos: FILE has no parts of speech of translations: expected enc");
    bool ok = selector_check(&given->selector, study->config, status) &&
              want_layers(report, &averages, &given->selector, status) &&
              importance_run(&context, study, status);
    const bool found = study_walk_found(&context, &study->walk, ok, status);
    if (found) {
        describe(report, session, &averages, report_typed(report, given, SELECTED));
        report_sums(report, &averages);
    }
    importance_free(study);
    return study_finish(ok, found, report, status);
}

/* Without FILE: the importance in the current sentence. */
static bool run_importance(struct session *session, const struct request *request,
                           struct report *report, struct status *status)
{
    const struct argument_values *given = request->given;
    if (given->selector.head != PART_ABSENT)
        return status_fail(
            status, STATUS_INVALID,
            "shows every head of a layer: expected no head, [enc|dec|cross] [layer N]");
    return argument_given(given, CORPUS)
               ? average(session, given, report, status)
               : importance_of_sentence(session, &given->selector, report, status);
}

static const struct help_item meanings[] = {
    {"SELECTOR",
     "[enc|dec|cross] [layer LIST]. For the current sentence, one layer is shown: by default the "
     "last one that has importance"},
    {"FILE", "one sentence a line"},
    {"by head", "the default: the mean importance of each head, and the share of tokens for which "
                "it is the most important head of its layer"},
    {"by layer", "how the importance is spread over the heads of a layer"},
    {"by pos",
     "the mean importance of each head of the encoder for the tokens of each part of speech, of "
     "a CoNLL-U file (see :help gates), as matrices"},
    {NULL, NULL},
};
static const struct help_item column_meanings[] = {
    {"importance", "the mean importance of the head"},
    {"first %", "the share of tokens for which it is the most important head of its layer"},
    {"entropy", "the mean entropy of a token's importance over the heads, in bits"},
    {"from uniform", "log2 of the number of heads less that entropy"},
    {"from average",
     "the entropy of the mean importance less that entropy: near 0 where the same heads matter for "
     "every token"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "Figures show bars; by pos, the matrices.",
    NULL,
};

const struct command command_importance = {
    .name = "importance",
    .summary = "importance of each head for each token, or its averages over a file (DHICM)",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .columns = column_meanings,
    .notes = notes,
    .examples =
        (const char *const[]){":load samples/en-de-dhicm.bin", STARS, ":importance dec layer 2",
                              ":importance samples/sentences.en by layer", NULL},
    .run = run_importance,
    .group = GROUP_VIEWS,
    .view = true,
    .needs = NEEDS_SESSION,
    .continues = true,
};
