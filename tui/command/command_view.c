/* Views of the current sentence: `:attn` and `:importance`. */
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/report/view_report.h"

enum { SELECTED, WORD };
static const struct argument arguments[] = {
    [SELECTED] = {.kind = ARGUMENT_SELECTOR, .heads = HEADS_OR_MERGED},
    [WORD] = {.keyword = "word", .kind = ARGUMENT_FLAG},
};

static bool fill_attention(const struct session *session, const struct sentence_pair *pair,
                           struct attention_view *attention, struct report *report,
                           struct status *status)
{
    report_attention(report, session, pair, attention);
    report_keep(report, attention->weights, free);
    report_keep(report, attention->rest, free);
    attention->weights = attention->rest = NULL;
    return report_end(report, status);
}

bool attention_of_sentence(struct session *session, const struct view *view, bool words,
                           struct report *report, struct status *status)
{
    const struct sentence_pair *pair = session_current(session, status);
    struct attention_view attention = {0};
    bool ok = pair && view_attention(session, pair, view, words, &attention, status) &&
              fill_attention(session, pair, &attention, report, status);
    attention_view_free(&attention);
    if (ok)
        session->view = *view;
    return ok;
}

static bool run_attn(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    struct view view;
    return view_choose(session, &request->given->selector, &view, status) &&
           attention_of_sentence(session, &view, argument_given(request->given, WORD), report,
                                 status);
}

/* The last layer of the module whose heads are mixed by importance, or -1. */
static int last_importance(const struct config *config, enum module module)
{
    int layer = module_layers(config, module) - 1;
    while (layer >= 0 && !config->attention[module][layer].dhicm)
        layer--;
    return layer;
}

/* Module and layer of `:importance`; by default the last layer that has any. */
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

bool importance_of_sentence(struct session *session, const struct selector *selector,
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

static const struct help_item meanings[] = {
    {"SELECTOR",
     "the attention (:help selector). Omitted parts keep their last value; the first view is "
     "layer 1, head 1 of the encoder"},
    {"head mean, max",
     "the mean or maximum over all heads of the layer, including heads that are off"},
    {"head importance",
     "the mean weighted by the head importance of DHICM, which is how the layer itself weights "
     "its heads for each token"},
    {"as METHOD", "other measures than weights, such as how much each source token contributes to "
                  "each prediction (as alti, in cross); see :help methods"},
    WORD_ITEM,
    {NULL, NULL},
};
static const char *const notes[] = {
    "Rows attend to columns. In dec, both are the tokens that the decoder reads, beginning with "
    "<s>. In cross, a row is named by the token that is predicted with its weights; after :set "
    "cross_rows input, by the token that the decoder reads there, the one before.",
    "Text without spaces between words, such as Japanese, stays in tokens. A piece after · "
    "continues its word; </s> is the end of the sentence.",
    "The line below shows the greatest weight, which has the darkest shade, and where it is; "
    "entropy is the mean over the rows, in bits.",
    NULL,
};
static const struct help help = {.arguments = meanings, .notes = notes};

const struct command command_attn = {
    .name = "attn",
    .summary = "attention of one head as a heatmap",
    .arguments = ARGUMENT_LIST(arguments),
    .help = &help,
    .examples =
        (const char *const[]){STARS, ":attn cross 2.7 word", ":attn enc layer 1 head mean", NULL},
    .run = run_attn,
    .group = GROUP_VIEWS,
    .view = true,
};
