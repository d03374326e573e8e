/* Work that an operation puts off: the next operation does it along the way, where it reads the result, or else starts
 * it before its own. Two kinds, as shortcuts.cuh says: a norm of few rows waits for the product that reads it, and the
 * bias of a product of many rows for the norm or the log-probabilities that do. So a kernel less runs, to the same bits.
 *
 * And what need not be done again: where products are of bfloat16, an operation of many rows also writes its result in
 * that type, the twin, which the product that comes next reads.
 *
 * device_ready starts what still waits, and so does everything that waits for the device, copies or gives memory back:
 * an operation that can do late work takes it before it calls device_ready. */
#ifndef ATTNSCOPE_CUDA_LATE_CUH
#define ATTNSCOPE_CUDA_LATE_CUH

#include "gpu/cuda/device.cuh"
#include "gpu/cuda/norm.cuh"

struct late {
    struct norm_params norm;
    int norm_rows; // 0: none waits
    float *y;      // of the product whose bias waits; NULL: none
    const float *bias;
    int ldy, rows, columns;
    const float *twin_of; // what is in `twins`, rows side by side, too; NULL: nothing
    int twin_ld, twin_rows, twin_columns;
    struct buffer twins; // where products are of bfloat16
};

/* NULL and the status on failure. */
struct late *late_open(struct device *device, struct status *status);
void late_close(struct device *device, struct late *late); // NULL: nothing

/* Starts what waits, and forgets the twin; forgets both it after a failure, or while cancelled. */
void late_run(struct device *device);

/* Up to so many rows are few: `linear` has a kernel of its own for them. */
enum { FEW_ROWS = 8 };

/* False: the norm does not wait. */
bool late_norm_put(struct device *device, const struct norm_params &norm, int rows);
/* The norm that waits, where it is what a product of few rows reads and nothing else that the product writes. NULL:
 * another one, or none. It no longer waits, but is valid until the next one does. */
struct linear_params; // linear.cuh
const struct norm_params *late_norm_take(struct device *device, const struct linear_params &params);

/* False: the bias does not wait. y: (rows, columns) without it. */
bool late_bias_put(struct device *device, float *y, int ldy, int rows, int columns,
                   const float *bias);
/* The bias that x (rows, ·) waits for, which no longer waits; NULL: none. */
const float *late_bias_take(struct device *device, const float *x, int ldx, int rows);

/* Where a kernel is to write the twin of y (rows, columns), too; NULL: there is to be none. After device_ready. */
__nv_bfloat16 *late_twin_make(struct device *device, const float *y, int ldy, int rows,
                              int columns);
/* The twin of what the product reads, or NULL; before device_ready. */
const __nv_bfloat16 *late_twin_find(const struct device *device,
                                    const struct linear_params &params);
/* After a product that has read it: the twin stays, unless another one was made, or the product wrote what it is of. */
void late_twin_keep(struct device *device, const struct linear_params &params);

/* What late work is without anything along the way. */
void norm_start(struct device *device, const struct norm_params &params, int rows);
void bias_start(struct device *device, float *y, int ldy, int rows, int columns, const float *bias);

#endif
