/* The backward pass: derivatives of a forced pass, layer by layer from the last to the first.
 * gradient.h is its public interface. Internal to model/net.
 *
 * Call order: backward_open after the forced pass, whose tape it reads; the caller writes the
 * derivatives of the decoder's output to `state` (m, d); backward_stack for the decoder, which
 * accumulates those of the encoder's output; backward_encoder_output; backward_stack for the
 * encoder; backward_close.
 *
 * Below, x' is ∂L/∂x, the derivative of x. A sublayer f of a post-norm layer computes norm(x +
 * f(x)): the derivative through the norm applies to both x and f(x), and the derivative through f
 * is added to it. In a pre-norm layer it computes x + f(norm(x)): the derivative through f and then
 * its norm is added to that of the stream. A norm of the sublayer's output is part of f.
 */
#ifndef ATTNSCOPE_BACKWARD_H
#define ATTNSCOPE_BACKWARD_H

#include "model/net/backward/gradient.h"
#include "model/net/tape.h"

/* Derivatives. R: rows of the longer side. Widths are those of the wider stack. All float. */
struct slopes {
    struct tensor state;          // (R, d): of the stream, or under post-norm of a layer's states
    struct tensor part;           // (R, d): of a sublayer's output or input
    struct tensor output;         // (R, d): of a sublayer's output before the norm of outputs
    struct tensor encoded;        // (n, d): of the encoder's output
    struct tensor heads, q, k, v; // (R, H*hd): of head outputs, queries, keys, values
    struct tensor hidden;         // (R, d_ff): of hidden units
    struct tensor before,
        factor;            // (R, d_ff): the values before the activation; the values that a gate
                           // multiplies
    struct tensor context; // (R, H*hd): of projected contexts
    struct tensor context_mean;    // (1, H*hd): the mean of these over a sentence
    struct tensor inputs, means;   // (R, layers*d): of buffers->inputs and buffers->means
    struct tensor sums;            // (m, d): of running means and recurrent states
    struct tensor input, forget;   // (m, d): of a recurrence
    struct tensor head_value;      // (R, d_m): DHICM, of V Σ G O and of U x
    struct tensor head_mix, scale; // (R, hd): of Σ G O and of s
    struct tensor gains;           // (R, H): of each row's gains
    struct tensor weights;         // (wanted heads, rows, columns)
    struct tensor nowhere;         // (R) int32, all -1
    int d_m;                       // row stride of head_value
};

struct backward {
    struct model *model;
    struct tape *tape;
    const struct gradient_request *request;
    const struct head_settings *head_settings; // of the pass
    struct gradients *out;
    struct status *status; // written when `failed` becomes true
    bool failed;           // the host ran out of memory
    struct tensor arena;
    struct slopes slopes;
};

/* The caller has set the other fields. On failure nothing needs to be closed. */
bool backward_open(struct backward *back, struct status *status);
void backward_close(struct backward *back);

/* Computes, from the derivatives of a stack's output in `state`, those of its embeddings. */
void backward_stack(struct backward *back, const struct pass *pass, enum stack stack);
/* Writes the derivatives of the encoder's output to `state`. */
void backward_encoder_output(struct backward *back, const struct pass *encoder);

/* Adds to dx (rows, d) the derivatives of the input of a module or recurrence, given those of its
 * output, dout (rows, d). backward_module.c */
void backward_module(struct backward *back, const struct pass *pass, enum module module, int layer,
                     struct tensor dout, struct tensor dx);
void backward_recurrence(struct backward *back, const struct pass *pass, int layer,
                         struct tensor dout, struct tensor dx);

/* dx = dy w, or with `add` dx + dy w, over `rows` rows. */
void backward_product(const struct backward *back, struct row_matrix dx, struct row_matrix dy,
                      const struct weight *weight, int rows, bool add);
/* Zeros columns 0 … columns-1 of the first rows. */
void backward_clear(const struct backward *back, struct row_matrix x, int rows, int columns);
/* y += x, over the first rows. index: of the rows of x, or absent. */
void backward_add(const struct backward *back, struct row_matrix y, struct row_matrix x,
                  struct tensor index, int rows, int columns);
/* With `relevance`: adds the relevance absorbed by the bias of y = x wᵀ + bias. dy (rows,
 * columns). */
void backward_absorb(struct backward *back, struct row_matrix dy, struct tensor bias, int rows,
                     int columns);
/* Returns Σ x dx over (rows, columns). */
double backward_relevance(struct backward *back, struct row_matrix x, struct row_matrix dx,
                          int rows, int columns);
/* Copies `count` floats to new host memory, which the caller frees; NULL after a failure. */
float *backward_fetch(struct backward *back, struct tensor tensor, size_t count);

#endif
