/* The vectors of an attention sublayer: the one that each head adds for each value, and the norm
 * behind it. */
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "model/net/observer.h"

enum { ROWS_AT_ONCE = 4096 }; // of values on the device

/* Device memory of one piece of the work. */
struct pieces_of_work {
    struct model *model;
    const struct module_weights *weights;
    bool dhicm;
    int heads, head_dim, d, d_m;
    struct tensor x, between, y; // (ROWS, width of x), (ROWS, d_m), (ROWS, d)
};

static int width_of(const struct pieces_of_work *work)
{
    return work->dhicm ? work->head_dim : work->heads * work->head_dim;
}

static void product(const struct pieces_of_work *work, struct tensor y, int columns,
                    struct tensor x, int width, const struct weight *weight, int rows)
{
    const struct linear_args args = {
        .y = y, .ldy = columns, .x = x, .ldx = width, .weight = weight, .rows = rows};
    work->model->backend->linear(work->model->device, &args, 1);
}

/* Rows of x on the host: of DHICM the values as they are; otherwise each with the other heads'
 * places empty. */
static void lay_out(const struct pieces_of_work *work, const float *values, size_t first, int rows,
                    float *x)
{
    size_t head_dim = (size_t)work->head_dim, width = (size_t)width_of(work);
    memset(x, 0, (size_t)rows * width * sizeof *x);
    for (size_t r = 0; r < (size_t)rows; r++) {
        size_t place = work->dhicm ? 0 : (first + r) % (size_t)work->heads * head_dim;
        memcpy(x + r * width + place, values + (first + r) * head_dim, head_dim * sizeof *x);
    }
}

/* values: (count, hd) → out (count, d); count: keys times heads. */
static bool project_values(const struct pieces_of_work *work, const float *values, size_t count,
                           float *out, struct status *status)
{
    const struct backend *backend = work->model->backend;
    struct device *device = work->model->device;
    int width = width_of(work), most = (int)size_min(count, ROWS_AT_ONCE);
    float *x = memory_new((size_t)most * (size_t)width, sizeof *x, status);
    for (size_t first = 0; x && first < count; first += (size_t)most) {
        int rows = (int)size_min(count - first, (size_t)most);
        lay_out(work, values, first, rows, x);
        backend->put(device, work->x, x, (size_t)rows * (size_t)width * sizeof *x);
        if (work->dhicm) {
            product(work, work->between, work->d_m, work->x, width, work->weights->head_v, rows);
            product(work, work->y, work->d, work->between, work->d_m, work->weights->head_out,
                    rows);
        } else {
            product(work, work->y, work->d, work->x, width, work->weights->o.weight, rows);
        }
        backend->get(device, out + first * (size_t)work->d, work->y,
                     (size_t)rows * (size_t)work->d * sizeof *out);
    }
    free(x);
    return x != NULL;
}

static bool allocate_rows(const struct pieces_of_work *work, size_t count, int columns,
                          struct tensor *tensor, struct status *status)
{
    size_t rows = size_min(count, ROWS_AT_ONCE);
    return work->model->backend->allocate(work->model->device,
                                          rows * (size_t)columns * sizeof(float), tensor, status);
}

/* Replaces the values (keys, H*hd) by what the heads add for them. */
static bool finish_parts(struct model *model, enum module module, int layer, size_t keys,
                         struct sublayer *sublayer, struct status *status)
{
    const struct attention_config *attention = &model->config->attention[module][layer];
    struct pieces_of_work work = {.model = model,
                                  .weights = model_module(model, module, layer),
                                  .dhicm = attention->dhicm,
                                  .heads = module_heads(model->config, module),
                                  .head_dim = module_head_dim(model->config, module),
                                  .d = model->config->d_model,
                                  .d_m = attention->d_m};
    size_t count = keys * (size_t)work.heads;
    float *out = memory_new(count * (size_t)work.d, sizeof *out, status);
    bool ok = out && allocate_rows(&work, count, width_of(&work), &work.x, status) &&
              (!work.dhicm || allocate_rows(&work, count, work.d_m, &work.between, status)) &&
              allocate_rows(&work, count, work.d, &work.y, status) &&
              project_values(&work, sublayer->parts, count, out, status) &&
              model->backend->check(model->device, status);
    model->backend->release(model->device, work.x);
    model->backend->release(model->device, work.between);
    model->backend->release(model->device, work.y);
    free(sublayer->parts);
    sublayer->parts = out;
    return ok;
}

static bool fetch_vector(struct model *model, struct tensor tensor, float **out,
                         struct status *status)
{
    size_t d = (size_t)model->config->d_model;
    if (!tensor_present(tensor))
        return true;
    *out = memory_new(d, sizeof **out, status);
    if (*out)
        model->backend->get(model->device, *out, tensor, d * sizeof **out);
    return *out != NULL;
}

/* Applies the norm of a sublayer's output and, under post-norm, the norm of the sum that the next
 * layers read. */
static bool finish_norms(struct model *model, enum module module, int layer,
                         struct sublayer *sublayer, struct status *status)
{
    const enum stack stack = module_stack(module);
    const struct layer_weights *weights = &model->stacks[stack].layers[layer];
    const struct norm_weights *norm = &weights->norms[module == MODULE_CROSS];
    const struct norm_weights *own = &weights->output_norms[module == MODULE_CROSS];
    if (!fetch_vector(model, own->gamma, &sublayer->output_gamma, status))
        return false;
    if (model->config->stacks[stack].pre_norm)
        return model->backend->check(model->device, status);
    return fetch_vector(model, norm->gamma, &sublayer->gamma, status) &&
           fetch_vector(model, norm->beta, &sublayer->beta, status) &&
           model->backend->check(model->device, status);
}

bool sublayers_finish(struct model *model, const struct observer *observer, struct status *status)
{
    const struct capture *capture = observer->capture;
    for (int m = 0; m < MODULE_COUNT; m++) {
        const bool *wanted = observer->request->sublayers[m];
        int keys = m == MODULE_DECODER ? capture->target_rows : capture->source_count;
        for (int layer = 0; wanted && layer < capture->layers[m]; layer++) {
            struct sublayer *sublayer = &capture->sublayers[m][layer];
            if (wanted[layer] && (!model_check_floats(model, "parts of heads", status) ||
                                  !finish_parts(model, m, layer, (size_t)keys, sublayer, status) ||
                                  !finish_norms(model, m, layer, sublayer, status)))
                return false;
        }
    }
    return true;
}
