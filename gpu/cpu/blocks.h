/* Divides the rows of an operation into blocks, which the threads of the pool compute.
 *
 * Blocks of a range 0 … count-1 have equal lengths, except for the last. A small amount of work is
 * a single block and runs on the calling thread, because waking another thread would cost more than
 * it saves.
 */
#ifndef ATTNSCOPE_CPU_BLOCKS_H
#define ATTNSCOPE_CPU_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

struct device;

struct row_blocks {
    int count; // of rows
    int length;
    int tasks;  // blocks; 0 when count is 0
    bool heavy; // worth waking threads for
};

/* Computes one block, rows begin … end-1. `task` is its number, which identifies its scratch
 * memory. */
typedef void block_body(void *context, int task, int begin, int end);

/* `work`: the cost of one row, in multiply-adds. */
struct row_blocks blocks_of(const struct device *device, int count, size_t work);

/* Calls body for every block and returns when all are done. Once the device is cancelled, no
 * further block starts. */
void blocks_run(struct device *device, const struct row_blocks *blocks, block_body *body,
                void *context);

#endif
