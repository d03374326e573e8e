/* The mixing of tokens in the sublayers of a model, one matrix each, and the shares that tokens
 * above have in the end from those below (method.h has formulas and papers).
 *
 *     mixing_open; mixing_rollout or mixing_flow; mixing_close
 *
 * A row of a matrix is a token above a sublayer, its columns are those below, its residual
 * included; rows sum to 1, or are zeros. n: source tokens, m: decoder inputs. A feed-forward layer
 * mixes no tokens.
 */
#ifndef ATTNSCOPE_MIXING_H
#define ATTNSCOPE_MIXING_H

#include "base/watch.h"
#include "model/attribution/method.h"
#include "model/attribution/vectors.h"

struct mixing {
    int sources, targets; // n; m, or 0 without decoder layers
    int encoder_layers, decoder_layers;
    double **encoder; // (encoder_layers) of (n, n)
    double **self;    // (decoder_layers) of (m, m), 0 right of the diagonal
    double **
        cross; // (decoder_layers) of (m, n + 1): the last column is the residual, of the row's own token
};

/* Matrices of the sublayers up to layer `layer` (0-based) of the module's stack; in the decoder
 * also of the whole encoder. method: one that is joint. On failure nothing needs to be closed. */
bool mixing_open(const struct captured *captured, enum method method, enum module module, int layer,
                 struct mixing *mixing, struct status *status);
void mixing_close(struct mixing *mixing);

/* Rows and columns of the results: tokens above the last layer, and the tokens at the bottom: n of
 * the source; with decoder layers m of the target's prefix behind them. */
int mixing_rows(const struct mixing *mixing);
int mixing_columns(const struct mixing *mixing);

/* out (rows, columns): products of the matrices along all ways from the top to the bottom. */
bool mixing_rollout(const struct mixing *mixing, double *out, struct status *status);

/* out (rows, columns): the greatest flow from each token at the top to each at the bottom, with the
 * matrices' values as capacities, divided by the sum of its row. If the watch stops it, it fails
 * with STATUS_CANCELLED. */
bool mixing_flow(const struct mixing *mixing, const struct watch *watch, double *out,
                 struct status *status);

/* out (rows, columns) += a (rows, inner; `lda` apart) b (inner, columns; `ldb` apart); out is
 * `ldout` apart. */
void matrix_add_product(const double *a, int lda, const double *b, int ldb, double *out, int ldout,
                        int rows, int inner, int columns);
void matrix_set_identity(double *out, int n); // (n, n)

#endif
