#include "model/net/positions.h"

#include <math.h>

void sinusoidal_position(enum positions_layout layout, int64_t p, int d, float *vector)
{
    int half = d / 2;
    double divisor = layout == LAYOUT_HALVES_FAIRSEQ ? half - 1 : half;
    for (int k = 0; k < half; k++) {
        double angle = (double)p / pow(10000, k / divisor);
        int sine = layout == LAYOUT_INTERLEAVED ? 2 * k : k;
        int cosine = layout == LAYOUT_INTERLEAVED ? 2 * k + 1 : half + k;
        vector[sine] = (float)sin(angle);
        vector[cosine] = (float)cos(angle);
    }
}
