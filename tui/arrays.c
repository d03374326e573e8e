/* Views as arrays of numbers alone. */
#include <stdlib.h>
#include <string.h>

#include "tui/gate_columns.h"
#include "tui/gate_points.h"
#include "tui/npy.h"
#include "tui/tables.h"

static bool array_attention(FILE *stream, const struct result *view, struct pace *pace,
                            struct status *status)
{
    const struct attention_result *attention = &view->attention;
    (void)status;
    return npy_write(stream, attention->weights, 2,
                     (size_t[]){attention->rows.texts.count, attention->columns.texts.count}, pace);
}

static bool array_importance(FILE *stream, const struct result *view, struct pace *pace,
                             struct status *status)
{
    const struct importance_result *importance = &view->importance;
    (void)status;
    return npy_write(stream, importance->weights, 2,
                     (size_t[]){importance->rows.texts.count, importance->heads}, pace);
}

static bool array_gates(FILE *stream, const struct result *view, struct pace *pace,
                        struct status *status)
{
    struct gate_columns columns;
    if (!gate_columns_make(&view->gates, &columns, status))
        return false;
    bool ok = npy_write(stream, columns.values, 2,
                        (size_t[]){view->gates.rows.texts.count, columns.count}, pace);
    gate_columns_free(&columns);
    return ok;
}

static bool array_gate_groups(FILE *stream, const struct result *view, struct pace *pace,
                              struct status *status)
{
    struct gate_points points;
    if (!gate_points_make(&view->gate_groups, &points, status))
        return false;
    // Of one side a row of its own would be in the way.
    bool one = points.sides == 1;
    bool ok = npy_write(stream, points.values, one ? 1 : 2,
                        (size_t[]){one ? points.count : points.sides, points.count}, pace);
    gate_points_free(&points);
    return ok;
}

static bool array_heads(FILE *stream, const struct result *view, struct pace *pace,
                        struct status *status)
{
    const struct heads_result *heads = &view->heads;
    (void)status;
    return npy_write(stream, heads->weights, 4,
                     (size_t[]){heads->grid.layer_count, heads->grid.head_count,
                                heads->rows.texts.count, heads->columns.texts.count},
                     pace);
}

/* A module where the token looks and is looked at has the same tokens along rows and columns. */
static bool array_token(FILE *stream, const struct result *view, struct pace *pace,
                        struct status *status)
{
    const struct token_result *token = &view->token;
    const float *sides[] = {token->from, token->to};
    const struct labels *labels = token->from ? &token->columns : &token->rows;
    size_t shape[] = {0, token->grid.layer_count, token->grid.head_count, labels->texts.count};
    size_t each = shape[1] * shape[2] * shape[3];
    float *all = memory_new(each, 2 * sizeof *all, status);
    if (!all)
        return false;
    for (int s = 0; s < 2; s++)
        if (sides[s])
            memcpy(all + each * shape[0]++, sides[s], each * sizeof *all);
    bool ok = npy_write(stream, all, 4, shape, pace);
    free(all);
    return ok;
}

/* One array is for tokens that are the same in all three; another translation has matrices of its own. */
static bool array_beside(FILE *stream, const struct result *view, struct pace *pace,
                         struct status *status)
{
    const struct beside_result *beside = &view->beside;
    const float *parts[] = {beside->side[0].attention.weights, beside->side[1].attention.weights,
                            beside->difference.weights};
    if (!parts[2] || beside->forced)
        return status_fail(
            status, STATUS_INVALID,
            "a and b are over other tokens, .npy holds one shape: expected .npz, .csv or .png");
    size_t rows = beside->difference.rows.texts.count;
    size_t columns = beside->difference.columns.texts.count, cells = rows * columns;
    float *all = memory_new(cells, 3 * sizeof *all, status);
    if (!all)
        return false;
    for (int i = 0; cells && i < 3; i++)
        memcpy(all + i * cells, parts[i], cells * sizeof *all);
    bool ok = npy_write(stream, all, 3, (size_t[]){3, rows, columns}, pace);
    free(all);
    return ok;
}

bool array_write(FILE *stream, const struct result *view, struct pace *pace, struct status *status)
{
    static bool (*const writers[RESULT_KINDS])(FILE *, const struct result *, struct pace *,
                                               struct status *) = {
        [RESULT_ATTENTION] = array_attention,   [RESULT_ALIGNMENT] = array_attention,
        [RESULT_IMPORTANCE] = array_importance, [RESULT_GATES] = array_gates,
        [RESULT_HEADS] = array_heads,           [RESULT_GATE_GROUPS] = array_gate_groups,
        [RESULT_TOKEN] = array_token,           [RESULT_BESIDE] = array_beside,
    };
    return writers[view->kind](stream, view, pace, status);
}
