#include "gpu/cpu/blocks.h"

#include "base/minmax.h"
#include "gpu/cpu/device.h"

enum {
    LEAST_WORK = 1 << 13,  // per block: 1 to 2 microseconds
    SHARED_WORK = 1 << 16, // in all: with less, sharing hardly pays (device.h)
    HEAVY_WORK = 1 << 17,  // in all: about 20 microseconds
    BLOCKS_PER_THREAD = 8, // so that a thread that begins late still finds its share
};

static int quotient_up(int a, int b)
{
    return a / b + (a % b != 0);
}

struct row_blocks blocks_of(const struct device *device, int count, size_t work)
{
    const size_t rows = count > 0 ? (size_t)count : 1, enough = LEAST_WORK / (work ? work : 1) + 1;
    int length = quotient_up(count, pool_threads(device->pool) * BLOCKS_PER_THREAD);
    if (enough > (size_t)length)
        length = enough < (size_t)count ? (int)enough : count;
    if (work < SHARED_WORK / rows)
        length = count;
    int tasks = count > 0 ? quotient_up(count, length) : 0;
    return (struct row_blocks){count, length, tasks, .heavy = work >= HEAVY_WORK / rows};
}

struct block_run {
    const struct device *device;
    const struct row_blocks *blocks;
    block_body *body;
    void *context;
};

static void run_block(void *context, int task)
{
    const struct block_run *run = context;
    if (cancelled(run->device))
        return;
    int begin = task * run->blocks->length, left = run->blocks->count - begin;
    int length = int_min(run->blocks->length, left);
    run->body(run->context, task, begin, begin + length);
}

void blocks_run(struct device *device, const struct row_blocks *blocks, block_body *body,
                void *context)
{
    struct block_run run = {device, blocks, body, context};
    if (blocks->tasks == 1)
        run_block(&run, 0);
    else if (blocks->tasks > 1)
        pool_run(device->pool, blocks->tasks, blocks->heavy ? POOL_HEAVY : POOL_LIGHT, run_block,
                 &run);
}
