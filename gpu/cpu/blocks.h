/* How the rows of an operation are shared out over the pool.
 *
 * A range 0 … count-1 is cut into blocks of equal length, but for the last. Little work is one block
 * and runs on the calling thread: waking another costs more than it saves.
 */
#ifndef ATTNSCOPE_CPU_BLOCKS_H
#define ATTNSCOPE_CPU_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

struct device;

struct blocks {
    int count; // of rows
    int length;
    int tasks;  // blocks; 0 when count is 0
    bool heavy; // worth waking threads for
};

/* One block's work: rows begin … end-1. `task` is the block's number; what is its own (scratch
 * memory) is found by it. */
typedef void block_body(void *context, int task, int begin, int end);

/* `work`: multiply-adds of one row, or what takes as long. */
struct blocks blocks_of(const struct device *device, int count, size_t work);

/* Calls body for every block and returns when all are done; those that have not begun when the
 * device is cancelled are left out. */
void blocks_run(struct device *device, const struct blocks *blocks, block_body *body,
                void *context);

#endif
