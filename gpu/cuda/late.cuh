/* Deferred work. An operation may leave part of its work to the next one, which does it in its own
 * kernel if it reads the result. This saves a kernel and gives the same bits. Two kinds of work are
 * deferred (shortcuts.cuh): a norm of few rows, to the product that reads it; and the bias of a
 * product of many rows, to the norm or the log-probabilities.
 *
 * The twin saves conversions: where products are in bfloat16, an operation of many rows also writes
 * its result in that type, and the next product reads this copy.
 *
 * device_ready starts deferred work that was not taken, and so does everything that waits for the
 * device, copies, or frees memory. An operation that can do deferred work must therefore take it
 * before it calls device_ready. */
#ifndef ATTNSCOPE_CUDA_LATE_CUH
#define ATTNSCOPE_CUDA_LATE_CUH

#include "gpu/cuda/device.cuh"
#include "gpu/cuda/norm.cuh"

struct late {
    struct norm_params norm;
    int norm_rows; // 0: no norm is deferred
    float *y;      // output of the product whose bias is deferred; NULL: none
    const float *bias;
    int ldy, rows, columns;
    const float *twin_of; // the original of `twins`, without gaps between rows; NULL: none
    __nv_bfloat16 *twin;  // in `twins`, or where the original would be
    int twin_ld, twin_rows, twin_columns;
    struct buffer twins; // if products are in bfloat16
};

/* NULL on failure. */
struct late *late_open(struct device *device, struct status *status);
void late_close(struct device *device, struct late *late); // NULL: nothing

/* Starts the deferred work and forgets the twin. After a failure, or while cancelled, drops the
 * work instead. */
void late_run(struct device *device);

/* The most rows that count as few: `linear` has its own kernel for them. */
enum { FEW_ROWS = 8 };

/* Defers the norm; false: it cannot be deferred, and the caller starts it. */
bool late_norm_put(struct device *device, const struct norm_params &norm, int rows);
/* Takes the deferred norm if the product of few rows reads it and writes nothing that the norm
 * reads. NULL otherwise, or if no norm is deferred. The result is valid until the next norm is
 * deferred. */
struct linear_params; // linear.cuh
const struct norm_params *late_norm_take(struct device *device, const struct linear_params &params);

/* Defers adding the bias to y (rows, columns); false: it cannot be deferred, and the caller adds
 * it. */
bool late_bias_put(struct device *device, float *y, int ldy, int rows, int columns,
                   const float *bias);
/* Takes the deferred bias of x (rows, ·); NULL: none. */
const float *late_bias_take(struct device *device, const float *x, int ldx, int rows);

/* The twin's memory for the kernel that writes y (rows, columns); NULL: no twin wanted. Call after
 * device_ready. */
__nv_bfloat16 *late_twin_make(struct device *device, const float *y, int ldy, int rows,
                              int columns);
/* The same in the memory of y, which is not written itself: for the product that comes next. */
__nv_bfloat16 *late_twin_replace(struct device *device, float *y, int ldy, int rows, int columns);
/* The twin of the product's input, or NULL. Call before device_ready. */
const __nv_bfloat16 *late_twin_find(const struct device *device,
                                    const struct linear_params &params);
/* Call after a product that has read the twin: keeps it for the next product, unless another twin
 * was made or the product overwrote the original. */
void late_twin_keep(struct device *device, const struct linear_params &params);

/* Start kernels that only do the deferred work. */
void norm_start(struct device *device, const struct norm_params &params, int rows);
void bias_start(struct device *device, float *y, int ldy, int rows, int columns, const float *bias);

#endif
