/* Arguments of the operations that compute derivatives. backend.h defines the letters in shapes;
 * operations.h defines the forward operations.
 *
 * x' denotes ∂L/∂x, the derivative of a scalar L with respect to every element of x. By the chain
 * rule, an operation turns the derivative of its counterpart's output into those of its inputs.
 * Weights, biases and gains are constants, except the gains of heads.
 *
 * With `relevance` an operation follows a rule of layer-wise relevance propagation instead of the
 * derivative (model/net/backward/gradient.h): apart from biases, the sum of x x' over its inputs
 * equals the sum of y y' over its outputs.
 *
 * An `exact` backend gives the same bits regardless of the batch, the number of threads and the
 * instruction set: each operation states the one order in which it sums an element.
 */
#ifndef ATTNSCOPE_DERIVATIVES_H
#define ATTNSCOPE_DERIVATIVES_H

#include "gpu/operations.h"

/* A product y = x wᵀ: x' = y' w, or with `accumulate` x' + y' w.
 * Exactness: x'[m][k] is one chain of fused multiply-adds over n = 0 … N-1, starting from 0 (or
 * from the old x'). */
struct linear_backward_args {
    struct tensor dx; // (M, K)
    struct tensor dy; // (M, N)
    int lddx, lddy;
    const struct weight *weight; // (N, K)
    bool accumulate;
    int rows;
};

/* A norm y = norm(z): with g = y' gamma, and u the standardised z, z' = (g - mean(g) - u mean(g u))
 * / sqrt(variance + eps); with `rms` z' = (g - u mean(g u)) / sqrt(mean of squares + eps), where u
 * is z divided by that root. dx = z' + residual. dx may be `residual` or dy itself. With
 * `relevance` the root is a constant: no mean(g u). */
struct norm_backward_args {
    struct tensor dx;       // (M, d), ld = d
    struct tensor dy;       // (M, d), ld lddy
    struct tensor z;        // (M, d), ld = d: the norm's input
    struct tensor residual; // (M, d), ld = d, or absent: 0
    struct tensor gamma;    // (d)
    bool rms, relevance;
    int lddy;
    float eps;
    int rows, columns;
};

/* An activation y = activation(x), or with a factor y = activation(x) factor, element by element.
 * In place: y' is replaced by x', and the factor by its derivative. The derivative of relu at 0 is
 * 0. With a `cap` c the activation is that of a product's cap, c tanh(x / c). With `relevance` the
 * slope is activation(x) / x, or 0 at 0; with a factor both results are halved. */
struct activation_backward_args {
    struct tensor dy;     // (M, N), ld = N
    struct tensor x;      // (M, N), ld = N
    struct tensor factor; // (M, N), ld = N, or absent
    enum activation activation;
    float cap; // 0: none; else no activation
    bool relevance;
    int rows, columns;
};

/* Attention: o = gain Σ_j a_j v_j with a = softmax(e), e_j = scale q·k_j + bias. With
 *   b_j = o'·v_j: a_j' = gain b_j, gain' = Σ_j a_j b_j, v_j' = Σ_m gain a_mj o_m';
 *   learned heads: e' = a (a' - Σ a a'), q' = scale Σ_j e_j' k_j, k_j' = scale Σ_m e_mj' q_m; of
 *   entmax e' = g (a' - Σ g a' / Σ g) with g = a^(2-α), which is 0 where a is (Peters et al. 2019).
 *   With a cap e' is multiplied by the slope of c tanh(x / c) at the energy before it.
 * The weights are recomputed from q and k. Sums over j and over rows m run in ascending order.
 * Elements that are not computed for a row, such as a' of keys that the mask excludes, are 0. With
 * `relevance` the products a v and q k of learned heads pass half to each side. */
struct attention_backward_args {
    struct attention_args forward; // o and weights are not read; `captured` selects the a' to store
    struct tensor dout;            // (M, H*hd): o'
    struct tensor dq;              // (M, L*hd), ld ldq; absent like q
    struct tensor dk;              // (key_rows, L*hd), ld ldk; absent like k
    struct tensor dv;              // (key_rows, H*hd), ld ldv
    struct tensor dweights;        // (captured heads, M, ldweights), or absent
    struct tensor dgains;          // (M, H) gain' of each row, or absent
    int key_rows;                  // of k and v: all that are read
    bool relevance;
};

/* DHICM: y = Σ_h G_h o_h. With c_h = y'·o_h and s' = G (c - Σ G c):
 *   o_h' = G_h y' + scale s_h' s, s' = scale Σ_h s_h' o_h, and
 *   gain_h' = (c_h - Σ G c) exp(s_h) / Σ_k gain_k exp(s_k). All gains 0: zeros. With `relevance` G
 * is constant: s' = 0. */
struct mix_backward_args {
    struct tensor dy;             // (M, hd)
    struct tensor o;              // (M, H*hd), without gains
    struct tensor s;              // (M, hd)
    struct tensor dout;           // (M, H*hd): o'
    struct tensor ds;             // (M, hd)
    struct tensor dgains;         // (M, H), or absent
    struct tensor gains, variant; // as in mix_args
    float scale;
    bool relevance;
    int rows, heads, head_dim;
};

/* A context's gate: y = (1-λ) q + λ cu. With z' = λ (1-λ) y'·(cu - q):
 *   q' = (1-λ) y' + z' state, cu' = λ y' + z' context. GATE_NONE: both are y'. With
 * `relevance` λ is constant: z' = 0. */
struct gate_backward_args {
    struct tensor dq;             // (M, L*hd), ld lddq: y', and becomes q'
    struct tensor dcu;            // (M, L*hd), ld lddq
    struct tensor q, cu;          // (M, L*hd), ld ldq: before the gate
    struct tensor state, context; // as in gate_args, and bias
    struct tensor bias;
    enum gate_scope scope;
    bool relevance;
    int lddq, ldq;
    int rows, heads, head_dim;
};

/* y[m] += x[index[m]]; index absent: index[m] = m. This sums derivatives where one value was read
 * several times. If every row of a sentence reads the mean of its rows, the derivative for each row
 * is the mean of the readers' derivatives. */
struct add_args {
    struct tensor y, x;
    int ldy, ldx;
    struct tensor index; // (M) int32, or absent
    int rows, columns;
};

/* Running means: x_p' += Σ_i≥p y_i' / (i + 1), summed from the last position back. Rows of a lane
 * are ordered by position. */
struct prefix_mean_backward_args {
    struct tensor dx;    // (M, d), ld lddx
    struct tensor dy;    // (M, d), ld lddy
    struct tensor dsums; // (slots, d), zeros before the call
    int lddx, lddy;
    struct row_args rows;
    int columns;
};

/* A recurrence y = max(0, s), s = f s_before + (1-f) x with f = sigmoid(z): s' = y' (where s > 0) +
 * f_next s_next', x' = (1-f) s', z' = s' (s_before - x) f (1-f); with `relevance` f is constant, z'
 * = 0. */
struct recurrence_backward_args {
    struct tensor dy;      // (M, d)
    struct tensor states;  // (slots, d), of the recurrence
    struct tensor x, f;    // (M, d)
    struct tensor dx, dz;  // (M, d)
    struct tensor dstates; // (slots, d), zeros before the call
    struct row_args rows;
    bool relevance;
    int columns;
};

/* Log-probabilities Σ_t weight_t log p(token_t) in rows row_t: overwrites the log-probabilities
 * with the logits' derivatives: -total[m] p, where total[m] is the sum of the row's weights; then
 * each term, in order, adds weight_t at its token. */
struct logprob_backward_args {
    struct tensor logprobs; // (M, V), in and out
    struct tensor total;    // (M)
    struct tensor row;      // (terms) int32
    struct tensor token;    // (terms) int32
    struct tensor weight;   // (terms)
    int rows, vocabulary, terms;
};

#endif
