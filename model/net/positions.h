/* Positions: sinusoidal vectors (Vaswani et al. 2017, section 3.5, and two other layouts in use),
 * angles of rotary positions (Su et al. 2021, section 3.2.2), and the bias that relative positions
 * add to energies (Raffel et al. 2020, section 2.1; the buckets are those of Mesh TensorFlow). */
#ifndef ATTNSCOPE_POSITIONS_H
#define ATTNSCOPE_POSITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/checkpoint/config.h"

/* Writes the vectors of positions first, first + 1, … (index + offset): angles p / 10000^(2k/d),
 * k = 0 … d/2-1.
 *   halves: all sines, then all cosines; halves_fairseq: the same with k/(d/2-1) for the exponent's
 *   2k/d; interleaved: sine and cosine of each k side by side.
 *   table: (rows, d), d even, > 2 for halves_fairseq. */
void sinusoidal_positions(enum positions_layout layout, int64_t first, int rows, int d,
                          float *table);

/* The halves_fairseq layout with angles rounded to float32 at every step, as in Marian
 * (src/graph/node_initializers.cpp, sinusoidalPositionEmbeddings). They differ by up to 1e-6 of the
 * position, which is visible in 8-bit activations. */
void sinusoidal_positions_float(int64_t first, int rows, int d, float *table);

/* The angles of rotary positions 0, 1, …, as struct rotate_args wants them: row p has the cosines
 * of p / base^(2k/size), k = 0 … size/2-1, then the sines.
 *   table: (rows, size), size even */
void rotary_positions(double base, int rows, int size, float *table);

/* The bucket of a key at `distance` j - i from its query. Half of the buckets hold one distance
 * each, the others ranges that grow up to `max_distance`. In the encoder (both_ways), keys before
 * and after the query have separate buckets; in the decoder all buckets are for keys before it. */
int relative_bucket(int distance, int buckets, int max_distance, bool both_ways);

/* The largest distance in a stack's table of biases, on either side. Keys further away use the bias
 * of that distance. */
int relative_span(const struct config *config, enum stack stack);

/* The biases of a stack by distance.
 *   weights: (buckets, H), as in a checkpoint; table: (H, 2 * relative_span + 1) */
void relative_bias(const struct config *config, enum stack stack, const float *weights,
                   float *table);

#endif
