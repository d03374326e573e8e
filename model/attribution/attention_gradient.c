/* Relevance from attention weights and their derivatives (method.h). Takes one backward pass for
 * each prediction, then goes through the layers from first to last. */
#include <stdlib.h>
#include <string.h>

#include "model/attribution/attribute.h"
#include "model/attribution/mixing.h"
#include "model/attribution/prediction_work.h"

/* Relevance for one prediction. n: source tokens, m: decoder inputs. */
struct relevance {
    const struct prediction_work *work;
    const struct capture *capture; // weights of all heads
    const struct gradients *slopes;
    int n, m;
    double *encoder;      // (n, n) R of the source's tokens by themselves
    double *own, *source; // (m, m), (m, n) R of decoder rows by the target so far, the source
    double *mean;         // the layer's mean over heads; a product; both of the largest size
    double *product;
    double *normed[2]; // (n, n), (m, m): R without its identity, rows divided by their sums
};

static bool relevance_open(struct relevance *relevance, struct status *status)
{
    const size_t n = (size_t)relevance->n, m = (size_t)relevance->m, most = (n > m ? n : m);
    relevance->encoder = memory_new(n * n, sizeof(double), status);
    relevance->own = memory_new(m * m, sizeof(double), status);
    relevance->source = memory_new(m * n, sizeof(double), status);
    relevance->mean = memory_new(most * most, sizeof(double), status);
    relevance->product = memory_new(most * most, sizeof(double), status);
    relevance->normed[STACK_ENCODER] = memory_new(n * n, sizeof(double), status);
    relevance->normed[STACK_DECODER] = memory_new(m * m, sizeof(double), status);
    return relevance->encoder && relevance->own && relevance->source && relevance->mean &&
           relevance->product && relevance->normed[STACK_ENCODER] &&
           relevance->normed[STACK_DECODER];
}

static void relevance_close(struct relevance *relevance)
{
    free(relevance->encoder);
    free(relevance->own);
    free(relevance->source);
    free(relevance->mean);
    free(relevance->product);
    free(relevance->normed[STACK_ENCODER]);
    free(relevance->normed[STACK_DECODER]);
}

/* Writes the mean over heads of max(0, weight * derivative) to `mean` (rows, columns). */
static void average_heads(struct relevance *relevance, enum module module, int layer)
{
    const int heads = relevance->capture->heads[module];
    const int rows = module == MODULE_ENCODER ? relevance->n : relevance->m;
    const int columns = module == MODULE_DECODER ? relevance->m : relevance->n;
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++) {
        double sum = 0;
        for (int h = layer * heads; h < (layer + 1) * heads; h++) {
            const double product = (double)relevance->capture->weights[module][h][i] *
                                   (double)relevance->slopes->weights[module][h][i];
            sum += product > 0 ? product : 0;
        }
        relevance->mean[i] = sum / heads;
    }
}

/* to (rows, columns) += mean (rows, rows) to. */
static void add_self(struct relevance *relevance, double *to, int rows, int columns)
{
    memset(relevance->product, 0, (size_t)rows * (size_t)columns * sizeof(double));
    matrix_add_product(relevance->mean, rows, to, columns, relevance->product, columns, rows, rows,
                       columns);
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++)
        to[i] += relevance->product[i];
}

/* Writes R - I, each row divided by its sum, plus I. */
static void norm_rows(const double *from, int n, double *to)
{
    for (int i = 0; i < n; i++, from += n, to += n) {
        double sum = -1;
        for (int j = 0; j < n; j++)
            sum += from[j];
        for (int j = 0; j < n; j++)
            to[j] = (sum > 0 ? (from[j] - (i == j)) / sum : 0) + (i == j);
    }
}

/* R of the decoder's rows by the source += normed(own)^T mean normed(encoder). */
static void add_cross(struct relevance *relevance)
{
    const int n = relevance->n, m = relevance->m;
    double *own = relevance->normed[STACK_DECODER];
    norm_rows(relevance->own, m, own);
    memset(relevance->product, 0, (size_t)m * (size_t)n * sizeof(double));
    matrix_add_product(relevance->mean, n, relevance->normed[STACK_ENCODER], n, relevance->product,
                       n, m, n, n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++) {
            const double kept = own[i * m + j];
            own[i * m + j] = own[j * m + i];
            own[j * m + i] = kept;
        }
    matrix_add_product(own, m, relevance->product, n, relevance->source, n, m, m, n);
}

static void run_layers(struct relevance *relevance)
{
    const int n = relevance->n, m = relevance->m;
    matrix_set_identity(relevance->encoder, n);
    matrix_set_identity(relevance->own, m);
    memset(relevance->source, 0, (size_t)m * (size_t)n * sizeof(double));
    for (int layer = 0; layer < relevance->capture->layers[MODULE_ENCODER]; layer++) {
        average_heads(relevance, MODULE_ENCODER, layer);
        add_self(relevance, relevance->encoder, n, n);
    }
    norm_rows(relevance->encoder, n, relevance->normed[STACK_ENCODER]);
    for (int layer = 0; layer < relevance->capture->layers[MODULE_CROSS]; layer++) {
        average_heads(relevance, MODULE_DECODER, layer);
        add_self(relevance, relevance->source, m, n);
        add_self(relevance, relevance->own, m, m);
        average_heads(relevance, MODULE_CROSS, layer);
        add_cross(relevance);
    }
}

static void take_row(const struct relevance *relevance, int row)
{
    const int at = relevance->work->first + row;
    float *source = prediction_values(relevance->work, row, STACK_ENCODER);
    float *own = prediction_values(relevance->work, row, STACK_DECODER);
    for (int j = 0; j < relevance->n; j++)
        source[j] = (float)relevance->source[(size_t)at * (size_t)relevance->n + (size_t)j];
    for (int j = 0; j <= at; j++)
        own[j] = (float)(relevance->own[(size_t)at * (size_t)relevance->m + (size_t)j] - (j == at));
}

static void take_slopes(void *context, int row, const struct gradients *slopes)
{
    struct relevance *relevance = context;
    relevance->slopes = slopes;
    run_layers(relevance);
    take_row(relevance, row);
}

bool predict_gradient_attention(struct prediction_work *work, struct status *status)
{
    const struct config *config = model_checkpoint(work->state->model)->config;
    const int last = module_layers(config, MODULE_CROSS) - 1;
    struct attribution_request all = {
        .method = METHOD_ROLLOUT, .module = MODULE_CROSS, .first = last, .last = last};
    struct capture capture;
    if (!attribution_request(&all, config, status))
        return false;
    bool ok = force_run(work->state->model, work->source, work->target, work->count,
                        work->state->head_settings, &all.capture, &capture, status);
    if (ok) {
        struct relevance relevance = {.work = work,
                                      .capture = &capture,
                                      .n = work->tokens[STACK_ENCODER],
                                      .m = work->tokens[STACK_DECODER]};
        struct gradient_request request = {.embeddings = false};
        memcpy(request.weights, all.capture.weights, sizeof request.weights);
        ok = relevance_open(&relevance, status) &&
             prediction_slopes(work, NULL, request, NULL, 0, work->count, take_slopes, &relevance,
                               status);
        relevance_close(&relevance);
        capture_free(&capture);
    }
    attribution_free(&all);
    return ok;
}
