#include "model/attribution/value_zeroing.h"

#include <math.h>
#include <stdlib.h>

/* The states after the layer, (rows, d), without the value of one key; key -1: with all. */
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

bool value_zeroing(const struct captured *captured, enum module module, int layer,
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
