/* The table of a token: where every head looks from it, and who looks at it. */
#include <math.h>
#include <stdlib.h>

#include "tui/eye.h"
#include "tui/plain.h"
#include "tui/screen/sheet_results.h"

enum {
    IN_FRONT = 3, // layer, head, off
    OF_SIDE = 3,  // the strongest token, its weight, the next ones
    PLACES = 6    // tokens named for one head
};

/* What one direction shows. */
struct direction {
    const float *weights; // (heads of all layers, count)
    char **labels;        // (count)
    int count, column;    // the first of its columns
};

/* Weights that would read 0.00 are left out. */
static bool put_next(struct sheet *sheet, const struct direction *direction, const float *weights,
                     const int *places, int count, struct status *status)
{
    struct text_stream stream;
    if (!text_begin(&stream, status))
        return false;
    for (int p = 1; p < count && weights[places[p]] >= 0.005f; p++)
        fprintf(stream.out, "%s%s %.2f", p > 1 ? "  " : "", direction->labels[places[p]],
                weights[places[p]]);
    return text_cell(&stream, sheet, direction->column + 2, NAN, status);
}

static bool put_direction(struct sheet *sheet, const struct direction *direction, int head,
                          struct status *status)
{
    const float *weights = direction->weights + (size_t)head * (size_t)direction->count;
    int places[PLACES], count = direction->count < PLACES ? direction->count : PLACES;
    plain_strongest(weights, direction->count, places, count);
    if (count == 0 || !(weights[places[0]] > 0))
        return sheet_put_text(sheet, direction->column, "-", status);
    return sheet_put_text(sheet, direction->column, direction->labels[places[0]], status) &&
           sheet_put_number(sheet, direction->column + 1, weights[places[0]], 4, status) &&
           put_next(sheet, direction, weights, places, count, status);
}

static char *head_command(const struct head_grid *grid, int layer, int head)
{
    char *command = NULL;
    return asprintf(&command, ":attn %s layer %d head %d", module_names[grid->module], layer,
                    head) < 0
               ? NULL
               : command;
}

static bool put_head(struct sheet *sheet, const struct head_grid *grid,
                     const struct direction *directions, int count, int i, struct status *status)
{
    int layer = grid->layers[i / grid->head_count] + 1,
        head = grid->heads[i % grid->head_count] + 1;
    if (!sheet_row(sheet, status) || !sheet_put_number(sheet, 0, layer, 0, status) ||
        !sheet_put_number(sheet, 1, head, 0, status) ||
        !sheet_put_text(sheet, 2, grid->off[i] ? "off" : "", status) ||
        !sheet_put_command(sheet, head_command(grid, layer, head), status))
        return false;
    for (int d = 0; d < count; d++)
        if (!put_direction(sheet, &directions[d], i, status))
            return false;
    return true;
}

static bool put_heads(struct sheet *sheet, const struct head_grid *grid,
                      const struct direction *directions, int count, struct status *status)
{
    for (int i = 0; i < grid->layer_count * grid->head_count; i++)
        if (!put_head(sheet, grid, directions, count, i, status))
            return false;
    return true;
}

/* The directions that there are, and their columns; returns how many. */
static int find_directions(const struct session *session, const struct token_result *token,
                           struct sheet_column *columns, struct direction *directions)
{
    const float *weights[] = {token->from, token->to};
    const struct labels *labels[] = {&token->columns, &token->rows};
    static const char *const titles[] = {"looks at", "is looked at by"};
    int count = 0;
    for (int d = 0; d < 2; d++) {
        if (!weights[d])
            continue;
        int column = IN_FRONT + count * OF_SIDE;
        columns[column] = (struct sheet_column){titles[d], false, 0};
        columns[column + 1] = (struct sheet_column){"weight", true, 0};
        columns[column + 2] = (struct sheet_column){"then", false, 0};
        directions[count++] = (struct direction){weights[d], eye_labels(session, labels[d], false),
                                                 labels[d]->texts.count, column};
    }
    return count;
}

bool sheet_of_token(struct sheet *sheet, const struct session *session, const struct result *result,
                    struct status *status)
{
    struct sheet_column columns[IN_FRONT + 2 * OF_SIDE] = {
        {"layer", true, 0}, {"head", true, 0}, {"", false, 0}};
    struct direction directions[2];
    int count = find_directions(session, &result->token, columns, directions);
    bool labelled = true;
    for (int d = 0; d < count; d++)
        labelled &= directions[d].labels != NULL;
    bool ok = labelled ? sheet_begin(sheet, columns, IN_FRONT + count * OF_SIDE, status) &&
                             put_heads(sheet, &result->token.grid, directions, count, status)
                       : status_fail(status, STATUS_MEMORY, "out of memory");
    for (int d = 0; d < count; d++)
        eye_free(directions[d].labels, directions[d].count);
    return ok;
}
