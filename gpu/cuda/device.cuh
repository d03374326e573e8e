/* The CUDA device as its operations see it: where tensors live, how kernels are started, what
 * failed.
 *
 * An operation first calls device_ready and returns if that is false, then starts kernels with
 * START. All work goes to one stream, in order. Nothing allocates while operations run: besides
 * their tensors they use `scratch`, SCRATCH_BYTES long, which belongs to one operation at a time;
 * one that needs more works in parts.
 *
 * Operations cannot report errors. The device remembers the first failure, and the backend's
 * `check` reports it. */
#ifndef ATTNSCOPE_CUDA_DEVICE_CUH
#define ATTNSCOPE_CUDA_DEVICE_CUH

#include <atomic>

#include <kernel.h>

extern "C" {
#include "gpu/backend.h"
}
#include "gpu/cuda/shortcuts.cuh"

struct products; // gemm.cuh: what cuBLAS needs
struct staging;  // copy.cu: pinned memory for copies
struct piece;    // memory.cu: memory from the driver, which holds buffers
struct scopes;   // scope.cu: recorded scopes
struct late;     // late.cuh: work that an operation deferred

enum : size_t { SCRATCH_BYTES = (size_t)16 << 20 };

struct buffer {
    void *bytes; // device memory
    size_t size;
    struct piece *piece;
};

/* (n, k) row-major, as given: an output of `linear`, or an entry of a table, is a row. */
struct weight {
    int n, k;
    bool narrow; // bfloat16, otherwise float32
    struct buffer memory;
};

struct device {
    int ordinal;
    enum precision precision;
    char name[160];
    cudaStream_t stream;
    struct products *products;
    struct staging *staging;
    struct scopes *scopes;
    struct late *late;
    void *scratch;
    struct buffer scratch_memory;
    struct piece *reserved; // buffers are taken from it first; or NULL
    size_t memory_used;
    bool shortcuts[SWITCH_COUNT]; // true for those that are on
    bool early;                   // SHORTCUT_EARLY_LAUNCH, if the GPU supports it

    std::atomic<bool> cancel;
    bool recording; // a scope is being recorded
    int group;      // rows of a group of the scope; 0: no scope, or groups of several sizes
    bool skipped;   // an operation of it was not recorded, because of `cancel`
    const void
        *told; // the `done` of the last search that writes it to the host (copy.cuh); NULL: none
    size_t launches, replays;
    bool unfinishing[2];  // cuBLAS does not finish products of float32, and of bfloat16
    char unfinished[200]; // why; "" if it does
    char unrecorded[200]; // why scopes run one operation at a time; "" if they are recorded
    bool failed;
    struct status failure; // the first one, when failed
};

/* True if elements of caches are bfloat16. */
static inline bool device_narrows_caches(const struct device *device)
{
    return device->precision == PRECISION_BF16 && device->shortcuts[SHORTCUT_NARROW_CACHES];
}

/* Returns the first byte of a tensor, in the device's memory; NULL if it is absent. */
static inline void *tensor_bytes(struct tensor tensor)
{
    return tensor.buffer ? (unsigned char *)tensor.buffer->bytes + tensor.offset : nullptr;
}

static inline float *tensor_floats(struct tensor tensor)
{
    return (float *)tensor_bytes(tensor);
}

static inline int32_t *tensor_ints(struct tensor tensor)
{
    return (int32_t *)tensor_bytes(tensor);
}

/* Directs the calling thread's CUDA calls to this device: operations may come from any thread, and
 * a thread may use several devices in turn. The only caller of cudaSetDevice. */
cudaError_t device_choose(const struct device *device);

/* Call first in an operation: chooses the device and starts deferred work (late.cuh). Returns false
 * if the operation should do nothing: after a failure, or while cancelled. All later operations of
 * the pass then do nothing either, whatever the host still copies to the device, and a later pass
 * writes every index (lane, slot, path, id) before one of its kernels reads it. So no kernel reads
 * an index that a skipped one has not written. */
bool device_ready(struct device *device);

/* Remembers the first failure. `what` names what was being done. */
void device_fail(struct device *device, enum status_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for a CUDA error code; true if it is cudaSuccess. */
bool device_expect(struct device *device, cudaError_t error, const char *what);

/* Call after every launch: counts it, and remembers a failure to launch. */
void device_launched(struct device *device, const char *kernel);

/* START(device, kernel, grid, block, args…). Every thread of the kernel calls grid_wait first, or
 * after it has read weights. */
#define START(device, kernel, grid, block, ...)                                                    \
    do {                                                                                           \
        if ((device)->early)                                                                       \
            LAUNCH_EARLY(kernel, grid, block, 0, (device)->stream, __VA_ARGS__);                   \
        else                                                                                       \
            LAUNCH(kernel, grid, block, 0, (device)->stream, __VA_ARGS__);                         \
        device_launched(device, #kernel);                                                          \
    } while (0)

/* Threads per block: as many as wanted, or fewer if compiled for smaller blocks. A multiple of 32,
 * a warp. */
static constexpr int block_size(int wanted)
{
    return wanted < BLOCK_LIMIT ? wanted : (int)BLOCK_LIMIT;
}

/* a / b rounded up, for sizes >= 0. */
static inline __host__ __device__ int quotient_up(int a, int b)
{
    return a / b + (a % b != 0);
}

#endif
