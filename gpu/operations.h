/* Arguments of every operation of the backend, and their tensors. backend.h defines the letters in
 * shapes.
 */
#ifndef ATTNSCOPE_OPERATIONS_H
#define ATTNSCOPE_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device; // one opened device; opaque
struct buffer; // device memory; opaque
struct weight; // a weight matrix in the backend's own layout; opaque
struct search_state;

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

/* sigmoid(x) = 1 / (1 + exp(-x)). */
enum activation {
    ACTIVATION_NONE,
    ACTIVATION_RELU,
    ACTIVATION_GELU,         // x Φ(x), Φ of the normal distribution: with erf
    ACTIVATION_SWISH,        // x sigmoid(x)
    ACTIVATION_GELU_TANH,    // x (1 + tanh(sqrt(2/pi) (x + 0.044715 x³))) / 2
    ACTIVATION_GELU_SIGMOID, // x sigmoid(1.702 x)
    ACTIVATION_TANH,
    ACTIVATION_SIGMOID,
    ACTIVATION_COUNT
};

/* y = scale * table[ids] + positions[pos]. */
struct embed_args {
    struct tensor y;         // (M, d) float, ldy = d
    struct tensor ids;       // (M) int32; negative: zeros
    struct tensor pos;       // (M) int32, rows of `positions`
    struct tensor positions; // (P, d) float, or absent
    const struct weight *table;
    float scale;
    int rows;
};

/* y = activation(x wᵀ + bias), or with `accumulate` y = activation(y + x wᵀ + bias). If `factor` is
 * present, y is then multiplied by it element by element.
 * Exactness: y[m][n] is one chain of fused multiply-adds over k = 0 … K-1, starting from 0 (or from
 * the old y); the bias is added last.
 * 8-bit weights are multiplied as integer_spec (gpu/backend.h) defines; with `accumulate` the old y
 * is added to that result. They have no gradients.
 * With a `cap` c, y is c tanh((x wᵀ + bias) / c); then there is no activation, cache, accumulation
 * or factor.
 * One call may compute up to LINEAR_MOST products of the same input (same x, ldx, rows and K), such
 * as queries, keys and values. They may run concurrently, so their y must not overlap. */
enum { LINEAR_MOST = 3 };

struct linear_args {
    struct tensor y; // (M, N) float
    struct tensor x; // (M, K) float
    int ldy, ldx;
    const struct weight *weight; // (N, K)
    struct tensor bias;          // (N) float, or absent
    enum activation activation;
    float cap; // 0: none
    struct tensor
        cache; // (·, N), ld N, or absent: y[m] is also stored in row slot[m], in the device's cache
               // type
    struct tensor slot; // (M) int32; negative: not stored
    bool cached;        // only the cache is read later; y need not be written
    bool accumulate;
    bool consumed; // y is read only by the next operation, a product of all of y; y need not be
                   // written
    struct tensor factor; // (M, N) float, ld N, or absent; not together with `cache`
    struct tensor group;  // (M) int32: rows with the same number are adjacent and share one
                          // quantisation; absent: each row has its own
    int rows;
};

/* Moves rows of 4-byte elements, bit for bit: y[m] = x[index[m]] (gather) or y[index[m]] = x[m]
 * (scatter). A negative index gives a row of zeros (gather) or is skipped (scatter). index absent:
 * index[m] = m. With `cache`, for scatter only, x is float and y is in the device's cache type. */
struct move_args {
    struct tensor y, x;
    int ldy, ldx;
    struct tensor index; // (M) int32, or absent
    bool cache;
    int rows, columns;
};

/* sum = x + residual; y = (sum - mean) / sqrt(variance + eps) * gamma + beta, over d columns. With
 * `rms` (Zhang and Sennrich 2019) y = sum / sqrt(mean of squares + eps) * gamma. y may be
 * `residual` itself or, without it, x, but must not overlap other rows. */
struct norm_args {
    struct tensor y;           // (M, d)
    struct tensor sum;         // (M, d), ld = d, or absent; may be `residual` itself
    struct tensor x;           // (M, d), ld = d
    struct tensor residual;    // (M, d), or absent
    struct tensor gamma, beta; // beta: absent with `rms`
    bool rms;
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

/* The decoder rows computed by this call. */
struct row_args {
    int rows;           // M
    struct tensor lane; // (M) int32; -1: an idle row, whose results are undefined
    struct tensor pos;  // (M) int32
    struct tensor slot; // (M) int32, = path[lane*T + pos]; -1 for an idle row
    struct tensor path; // (lanes, T) int32
    int positions;      // T
};

/* Running means: sums[slot] = sums[slot of the previous position] + x (only x at position 0), and y
 * = sums[slot] / (pos + 1). Rows of one lane are ordered by position. */
struct prefix_mean_args {
    struct tensor y;    // (M, d), ld ldy
    struct tensor sums; // (slots, d)
    struct tensor x;    // (M, d), ld ldx
    int ldy, ldx;
    struct row_args rows;
    int columns;
};

/* The simpler simple recurrent unit (Kim et al. 2019, "From research to production and back",
 * section 3.2): states[slot] = f * states[slot of the previous position] + (1 - f) * x, with zeros
 * before position 0, and y = max(0, states[slot]). Rows of one lane are ordered by position. */
struct recurrence_args {
    struct tensor y;      // (M, d)
    struct tensor states; // (slots, d)
    struct tensor x, f;   // (M, d); f within 0 … 1
    struct row_args rows;
    int columns;
};

/* Rotary positions (Su et al. 2021, "RoFormer", section 3.2.2), in place: each pair (a, b) of a
 * head's columns becomes (a cos - b sin, b cos + a sin). Row pos[m] of `table` has the cosines of
 * the pairs, then their sines. Pair k is columns k and k + hd/2, or with `interleaved` 2k and
 * 2k + 1. `back` turns the other way, as derivatives go. */
struct rotate_args {
    struct tensor x;     // (M, heads*hd), ld ldx
    struct tensor pos;   // (M) int32
    struct tensor table; // (P, hd) float
    bool interleaved, back;
    int ldx;
    int rows, heads, head_dim;
};

enum gate_scope { GATE_TOKEN, GATE_HEAD, GATE_NONE };

/* Yang et al. 2019, eq. 5-7, for queries or keys: q becomes (1-λ) q + λ cu with
 * λ = sigmoid(q·state + cu·context + bias); GATE_NONE: q + cu, λ not written.
 * GATE_TOKEN: one λ per row, state and context of L*hd; GATE_HEAD: one per head, state and context
 * of hd. */
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

/* Word boundaries. A token at position <= `starts` begins a word: each start token (position <
 * `starts`) is a word of its own. No word begins after a token whose class has CLASS_JOINS.
 * Otherwise a token begins a word if its class has CLASS_BEGINS, if the class of the token before
 * it has CLASS_ENDS, or if scripts_part. */
enum { CLASS_BEGINS = 1, CLASS_ENDS = 2, CLASS_JOINS = 4 };
/* Shifts of two-bit fields: the scripts that a token begins and ends with, if scripts separate
 * words (otherwise 0). Then a word also begins where the script changes, and at a token that has
 * CLASS_APART. */
enum { CLASS_FIRST_SCRIPT = 3, CLASS_LAST_SCRIPT = 5, CLASS_SCRIPT = 3, CLASS_APART = 128 };

static inline bool scripts_part(unsigned before, unsigned own)
{
    return own & CLASS_APART || (own >> CLASS_FIRST_SCRIPT & CLASS_SCRIPT) !=
                                    (before >> CLASS_LAST_SCRIPT & CLASS_SCRIPT);
}

/* Stores token[slot] = ids[m], and the 0-based number of its word in word[slot] and row_word[m].
 * Rows of one lane are ordered by position. */
struct word_args {
    struct tensor ids;      // (M) int32
    struct tensor classes;  // (V) uint8
    struct tensor token;    // (slots) int32
    struct tensor word;     // (slots) int32
    struct tensor row_word; // (M) int32
    struct row_args rows;
    int starts;
};

/* The attention of one head: 16 bytes. Device memory holds a (G, H) table of them. */
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
    PATTERN_GAUSSIAN,
    PATTERN_COUNT
};
enum unit { UNIT_TOKEN, UNIT_WORD };

struct head {
    uint8_t energy, mask, pattern, unit;
    int32_t window; // of MASK_LOCAL, >= 0
    int32_t offset; // PATTERN_GAUSSIAN: from i to the centre; otherwise 0
    union {
        float deviation; // PATTERN_GAUSSIAN: > 0; other fixed heads: 0
        float entmax;    // learned heads: α - 1, from 0 (softmax) to 1 (sparsemax)
    };
};

static inline bool head_has_entmax(const struct head *head)
{
    return head->energy == ENERGY_LEARNED && head->entmax > 0;
}

/* Attention of one module: for every row and head, the weights over the row's keys and the weighted
 * sum of their values.
 *
 * Keys of a row, j = 0 … n-1:
 *   KEYS_PATH   (decoder self) slots path[lane*T + 0 … pos], n = pos+1
 *   KEYS_RANGE  (encoder self, cross) rows begin[m] … end[m]-1 of k and v, n = end-begin
 * i, the row's own position, is position[m]: its place in the sentence (encoder) or the target
 * position (decoder).
 *
 * Learned heads: e_ij = scale * q_i·k_j + bias_h(j - i), or with a `cap` c tanh of that over c,
 *   times c; softmax over the j that the mask allows
 *   (global: all; local: |i-j| <= window; forward: j >= i; backward: j <= i); if it allows none, a
 *   row of zeros.
 *   With α above 1, entmax (Peters et al. 2019; Correia et al. 2019) instead of softmax: weights
 *   max(0, (α-1) e - τ)^(1/(α-1)) with the τ for which they sum to 1, so that some are exactly 0.
 *   The bias of head h is bias[h][j - i + distance]; keys further away use the bias at `distance`.
 *   Tensor absent: 0.
 * Fixed heads (Raganato et al. 2020, section 3.2), f(x) = x^3:
 *   current 1 at i; previous 1 at i-1; next 1 at i+1; left_context (j+1)^3/Σ over j = 0 … i-2;
 *   right_context (n-j)^3/Σ over j = i+2 … n-1; sentence_end (j+1)^3/Σ and sentence_start (n-j)^3/Σ
 *   over all j; last 1 at n-1. Positions outside 0 … n-1 are ignored, and sums run over the rest; a
 *   row with no positions left is all zeros.
 * gaussian (You, Sun and Iyyer 2020, section 3): the density of a normal distribution around
 *   c = i + offset, exp(-(j-c)²/2σ²) / (σ sqrt(2π)) over all j. As in the paper, density outside 0
 *   … n-1 is lost, so rows near the ends of a sentence sum to less than 1.
 *   UNIT_WORD: i, j and n count words: i is row_word[m], n is the number of words among the keys,
 *   and word j's weight is divided equally among its tokens in the row's keys.
 * Output o[m][h] = gain * Σ_j weight_j v_j, exactly 0 where the gain is 0. Stored weights exclude
 * the gain. An idle row (KEYS_PATH with lane -1, or an empty range) gives zeros. */
enum keys { KEYS_PATH, KEYS_RANGE };

struct attention_args {
    struct tensor o; // (M, H*hd)
    struct tensor q; // (M, L*hd), ld ldq; absent when no head has queries
    struct tensor k; // (slots or source rows, L*hd), ld ldk; absent under the same condition
    struct tensor v; // (slots or source rows, H*hd), ld ldv
    bool cached;     // k and v are in the device's cache type; otherwise float
    int ldq, ldk, ldv;
    int heads, head_dim;
    float scale;        // of energies; 0 means 1 / sqrt(hd)
    float cap;          // of energies; 0: none
    struct tensor bias; // (H, 2*distance + 1) float, or absent
    int distance;
    const int *learned; // host (H): index of head h among the heads with q and k, or -1
    enum keys keys;
    struct row_args rows;     // KEYS_PATH: all fields; KEYS_RANGE: only `rows` is read
    struct tensor begin, end; // KEYS_RANGE: (M) int32
    struct tensor position;   // (M) int32
    struct tensor table;      // (G, H) struct head
    struct tensor gains;      // (G, H) float, or absent: 1
    struct tensor variant;    // (M) int32, or absent: 0
    struct tensor word;       // (slots or source rows) int32, 0-based word of each key; absent if
                              // no head of the table has UNIT_WORD
    struct tensor row_word;   // (M) int32
    bool entmax;              // true if any head of the table has α above 1
    struct tensor weights;    // (captured heads, M, ldweights), or absent: not stored; columns
                              // j >= n are written as 0
    const int *captured;      // host (H): index of head h in `weights`, or -1
    int ldweights;            // >= n of every row
};

/* DHICM (Goindani and Shrivastava 2021, eq. 1-2): s_h = scale * o[m][h]·s[m],
 * G_h = gain_h exp(s_h) / Σ_k gain_k exp(s_k), or zeros if all gains are 0; y = Σ_h G_h o[m][h].
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

/* Log-probabilities of rows of logits, as log_softmax over all V: that of `target`, and the `tops`
 * highest apart from the `excluded` tokens, highest first, ties to the lower id. If fewer tokens
 * are left: id -1, -inf. -inf and NaN are never ranked; a row that contains NaN or +inf ranks no
 * token.
 * With a `product` the logits are its y, computed first and bit-identical to `linear`. Without
 * `all` the logits are not read later and need not be stored.
 * With a `search`, tokens that end a hypothesis are impossible in every row whose hypothesis may
 * not end yet (search_bars_ends): their logits become -inf, also in stored logits. */
struct logprob_args {
    // ldy V, no activation, cache or accumulation, but perhaps a cap; weight NULL: logits are given
    struct linear_args product;
    struct tensor logits;              // (M, V)
    struct tensor excluded;            // (V) uint8, or absent
    struct tensor top_id;              // (M, tops) int32; absent with tops 0
    struct tensor top_lp;              // (M, tops) float
    struct tensor target;              // (M) int32, or absent; negative: result 0
    struct tensor target_lp;           // (M) float
    struct tensor all;                 // (M, V) float, or absent; may be `logits` itself
    const struct search_state *search; // or NULL
    struct tensor row_lane;            // (M) int32: the lanes of `search`; -1: an idle row
    int rows, vocabulary, tops;
};

/* The state of a search in device memory. A lane's record is LANE_FIELDS int32. */
enum {
    LANE_TOKEN, // the token that the lane reads next
    LANE_POS,   // its position
    LANE_BEGIN, // source rows of its sentence
    LANE_END,
    LANE_VARIANT,
    LANE_FIELDS
};

/* Rules for keeping hypotheses that end; advance_args defines them. */
enum endings {
    ENDINGS_BEST,       // all, even if more end in one step than the beam has room for
    ENDINGS_FIRST,      // as many as the beam's width, highest ranks first
    ENDINGS_NARROW,     // all, and each narrows the beam by one
    ENDINGS_ATTAINABLE, // the best, as many as the beam's width, while a better one seems
                        // attainable
    ENDINGS_TOP,        // the same, until the best continuation of a step ends a hypothesis
    ENDINGS_NEVER,  // as ENDINGS_ATTAINABLE, also considering what is attainable at the greatest
                    // length
    ENDINGS_RANKED, // as ENDINGS_NARROW, but hypotheses that fall out of the beam's width are lost
    ENDINGS_COUNT
};

/* How hypotheses of the maximum length end. */
enum search_limit {
    LIMIT_FORCED, // they end with end-of-sentence, whose log-probability counts
    LIMIT_FREE,   // the same, but its log-probability counts as 0
    LIMIT_OPEN,   // they end with the best token
    LIMIT_COUNT
};
enum { ENDS_MOST = 8 }; // tokens that end a hypothesis

/* True if finished hypotheses are compared on the device, by score / penalty[length]. */
static inline bool endings_compared(enum endings endings)
{
    return endings == ENDINGS_ATTAINABLE || endings == ENDINGS_NEVER || endings == ENDINGS_TOP ||
           endings == ENDINGS_RANKED;
}

struct search_state {
    int sentences, beam, positions; // S, B, T
    int starts;                     // start tokens of every hypothesis
    int eos;
    int ends[ENDS_MOST]; // (end_count): tokens that end a hypothesis, such as eos
    int end_count;
    enum search_limit at_limit;
    int min_length; // tokens required before eos in a hypothesis shorter than its limit
    enum endings endings;
    bool renormalize;       // ends get probability 0 where hypotheses may not end (logprob_args)
    struct tensor lane;     // (lanes, LANE_FIELDS) int32
    struct tensor path;     // (lanes, T) int32
    struct tensor score;    // (lanes) float: summed log-probability; -inf: no hypothesis lives here
    struct tensor token;    // (slots) int32: the token read at a slot
    struct tensor token_lp; // (slots) float: its log-probability when it was chosen
    struct tensor limit;    // (S) int32: maximum length, end-of-sentence included
    struct tensor penalty;  // (T+1) float: for each length from 1 on; if endings_compared
    struct tensor done;  // (S) int32: 0, or the length (below) at which the sentence was finished
    struct tensor count; // (S) int32: finished hypotheses, up to 2B
    struct tensor finished_score;  // (S, 2B) float: summed log-probability
    struct tensor finished_length; // (S, 2B) int32: tokens, end-of-sentence included
    struct tensor finished_token;  // (S, 2B, T) int32
    struct tensor finished_lp;     // (S, 2B, T) float
};

/* True if a hypothesis that has read `position` is too short to end with its next token. `limit`:
 * its maximum length. */
static inline bool search_bars_ends(const struct search_state *state, int position, int limit)
{
    const int length = position + 2 - state->starts;
    return length <= state->min_length && (length < limit || state->at_limit == LIMIT_OPEN);
}

/* The slot in which a lane of a search stores a position. Slots of one position are adjacent, so
 * the rows of a step are written side by side. Each position is rotated by one more place: the
 * number of lanes is often a multiple of a power of two, and without the rotation the slots of a
 * path would map to few cache sets. */
static inline int search_slot(const struct search_state *state, int lane, int position)
{
    const int lanes = state->sentences * state->beam;
    return position * lanes + (lane + position) % lanes;
}

/* Reads the lane record of each row: row f of `columns` (LANE_FIELDS, M) receives field f of
 * lane[m], and slot[m] = path[lane*T + pos]. An idle row (lane -1) gets token -1, slot -1 and
 * zeros. */
struct select_args {
    const struct search_state *state;
    struct tensor row_lane; // (M) int32
    struct tensor columns;  // (LANE_FIELDS, M) int32
    struct tensor slot;     // (M) int32
    int rows;
};

/* One step of beam search for every sentence of the batch that is not done. Rows form groups of
 * `width`: the first `width` lanes of one sentence, in order (1 after the start tokens, when only
 * lane 0 lives; B afterwards). A group whose first row is idle is skipped.
 *
 * With p the position just read and r = p+2-starts the length of a hypothesis after this token:
 *   r = limit: every live lane ends with end-of-sentence, by score + eos_lp, ties to the lower
 *     lane. LIMIT_FREE: by its score. LIMIT_OPEN: the first B ranks of the continuations, as below,
 *     become finished, whatever their tokens are.
 *   else: the 2B best continuations by score + top_lp, ties to the lower lane, then the lower id,
 *     without eos while r <= min_length. Those by eos among the first B ranks become finished; eos
 *     of lower rank is dropped; the first B others live on in lanes 0 … B-1 by rank (the rest get
 *     score -inf), at position p+1.
 *     ENDINGS_NARROW: with n finished before, only the first B - n ranks become finished or live
 *     on. ENDINGS_TOP: only the first B ranks become finished or live on.
 *   ENDINGS_RANKED: as ENDINGS_NARROW, but first, while the continuation preceded by exactly B - n
 *     others has a better score than the worst finished hypothesis (the last of equals) over its
 *     penalty[length], that hypothesis is lost and the last one moves to its place.
 *   ENDINGS_FIRST: once B hypotheses are finished, no other becomes finished.
 *   ENDINGS_ATTAINABLE, ENDINGS_NEVER, ENDINGS_TOP: once B hypotheses are finished, another
 *     replaces the worst of them (the last of equals) if it is better by score / penalty[length].
 *   A sentence is done when it has B finished hypotheses or more, when no lane lives, or after r =
 *     limit. ENDINGS_ATTAINABLE with B > 1: B finished hypotheses are not enough while the score of
 *     lane 0, over penalty[r], is better than the worst of them.
 *     ENDINGS_NEVER: the same, over the greater of penalty[r] and penalty[limit].
 *     ENDINGS_TOP: the number does not matter; the sentence is done when the first-ranked
 *     hypothesis is finished.
 *   Everything said about eos applies to each of the ends, except at the limit.
 * Writes, for a finished hypothesis: its tokens after the start tokens, the last one included, with
 * their log-probabilities. For a lane that lives on: record, score and path (its parent's plus its
 * own search_slot); token and token_lp of that slot. */
struct advance_args {
    const struct search_state *state;
    struct tensor row_lane;       // (M) int32
    struct tensor top_id, top_lp; // (M, tops), tops = 2B
    struct tensor eos_lp;         // (M) float
    int rows, width, tops;
};

enum { ASKED_MOST = 2, ASKED_BYTES = 1 << 18 };

/* Part of a pass that may be recorded and replayed, or divided among threads by rows. */
struct scope_args {
    uint64_t key; // identifies a recording; 0: not recorded
    int rows;     // M of its operations: whole groups of rows
    int width;    // rows of a group, or
    const int
        *groups; // host (count + 1): first rows of the groups, then M; NULL: all have `width` rows
    int count;
    void (*body)(void *context);
    void *context;
};

#endif
