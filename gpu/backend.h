/* The backend interface: the operations from which a Transformer is computed.
 *
 * `model/net` holds the only Transformer; it calls this table of functions, which the CPU (gpu/cpu)
 * and CUDA (gpu/cuda) implement. A backend does not depend on models, files or strings.
 *
 * Order of calls: open; reserve, weight and allocate while a model loads; then any number of
 * passes, with allocate and release between them when one needs more memory; release and forget;
 * close. `put` copies its data before it returns, and operations read their arguments and host
 * arrays before they return: the caller may reuse both.
 *
 * All computation is in float32. Integers on the device are int32. Floats are stored as float32,
 * except weights and the caches of keys and values, whose elements take device_info.cache_bytes.
 * All matrices are row-major; `ld…` is the row stride in elements.
 * Shapes used throughout:
 *   M      rows of this call: one row is one position of one sentence (or of one hypothesis)
 *   d      model width
 *   H, hd  heads of the module and their size
 *   L      learned heads of the module: heads that have queries and keys (L <= H)
 *   S      sentences, each with B hypotheses (beam)
 *   lanes  S*B places for live hypotheses. A lane keeps its number as sentences enter and leave
 *   T      positions a lane can hold
 *   slots  lanes*T places in a cache
 *   G      variants: the different settings of gains and heads that rows of one batch may have
 *
 * Lanes and paths. A cache is never reordered. Position p of the hypothesis in a lane was stored in
 * slot path[lane*T + p]; a hypothesis that continues the one in another lane copies that lane's
 * path and adds its own slot (in a search: search_slot). Given a row's lane and position, the path
 * table lists the slots of all its ancestors, followed by its own.
 *
 * Every decoding step makes the same calls: state that changes from step to step is kept in device
 * memory. Host integers in the arguments are constant within a scope, so a backend may record a
 * scope once and replay it.
 *
 * Errors: functions with a status fail as described in base/status.h. For the others, the device
 * remembers the first failure and `check` reports it. Arguments are not checked for matching shapes
 * or indices out of range: the model is checked once, when it is loaded.
 *
 * Reproducibility. An `exact` backend, such as the CPU, computes every row to the same bits
 * regardless of M, the order of rows, the number of threads and the instruction set. CUDA is not
 * exact: the same calls give the same bits on the same kind of GPU with the same cuBLAS, but a
 * product with a different M may be summed in a different order, and up to 8 rows use our own
 * kernel instead of cuBLAS. In PRECISION_FP32 and PRECISION_BF16 both round the factors alike, and
 * rows differ by the rounding of float32 sums; in PRECISION_TF32 our kernel does not round factors,
 * so rows also differ by that rounding.
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
 *   PRECISION_TF32  only on a GPU, which rounds or truncates factors to 10 bits of fraction:
 *                   relative error up to u = 2^-11 or 2^-10 each
 *   PRECISION_BF16  weights are stored in bfloat16, in half the memory, and the other factors are
 *                   rounded to it, both to nearest: u = 2^-8; on a GPU the decoder's caches of keys
 *                   and values are bfloat16 too
 *   PRECISION_FP16  only on the CPU: weights are stored in float16, u = 2^-11
 *   PRECISION_INT8  only on the CPU: weights of DTYPE_I8 are multiplied as integers by factors
 *                   rounded to 8 bits (integer_spec); others as in PRECISION_FP32
 * On the CPU only stored weights are rounded, unless the file already has them in 16 bits. Products
 * are computed in float32, so results are still the same for every batch, order, thread count and
 * instruction set. A weight with a value too large for the type is refused.
 * Maximum distance of golden models from float64: probabilities 1e-5, TF32 0.0195, BF16 0.063
 * (CUDA: 0.125), FP16 0.0078; logits 1e-4, TF32 0.39, BF16 1.25 (CUDA: 2.5), FP16 0.16. See
 * tests/model/net/test_golden.c. */
enum precision { PRECISION_FP32, PRECISION_TF32, PRECISION_BF16, PRECISION_FP16, PRECISION_INT8 };

struct device_spec {
    int threads;              // CPU; 0: $OMP_NUM_THREADS, or one per processor
    int ordinal;              // which GPU
    enum precision precision; // an unsupported one is refused
};

struct device_info {
    char name[160];           // "cpu", or the GPU's name
    char instruction_set[32]; // "avx512", "avx2", "c"; "" elsewhere
    int threads;              // 0 if not applicable
    size_t memory_used;       // bytes held by weights and tensors
    size_t cache_bytes;       // per element of a key or value cache: 4 (float32) or 2 (bfloat16)
    enum precision precision;
    char driver[32];     // GPU driver version, such as "13.0"; "" elsewhere
    char rounding[48];   // what else affects the last bits: "cuBLAS 120405 5f7"; "" elsewhere
    size_t memory_free;  // free bytes on the GPU,
    size_t memory_total; // of this total; both 0 on the CPU
    size_t launches;     // kernels launched individually by operations since `open`,
    size_t replays;      // and recorded scopes replayed; both 0 on the CPU
    char unrecorded
        [200]; // why a recording backend runs scopes one operation at a time; "" if it does not
    char unfinished
        [200]; // why the library does not add biases within its products; "" if it does or is not
               // asked to
};

/* The total that will be requested from `weight` and `allocate`. */
struct reservation {
    size_t elements; // of weights
    size_t bytes;    // of tensors
    size_t count;    // of weights and tensors
};

/* Uses of a weight: as a matrix (`linear`), by rows (`embed`), or both (a tied embedding). */
enum weight_use { WEIGHT_LINEAR = 1, WEIGHT_TABLE = 2 };

/* How a weight of DTYPE_I8 is multiplied, after Marian's intgemm (browsermt/marian-dev,
 * src/tensors/cpu/intgemm_interface.h). With B its integers, W = B / scale:
 *     q = round(x * by), ties to even, within -127 … 127
 *     y = (Σ q B) / (by scale) + bias
 * shifted: y = (Σ (q + 127) B) / (by scale) + (-(127 / by) (127 / scale) / 127 * Σ B + bias).
 * Sums are exact; every other operation is rounded to float32. `by` is `activation` if that is set,
 * otherwise 127 / max |x| over the rows of a group (linear_args). */
struct integer_spec {
    float scale;      // > 0
    float activation; // > 0, or 0: computed for each product
    bool shifted;
};

struct weight_spec {
    const void *data; // (N, K) row-major, unaligned allowed; not needed after the call
    enum dtype dtype;
    int n, k;
    int use;                      // enum weight_use, or both; DTYPE_I8: only WEIGHT_LINEAR
    struct integer_spec integers; // of DTYPE_I8
};

#define BACKEND_VERSION 22

struct backend {
    int version; // BACKEND_VERSION
    const char *name;
    /* `scope` records and replays, and the device works asynchronously: callers pad rows so that
     * few sizes are recorded, and enqueue work before they read earlier results. */
    bool records;
    bool exact;   // the bits of a row do not depend on other rows (see above)
    bool streams; // `logprob` with a product needs no memory for logits: y and logits may be absent
    bool integers;  // supports PRECISION_INT8
    int logit_rows; // without `streams`: how many rows of V logits to compute at once
    int batch;      // number of sentences that keeps the device busy

    struct device *(*open)(const struct device_spec *spec, struct status *status);
    void (*close)(struct device *device);
    void (*info)(struct device *device, struct device_info *info);
    /* Waits for the device. On false, `status` holds the first failure since the last check, or
     * STATUS_CANCELLED while cancelled. A failure is reported once: unless the device is lost,
     * later passes may succeed. */
    bool (*check)(struct device *device, struct status *status);
    /* May be called from any thread or signal handler. Operations return early, with undefined
     * results, until `cancel(device, false)`. Call that between passes only: within one, operations
     * would read data that the cancelled ones did not write. */
    void (*cancel)(struct device *device, bool on);

    /* Allocates memory for the total at once. Subsequent weights and tensors are placed in it, or
     * allocated separately if they do not fit; it is freed with the last of them. NULL: ends the
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
     * ASKED_MOST reads of ASKED_BYTES each may be pending. After `advance`, a read of a search's
     * `done` is defined only for sentences that had rows in that call. The answer may already
     * include later steps; its lengths tell which. It must be answered before another search
     * advances on the device. Returns false if the device has failed or was cancelled (`check`
     * reports it); `host` is then undefined. */
    void (*ask)(struct device *device, struct tensor tensor, size_t bytes);
    bool (*answer)(struct device *device, void *host, size_t bytes);
    struct weight *(*weight)(struct device *device, const struct weight_spec *spec,
                             struct status *status);
    void (*forget)(struct device *device, struct weight *weight); // NULL: nothing

    /* Runs body(context), or replays the last recording with the same key. The same key must stand
     * for the same operations with the same arguments. Keys are never released explicitly: a
     * backend keeps the few most recently used.
     *
     * The body only calls operations, and a backend that streams may run it on several threads
     * concurrently, each of which computes some of the groups. Therefore all operations have the
     * scope's rows, and none of them is `mean` or stores attention weights. Of the data that the
     * scope writes, a row reads only rows of its own group, and slots, lanes and sentences that no
     * other group writes; except in attention, it reads only what was written at its own place.
     * Every operation addresses a buffer with the same row stride. */
    void (*scope)(struct device *device, const struct scope_args *args);

    void (*embed)(struct device *device, const struct embed_args *args);
    void (*linear)(struct device *device, const struct linear_args *args, int count);
    void (*gather)(struct device *device, const struct move_args *args);
    void (*scatter)(struct device *device, const struct move_args *args);
    void (*norm)(struct device *device, const struct norm_args *args);
    void (*mean)(struct device *device, const struct mean_args *args);
    void (*prefix_mean)(struct device *device, const struct prefix_mean_args *args);
    void (*recurrence)(struct device *device, const struct recurrence_args *args);
    void (*rotate)(struct device *device, const struct rotate_args *args);
    void (*gate)(struct device *device, const struct gate_args *args);
    void (*words)(struct device *device, const struct word_args *args);
    void (*attention)(struct device *device, const struct attention_args *args);
    void (*mix_heads)(struct device *device, const struct mix_args *args);
    void (*logprob)(struct device *device, const struct logprob_args *args);
    void (*select)(struct device *device, const struct select_args *args);
    void (*advance)(struct device *device, const struct advance_args *args);

    /* Derivatives (derivatives.h). Only `add` is allowed within a scope. */
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

/* The built-in CPU backend. */
extern const struct backend cpu_backend;

enum { DEVICE_TEXT = 260 }; // size of the text written by device_describe (loader.h)

#endif
