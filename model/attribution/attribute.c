#include "model/attribution/attribute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/watch.h"
#include "model/attribution/mixing.h"
#include "model/attribution/vectors.h"

/* Returns the states after the layer, (rows, d), computed without the value of one key; key -1:
 * with all. */
static float *run_without(const struct captured *captured, enum module module, int layer, int key,
                          struct status *status)
{
    const enum stack stack = module_stack(module);
    const struct zeroed_value zeroed = {module, layer, key};
    struct capture_request request = {.zeroed = key < 0 ? NULL : &zeroed};
    struct capture capture;
    float *states = NULL;
    bool *wanted =
        memory_new((size_t)captured->config->stacks[stack].layers, sizeof *wanted, status);
    if (!wanted)
        return NULL;
    wanted[layer] = true;
    request.states[stack] = wanted;
    if (force_run(captured->model, captured->source, captured->target, captured->count,
                  captured->head_settings, &request, &capture, status)) {
        states = capture.states[stack][layer];
        capture.states[stack][layer] = NULL;
        capture_free(&capture);
    }
    free(wanted);
    return states;
}

static double length_of(const float *x, size_t d)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += (double)x[k] * (double)x[k];
    return sqrt(sum);
}

/* 1 - cos(x, y), which is half the square of the distance between the directions. */
static double cosine_distance(const float *x, const float *y, size_t d)
{
    const double x_length = length_of(x, d), y_length = length_of(y, d);
    double sum = 0;
    if (!(x_length > 0) || !(y_length > 0))
        return x_length > 0 || y_length > 0;
    for (size_t k = 0; k < d; k++) {
        const double apart = (double)x[k] / x_length - (double)y[k] / y_length;
        sum += apart * apart;
    }
    return sum / 2;
}

static void divide_rows(double *out, int rows, int columns)
{
    for (int i = 0; i < rows; i++, out += columns) {
        double sum = 0;
        for (int j = 0; j < columns; j++)
            sum += out[j];
        for (int j = 0; sum > 0 && j < columns; j++)
            out[j] /= sum;
    }
}

/* Fills out (rows, columns) of the module. Runs its own passes: the captures need to hold
 * nothing. */
static bool value_zeroing(const struct captured *captured, enum module module, int layer,
                          const struct watch *watch, double *out, struct status *status)
{
    const int rows = captured_rows(captured, module), columns = captured_columns(captured, module);
    const size_t d = (size_t)captured->config->d_model;
    float *whole = run_without(captured, module, layer, -1, status);
    bool ok = whole != NULL;
    for (int j = 0; ok && j < columns; j++) {
        float *without = run_without(captured, module, layer, j, status);
        for (int i = 0; without && i < rows; i++)
            out[(size_t)i * (size_t)columns + (size_t)j] =
                cosine_distance(whole + (size_t)i * d, without + (size_t)i * d, d);
        ok = without && watch_proceed(watch, "zeroing values", j + 1, columns, status);
        free(without);
    }
    free(whole);
    if (ok)
        divide_rows(out, rows, columns);
    return ok;
}

/* Requests ------------------------------------------------------------------------------------- */

/* True if the request reads the sublayers of a module's layer. */
static bool reads_layer(const struct attribution_request *request, enum module module, int layer)
{
    if (request->method == METHOD_VALUE_ZEROING)
        return false; // it has passes of its own
    if (!method_table[request->method].joint)
        return module == request->module && request->first <= layer && layer <= request->last;
    if (request->module == MODULE_ENCODER)
        return module == MODULE_ENCODER && layer <= request->last;
    return module == MODULE_ENCODER || layer <= request->last;
}

static bool reads_vectors(enum method method)
{
    return method == METHOD_NORMS || method == METHOD_BLOCK_NORMS ||
           method == METHOD_CONTRIBUTIONS || method == METHOD_ALTI;
}

static bool request_module(struct attribution_request *request, const struct config *config,
                           enum module module, struct status *status)
{
    size_t layers = (size_t)module_layers(config, module),
           heads = (size_t)module_heads(config, module);
    bool *weights = memory_new(layers * heads, sizeof *weights, status);
    bool *sublayers = memory_new(layers, sizeof *sublayers, status);
    request->wanted[2 * module] = weights;
    request->wanted[2 * module + 1] = sublayers;
    for (size_t l = 0; weights && sublayers && l < layers; l++) {
        bool reads = reads_layer(request, module, (int)l);
        sublayers[l] = reads && reads_vectors(request->method);
        for (size_t h = 0; h < heads; h++)
            weights[l * heads + h] = reads;
    }
    request->capture.weights[module] = weights;
    request->capture.sublayers[module] = sublayers;
    return weights && sublayers;
}

bool attribution_request(struct attribution_request *request, const struct config *config,
                         struct status *status)
{
    request->capture = (struct capture_request){.importance = true};
    memset(request->wanted, 0, sizeof request->wanted);
    for (int m = 0; m < MODULE_COUNT; m++)
        if (!request_module(request, config, (enum module)m, status)) {
            attribution_free(request);
            return false;
        }
    return true;
}

void attribution_free(struct attribution_request *request)
{
    for (int i = 0; i < 2 * MODULE_COUNT; i++)
        free(request->wanted[i]);
    memset(request->wanted, 0, sizeof request->wanted);
}

/* Returns the request's module's (layers, heads). */
static bool *wanted_heads(struct attribution_request *request)
{
    return request->wanted[2 * request->module];
}

void attribution_forget_heads(struct attribution_request *request, const struct config *config)
{
    const size_t layers = (size_t)module_layers(config, request->module),
                 heads = (size_t)module_heads(config, request->module);
    memset(wanted_heads(request), 0, layers * heads * sizeof(bool));
}

void attribution_add_head(struct attribution_request *request, const struct config *config,
                          int layer, int head)
{
    const int heads = module_heads(config, request->module);
    for (int h = 0; h < heads; h++)
        if (head < 0 || h == head)
            wanted_heads(request)[layer * heads + h] = true;
}

/* Matrices ------------------------------------------------------------------------------------- */

static bool run_mixing(const struct captured *captured, enum method method, enum module module,
                       int layer, const struct watch *watch, double *out, struct status *status)
{
    struct mixing mixing;
    if (!mixing_open(captured, method, module, layer, &mixing, status))
        return false;
    bool ok = method == METHOD_FLOW ? mixing_flow(&mixing, watch, out, status)
                                    : mixing_rollout(&mixing, out, status);
    mixing_close(&mixing);
    return ok;
}

bool attribution_joint(const struct captured *captured, enum method method, int layer,
                       const struct watch *watch, double *out, struct status *status)
{
    return run_mixing(captured, method, MODULE_CROSS, layer, watch, out, status);
}

/* Splits rows over both sides into the module's columns and the sum of the rest. */
static void take_columns(const struct captured *captured, enum module module, const double *joint,
                         double *out, double *rest)
{
    int n = captured->capture->source_count, m = captured->capture->target_rows;
    int first = module == MODULE_CROSS ? 0 : n, columns = module == MODULE_CROSS ? n : m;
    for (int i = 0; i < m; i++, joint += n + m) {
        rest[i] = 0;
        for (int j = 0; j < n + m; j++)
            if (j >= first && j < first + columns)
                *out++ = joint[j];
            else
                rest[i] += joint[j];
    }
}

static bool join_layers(const struct captured *captured, enum method method, enum module module,
                        int layer, const struct watch *watch, double *out, double *rest,
                        struct status *status)
{
    size_t n = (size_t)captured->capture->source_count, m = (size_t)captured->capture->target_rows;
    if (module == MODULE_ENCODER)
        return run_mixing(captured, method, module, layer, watch, out, status);
    double *joint = memory_new(m * (n + m), sizeof *joint, status);
    bool ok = joint && attribution_joint(captured, method, layer, watch, joint, status);
    if (ok)
        take_columns(captured, module, joint, out, rest);
    free(joint);
    return ok;
}

static bool compute(const struct captured *captured, enum method method, enum module module,
                    int layer, int head, const struct watch *watch, double *out, double *rest,
                    struct status *status)
{
    switch (method) {
    case METHOD_NORMS:
        return head == HEADS_TOGETHER ? module_norms(captured, module, layer, out, status)
                                      : head_norms(captured, module, layer, head, out, status);
    case METHOD_BLOCK_NORMS:
        return block_norms(captured, module, layer, out, rest, status);
    case METHOD_CONTRIBUTIONS:
        return block_contributions(captured, module, layer, out, rest, status);
    case METHOD_VALUE_ZEROING:
        return value_zeroing(captured, module, layer, watch, out, status);
    default:
        return join_layers(captured, method, module, layer, watch, out, rest, status);
    }
}

static bool single_matrix(const struct captured *captured, enum method method, enum module module,
                          int layer, int head, const struct watch *watch, float *out, float *rest,
                          struct status *status)
{
    size_t rows = (size_t)captured_rows(captured, module),
           cells = rows * (size_t)captured_columns(captured, module);
    double *values = memory_new(cells, sizeof *values, status);
    double *others = memory_new(rows, sizeof *others, status);
    bool ok = values && others &&
              compute(captured, method, module, layer, head, watch, values, others, status);
    for (size_t i = 0; ok && i < cells; i++)
        out[i] = (float)values[i];
    for (size_t i = 0; ok && rest && i < rows; i++)
        rest[i] = (float)others[i];
    free(values);
    free(others);
    return ok;
}

/* Merges the matrices of all heads by mean or maximum. */
static bool merge_heads(const struct captured *captured, enum method method, enum module module,
                        int layer, int head, float *out, struct status *status)
{
    int heads = captured->capture->heads[module];
    size_t cells =
        (size_t)captured_rows(captured, module) * (size_t)captured_columns(captured, module);
    float *one = memory_new(cells, sizeof *one, status);
    bool ok = one != NULL;
    for (int h = 0; ok && h < heads; h++) {
        ok = single_matrix(captured, method, module, layer, h, NULL, one, NULL, status);
        for (size_t i = 0; ok && i < cells; i++) {
            float before = h ? out[i] : 0;
            out[i] = head == HEADS_MEAN     ? before + one[i] / (float)heads
                     : h && before > one[i] ? before
                                            : one[i];
        }
    }
    free(one);
    return ok;
}

bool attribution_matrix(const struct captured *captured, enum method method, enum module module,
                        int layer, int head, const struct watch *watch, float *out, float *rest,
                        struct status *status)
{
    bool weights = method == METHOD_WEIGHTS, merged = head == HEADS_MEAN || head == HEADS_MAX;
    if (!weights && !merged)
        return single_matrix(captured, method, module, layer, head, watch, out, rest, status);
    for (int i = 0; rest && i < captured_rows(captured, module); i++)
        rest[i] = 0;
    if (!weights)
        return merge_heads(captured, method, module, layer, head, out, status);
    capture_weights(captured->capture, module, layer, head, out);
    return true;
}
