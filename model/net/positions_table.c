/* The table of computed positions on the device, which grows with the longest sentence. */
#include <stdlib.h>

#include "model/net/buffers.h"
#include "model/net/positions.h"
#include "model/net/weights.h"

static void compute(const struct model *model, const struct stack_config *config, int rows,
                    int columns, float *table)
{
    if (config->positions == POSITIONS_ROTARY)
        rotary_positions(config->rotary_base, rows, columns, table);
    else if (model->integers && config->layout == LAYOUT_HALVES_FAIRSEQ)
        sinusoidal_positions_float(config->offset, rows, columns, table);
    else
        sinusoidal_positions(config->layout, config->offset, rows, columns, table);
}

bool positions_ensure(struct model *model, enum stack stack, int rows, struct status *status)
{
    const struct stack_config *config = &model->config->stacks[stack];
    struct stack_weights *weights = &model->stacks[stack];
    if (config->positions == POSITIONS_NONE || rows <= weights->position_rows)
        return true;
    const bool rotary = config->positions == POSITIONS_ROTARY;
    const int columns = rotary ? config->head_dim : model->config->d_model;
    size_t bytes;
    float *table = NULL;
    if (rows < 2 * weights->position_rows)
        rows = 2 * weights->position_rows;
    if (size_multiply((size_t)rows * columns, sizeof *table, &bytes))
        table = memory_new((size_t)rows * columns, sizeof *table, status);
    if (!table)
        return false;
    compute(model, config, rows, columns, table);
    struct tensor fresh;
    bool ok = model->backend->allocate(model->device, bytes, &fresh, status);
    if (ok) {
        model->backend->put(model->device, fresh, table, bytes);
        model->backend->release(model->device, weights->positions);
        weights->positions = fresh;
        weights->position_rows = rows;
        buffers_renew(model->buffers);
    }
    free(table);
    return ok;
}
