#include "model/attribution/mixing.h"

#include <stdlib.h>
#include <string.h>

/* Matrices of sublayers ------------------------------------------------------------------------ */

/* Writes W, the mean over the heads of a row, as in method.h. */
static void mean_row(const struct captured *captured, enum module module, int layer, int row,
                     double *out)
{
    bool dhicm = captured->config->attention[module][layer].dhicm;
    int heads = captured->capture->heads[module], columns = captured_columns(captured, module);
    double gains = 0;
    for (int h = 0; h < heads; h++)
        gains += *head_settings_gain(captured->head_settings, module, layer, h);
    for (int j = 0; j < columns; j++) {
        out[j] = 0;
        for (int h = 0; h < heads; h++)
            out[j] += head_share(captured, module, layer, h, row, j);
        if (!dhicm && gains > 0)
            out[j] /= gains;
    }
}

/* (W + I) / row sum. */
static void average_heads(const struct captured *captured, enum module module, int layer,
                          double *out, double *rest)
{
    int rows = captured_rows(captured, module), columns = captured_columns(captured, module);
    for (int i = 0; i < rows; i++, out += columns) {
        double sum = 1;
        mean_row(captured, module, layer, i, out);
        for (int j = 0; j < columns; j++)
            sum += out[j];
        for (int j = 0; j < columns; j++)
            out[j] /= sum;
        rest[i] = module == MODULE_CROSS ? 1 / sum : 0;
        if (module != MODULE_CROSS)
            out[i] += 1 / sum;
    }
}

/* Appends the residual as the last column. */
static double *join_rest(const double *values, const double *rest, int rows, int columns,
                         struct status *status)
{
    size_t wide = (size_t)columns + 1;
    double *out = memory_new((size_t)rows * wide, sizeof *out, status);
    for (int i = 0; out && i < rows; i++) {
        memcpy(out + (size_t)i * wide, values + (size_t)i * (size_t)columns,
               (size_t)columns * sizeof *out);
        out[(size_t)i * wide + (size_t)columns] = rest[i];
    }
    return out;
}

/* Returns the matrix of one sublayer. NULL: failure. */
static double *mix_sublayer(const struct captured *captured, enum method method, enum module module,
                            int layer, struct status *status)
{
    int rows = captured_rows(captured, module), columns = captured_columns(captured, module);
    double *values = memory_new((size_t)rows * (size_t)columns, sizeof *values, status);
    double *rest = memory_new((size_t)rows, sizeof *rest, status), *joined = NULL;
    bool ok = values && rest;
    if (ok && method == METHOD_ALTI)
        ok = block_contributions(captured, module, layer, values, rest, status);
    else if (ok)
        average_heads(captured, module, layer, values, rest);
    if (ok && module == MODULE_CROSS)
        joined = join_rest(values, rest, rows, columns, status);
    free(rest);
    if (ok && module != MODULE_CROSS)
        return values;
    free(values);
    return joined;
}

static double **mix_layers(const struct captured *captured, enum method method, enum module module,
                           int layers, struct status *status)
{
    double **matrices = memory_new((size_t)layers, sizeof *matrices, status);
    bool ok = matrices != NULL;
    for (int l = 0; ok && l < layers; l++)
        ok = (matrices[l] = mix_sublayer(captured, method, module, l, status)) != NULL;
    return matrices;
}

static bool complete(double *const *matrices, int layers)
{
    return matrices && (layers == 0 || matrices[layers - 1]);
}

bool mixing_open(const struct captured *captured, enum method method, enum module module, int layer,
                 struct mixing *mixing, struct status *status)
{
    bool decoder = module != MODULE_ENCODER;
    *mixing = (struct mixing){.sources = captured->capture->source_count,
                              .targets = decoder ? captured->capture->target_rows : 0,
                              .encoder_layers =
                                  decoder ? captured->capture->layers[MODULE_ENCODER] : layer + 1,
                              .decoder_layers = decoder ? layer + 1 : 0};
    mixing->encoder = mix_layers(captured, method, MODULE_ENCODER, mixing->encoder_layers, status);
    if (complete(mixing->encoder, mixing->encoder_layers))
        mixing->self = mix_layers(captured, method, MODULE_DECODER, mixing->decoder_layers, status);
    if (complete(mixing->self, mixing->decoder_layers))
        mixing->cross = mix_layers(captured, method, MODULE_CROSS, mixing->decoder_layers, status);
    if (complete(mixing->cross, mixing->decoder_layers))
        return true;
    mixing_close(mixing);
    return false;
}

static void free_layers(double **matrices, int layers)
{
    for (int l = 0; matrices && l < layers; l++)
        free(matrices[l]);
    free(matrices);
}

void mixing_close(struct mixing *mixing)
{
    free_layers(mixing->encoder, mixing->encoder_layers);
    free_layers(mixing->self, mixing->decoder_layers);
    free_layers(mixing->cross, mixing->decoder_layers);
    *mixing = (struct mixing){0};
}

int mixing_rows(const struct mixing *mixing)
{
    return mixing->decoder_layers ? mixing->targets : mixing->sources;
}

int mixing_columns(const struct mixing *mixing)
{
    return mixing->sources + mixing->targets;
}

/* Rollout -------------------------------------------------------------------------------------- */

void matrix_add_product(const double *a, int lda, const double *b, int ldb, double *out, int ldout,
                        int rows, int inner, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++) {
            double factor = a[(size_t)i * (size_t)lda + (size_t)k];
            const double *from = b + (size_t)k * (size_t)ldb;
            double *to = out + (size_t)i * (size_t)ldout;
            for (int j = 0; factor != 0 && j < columns; j++)
                to[j] += factor * from[j];
        }
}

void matrix_set_identity(double *out, int n)
{
    memset(out, 0, (size_t)n * (size_t)n * sizeof *out);
    for (int i = 0; i < n; i++)
        out[(size_t)i * (size_t)n + (size_t)i] = 1;
}

/* out (n, n): the encoder's product. spare (n, n): scratch. */
static void roll_encoder(const struct mixing *mixing, double *out, double *spare)
{
    int n = mixing->sources;
    size_t bytes = (size_t)n * (size_t)n * sizeof *out;
    matrix_set_identity(out, n);
    for (int l = 0; l < mixing->encoder_layers; l++) {
        memcpy(spare, out, bytes);
        memset(out, 0, bytes);
        matrix_add_product(mixing->encoder[l], n, spare, n, out, n, n, n, n);
    }
}

/* Applies one decoder layer. joint (m, n + m): on entry what its inputs consist of, on return its
 * outputs. spare: scratch of the same size. */
static void roll_decoder_layer(const struct mixing *mixing, int layer, const double *encoder,
                               double *joint, double *spare)
{
    int n = mixing->sources, m = mixing->targets, columns = n + m;
    memset(spare, 0, (size_t)m * (size_t)columns * sizeof *spare);
    matrix_add_product(mixing->self[layer], m, joint, columns, spare, columns, m, m, columns);
    const double *cross = mixing->cross[layer];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < columns; j++)
            joint[(size_t)i * (size_t)columns + (size_t)j] =
                cross[(size_t)i * (size_t)(n + 1) + (size_t)n] *
                spare[(size_t)i * (size_t)columns + (size_t)j];
    matrix_add_product(cross, n + 1, encoder, n, joint, columns, m, n, n);
}

bool mixing_rollout(const struct mixing *mixing, double *out, struct status *status)
{
    int n = mixing->sources, m = mixing->targets, columns = n + m;
    size_t square = (size_t)n * (size_t)n, joint = (size_t)m * (size_t)columns;
    double *encoder = memory_new(square, sizeof *encoder, status);
    double *spare = memory_new(square > joint ? square : joint, sizeof *spare, status);
    bool ok = encoder && spare;
    if (ok)
        roll_encoder(mixing, mixing->decoder_layers ? encoder : out, spare);
    if (ok && mixing->decoder_layers) {
        memset(out, 0, joint * sizeof *out);
        for (int i = 0; i < m; i++)
            out[(size_t)i * (size_t)columns + (size_t)(n + i)] = 1;
        for (int l = 0; l < mixing->decoder_layers; l++)
            roll_decoder_layer(mixing, l, encoder, out, spare);
    }
    free(encoder);
    free(spare);
    return ok;
}
