/* Sinusoidal position vectors (Vaswani et al. 2017, section 3.5, and two other layouts in use). */
#ifndef ATTNSCOPE_POSITIONS_H
#define ATTNSCOPE_POSITIONS_H

#include <stdint.h>

#include "model/net/config.h"

/* Writes the vectors of positions first, first + 1, … (index + offset): angles p / 10000^(2k/d),
 * k = 0 … d/2-1.
 *   halves: all sines, then all cosines; halves_fairseq: the same with k/(d/2-1) for the exponent's
 *   2k/d; interleaved: sine and cosine of each k side by side.
 *   table: (rows, d), d even, > 2 for halves_fairseq. */
void sinusoidal_positions(enum positions_layout layout, int64_t first, int rows, int d,
                          float *table);

#endif
