#include "model/net/positions.h"

#include <math.h>

#include "base/minmax.h"

void sinusoidal_positions(enum positions_layout layout, int64_t first, int rows, int d,
                          float *table)
{
    int half = d / 2;
    double divisor = layout == LAYOUT_HALVES_FAIRSEQ ? half - 1 : half;
    for (int k = 0; k < half; k++) {
        double wavelength = pow(10000, k / divisor);
        float *sine = table + (layout == LAYOUT_INTERLEAVED ? 2 * k : k);
        float *cosine = table + (layout == LAYOUT_INTERLEAVED ? 2 * k + 1 : half + k);
        for (int row = 0; row < rows; row++, sine += d, cosine += d) {
            double angle = (double)(first + row) / wavelength;
            *sine = (float)sin(angle);
            *cosine = (float)cos(angle);
        }
    }
}

void sinusoidal_positions_float(int64_t first, int rows, int d, float *table)
{
    const int half = d / 2;
    const float step = (float)log(10000) / ((float)half - 1);
    for (int k = 0; k < half; k++) {
        const float exponent = (float)k * -step, frequency = (float)exp((double)exponent);
        for (int row = 0; row < rows; row++) {
            const float angle = (float)(first + row) * frequency;
            table[(size_t)row * (size_t)d + (size_t)k] = (float)sin((double)angle);
            table[(size_t)row * (size_t)d + (size_t)(half + k)] = (float)cos((double)angle);
        }
    }
}

void rotary_positions(double base, int rows, int size, float *table)
{
    const int half = size / 2;
    for (int k = 0; k < half; k++) {
        const double wavelength = pow(base, (double)k / half);
        float *cosine = table + k;
        for (int p = 0; p < rows; p++, cosine += size) {
            cosine[0] = (float)cos(p / wavelength);
            cosine[half] = (float)sin(p / wavelength);
        }
    }
}

/* In float32, as in PyTorch: the rounding of the logarithm decides in which bucket the first
 * distances of a range are. */
static int far_bucket(int distance, int exact, int buckets, int max_distance)
{
    const float span = (float)log((double)max_distance / exact);
    const float place = logf((float)distance / (float)exact) / span * (float)(buckets - exact);
    return int_min(exact + (int)place, buckets - 1);
}

int relative_bucket(int distance, int buckets, int max_distance, bool both_ways)
{
    int first = 0, away = distance < 0 ? -distance : distance;
    if (both_ways) {
        buckets /= 2;
        first = distance > 0 ? buckets : 0;
    } else if (distance > 0) {
        away = 0;
    }
    const int exact = buckets / 2;
    return first + (away < exact ? away : far_bucket(away, exact, buckets, max_distance));
}

int relative_span(const struct config *config, enum stack stack)
{
    return int_min(config->stacks[stack].max_distance, config->max_positions);
}

void relative_bias(const struct config *config, enum stack stack, const float *weights,
                   float *table)
{
    const struct stack_config *of = &config->stacks[stack];
    const int span = relative_span(config, stack);
    for (int d = -span; d <= span; d++) {
        int bucket = relative_bucket(d, of->buckets, of->max_distance, stack == STACK_ENCODER);
        for (int h = 0; h < of->heads; h++)
            table[(size_t)h * (2 * (size_t)span + 1) + (size_t)(d + span)] =
                weights[(size_t)bucket * (size_t)of->heads + (size_t)h];
    }
}
