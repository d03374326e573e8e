/* The mixing of tokens in a model, one matrix per sublayer, and the resulting shares of the bottom
 * tokens in the top ones (method.h has formulas and papers).
 *
 *     mixing_open; mixing_rollout or mixing_flow; mixing_close
 *
 * A row of a matrix is a token above a sublayer, and its columns are the tokens below, including
 * its residual; rows sum to 1, or are zeros. n: source tokens, m: decoder inputs. A feed-forward
 * layer mixes no tokens.
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
    double **cross;   // (decoder_layers) of (m, n + 1): column n is the residual of the row's token
};

/* Matrices of the sublayers up to layer `layer` (0-based) of the module's stack; in the decoder
 * also of the whole encoder. method: a joint one. On failure nothing needs to be closed. */
bool mixing_open(const struct captured *captured, enum method method, enum module module, int layer,
                 struct mixing *mixing, struct status *status);
void mixing_close(struct mixing *mixing);

/* Rows and columns of the results: the tokens above the last layer, and the tokens at the bottom: n
 * of the source, followed by m of the target's prefix if there are decoder layers. */
int mixing_rows(const struct mixing *mixing);
int mixing_columns(const struct mixing *mixing);

/* out (rows, columns): products of the matrices along all paths from top to bottom. */
bool mixing_rollout(const struct mixing *mixing, double *out, struct status *status);

/* out (rows, columns): the maximum flow from each top token to each bottom token, with the
 * matrices' values as capacities, divided by the sum of its row. Fails with STATUS_CANCELLED if the
 * watch stops it. */
bool mixing_flow(const struct mixing *mixing, const struct watch *watch, double *out,
                 struct status *status);

/* out (rows, columns) += a (rows, inner; `lda` apart) b (inner, columns; `ldb` apart); out is
 * `ldout` apart. */
void matrix_add_product(const double *a, int lda, const double *b, int ldb, double *out, int ldout,
                        int rows, int inner, int columns);
void matrix_set_identity(double *out, int n); // (n, n)

#endif
