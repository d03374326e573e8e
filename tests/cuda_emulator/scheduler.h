/* Runs the threads of a block, in turns, in an order that nothing may depend on.
 *
 * A thread runs until it waits or returns; then another that can goes on. In forward order that is
 * the one with the lowest number, of the warp whose lanes met last; so a warp runs as far ahead of
 * the others as a barrier allows. In reverse order it is the highest, in random order any.
 * One fibre runs one thread after the other as long as none waits.
 */
#ifndef CUDA_EMULATOR_SCHEDULER_H
#define CUDA_EMULATOR_SCHEDULER_H

#include <stddef.h>
#include <stdint.h>

#include "device_code.h"

namespace cudaemu
{

struct fibre;

enum { THREADS_MOST = 1024, LANES = 32 };
enum class state { ready, in_warp, at_barrier, returned };

struct thread {
    uint3 index;
    unsigned number; // in the block; its lane is number % 32
    unsigned syncs;  // __syncwarp that it has passed
    bool waited;     // grid_wait
    fibre *stack;    // null before it has begun
    cudaemu::state state;
    place at; // where it waits
    // Of a collective of the warp. What and mask are compared right after they were written, which
    // compilers would do with both at once, and wait for both, if they stood side by side.
    collective what;
    uint32_t value, mask, result;
    int operand, width;
};

/* The block that runs. */
struct block {
    const char *kernel;
    void (*body)(const void *arguments);
    const void *arguments;
    unsigned size, returned, at_barrier;
    unsigned barriers; // that the block has passed
    uint64_t serial;   // of all blocks ever run
    thread *current;
    uint32_t waiting[THREADS_MOST / LANES]; // lanes of each warp that are in a collective
    uint32_t gone[THREADS_MOST / LANES];    // lanes that have returned, or never were
    thread threads[THREADS_MOST];
    bool running;
    bool early; // LAUNCH_EARLY
};
extern block running;

void set_order(int order, uint64_t seed); // enum cudaemu_order
int current_order(void);
uint32_t random_below(uint32_t bound);

/* Runs the block that `running` describes with blockIdx, blockDim and gridDim set; after a fault
 * the rest of it is not run. */
void run_block(void);

/* `wait` returns when another thread has woken the one that calls it. What is woken goes on before
 * what was woken earlier. */
void wait(void);
void wake(thread *thread);
void wake_all(thread *threads, unsigned count);

/* Of a block of which nothing can go on: says who waits for whom. */
void report_deadlock(void);

/* A thread returned; a fault if its warp waits for it. */
void leave_warp(const thread &self);

/* A fault of `running.current` that is found on the host's stack; the block ends with it. */
void note_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

} // namespace cudaemu

#endif
