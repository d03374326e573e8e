/* Runs the threads of a block in turns. Results must not depend on the order.
 *
 * A thread runs until it waits or returns; then another one that can run is resumed. In forward
 * order this is the thread with the lowest number in the warp whose lanes met last, so that a warp
 * runs as far ahead of the others as barriers allow. In reverse order it is the highest, in random
 * order any.
 * One fibre runs threads one after another as long as none waits.
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

struct alignas(64) thread {
    uint3 index;
    unsigned number; // in the block; its lane is number % 32
    unsigned syncs;  // number of __syncwarp calls so far
    bool waited;     // has called grid_wait
    fibre *stack;    // null before it has begun
    cudaemu::state state;
    place at; // where it waits
    // Of a collective of the warp. What and mask are compared right after they were written, which
    // compilers would do with both at once, and wait for both, if they stood side by side.
    collective what;
    uint32_t value, mask, result;
    int operand, width;
};

/* A collective of all lanes of a warp. A lane may wait in the next one before the others have read
 * what it passed to this one, so that there are two arrays of values, which take turns. */
struct meeting {
    place at;
    collective what;
    bool begun;   // some lanes wait in it; describe_meeting copies `at` and `what` to their threads
    unsigned odd; // which values are those of this collective
    uint32_t values[2][LANES];
};

/* The block that runs. */
struct block {
    const char *kernel;
    void (*body)(const void *arguments);
    const void *arguments;
    unsigned size, returned, at_barrier;
    unsigned barriers; // barriers that the block has passed
    uint64_t serial;   // of all blocks ever run
    thread *current;
    uint32_t waiting[THREADS_MOST / LANES]; // lanes of each warp that wait in a collective
    uint32_t gone[THREADS_MOST / LANES];    // lanes that have returned or never existed
    meeting meetings[THREADS_MOST / LANES];
    thread threads[THREADS_MOST];
    bool running;
    bool early; // launched with LAUNCH_EARLY
};
extern block running;

void set_order(int order, uint64_t seed); // enum cudaemu_order
int current_order(void);
uint32_t random_below(uint32_t bound);

/* Runs the block described by `running`, with blockIdx, blockDim and gridDim set. After a fault the
 * rest of it is not run. */
void run_block(void);

/* wait returns when another thread has woken its caller. Threads woken last run first. */
void wait(void);
void wake(thread *thread);
void wake_all(thread *threads, unsigned count);

/* Reports who waits for whom, if no thread of the block can run. */
void report_deadlock(void);

/* Called when a thread has returned; a fault if its warp waits for it. */
void leave_warp(const thread &self);

/* Records a fault of `running.current` that was found on the host's stack; the block ends. */
void note_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

} // namespace cudaemu

#endif
