#include "model/attribution/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int captured_rows(const struct captured *captured, enum module module)
{
    return module == MODULE_ENCODER ? captured->capture->source_count
                                    : captured->capture->target_rows;
}

int captured_columns(const struct captured *captured, enum module module)
{
    return module == MODULE_DECODER ? captured->capture->target_rows
                                    : captured->capture->source_count;
}

double head_share(const struct captured *captured, enum module module, int layer, int head, int row,
                  int column)
{
    int heads = captured->capture->heads[module];
    const float *weights = captured->capture->weights[module][layer * heads + head];
    double weight =
        weights[(size_t)row * (size_t)captured_columns(captured, module) + (size_t)column];
    if (captured->config->attention[module][layer].dhicm)
        return weight * captured->capture->importance[module][layer][row * heads + head];
    return weight * *head_settings_gain(captured->head_settings, module, layer, head);
}

/* Norms ---------------------------------------------------------------------------------------- */

static double norm_of(const double *vector, size_t d)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += vector[k] * vector[k];
    return sqrt(sum);
}

static double mean_of(const double *vector, size_t d)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += vector[k];
    return sum / (double)d;
}

/* Returns the norm's divisor of a row: sqrt(variance + eps), of RMS norms sqrt(mean square +
 * eps). */
static double deviation_of(const struct config *config, const double *vector, size_t d)
{
    double mean = config->rms_norm ? 0 : mean_of(vector, d), sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += (vector[k] - mean) * (vector[k] - mean);
    return sqrt(sum / (double)d + (double)config->norm_eps);
}

/* v becomes N_i(v), which is linear once the row's deviation is known. */
static void norm_vector(const struct config *config, const float *gamma, double deviation,
                        double *vector, size_t d)
{
    double mean = config->rms_norm ? 0 : mean_of(vector, d);
    for (size_t k = 0; k < d; k++)
        vector[k] = (vector[k] - mean) / deviation * gamma[k];
}

/* Returns the divisor of the norm of a sublayer's output in a row; 1: it has no norm. work (d) */
static double output_deviation(const struct config *config, const struct sublayer *sublayer,
                               int row, double *work)
{
    const size_t d = (size_t)config->d_model;
    if (!sublayer->plain)
        return 1;
    for (size_t k = 0; k < d; k++)
        work[k] = sublayer->plain[(size_t)row * d + k];
    return deviation_of(config, work, d);
}

/* Applies that norm, without its bias. */
static void norm_output(const struct config *config, const struct sublayer *sublayer,
                        double deviation, double *vector)
{
    if (sublayer->plain)
        norm_vector(config, sublayer->output_gamma, deviation, vector, (size_t)config->d_model);
}

bool head_norms(const struct captured *captured, enum module module, int layer, int head,
                double *out, struct status *status)
{
    const struct config *config = captured->config;
    const struct sublayer *sublayer = &captured->capture->sublayers[module][layer];
    size_t d = (size_t)config->d_model, heads = (size_t)captured->capture->heads[module];
    int rows = captured_rows(captured, module), columns = captured_columns(captured, module);
    double *norms = memory_new((size_t)columns, sizeof *norms, status);
    double *part = memory_new(d, sizeof *part, status);
    for (int j = 0; norms && part && j < columns; j++) {
        for (size_t k = 0; k < d; k++)
            part[k] = sublayer->parts[((size_t)j * heads + (size_t)head) * d + k];
        norm_output(config, sublayer, 1, part);
        norms[j] = norm_of(part, d);
    }
    for (int i = 0; norms && part && i < rows; i++) {
        double deviation = output_deviation(config, sublayer, i, part);
        for (int j = 0; j < columns; j++)
            *out++ = head_share(captured, module, layer, head, i, j) * norms[j] / deviation;
    }
    bool ok = norms && part;
    free(norms);
    free(part);
    return ok;
}

/* Vectors of a row ----------------------------------------------------------------------------- */

/* The vectors of one row: one for each key, and in cross-attention the residual behind them. */
struct row_vectors {
    double *vectors; // (count, d)
    double *sum;     // (d) y, what they add up to, with all biases
    int count;
    size_t d;
};

static bool row_vectors_open(const struct captured *captured, enum module module,
                             struct row_vectors *row, struct status *status)
{
    row->d = (size_t)captured->config->d_model;
    row->count = captured_columns(captured, module) + (module == MODULE_CROSS);
    row->vectors = memory_new((size_t)row->count * row->d, sizeof *row->vectors, status);
    row->sum = memory_new(row->d, sizeof *row->sum, status);
    return row->vectors && row->sum;
}

static void row_vectors_close(struct row_vectors *row)
{
    free(row->vectors);
    free(row->sum);
}

/* Σ_h a_hij f_h(j) of all keys, through the norm of the sublayer's output if it has one. */
static void add_heads(const struct captured *captured, enum module module, int layer, int row,
                      struct row_vectors *out)
{
    const struct sublayer *sublayer = &captured->capture->sublayers[module][layer];
    const double deviation = output_deviation(captured->config, sublayer, row, out->sum);
    int heads = captured->capture->heads[module], columns = captured_columns(captured, module);
    memset(out->vectors, 0, (size_t)out->count * out->d * sizeof *out->vectors);
    for (int j = 0; j < columns; j++) {
        double *vector = out->vectors + (size_t)j * out->d;
        for (int h = 0; h < heads; h++) {
            double share = head_share(captured, module, layer, h, row, j);
            const float *part = sublayer->parts + (size_t)(j * heads + h) * out->d;
            for (size_t k = 0; share != 0 && k < out->d; k++)
                vector[k] += share * part[k];
        }
        norm_output(captured->config, sublayer, deviation, vector);
    }
}

/* Residual and norm: the heads' sums become T_i(j), `sum` becomes y_i. */
static void finish_row(const struct captured *captured, enum module module, int layer, int row,
                       struct row_vectors *out)
{
    const struct sublayer *sublayer = &captured->capture->sublayers[module][layer];
    size_t d = out->d, at = (size_t)row * d;
    double *residual = out->vectors + (size_t)(module == MODULE_CROSS ? out->count - 1 : row) * d;
    for (size_t k = 0; k < d; k++) {
        residual[k] += sublayer->residual[at + k];
        out->sum[k] = (double)sublayer->residual[at + k] + sublayer->output[at + k];
    }
    if (!sublayer->gamma)
        return;
    double deviation = deviation_of(captured->config, out->sum, d);
    for (int j = 0; j < out->count; j++)
        norm_vector(captured->config, sublayer->gamma, deviation, out->vectors + (size_t)j * d, d);
    norm_vector(captured->config, sublayer->gamma, deviation, out->sum, d);
    for (size_t k = 0; sublayer->beta && k < d; k++)
        out->sum[k] += sublayer->beta[k];
}

/* Measures of a row's vectors ------------------------------------------------------------------ */

static void measure_norms(const struct row_vectors *row, double *out)
{
    for (int j = 0; j < row->count; j++)
        out[j] = norm_of(row->vectors + (size_t)j * row->d, row->d);
}

/* Writes, as shares, how much nearer each vector brings the sum in the Manhattan distance. */
static void measure_contributions(const struct row_vectors *row, double *out)
{
    double size = 0, total = 0;
    for (size_t k = 0; k < row->d; k++)
        size += fabs(row->sum[k]);
    for (int j = 0; j < row->count; j++) {
        const double *vector = row->vectors + (size_t)j * row->d;
        double distance = 0;
        for (size_t k = 0; k < row->d; k++)
            distance += fabs(row->sum[k] - vector[k]);
        out[j] = fmax(0, size - distance);
        total += out[j];
    }
    for (int j = 0; total > 0 && j < row->count; j++)
        out[j] /= total;
}

typedef void row_measure(const struct row_vectors *row, double *out);

static bool measure_rows(const struct captured *captured, enum module module, int layer,
                         row_measure *measure, double *out, double *rest, struct status *status)
{
    int rows = captured_rows(captured, module), columns = captured_columns(captured, module);
    struct row_vectors row = {.vectors = NULL};
    double *values = memory_new((size_t)columns + 1, sizeof *values, status);
    bool ok = values && row_vectors_open(captured, module, &row, status);
    for (int i = 0; ok && i < rows; i++) {
        add_heads(captured, module, layer, i, &row);
        finish_row(captured, module, layer, i, &row);
        measure(&row, values);
        memcpy(out + (size_t)i * (size_t)columns, values, (size_t)columns * sizeof *out);
        rest[i] = module == MODULE_CROSS ? values[columns] : 0;
    }
    row_vectors_close(&row);
    free(values);
    return ok;
}

bool block_norms(const struct captured *captured, enum module module, int layer, double *out,
                 double *rest, struct status *status)
{
    return measure_rows(captured, module, layer, measure_norms, out, rest, status);
}

bool block_contributions(const struct captured *captured, enum module module, int layer,
                         double *out, double *rest, struct status *status)
{
    return measure_rows(captured, module, layer, measure_contributions, out, rest, status);
}

bool module_norms(const struct captured *captured, enum module module, int layer, double *out,
                  struct status *status)
{
    int rows = captured_rows(captured, module), columns = captured_columns(captured, module);
    struct row_vectors row = {.vectors = NULL};
    bool ok = row_vectors_open(captured, module, &row, status);
    for (int i = 0; ok && i < rows; i++) {
        add_heads(captured, module, layer, i, &row);
        for (int j = 0; j < columns; j++)
            *out++ = norm_of(row.vectors + (size_t)j * row.d, row.d);
    }
    row_vectors_close(&row);
    return ok;
}
