/* The backend interface: the operations that a Transformer is computed with.
 *
 * `model/net` holds the only Transformer; it is written against this table of functions, which the
 * CPU (gpu/cpu) and CUDA (gpu/cuda) implement. A backend knows nothing of models, files or strings.
 *
 * Order of calls: open; reserve, weight and allocate while a model loads; then any number of
 * passes, and between them allocate and release when one needs more memory; release and forget;
 * close. When they return, `put` has copied its data, and operations have read their arguments and
 * host arrays: the caller may reuse both.
 *
 * All computation is in float32. Integers on the device are int32. Floats are stored as float32,
 * but for weights and for caches of keys and values, whose elements have device_info.cache_bytes.
 * All matrices are row-major; `ld…` is the distance between the beginnings of two rows, in
 * elements.
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
 * slot path[lane*T + p]; a hypothesis that continues another lane's copies that lane's path and
 * adds its own slot (in a search: search_slot). So a row needs its lane and its position, and the
 * path table gives the slots of all its ancestors, its own last.
 *
 * A decoding step is the same calls every time: what changes from step to step lives in device
 * memory. Host integers in the arguments are constant within a scope, so that a backend may record
 * a scope once and replay it.
 *
 * Errors: functions with a status fail as base/status.h says. The others have none: the device
 * remembers their first failure, and `check` reports it. Arguments are not checked (that shapes
 * agree, that indices are in range): the model is checked once, when it is loaded.
 *
 * The same bits. A backend that is `exact`, as the CPU is, gives every row the same bits whatever
 * M, the order of rows, the number of threads and the instruction set. CUDA is not: the same calls
 * give the same bits again on the same kind of GPU with the same cuBLAS, but a product of another M
 * may be summed in another order, and up to 8 rows go through a kernel of our own instead of
 * cuBLAS. In PRECISION_FP32 and PRECISION_BF16 both round the factors alike, and rows differ by the
 * rounding of float32 sums; in PRECISION_TF32 our kernel does not round factors, so that rows also
 * differ by that rounding.
 */
#ifndef ATTNSCOPE_BACKEND_H
#define ATTNSCOPE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gpu/derivatives.h"
#include "gpu/operations.h"

enum dtype { DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_I8 };

/* The precision of products in `linear`. Sums, and all other operations, are float32.
 *   PRECISION_FP32  exact products of float32
 *   PRECISION_TF32  only on a GPU, which rounds or truncates factors to 10 bits of fraction: an
 *                   error of up to u = 2^-11 or 2^-10 of each
 *   PRECISION_BF16  weights are stored in bfloat16, in half the memory, and the other factors are
 *                   rounded to it, both to nearest: u = 2^-8; so are, on a GPU, the keys and values
 *                   of the decoder, in caches
 *   PRECISION_FP16  only on the CPU: weights are stored in float16, u = 2^-11
 *   PRECISION_INT8  only on the CPU: weights of DTYPE_I8 are multiplied as integers, by factors
 *                   that are rounded to 8 bits as weight_spec says; others as in PRECISION_FP32
 * On the CPU only stored weights are rounded, and weights that have 16 bits in the file are not.
 * Products are computed in float32, so results are still the same for every batch, order, thread
 * count and instruction set. A weight with a value too large for the type is refused.
 * Distance of golden models from float64, at most: probabilities 1e-5, TF32 0.0195, BF16 0.063
 * (CUDA: 0.125), FP16 0.0078; logits 1e-4, TF32 0.39, BF16 1.25 (CUDA: 2.5), FP16 0.16. See
 * tests/model/net/test_golden.c. */
enum precision { PRECISION_FP32, PRECISION_TF32, PRECISION_BF16, PRECISION_FP16, PRECISION_INT8 };

struct device_spec {
    int threads;              // CPU: 0 for as many as there are processors
    int ordinal;              // which GPU
    enum precision precision; // one that the device does not have is refused
};

struct device_info {
    char name[160];           // "cpu", or the GPU's name
    char instruction_set[32]; // "avx512", "avx2", "c"; "" elsewhere
    int threads;              // 0 where it means nothing
    size_t memory_used;       // bytes held by weights and tensors
    size_t cache_bytes; // of an element of a cache of keys or values: 4, float32, or 2, bfloat16
    enum precision precision;
    char driver[32];     // the GPU's, as "13.0"; "" elsewhere
    char rounding[48];   // what else the last bits depend on: "cuBLAS 120405 5f7"; "" elsewhere
    size_t memory_free;  // bytes of the GPU that nothing holds now, and
    size_t memory_total; // all that it has; 0 on the CPU
    size_t launches;     // kernels that operations started one by one since `open`,
    size_t replays;      // and recorded scopes that were started; 0 on the CPU
    char unrecorded
        [200]; // why a backend that records runs scopes operation by operation; "" where it does not
    char unfinished
        [200]; // why a library that could add biases in its products does not; "" where it does, or is not asked to
};

/* The total that will be requested from `weight` and `allocate`. */
struct reservation {
    size_t elements; // of weights
    size_t bytes;    // of tensors
    size_t count;    // of weights and tensors
};

/* The uses of a weight: by `linear`, by rows (`embed`), or, as a tied embedding, both. */
enum weight_use { WEIGHT_LINEAR = 1, WEIGHT_TABLE = 2 };

/* How a weight of DTYPE_I8 is multiplied, after Marian's intgemm (browsermt/marian-dev,
 * src/tensors/cpu/intgemm_interface.h). With B its integers, W = B / scale:
 *     q = round(x * by), halves to the even one, within -127 … 127
 *     y = (Σ q B) / (by scale) + bias
 * shifted: y = (Σ (q + 127) B) / (by scale) + (-(127 / by) (127 / scale) / 127 * Σ B + bias).
 * Sums are exact; every other operation is rounded to float32. With `activation` by is that;
 * otherwise 127 / max |x| over the rows of a group (linear_args). */
struct integer_spec {
    float scale;      // > 0
    float activation; // > 0, or 0: of each product anew
    bool shifted;
};

struct weight_spec {
    const void *data; // (N, K) row-major, unaligned allowed; need not live after the call
    enum dtype dtype;
    int n, k;
    int use;                      // enum weight_use, or both; of DTYPE_I8 WEIGHT_LINEAR alone
    struct integer_spec integers; // of DTYPE_I8
};

#define BACKEND_VERSION 20

struct backend {
    int version; // BACKEND_VERSION
    const char *name;
    /* `scope` records and replays, and the device works asynchronously: callers pad rows, so that
     * few sizes are recorded, and enqueue work ahead of what they read. */
    bool records;
    bool exact; // the bits of a row do not depend on other rows (above)
    bool
        streams; // `logprob` of a product needs no memory for its logits: y and logits may be absent
    bool integers;  // it has PRECISION_INT8
    int logit_rows; // without `streams`: rows of logits (V each) to compute at once
    int batch;      // sentences that keep the device busy

    struct device *(*open)(const struct device_spec *spec, struct status *status);
    void (*close)(struct device *device);
    void (*info)(struct device *device, struct device_info *info);
    /* Waits for the device. False: the first failure since the last check, or STATUS_CANCELLED
     * while cancelled. A failure is reported once: unless the device is lost, later passes may
     * succeed. */
    bool (*check)(struct device *device, struct status *status);
    /* From any thread or signal handler: operations return early, and results are undefined, until
     * `cancel(device, false)`, which must be called between passes: within one, operations would
     * read what those that returned early have not written. */
    void (*cancel)(struct device *device, bool on);

    /* Allocates memory for the total at once; following weights and tensors are placed in it, and
     * it is freed with the last of them. What does not fit is allocated separately. NULL: ends the
     * reservation. */
    bool (*reserve)(struct device *device, const struct reservation *reservation,
                    struct status *status);
    bool (*allocate)(struct device *device, size_t bytes, struct tensor *tensor,
                     struct status *status); // zeroed, aligned to 64 bytes
    void (*release)(struct device *device,
                    struct tensor tensor); // the whole buffer; absent: nothing
    void (*put)(struct device *device, struct tensor tensor, const void *host, size_t bytes);
    void (*get)(struct device *device, void *host, struct tensor tensor, size_t bytes); // waits
    /* Asynchronous reads, in order: `ask` enqueues a read after all work so far; `answer` waits for
     * the oldest read, but not for work that was enqueued later, and copies it to `host`. At most
     * ASKED_MOST reads of ASKED_BYTES each. A read of a search's `done` after `advance` is of the
     * sentences that this had rows for; of others the answer is undefined. It may tell of later
     * steps as well; the lengths in it say of which. It is answered before another search advances
     * on the device.
     * False: the device has failed or was cancelled (`check` reports it), and `host` is
     * undefined. */
    void (*ask)(struct device *device, struct tensor tensor, size_t bytes);
    bool (*answer)(struct device *device, void *host, size_t bytes);
    struct weight *(*weight)(struct device *device, const struct weight_spec *spec,
                             struct status *status);
    void (*forget)(struct device *device, struct weight *weight); // NULL: nothing

    /* Runs body(context), or replays its last recording with the same key. The same key means the
     * same operations with the same arguments. Keys are never released explicitly: a backend keeps
     * the few most recently used.
     *
     * The body only calls operations, and a backend that streams may run it on several threads
     * concurrently, each of which computes some of the groups. Therefore: all operations have the
     * scope's rows; none of them is `mean` or stores attention weights; of what the scope writes, a
     * row only reads rows of its own group, and slots, lanes and sentences that no other group
     * writes; except in attention, a row only reads what was written at its own place; and every
     * operation addresses a buffer with the same row stride. */
    void (*scope)(struct device *device, const struct scope_args *args);

    void (*embed)(struct device *device, const struct embed_args *args);
    void (*linear)(struct device *device, const struct linear_args *args, int count);
    void (*gather)(struct device *device, const struct move_args *args);
    void (*scatter)(struct device *device, const struct move_args *args);
    void (*norm)(struct device *device, const struct norm_args *args);
    void (*mean)(struct device *device, const struct mean_args *args);
    void (*prefix_mean)(struct device *device, const struct prefix_mean_args *args);
    void (*recurrence)(struct device *device, const struct recurrence_args *args);
    void (*gate)(struct device *device, const struct gate_args *args);
    void (*words)(struct device *device, const struct word_args *args);
    void (*attention)(struct device *device, const struct attention_args *args);
    void (*mix_heads)(struct device *device, const struct mix_args *args);
    void (*logprob)(struct device *device, const struct logprob_args *args);
    void (*select)(struct device *device, const struct select_args *args);
    void (*advance)(struct device *device, const struct advance_args *args);

    /* Derivatives (derivatives.h). Never within a scope. */
    void (*linear_backward)(struct device *device, const struct linear_backward_args *args);
    void (*norm_backward)(struct device *device, const struct norm_backward_args *args);
    void (*activation_backward)(struct device *device, const struct activation_backward_args *args);
    void (*attention_backward)(struct device *device, const struct attention_backward_args *args);
    void (*mix_backward)(struct device *device, const struct mix_backward_args *args);
    void (*gate_backward)(struct device *device, const struct gate_backward_args *args);
    void (*add)(struct device *device, const struct add_args *args);
    void (*prefix_mean_backward)(struct device *device,
                                 const struct prefix_mean_backward_args *args);
    void (*recurrence_backward)(struct device *device, const struct recurrence_backward_args *args);
    void (*logprob_backward)(struct device *device, const struct logprob_backward_args *args);
};

/* The CPU backend, which is built in. */
extern const struct backend cpu_backend;

enum { DEVICE_TEXT = 260 }; // bytes of what device_describe (loader.h) writes

#endif
