#include "report/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/attribution/attribute.h"
#include "model/study/sentences/gates.h"
#include "report/labels.h"
#include "terminal/progress.h"

struct view view_fit(const struct config *config, struct view view)
{
    if (module_layers(config, view.module) == 0)
        view.module = MODULE_CROSS;
    int layers = module_layers(config, view.module), heads = module_heads(config, view.module);
    view.layer = view.layer < layers ? view.layer : layers - 1;
    view.head = view.head < heads ? view.head : heads - 1;
    return view;
}

bool layer_has_importance(const struct config *config, enum module module, int layer)
{
    return config->attention[module][layer].dhicm;
}

/* If the view last shown has heads that a method does not know, chooses heads that it knows. */
static int known_heads(enum method method, int head)
{
    if (!method_table[method].of_heads || (method == METHOD_NORMS && head == VIEW_WEIGHTED))
        return VIEW_TOGETHER;
    return method == METHOD_WEIGHTS && head == VIEW_TOGETHER ? VIEW_MEAN : head;
}

/* Heads weighted by importance must be asked for explicitly: if they were only shown last, and the
 * layer has no importance, their mean is shown. */
static bool check_importance(const struct config *config, const struct selector *selector,
                             struct view *view, struct status *status)
{
    if (view->head != VIEW_WEIGHTED || layer_has_importance(config, view->module, view->layer))
        return true;
    if (selector->head != PART_ABSENT)
        return status_fail(status, STATUS_INVALID,
                           "head importance: layer %d of %s does not combine its heads by dhicm",
                           view->layer + 1, module_titles[view->module]);
    view->head = VIEW_MEAN;
    return true;
}

enum module view_module(const struct session *session)
{
    return session->looked_at ? view_fit(session_config(session), session->view).module
                              : MODULE_CROSS;
}

/* Takes what the selector gives; the rest comes from the view last shown. */
static bool choose_view(const struct session *session, const struct selector *selector,
                        struct view *view, struct status *status)
{
    const struct config *config = session_config(session);
    *view = session->view;
    view->overview = false;
    if (selector->module_given)
        view->module = selector->module;
    *view = view_fit(config, *view);
    int layers = module_layers(config, view->module), heads = module_heads(config, view->module);
    int layer = number_list_single(&selector->layers), head = number_list_single(&selector->heads);
    if (selector->layer == PART_ALL || (selector->layer == PART_LIST && !layer))
        return status_fail(status, STATUS_INVALID, "shows one layer: expected layer 1 to %d",
                           layers);
    if (selector->head == PART_LIST && !head)
        return status_fail(status, STATUS_INVALID,
                           "shows one head: expected head 1 to %d, mean, max or importance", heads);
    if (selector->layer == PART_LIST)
        view->layer = layer - 1;
    if (selector->head != PART_ABSENT)
        view->head = selector->head == PART_LIST ? head - 1 : merged_by(selector->head)->head;
    view->as = selector->method;
    if (method_table[view->as].joint && selector->layer == PART_ABSENT)
        view->layer = layers - 1;
    view->head = known_heads(view->as, view->head);
    return method_check(view->as, config, view->module, status) &&
           selector_check_heads(selector, status) &&
           check_importance(config, selector, view, status);
}

/* Checks the selector's lists against the module that will be shown. */
bool view_choose(const struct session *session, const struct selector *given, struct view *view,
                 struct status *status)
{
    struct selector selector = *given; // its lists are borrowed
    if (!given->module_given)
        selector.module = view_fit(session_config(session), session->view).module;
    return selector_check(&selector, session_config(session), status) &&
           choose_view(session, &selector, view, status);
}

/* Attention ----------------------------------------------------------------------------------- */

static bool view_wants(const struct view *view, int head)
{
    return view->head < 0 || view->head == head;
}

/* Methods of attribution ----------------------------------------------------------------------- */

/* Returns the mean share of the source in the rows that predict a token of the translation. Rows of
 * zeros do not count. */
static double mean_source_share(const struct captured *captured, const struct attention_view *view)
{
    enum module module = view->view.module;
    int rows = captured_rows(captured, module), columns = captured_columns(captured, module);
    double total = 0;
    int count = 0;
    for (int i = captured->config->start.count - 1; i < rows; i++) {
        double own = 0;
        for (int j = 0; j < columns; j++)
            own += view->weights[i * columns + j];
        if (!(own + view->rest[i] > 0))
            continue;
        total += module == MODULE_CROSS ? own : view->rest[i];
        count++;
    }
    return count ? total / count : NAN;
}

/* Writes the matrix of a method for a module, a layer and a head. */
static bool view_method(const struct session *session, const struct sentence_pair *pair,
                        const struct view *view, struct attention_view *out, struct status *status)
{
    const struct config *config = session_config(session);
    struct attribution_request request = {
        .method = view->as, .module = view->module, .first = view->layer, .last = view->layer};
    struct capture capture;
    if (!method_check(view->as, config, view->module, status) ||
        !attribution_request(&request, config, status))
        return false;
    bool ok = pair_capture(&session->state, pair, &request.capture, &capture, status);
    attribution_free(&request);
    if (!ok)
        return false;
    const struct captured captured = {.config = config,
                                      .head_settings = session->state.head_settings,
                                      .capture = &capture,
                                      .model = session->state.model,
                                      .source = &pair->source,
                                      .target = pair_hypothesis(pair)->ids,
                                      .count = pair_hypothesis(pair)->count};
    size_t rows = (size_t)captured_rows(&captured, view->module),
           cells = rows * (size_t)captured_columns(&captured, view->module);
    out->weights = memory_new(cells, sizeof *out->weights, status);
    out->rest = memory_new(rows, sizeof *out->rest, status);
    ok = out->weights && out->rest &&
         attribution_matrix(&captured, view->as, view->module, view->layer, view->head,
                            &progress_watch, out->weights, out->rest, status);
    if (ok && method_table[view->as].joint && view->module != MODULE_ENCODER)
        out->source_share = mean_source_share(&captured, out);
    capture_free(&capture);
    return ok;
}

/* Weights -------------------------------------------------------------------------------------- */

bool view_matrix(const struct session *session, const struct sentence_pair *pair,
                 const struct view *view, struct attention_view *out, struct status *status)
{
    const struct head_settings *head_settings = session->state.head_settings;
    int heads = head_settings->count[view->module];
    size_t rows = (size_t)pair_rows(pair, view->module).count,
           columns = (size_t)pair_columns(pair, view->module).count;
    out->view = *view;
    if (view->head >= 0) {
        out->head = *head_settings_head(head_settings, view->module, view->layer, view->head);
        out->off = *head_settings_gain(head_settings, view->module, view->layer, view->head) == 0;
    }
    if (view->as != METHOD_WEIGHTS)
        return view_method(session, pair, view, out, status);
    bool *wanted =
        memory_new((size_t)head_settings->layers[view->module] * heads, sizeof *wanted, status);
    if (!wanted)
        return false;
    for (int h = 0; h < heads; h++)
        wanted[view->layer * heads + h] = view_wants(view, h);
    struct capture_request request = {.importance = view->head == VIEW_WEIGHTED};
    request.weights[view->module] = wanted;
    struct capture capture;
    bool ok = pair_capture(&session->state, pair, &request, &capture, status);
    free(wanted);
    if (!ok)
        return false;
    out->weights = memory_new(rows * columns, sizeof *out->weights, status);
    if (out->weights)
        capture_weights(&capture, view->module, view->layer, view->head, out->weights);
    capture_free(&capture);
    return out->weights != NULL;
}

bool view_attention(const struct session *session, const struct sentence_pair *pair,
                    const struct view *view, bool words, struct attention_view *out,
                    struct status *status)
{
    struct token_list rows = session_rows(session, pair, view->module);
    struct token_list columns = pair_columns(pair, view->module);
    out->words = words;
    if (!view_matrix(session, pair, view, out, status))
        return false;
    if (words)
        return words_merge(session->loaded->checkpoint, &rows, &columns, 1, &out->rows,
                           &out->columns, &out->weights, status);
    return labels_of_tokens(&rows, &out->rows, status) &&
           labels_of_tokens(&columns, &out->columns, status);
}

/* Importance and gates ------------------------------------------------------------------------ */

bool view_importance(const struct session *session, const struct sentence_pair *pair,
                     enum module module, int layer, struct importance_view *out,
                     struct status *status)
{
    struct token_list rows = session_rows(session, pair, module);
    struct capture_request request = {.importance = true};
    struct capture capture;
    out->module = module;
    out->layer = layer;
    out->heads = module_heads(session_config(session), module);
    if (!labels_of_tokens(&rows, &out->rows, status) ||
        !pair_capture(&session->state, pair, &request, &capture, status))
        return false;
    size_t cells = (size_t)rows.count * out->heads;
    out->weights = memory_new(cells, sizeof *out->weights, status);
    if (out->weights && cells)
        memcpy(out->weights, capture.importance[module][layer], cells * sizeof *out->weights);
    capture_free(&capture);
    return out->weights != NULL;
}

static bool keep_gates(const struct config *config, struct capture *capture, struct gates_view *out,
                       struct status *status)
{
    out->layer = memory_new(out->layers, sizeof *out->layer, status);
    if (!out->layer)
        return false;
    float **values = capture->gates[out->module][out->side];
    for (int i = 0; i < out->layers; i++) {
        if (!values || !values[i])
            continue;
        struct gate_layer *layer = &out->layer[i];
        layer->by_head = config->attention[out->module][i].gate == GATE_HEAD;
        layer->columns = gate_columns(config, out->module, i, out->side);
        size_t cells = (size_t)out->rows.texts.count * layer->columns;
        layer->values = memory_new(cells, sizeof *layer->values, status);
        if (!layer->values)
            return false;
        memcpy(layer->values, values[i], cells * sizeof *layer->values);
    }
    return true;
}

bool view_gates(const struct session *session, const struct sentence_pair *pair, enum module module,
                int side, struct gates_view *out, struct status *status)
{
    struct token_list rows = session_rows(session, pair, module);
    struct capture_request request = {.gates = true};
    struct capture capture;
    out->module = module;
    out->side = side;
    out->layers = module_layers(session_config(session), module);
    if (!labels_of_tokens(&rows, &out->rows, status) ||
        !pair_capture(&session->state, pair, &request, &capture, status))
        return false;
    bool ok = keep_gates(session_config(session), &capture, out, status);
    capture_free(&capture);
    return ok;
}

/* Freeing ------------------------------------------------------------------------------------- */

void attention_view_free(struct attention_view *attention)
{
    strings_free(&attention->rows.texts);
    strings_free(&attention->columns.texts);
    free(attention->weights);
    free(attention->rest);
}

void importance_view_free(struct importance_view *importance)
{
    strings_free(&importance->rows.texts);
    free(importance->weights);
}

void gates_view_free(struct gates_view *gates)
{
    for (int i = 0; gates->layer && i < gates->layers; i++)
        free(gates->layer[i].values);
    free(gates->layer);
    strings_free(&gates->rows.texts);
}
