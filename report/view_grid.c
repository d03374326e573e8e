/* Views of several heads at once. */
#include <stdlib.h>
#include <string.h>

#include "model/attribution/attribute.h"
#include "report/labels.h"
#include "report/view.h"
#include "session/head_description.h"

/* Choice of heads ------------------------------------------------------------------------------ */

/* Lists the numbers 0 … most-1 for which `has` is true. */
static bool choose_numbers(const struct selector *selector, int most,
                           bool (*has)(const struct selector *, int), int **numbers, int *count,
                           struct status *status)
{
    *numbers = memory_new(most, sizeof **numbers, status);
    for (int i = 0; *numbers && i < most; i++)
        if (has(selector, i))
            (*numbers)[(*count)++] = i;
    return *numbers != NULL;
}

/* All names share one allocation. */
static bool name_heads(const struct session *session, struct head_grid *grid, struct status *status)
{
    enum { BYTES = HEAD_KIND_BYTES + 16 };
    size_t heads = (size_t)grid->head_count;
    char *texts;
    grid->titles = memory_new(heads, sizeof *grid->titles + BYTES, status);
    if (!grid->titles)
        return false;
    texts = (char *)(grid->titles + heads);
    for (size_t i = 0; i < heads; i++, texts += BYTES) {
        char kind[HEAD_KIND_BYTES];
        describe_kind_in_layers(session, grid->module, grid->layers, grid->layer_count,
                                grid->heads[i], kind);
        grid->titles[i] = texts;
        if (*kind)
            snprintf(texts, BYTES, "%d %s", grid->heads[i] + 1, kind);
        else
            snprintf(texts, BYTES, "head %d", grid->heads[i] + 1);
    }
    return true;
}

bool grid_choose(const struct session *session, const struct selector *given,
                 struct head_grid *grid, struct status *status)
{
    const struct head_settings *head_settings = session->state.head_settings;
    struct selector selected = *given; // its lists are borrowed
    const struct selector *selector = &selected;
    if (!given->module_given)
        selected.module = session->view.module;
    if (!selector_check(selector, session_config(session), status))
        return false;
    grid->module = selector->module;
    if (!choose_numbers(selector, head_settings->layers[grid->module], selector_has_layer,
                        &grid->layers, &grid->layer_count, status) ||
        !choose_numbers(selector, head_settings->count[grid->module], selector_has_head,
                        &grid->heads, &grid->head_count, status))
        return false;
    grid->off = memory_new((size_t)grid->layer_count * grid->head_count, sizeof *grid->off, status);
    for (int i = 0; grid->off && i < grid->layer_count * grid->head_count; i++)
        grid->off[i] =
            *head_settings_gain(head_settings, grid->module, grid->layers[i / grid->head_count],
                                grid->heads[i % grid->head_count]) == 0;
    return grid->off && name_heads(session, grid, status);
}

/* Their weights -------------------------------------------------------------------------------- */

/* Captures the matrices of layers `first` … `end`-1 of a grid, and what a method needs. Freed with
 * capture_free. */
static bool capture_grid(const struct session *session, const struct sentence_pair *pair,
                         const struct head_grid *grid, enum method method, int first, int end,
                         struct capture *capture, struct status *status)
{
    int layers = session->state.head_settings->layers[grid->module];
    int heads = session->state.head_settings->count[grid->module];
    bool *wanted = memory_new((size_t)layers * heads, sizeof *wanted, status);
    bool *sublayers = memory_new((size_t)layers, sizeof *sublayers, status);
    bool ok = wanted && sublayers;
    for (int l = first; ok && l < end; l++) {
        sublayers[grid->layers[l]] = method == METHOD_NORMS;
        for (int h = 0; h < grid->head_count; h++)
            wanted[grid->layers[l] * heads + grid->heads[h]] = true;
    }
    struct capture_request request = {.importance = method == METHOD_NORMS};
    request.weights[grid->module] = wanted;
    request.sublayers[grid->module] = sublayers;
    ok = ok && pair_capture(&session->state, pair, &request, capture, status);
    free(wanted);
    free(sublayers);
    return ok;
}

/* Returns the matrix at the grid's place `i`, counted along the heads. */
static const float *grid_matrix(const struct capture *capture, const struct head_grid *grid, int i)
{
    int layer = grid->layers[i / grid->head_count], head = grid->heads[i % grid->head_count];
    return capture->weights[grid->module][layer * capture->heads[grid->module] + head];
}

/* Allocates `per_head` floats for every head. */
static float *new_values(const struct head_grid *grid, size_t per_head, struct status *status)
{
    size_t count;
    if (size_multiply((size_t)grid->layer_count * grid->head_count, per_head, &count))
        return memory_new(count, sizeof(float), status);
    status_no_memory(status);
    return NULL;
}

/* Limits the layers of a pass to what this holds, at least one: for long sentences all matrices
 * would otherwise be in memory twice. */
static int layers_at_once(const struct head_grid *grid, size_t cells)
{
    const size_t most = 16 << 20; // floats
    size_t layers = most / ((size_t)grid->head_count * cells + 1);
    return layers < 1 ? 1 : layers > (size_t)grid->layer_count ? grid->layer_count : (int)layers;
}

static bool copy_layers(const struct session *session, const struct sentence_pair *pair,
                        struct heads_view *out, size_t cells, int first, int end,
                        struct status *status)
{
    const struct head_grid *grid = &out->grid;
    struct capture capture;
    if (!capture_grid(session, pair, grid, out->as, first, end, &capture, status))
        return false;
    const struct captured captured = {.config = session_config(session),
                                      .head_settings = session->state.head_settings,
                                      .capture = &capture};
    bool ok = true;
    for (int i = first * grid->head_count; ok && cells && i < end * grid->head_count; i++)
        if (out->as == METHOD_WEIGHTS)
            memcpy(out->weights + i * cells, grid_matrix(&capture, grid, i),
                   cells * sizeof *out->weights);
        else
            ok = attribution_matrix(
                &captured, out->as, grid->module, grid->layers[i / grid->head_count],
                grid->heads[i % grid->head_count], NULL, out->weights + i * cells, NULL, status);
    capture_free(&capture);
    return ok;
}

bool view_heads(const struct session *session, const struct sentence_pair *pair, bool words,
                struct heads_view *out, struct status *status)
{
    struct token_list rows = session_rows(session, pair, out->grid.module);
    struct token_list columns = pair_columns(pair, out->grid.module);
    size_t cells = (size_t)rows.count * columns.count;
    int heads = out->grid.layer_count * out->grid.head_count;
    int layers = out->grid.layer_count;
    int step = out->as == METHOD_WEIGHTS ? layers_at_once(&out->grid, cells) : 1;
    out->words = words;
    out->weights = new_values(&out->grid, cells, status);
    if (!out->weights)
        return false;
    for (int first = 0; first < layers; first += step)
        if (!copy_layers(session, pair, out, cells, first,
                         first + step < layers ? first + step : layers, status))
            return false;
    if (words)
        return words_merge(session->loaded->checkpoint, &rows, &columns, heads, &out->rows,
                           &out->columns, &out->weights, status);
    return labels_of_tokens(&rows, &out->rows, status) &&
           labels_of_tokens(&columns, &out->columns, status);
}

/* Writes the mean of the token's rows, which is one row of the matrix of words. */
static void mean_of_rows(const float *matrix, const struct token_view *token, int columns,
                         float *out)
{
    for (int c = 0; c < columns; c++) {
        double sum = 0;
        for (int r = token->first; r < token->first + token->count; r++)
            sum += matrix[(size_t)r * columns + c];
        out[c] = (float)(sum / token->count);
    }
}

static void sum_of_columns(const float *matrix, const struct token_view *token, int rows,
                           int columns, float *out)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int c = token->first; c < token->first + token->count; c++)
            sum += matrix[(size_t)r * columns + c];
        out[r] = (float)sum;
    }
}

static bool fill_token(const struct capture *capture, struct token_view *out, int rows, int columns,
                       bool looks, bool is_seen, struct status *status)
{
    int heads = out->grid.layer_count * out->grid.head_count;
    out->from = looks ? new_values(&out->grid, columns, status) : NULL;
    out->to = is_seen ? new_values(&out->grid, rows, status) : NULL;
    if ((looks && !out->from) || (is_seen && !out->to))
        return false;
    for (int i = 0; i < heads; i++) {
        const float *matrix = grid_matrix(capture, &out->grid, i);
        if (looks)
            mean_of_rows(matrix, out, columns, out->from + (size_t)i * columns);
        if (is_seen)
            sum_of_columns(matrix, out, rows, columns, out->to + (size_t)i * rows);
    }
    return true;
}

bool view_token(const struct session *session, const struct sentence_pair *pair,
                struct token_view *out, struct status *status)
{
    struct token_list rows = session_rows(session, pair, out->grid.module);
    struct token_list columns = pair_columns(pair, out->grid.module);
    struct capture capture;
    if (!labels_of_tokens(&rows, &out->rows, status) ||
        !labels_of_tokens(&columns, &out->columns, status) ||
        !capture_grid(session, pair, &out->grid, METHOD_WEIGHTS, 0, out->grid.layer_count, &capture,
                      status))
        return false;
    bool ok = fill_token(&capture, out, rows.count, columns.count, rows.side == out->side,
                         columns.side == out->side, status);
    capture_free(&capture);
    return ok;
}

/* Freeing -------------------------------------------------------------------------------------- */

void head_grid_free(struct head_grid *grid)
{
    free(grid->layers);
    free(grid->heads);
    free(grid->off);
    free(grid->titles);
}

void heads_view_free(struct heads_view *heads)
{
    head_grid_free(&heads->grid);
    strings_free(&heads->rows.texts);
    strings_free(&heads->columns.texts);
    free(heads->weights);
}

void token_view_free(struct token_view *token)
{
    head_grid_free(&token->grid);
    strings_free(&token->rows.texts);
    strings_free(&token->columns.texts);
    free(token->text);
    free(token->from);
    free(token->to);
}
