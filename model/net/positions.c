#include "model/net/positions.h"

#include <math.h>

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
