/* The backend interface: what computes.
 *
 * `model/net` holds the only Transformer; it is written against this table of functions, and the
 * CPU (gpu/cpu) and CUDA implement the table. A backend knows nothing of models, files or strings.
 *
 * Order of calls: open; reserve, weight and allocate while a model loads; then any number of passes, and
 * between them allocate and release when one needs more room; release and forget; close. `put` has copied, and
 * operations have read their arguments and host arrays, when they return.
 *
 * Everything that computes is float32. Integers on the device are int32. All matrices are row-major;
 * `ld…` is the distance between the beginnings of two rows, in elements.
 * Shapes used throughout:
 *   M      rows of this call: one row is one position of one sentence (or of one hypothesis)
 *   d      model width
 *   H, hd  heads of the module and their size
 *   L      learned heads of the module, those that have queries and keys (L <= H)
 *   S      sentences, B hypotheses a sentence (beam)
 *   lanes  S*B places for live hypotheses. A lane keeps its number while sentences come and go
 *   T      positions a lane can hold
 *   slots  lanes*T places in a cache
 *   G      variants: settings of gains and heads that rows of one batch may have side by side
 *
 * Lanes and paths. A cache is never reordered. Position p of the hypothesis in a lane was stored in
 * slot path[lane*T + p]; a hypothesis that continues another lane's copies that lane's path and adds
 * its own slot (in a search: search_slot). So a row needs its lane and its position, and the path table
 * gives the slots of all its ancestors, its own last.
 *
 * A decoding step is the same calls every time: what changes from step to step lives in device
 * memory. Host integers in the arguments are constant within a scope, so that a backend may record a
 * scope once and replay it.
 *
 * Errors: functions with a status fail as gpu/status.h says. The others cannot report; the device
 * remembers the first failure and `check` tells. Arguments are the caller's responsibility (shapes agree,
 * indices are in range): the model is checked when it is loaded, not in every call.
 *
 * On the CPU every result is the same to the bit whatever M, the order of rows, the number of
 * threads and the instruction set.
 */
#ifndef ATTNSCOPE_BACKEND_H
#define ATTNSCOPE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/status.h"

struct device; // one opened device; opaque
struct buffer; // device memory; opaque
struct weight; // a weight matrix in the backend's own layout; opaque

/* A place in device memory. `offset` is in bytes. buffer NULL: absent. */
struct tensor {
    struct buffer *buffer;
    size_t offset;
};

static inline bool tensor_present(struct tensor tensor)
{
    return tensor.buffer != NULL;
}

static inline struct tensor tensor_at(struct tensor tensor, size_t bytes)
{
    tensor.offset += bytes;
    return tensor;
}

enum dtype { DTYPE_F32, DTYPE_F16, DTYPE_BF16 };
enum activation { ACTIVATION_NONE, ACTIVATION_RELU, ACTIVATION_GELU, ACTIVATION_SWISH };

/* How `linear` multiplies; everything else computes in float32 always. Sums are float32 in all three.
 *   PRECISION_FP32  exact products of float32
 *   PRECISION_TF32  factors may be rounded to 10 bits of fraction: unit roundoff u = 2^-11
 *   PRECISION_BF16  weights are stored in bfloat16, in half the memory, and the other factors may be
 *                   rounded to it: u = 2^-8
 * Of the golden models probabilities are within 1e-5 of a float64 reference, 16 u in the narrower ones (0.0078,
 * 0.063), logits within 1e-4 and 320 u (0.16, 1.25); tests/test_golden.c says why. */
enum precision { PRECISION_FP32, PRECISION_TF32, PRECISION_BF16 };

struct device_spec {
    int threads;              // CPU: 0 for as many as there are processors
    int ordinal;              // which GPU
    enum precision precision; // GPU; the CPU has PRECISION_FP32 alone and refuses the others
};

struct device_info {
    char name[160];           // "cpu", or the GPU's name
    char instruction_set[32]; // "avx512", "avx2", "c"; "" elsewhere
    int threads;              // 0 where it means nothing
    size_t memory_used;       // bytes held by weights and tensors
    enum precision precision;
    char driver[32];     // the GPU's, as "13.0"; "" elsewhere
    size_t memory_free;  // bytes of the GPU that nothing holds now, and
    size_t memory_total; // all that it has; 0 on the CPU
    size_t launches;     // kernels that operations started one by one since `open`,
    size_t replays;      // and recorded scopes that were started; 0 on the CPU
};

/* What is about to be given to `weight` and `allocate`. */
struct reservation {
    size_t elements; // of weights
    size_t bytes;    // of tensors
    size_t count;    // of weights and tensors
};

/* How a weight is used. A table is read by rows (embed); a tied embedding is both. */
enum weight_use { WEIGHT_LINEAR = 1, WEIGHT_TABLE = 2 };

struct weight_spec {
    const void *data; // (N, K) row-major, unaligned allowed; need not live after the call
    enum dtype dtype;
    int n, k;
    int use; // enum weight_use, or both
};

/* y = scale * table[ids] + positions[pos]. */
struct embed_args {
    struct tensor y;         // (M, d) float, ldy = d
    struct tensor ids;       // (M) int32; a negative one gives zeros
    struct tensor pos;       // (M) int32, rows of `positions`
    struct tensor positions; // (P, d) float, or absent
    const struct weight *table;
    float scale;
    int rows;
};

/* y = activation(x wᵀ + bias), or with `accumulate` y = activation(y + x wᵀ + bias).
 * Exactness: y[m][n] is one chain of fused multiply-adds over k = 0 … K-1, begun with 0 (or with the
 * old y); the bias is added after it.
 * Several products of one x (the same x, ldx and rows, hence K) may be given at once, such as queries, keys
 * and values: up to LINEAR_MOST, which may run side by side; their y do not overlap. */
enum { LINEAR_MOST = 3 };

struct linear_args {
    struct tensor y; // (M, N) float
    struct tensor x; // (M, K) float
    int ldy, ldx;
    const struct weight *weight; // (N, K)
    struct tensor bias;          // (N) float, or absent
    enum activation activation;  // gelu: with erf; swish: x * sigmoid(x)
    struct tensor cache;         // (·, N) float, ld N, or absent: y[m] goes to its row slot[m] too
    struct tensor slot;          // (M) int32; a negative one is left out
    bool cached;                 // y is of no use beside the cache: it may be written or not
    bool accumulate;
    int rows;
};

/* Moves rows of elements of 4 bytes, bit for bit: y[m] = x[index[m]] (gather) or y[index[m]] = x[m]
 * (scatter). A negative index gives a row of zeros (gather) or is left out (scatter). index absent:
 * index[m] = m. */
struct move_args {
    struct tensor y, x;
    int ldy, ldx;
    struct tensor index; // (M) int32, or absent
    int rows, columns;
};

/* sum = x + residual; y = (sum - mean) / sqrt(variance + eps) * gamma + beta, over d columns. y may be
 * `residual` itself, but not overlap other rows. */
struct norm_args {
    struct tensor y;        // (M, d)
    struct tensor sum;      // (M, d), ld = d, or absent; may be `residual` itself
    struct tensor x;        // (M, d), ld = d
    struct tensor residual; // (M, d), or absent
    struct tensor gamma, beta;
    int ldy;        // of y
    int ldresidual; // of residual
    float eps;
    int rows, columns;
};

/* y[b] = mean of x[begin[b]] … x[end[b]-1]; an empty range gives zeros. */
struct mean_args {
    struct tensor y; // (S, d), ld ldy
    struct tensor x; // (M, d), ld ldx
    int ldy, ldx;
    struct tensor begin, end; // (S) int32
    int sentences, columns;
};

/* Which rows of the decoder this call computes. */
struct row_args {
    int rows;           // M
    struct tensor lane; // (M) int32; -1: an idle row, whose results mean nothing
    struct tensor pos;  // (M) int32
    struct tensor slot; // (M) int32, = path[lane*T + pos]; -1 for an idle row
    struct tensor path; // (lanes, T) int32
    int positions;      // T
};

/* Running means: sums[slot] = sums[slot of the position before] + x (x alone at position 0), and
 * y = sums[slot] / (pos + 1). Rows of one lane come in the order of their positions. */
struct prefix_mean_args {
    struct tensor y;    // (M, d), ld ldy
    struct tensor sums; // (slots, d)
    struct tensor x;    // (M, d), ld ldx
    int ldy, ldx;
    struct row_args rows;
    int columns;
};

enum gate_scope { GATE_TOKEN, GATE_HEAD, GATE_NONE };

/* Yang et al. 2019, eq. 5-7, for queries or keys: q becomes (1-λ) q + λ cu with
 * λ = sigmoid(q·state + cu·context + bias); GATE_NONE: q + cu, λ not written.
 * GATE_TOKEN: one λ a row, state and context of L*hd; GATE_HEAD: one a head, state and context of hd. */
struct gate_args {
    struct tensor q;              // (M, L*hd), in and out
    struct tensor cu;             // (M, L*hd)
    struct tensor state, context; // float; absent for GATE_NONE
    struct tensor bias;           // (1) float, or absent
    struct tensor lambda;         // (M, 1) or (M, L), or absent: not stored
    enum gate_scope scope;
    int ldq, ldcu;
    int rows, heads, head_dim; // heads: L
};

/* Where words begin. A token begins a word when it is at position <= `starts`, when its class has
 * CLASS_BEGINS, or when the class of the token before it has CLASS_ENDS. Start tokens (position <
 * `starts`) are words of their own. */
enum { CLASS_BEGINS = 1, CLASS_ENDS = 2 };

/* Stores token[slot] = ids[m] and the 0-based number of its word, word[slot]; row_word[m] = that
 * number. Rows of one lane come in the order of their positions. */
struct word_args {
    struct tensor ids;      // (M) int32
    struct tensor classes;  // (V) uint8
    struct tensor token;    // (slots) int32
    struct tensor word;     // (slots) int32
    struct tensor row_word; // (M) int32
    struct row_args rows;
    int starts;
};

/* What a head attends by. 8 bytes; lives in device memory as (G, H). */
enum energy { ENERGY_LEARNED, ENERGY_FIXED };
enum mask { MASK_GLOBAL, MASK_LOCAL, MASK_FORWARD, MASK_BACKWARD };
enum pattern {
    PATTERN_CURRENT,
    PATTERN_PREVIOUS,
    PATTERN_NEXT,
    PATTERN_LEFT_CONTEXT,
    PATTERN_RIGHT_CONTEXT,
    PATTERN_SENTENCE_END,
    PATTERN_SENTENCE_START,
    PATTERN_LAST,
    PATTERN_COUNT
};
enum unit { UNIT_TOKEN, UNIT_WORD };

struct head {
    uint8_t energy, mask, pattern, unit;
    int32_t window; // of MASK_LOCAL, >= 0
};

/* Attention of one module: for every row and head the weights over its keys, and their sum of values.
 *
 * Keys of a row, j = 0 … n-1:
 *   KEYS_PATH   (decoder self) slots path[lane*T + 0 … pos], n = pos+1
 *   KEYS_RANGE  (encoder self, cross) rows begin[m] … end[m]-1 of k and v, n = end-begin
 * i, the row's own position, is position[m]: in the encoder its place in the sentence, in the decoder
 * the target position.
 *
 * Learned heads: e_ij = q_i·k_j / sqrt(hd), softmax over the j that the mask allows
 *   (global: all; local: |i-j| <= window; forward: j >= i; backward: j <= i); none: a row of zeros.
 * Fixed heads (Raganato et al. 2020, section 3.2), f(x) = x^3:
 *   current 1 at i; previous 1 at i-1; next 1 at i+1; left_context (j+1)^3/Σ over j = 0 … i-2;
 *   right_context (n-j)^3/Σ over j = i+2 … n-1; sentence_end (j+1)^3/Σ and sentence_start (n-j)^3/Σ
 *   over all j; last 1 at n-1. Positions outside 0 … n-1 do not exist, sums run over those that do; a
 *   row with none left is all zeros.
 *   UNIT_WORD: i, j and n count words: i is row_word[m], word j's weight is shared equally by
 *   its tokens among the row's keys, n is the number of words among the keys.
 * Output o[m][h] = gain * Σ_j weight_j v_j, exactly 0 where the gain is 0. Stored weights are without
 * gain. An idle row (KEYS_PATH with lane -1, or an empty range) gives zeros. */
enum keys { KEYS_PATH, KEYS_RANGE };

struct attention_args {
    struct tensor o; // (M, H*hd)
    struct tensor q; // (M, L*hd), ld ldq; absent when no head has queries
    struct tensor k; // (slots or source rows, L*hd), ld ldk; absent likewise
    struct tensor v; // (slots or source rows, H*hd), ld ldv
    int ldq, ldk, ldv;
    int heads, head_dim;
    const int *learned; // host (H): place of head h among those that have q and k, or -1
    enum keys keys;
    struct row_args rows;     // KEYS_PATH: all of it; KEYS_RANGE: rows alone is read
    struct tensor begin, end; // KEYS_RANGE: (M) int32
    struct tensor position;   // (M) int32
    struct tensor table;      // (G, H) struct head
    struct tensor gains;      // (G, H) float, or absent: 1
    struct tensor variant;    // (M) int32, or absent: 0
    struct tensor word;       // (slots or source rows) int32, 0-based word of each key; absent: no
                              // head of the table has UNIT_WORD
    struct tensor row_word;   // (M) int32
    struct tensor weights;    // (captured heads, M, ldweights), or absent: not stored; columns
                              // j >= n are written as 0
    const int *captured;      // host (H): place of head h in `weights`, or -1
    int ldweights;            // >= n of every row
};

/* DHICM (Goindani and Shrivastava 2021, eq. 1-2): s_h = scale * o[m][h]·s[m],
 * G_h = gain_h exp(s_h) / Σ_k gain_k exp(s_k), all gains 0: zeros; y = Σ_h G_h o[m][h].
 * s is Wᵀ U x; the caller applies V and W_s to y. */
struct mix_args {
    struct tensor y;              // (M, hd)
    struct tensor o;              // (M, H*hd), without gains
    struct tensor s;              // (M, hd)
    struct tensor importance;     // (M, H) G, or absent: not stored
    struct tensor gains, variant; // as in attention
    float scale;
    int rows, heads, head_dim;
};

/* Log-probabilities of a row of logits, log_softmax over all V; the `tops` best that `excluded` does
 * not name, best first, ties to the lower id (where fewer are left: id -1, -inf; -inf and NaN are never
 * ranked, and of a row with NaN or +inf nothing is); those of `target`.
 * With a `product` the logits are its y, which is computed first; the bits are those of `linear` before. Without
 * `all` nobody reads them after that: their place may be used or not. */
struct logprob_args {
    struct linear_args
        product; // ldy V, no activation, cache or accumulation; weight NULL: the logits are there
    struct tensor logits;    // (M, V)
    struct tensor excluded;  // (V) uint8, or absent
    struct tensor top_id;    // (M, tops) int32; absent with tops 0
    struct tensor top_lp;    // (M, tops) float
    struct tensor target;    // (M) int32, or absent; a negative one gives 0
    struct tensor target_lp; // (M) float
    struct tensor all;       // (M, V) float, or absent; may be `logits` itself
    int rows, vocabulary, tops;
};

/* What a search keeps in device memory. A lane's record is LANE_FIELDS int32. */
enum {
    LANE_TOKEN, // the token that the lane reads next
    LANE_POS,   // its position
    LANE_BEGIN, // source rows of its sentence
    LANE_END,
    LANE_VARIANT,
    LANE_FIELDS
};

struct search_state {
    int sentences, beam, positions; // S, B, T
    int starts;                     // start tokens of every hypothesis
    int eos;
    struct tensor lane;     // (lanes, LANE_FIELDS) int32
    struct tensor path;     // (lanes, T) int32
    struct tensor score;    // (lanes) float: summed log-probability; -inf: no hypothesis lives here
    struct tensor token;    // (slots) int32: the token read at a slot
    struct tensor token_lp; // (slots) float: its log-probability when it was chosen
    struct tensor limit;    // (S) int32: maximum length, end-of-sentence included
    struct tensor done;     // (S) int32, 1 when the sentence is finished
    struct tensor count;    // (S) int32: finished hypotheses, up to 2B
    struct tensor finished_score;  // (S, 2B) float: summed log-probability
    struct tensor finished_length; // (S, 2B) int32: tokens, end-of-sentence included
    struct tensor finished_token;  // (S, 2B, T) int32
    struct tensor finished_lp;     // (S, 2B, T) float
};

/* The slot where a lane of a search stores a position. Slots of one position lie side by side, so that the rows of
 * a step are written next to one another. Each position begins one place further on: lanes are often a multiple of
 * a power of two, and a path's slots as far apart would share few sets of a cache. */
static inline int search_slot(const struct search_state *state, int lane, int position)
{
    const int lanes = state->sentences * state->beam;
    return position * lanes + (lane + position) % lanes;
}

/* Reads the records of the rows' lanes: column f of `columns` (LANE_FIELDS, M) gets field f of lane[m],
 * and slot[m] = path[lane*T + pos]. An idle row (lane -1) gets token -1, slot -1 and zeros. */
struct select_args {
    const struct search_state *state;
    struct tensor row_lane; // (M) int32
    struct tensor columns;  // (LANE_FIELDS, M) int32
    struct tensor slot;     // (M) int32
    int rows;
};

/* One step of beam search for every sentence of the batch that is not done. Rows come in groups of
 * `width`: the first `width` lanes of one sentence, in order (1 after the start tokens, when only lane
 * 0 lives; B afterwards). Of a group whose first row is idle nothing happens.
 *
 * With p the position just read and r = p+2-starts the length of a hypothesis after this token:
 *   r = limit: every live lane ends with end-of-sentence (score + eos_lp), in the order of the lanes.
 *   else: the 2B best continuations by score + top_lp, ties to the lower lane, then the lower id.
 *     Those by eos among the first B ranks become finished; eos of lower rank is dropped; the first B
 *     others live on in lanes 0 … B-1 by rank (the rest get score -inf), at position p+1.
 *   A sentence is done when it has B finished hypotheses or more, when no lane lives, or after r = limit.
 * A finished hypothesis gets its tokens after the start tokens and eos, with their log-probabilities.
 * Of a lane that lives on: record, score and path (its parent's plus its own search_slot); token and
 * token_lp of that slot. */
struct advance_args {
    const struct search_state *state;
    struct tensor row_lane;       // (M) int32
    struct tensor top_id, top_lp; // (M, tops), tops = 2B
    struct tensor eos_lp;         // (M) float
    int rows, width, tops;
};

enum { ASKED_MOST = 2, ASKED_BYTES = 1 << 18 };

/* A part of a pass that may come again. */
struct scope_args {
    uint64_t key; // of what is recorded; 0: never
    int rows;     // M of its operations, in whole groups, which belong together:
    int width;    // of so many rows, or
    const int
        *groups; // host (count + 1): where they begin, and M at last; NULL: all are of `width` rows
    int count;
    void (*body)(void *context);
    void *context;
};

#define BACKEND_VERSION 5

struct backend {
    int version; // BACKEND_VERSION
    const char *name;
    /* `scope` replays, and work goes on while the host does: callers pad rows, so that few sizes are recorded,
     * and give work ahead of what they read. */
    bool records;
    bool
        streams; // `logprob` of a product needs no memory for its logits: y and logits may be absent
    int logit_rows; // rows of logits made at once where they are in memory: a whole vocabulary each
    int batch;      // sentences at once that keep the device busy

    struct device *(*open)(const struct device_spec *spec, struct status *status);
    void (*close)(struct device *device);
    void (*info)(struct device *device, struct device_info *info);
    /* Waits; false: what went wrong since the last check, STATUS_CANCELLED while cancelled. A failure is
     * told once: unless the device is lost, later passes may succeed. */
    bool (*check)(struct device *device, struct status *status);
    /* From any thread or signal handler: operations return early and results mean nothing until
     * `cancel(device, false)`, which comes between passes. Within one it would let operations go by what those
     * that returned early never wrote. */
    void (*cancel)(struct device *device, bool on);

    /* Takes memory for all of it at once, which is given back when the last of it is; NULL: what follows is not of
     * it any more. What does not fit takes memory of its own. */
    bool (*reserve)(struct device *device, const struct reservation *reservation,
                    struct status *status);
    bool (*allocate)(struct device *device, size_t bytes, struct tensor *tensor,
                     struct status *status); // zeroed, aligned to 64 bytes
    void (*release)(struct device *device,
                    struct tensor tensor); // the whole buffer; absent: nothing
    void (*put)(struct device *device, struct tensor tensor, const void *host, size_t bytes);
    void (*get)(struct device *device, void *host, struct tensor tensor, size_t bytes); // waits
    /* A read that the host does not wait for at once: `ask` has it done after all work so far, and `answer`
     * waits until the one that was asked for first has been done, not for work given later, and brings it.
     * ASKED_MOST at once, of ASKED_BYTES at most. False: the device has failed or was cancelled, as `check`
     * tells, and `host` means nothing. */
    void (*ask)(struct device *device, struct tensor tensor, size_t bytes);
    bool (*answer)(struct device *device, void *host, size_t bytes);
    struct weight *(*weight)(struct device *device, const struct weight_spec *spec,
                             struct status *status);
    void (*forget)(struct device *device, struct weight *weight); // NULL: nothing

    /* Runs body(context), or replays what it did the last time with this key. The same key means the same
     * operations with the same arguments. Old keys may never come again, and nobody tells: a backend keeps the few
     * used last.
     * All operations in it have the scope's rows, and none is `mean` or stores weights of attention. A row reads, of
     * what the scope writes, only rows of its own group, and slots, lanes and sentences that nobody else writes; of
     * its group only what was written in its own place, but by attention. Where a row of a buffer is, is the same in
     * all operations: they go by one row stride. So a backend may run the body on several threads at the same time,
     * each of which computes some of the groups: it does nothing but call operations. (That backend streams, as elsewhere
     * `logprob` may come in parts.) */
    void (*scope)(struct device *device, const struct scope_args *args);

    void (*embed)(struct device *device, const struct embed_args *args);
    void (*linear)(struct device *device, const struct linear_args *args, int count);
    void (*gather)(struct device *device, const struct move_args *args);
    void (*scatter)(struct device *device, const struct move_args *args);
    void (*norm)(struct device *device, const struct norm_args *args);
    void (*mean)(struct device *device, const struct mean_args *args);
    void (*prefix_mean)(struct device *device, const struct prefix_mean_args *args);
    void (*gate)(struct device *device, const struct gate_args *args);
    void (*words)(struct device *device, const struct word_args *args);
    void (*attention)(struct device *device, const struct attention_args *args);
    void (*mix_heads)(struct device *device, const struct mix_args *args);
    void (*logprob)(struct device *device, const struct logprob_args *args);
    void (*select)(struct device *device, const struct select_args *args);
    void (*advance)(struct device *device, const struct advance_args *args);
};

/* The backend that is always there. */
extern const struct backend cpu_backend;

#endif
