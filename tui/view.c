#include "tui/view.h"

#include <stdlib.h>
#include <string.h>

#include "tui/command.h"

/* Words --------------------------------------------------------------------------------------- */

/* Words of a token list: word w is made of the tokens begin[w] … begin[w+1]-1. */
struct word_list {
    int *begin; // (count + 1)
    int count;
};

static bool words_of(const struct token_list *tokens, struct word_list *words,
                     struct status *status)
{
    words->count = 0;
    words->begin = memory_new((size_t)tokens->count + 1, sizeof *words->begin, status);
    if (!words->begin)
        return false;
    for (int i = 0; i < tokens->count; i++)
        if (i == 0 || tokens->words[i] != tokens->words[i - 1])
            words->begin[words->count++] = i;
    words->begin[words->count] = tokens->count;
    return true;
}

/* The text of one word. Special tokens stand alone and are spelt as the vocabulary has them. */
static char *word_text(const struct checkpoint *checkpoint, const struct token_list *tokens,
                       int begin, int end, struct status *status)
{
    char *text = tokenizer_join(checkpoint->tokenizer[tokens->side], tokens->texts + begin,
                                end - begin, status);
    if (text && end - begin == 1 && !*text) {
        free(text);
        return copy_text(tokens->texts[begin], status);
    }
    return text;
}

static bool is_special(const struct config *config, int side, int id)
{
    for (int s = 0; s < SPECIAL_COUNT; s++)
        if (id == config->special[s][side])
            return true;
    return false;
}

static bool labels_of_words(const struct checkpoint *checkpoint, const struct token_list *tokens,
                            const struct word_list *words, struct labels *labels,
                            struct status *status)
{
    labels->side = tokens->side;
    for (int w = 0; w < words->count; w++) {
        int begin = words->begin[w], end = words->begin[w + 1];
        bool special =
            end - begin == 1 && is_special(checkpoint->config, tokens->side, tokens->ids[begin]);
        char *text = special ? copy_text(tokens->texts[begin], status)
                             : word_text(checkpoint, tokens, begin, end, status);
        bool ok = text && pieces_add(&labels->texts, text, strlen(text), status);
        free(text);
        if (!ok)
            return false;
    }
    return true;
}

/* (rows, columns) of tokens to (row words, column words). */
static float *merge_words(const float *weights, const struct word_list *rows,
                          const struct word_list *columns, struct status *status)
{
    int width = columns->begin[columns->count];
    float *merged = memory_new((size_t)rows->count * columns->count, sizeof *merged, status);
    for (int r = 0; merged && r < rows->count; r++)
        for (int c = 0; c < columns->count; c++) {
            double sum = 0;
            for (int i = rows->begin[r]; i < rows->begin[r + 1]; i++)
                for (int j = columns->begin[c]; j < columns->begin[c + 1]; j++)
                    sum += weights[(size_t)i * width + j];
            merged[(size_t)r * columns->count + c] =
                (float)(sum / (rows->begin[r + 1] - rows->begin[r]));
        }
    return merged;
}

static bool to_words(const struct checkpoint *checkpoint, const struct token_list *rows,
                     const struct token_list *columns, struct attention_result *out,
                     struct status *status)
{
    struct word_list row_words = {0}, column_words = {0};
    float *merged = NULL;
    if (words_of(rows, &row_words, status) && words_of(columns, &column_words, status) &&
        labels_of_words(checkpoint, rows, &row_words, &out->rows, status) &&
        labels_of_words(checkpoint, columns, &column_words, &out->columns, status))
        merged = merge_words(out->weights, &row_words, &column_words, status);
    if (merged) {
        free(out->weights);
        out->weights = merged;
    }
    free(row_words.begin);
    free(column_words.begin);
    return merged != NULL;
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

/* Runs the forced pass and leaves the tokens' matrix in out->weights. */
static bool capture_view(const struct session *session, const struct subject *subject,
                         struct attention_result *out, size_t cells, struct status *status)
{
    const struct view *view = &out->view;
    const struct dials *dials = session->state.dials;
    int heads = dials->count[view->module];
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
    out->view = *view;
    out->words = words;
    if (view->head >= 0) {
        out->head = *dials_head(session->state.dials, view->module, view->layer, view->head);
        out->off = *dials_gain(session->state.dials, view->module, view->layer, view->head) == 0;
    }
    if (!capture_view(session, subject, out, (size_t)rows.count * columns.count, status))
        return false;
    if (words)
        return to_words(session->loaded->checkpoint, &rows, &columns, out, status);
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
