#include "tui/view.h"

#include <stdlib.h>
#include <string.h>

#include "tui/command.h"
#include "tui/words.h"

struct view view_fit(const struct config *config, struct view view)
{
    int layers = module_layers(config, view.module), heads = module_heads(config, view.module);
    view.layer = view.layer < layers ? view.layer : layers - 1;
    view.head = view.head < heads ? view.head : heads - 1;
    return view;
}

/* Attention ----------------------------------------------------------------------------------- */

static bool view_wants(const struct view *view, int head)
{
    return view->head < 0 || view->head == head;
}

/* The heads' matrices as one. */
static void combine_heads(float *const *heads, int count, const struct view *view, size_t cells,
                          float *out)
{
    int used = 0;
    for (int h = 0; h < count; h++) {
        if (!view_wants(view, h))
            continue;
        for (size_t i = 0; i < cells; i++) {
            float weight = heads[h][i];
            if (view->head == VIEW_MAX)
                out[i] = used && out[i] > weight ? out[i] : weight;
            else
                out[i] += weight;
        }
        used++;
    }
    for (size_t i = 0; view->head == VIEW_MEAN && i < cells; i++)
        out[i] /= (float)used;
}

bool view_matrix(const struct session *session, const struct subject *subject,
                 const struct view *view, struct attention_result *out, struct status *status)
{
    const struct dials *dials = session->state.dials;
    int heads = dials->count[view->module];
    size_t cells = (size_t)subject_rows(subject, view->module).count *
                   subject_columns(subject, view->module).count;
    out->view = *view;
    if (view->head >= 0) {
        out->head = *dials_head(dials, view->module, view->layer, view->head);
        out->off = *dials_gain(dials, view->module, view->layer, view->head) == 0;
    }
    bool *wanted = memory_new((size_t)dials->layers[view->module] * heads, sizeof *wanted, status);
    if (!wanted)
        return false;
    for (int h = 0; h < heads; h++)
        wanted[view->layer * heads + h] = view_wants(view, h);
    struct capture_request request = {0};
    request.weights[view->module] = wanted;
    struct capture capture;
    bool ok = subject_capture(&session->state, subject, &request, &capture, status);
    free(wanted);
    if (!ok)
        return false;
    out->weights = memory_new(cells, sizeof *out->weights, status);
    if (out->weights)
        combine_heads(capture.weights[view->module] + view->layer * heads, heads, view, cells,
                      out->weights);
    capture_free(&capture);
    return out->weights != NULL;
}

bool view_attention(const struct session *session, const struct subject *subject,
                    const struct view *view, bool words, struct attention_result *out,
                    struct status *status)
{
    struct token_list rows = subject_rows(subject, view->module);
    struct token_list columns = subject_columns(subject, view->module);
    out->words = words;
    if (!view_matrix(session, subject, view, out, status))
        return false;
    if (words)
        return words_merge(session->loaded->checkpoint, &rows, &columns, 1, &out->rows,
                           &out->columns, &out->weights, status);
    return labels_of_tokens(&rows, &out->rows, status) &&
           labels_of_tokens(&columns, &out->columns, status);
}

/* Importance and gates ------------------------------------------------------------------------ */

bool view_importance(const struct session *session, const struct subject *subject,
                     enum module module, int layer, struct importance_result *out,
                     struct status *status)
{
    struct token_list rows = subject_rows(subject, module);
    struct capture_request request = {.importance = true};
    struct capture capture;
    out->module = module;
    out->layer = layer;
    out->heads = module_heads(session_config(session), module);
    if (!labels_of_tokens(&rows, &out->rows, status) ||
        !subject_capture(&session->state, subject, &request, &capture, status))
        return false;
    size_t cells = (size_t)rows.count * out->heads;
    out->weights = memory_new(cells, sizeof *out->weights, status);
    if (out->weights && cells)
        memcpy(out->weights, capture.importance[module][layer], cells * sizeof *out->weights);
    capture_free(&capture);
    return out->weights != NULL;
}

bool layer_has_gate(const struct config *config, enum module module, int layer, int side)
{
    const struct attention_config *attention = &config->attention[module][layer];
    return attention->context && attention->gate != GATE_NONE && attention->sides[side] &&
           learned_heads(config, module, layer) > 0;
}

static bool keep_gates(const struct config *config, struct capture *capture,
                       struct gates_result *out, struct status *status)
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
        layer->columns = layer->by_head ? learned_heads(config, out->module, i) : 1;
        size_t cells = (size_t)out->rows.texts.count * layer->columns;
        layer->values = memory_new(cells, sizeof *layer->values, status);
        if (!layer->values)
            return false;
        memcpy(layer->values, values[i], cells * sizeof *layer->values);
    }
    return true;
}

bool view_gates(const struct session *session, const struct subject *subject, enum module module,
                int side, struct gates_result *out, struct status *status)
{
    struct token_list rows = subject_rows(subject, module);
    struct capture_request request = {.gates = true};
    struct capture capture;
    out->module = module;
    out->side = side;
    out->layers = module_layers(session_config(session), module);
    if (!labels_of_tokens(&rows, &out->rows, status) ||
        !subject_capture(&session->state, subject, &request, &capture, status))
        return false;
    bool ok = keep_gates(session_config(session), &capture, out, status);
    capture_free(&capture);
    return ok;
}
