/* Row partition of a scope: every thread runs the whole scope for a range of its rows.
 *
 * The groups of a scope are independent of one another (gpu/backend.h), so its threads only need to
 * wait for one another at its end. Ranges consist of whole groups. Threads that were faster in
 * earlier scopes get more rows; results do not depend on the partition.
 *
 * Each worker has a single-threaded device with its own scratch memory. The backend's operations
 * are called with the opened device; within a scope they look up the caller's range with
 * partition_range.
 *
 * Call order: partition_open; partition_scope any number of times, one at a time; partition_close.
 */
#ifndef ATTNSCOPE_CPU_PARTITION_H
#define ATTNSCOPE_CPU_PARTITION_H

#include "gpu/cpu/device.h"

struct partition;

/* The rows of a scope computed by the calling thread. */
struct range {
    const struct device *of; // the device that was opened
    struct device *worker;   // the thread's own
    int begin, rows;
};

/* For a device whose pool and kernels are set. The caller closes it. NULL if memory runs out. */
struct partition *partition_open(struct device *device, struct status *status);
void partition_close(struct partition *partition); // NULL: nothing

/* The backend's `scope`. */
void partition_scope(struct device *device, const struct scope_args *args);

/* The calling thread's range in a scope of `device`; NULL outside a partitioned scope. */
const struct range *partition_range(const struct device *device);

#endif
