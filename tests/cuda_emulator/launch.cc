#include "launch.h"

#include <stdio.h>
#include <string.h>
#include <vector>

#include "emulator.h"
#include "fault.h"
#include "loads.h"
#include "memory.h"
#include "races.h"
#include "scheduler.h"
#include "shared.h"

namespace cudaemu
{

/* The limit that cudaFuncSetAttribute set. */
struct allowance {
    const void *kernel;
    size_t dynamic;
};
static std::vector<allowance> allowances;

static size_t dynamic_most(const void *kernel)
{
    for (const allowance &allowed : allowances)
        if (allowed.kernel == kernel)
            return allowed.dynamic;
    return SHARED_STATIC;
}

bool check_launch(launch_shape *shape, const void *kernel)
{
    const dim3 &grid = shape->grid, &block = shape->block;
    bool right = grid.x > 0 && grid.y > 0 && grid.z > 0 && block.x > 0 && block.y > 0 &&
                 block.z > 0 && grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535 &&
                 block.x <= THREADS_MOST && block.y <= THREADS_MOST && block.z <= 64 &&
                 (size_t)block.x * block.y * block.z <= shape->threads;
    if (!right) {
        result(cudaErrorInvalidConfiguration);
        return false;
    }
    if (shape->early && compute_major() < 9) {
        result(cudaErrorNotSupported);
        return false;
    }
    size_t most = dynamic_most(kernel);
    if (shape->bytes > most) {
        result(cudaErrorInvalidValue);
        return false;
    }
    shape->limit = most > SHARED_STATIC ? SHARED_MOST : SHARED_STATIC;
    return true;
}

void check_pointer(const char *kernel, int parameter, const void *pointer)
{
    if (pointer && !find_allocation(pointer) && !is_pinned(pointer, 1))
        fault("kernel %s: parameter %d is a pointer that is neither of device memory nor of pinned "
              "host memory",
              kernel, parameter + 1);
}

/* Removes the parentheses around the name of a kernel with several template arguments. */
static const char *plain_name(const char *written)
{
    static char name[200];
    size_t length = strlen(written);
    bool enclosed = length >= 2 && written[0] == '(' && written[length - 1] == ')';
    snprintf(name, sizeof name, "%.*s", (int)(enclosed ? length - 2 : length),
             enclosed ? written + 1 : written);
    return name;
}

/* Returns the numbers of the blocks in the order in which they run. */
static const std::vector<uint32_t> &order_blocks(size_t blocks)
{
    static std::vector<uint32_t> order; // kept, so that a launch allocates nothing
    order.resize(blocks);
    for (size_t i = 0; i < blocks; i++)
        order[i] = (uint32_t)(current_order() == CUDAEMU_REVERSE ? blocks - 1 - i : i);
    if (current_order() != CUDAEMU_RANDOM)
        return order;
    for (size_t i = blocks; i > 1; i--) {
        uint32_t &chosen = order[random_below((uint32_t)i)], last = order[i - 1];
        order[i - 1] = chosen;
        chosen = last;
    }
    return order;
}

void run_grid(const launch_shape &shape, void (*body)(const void *arguments), const void *arguments)
{
    counts.kernels++;
    counts.early += shape.early;
    gridDim = shape.grid;
    blockDim = shape.block;
    running.kernel = plain_name(shape.kernel);
    running.body = body;
    running.arguments = arguments;
    running.size = blockDim.x * blockDim.y * blockDim.z;
    running.early = shape.early;
    watch_launch();
    begin_loads(running.kernel);
    for (uint32_t block : order_blocks((size_t)gridDim.x * gridDim.y * gridDim.z)) {
        blockIdx = {block % gridDim.x, block / gridDim.x % gridDim.y,
                    block / gridDim.x / gridDim.y};
        begin_shared(shape.bytes, shape.limit);
        run_block();
        if (faulted())
            break;
    }
    check_fences("kernel", running.kernel);
}

} // namespace cudaemu

using namespace cudaemu;

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    device_lock lock(device_mutex);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return result(cudaSuccess);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        (size_t)value > SHARED_MOST)
        return result(cudaErrorInvalidValue);
    for (allowance &allowed : allowances)
        if (allowed.kernel == kernel) {
            allowed.dynamic = (size_t)value;
            return result(cudaSuccess);
        }
    allowances.push_back({kernel, (size_t)value});
    return result(cudaSuccess);
}

void cudaemu_set_order(enum cudaemu_order order, uint64_t seed)
{
    set_order(order, seed);
}
