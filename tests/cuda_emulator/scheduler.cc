#include "scheduler.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "emulator.h"
#include "fault.h"
#include "fibre.h"
#include "memory.h"
#include "shared.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace cudaemu
{

block running;

static struct {
    uint16_t threads[THREADS_MOST];
    unsigned first, length;
} queue;

static int order = CUDAEMU_FORWARD;
static uint64_t random_state = 1;
static char message[1024]; // of the fault that ended the block; "" if there was none

void set_order(int order_, uint64_t seed)
{
    order = order_;
    random_state = seed * 2 + 1;
}

int current_order(void)
{
    return order;
}

/* splitmix64. */
uint32_t random_below(uint32_t bound)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (uint32_t)((z ^ z >> 31) >> 32) % bound;
}

void wake(thread *thread)
{
    thread->state = state::ready;
    queue.first = (queue.first + THREADS_MOST - 1) % THREADS_MOST;
    queue.threads[queue.first] = (uint16_t)thread->number;
    queue.length++;
}

/* Wakes threads as if one by one, from the last to the first (in reverse order from the first to
 * the last); those woken last run first. */
void wake_all(thread *threads, unsigned count)
{
    queue.first = (queue.first + THREADS_MOST - count) % THREADS_MOST;
    queue.length += count;
    for (unsigned i = 0; i < count; i++) {
        thread &woken = threads[order == CUDAEMU_REVERSE ? count - 1 - i : i];
        woken.state = state::ready;
        queue.threads[(queue.first + i) % THREADS_MOST] = (uint16_t)woken.number;
    }
}

/* Returns the next thread to run, or null. */
static thread *next(void)
{
    if (queue.length == 0)
        return nullptr;
    uint16_t *first = &queue.threads[queue.first];
    if (order == CUDAEMU_RANDOM) {
        unsigned chosen = (queue.first + random_below(queue.length)) % THREADS_MOST;
        uint16_t swapped = *first;
        *first = queue.threads[chosen];
        queue.threads[chosen] = swapped;
    }
    queue.first = (queue.first + 1) % THREADS_MOST;
    queue.length--;
    return &running.threads[*first];
}

static void become(thread *thread)
{
    running.current = thread;
    threadIdx = thread->index;
}

void wait(void)
{
    thread *self = running.current, *other = next();
    if (!other) { // no thread can run; run_block reports it
        fibre_leave();
    } else if (other != self) {
        become(other);
        fibre_switch(other->stack);
    }
}

/* Called when a thread has returned: its fibre finds the next thread, and runs it here or on that
 * thread's own stack. */
static void go_on(void)
{
    thread *other = next();
    if (other)
        become(other);
    if (other && !other->stack)
        return;
    fibre_retire(fibre_self());
    if (other)
        fibre_switch(other->stack);
    else
        fibre_leave();
}

static void finish(thread *thread)
{
    thread->state = state::returned;
    running.returned++;
    leave_warp(*thread);
    if (running.early && !thread->waited)
        kernel_fault("it returns without grid_wait, launched early");
    if (running.at_barrier > 0)
        kernel_fault("it returns while other threads of the block wait at a barrier");
}

void wait_for_grids(void)
{
    running.current->waited = true;
}

void check_pinned(const void *address, size_t bytes)
{
    if (!is_pinned(address, bytes))
        kernel_fault("it writes %zu bytes for the host at %p, which is no pinned memory", bytes,
                     address);
}

static void run_threads(void)
{
    for (;;) {
        running.current->stack = fibre_self();
        running.body(running.arguments);
        finish(running.current);
        go_on();
    }
}

static void fill_queue(void)
{
    queue.first = queue.length = 0;
    wake_all(running.threads, running.size);
}

static void begin_threads(void)
{
    uint3 index = {0, 0, 0};
    for (unsigned i = 0; i < running.size; i++) {
        running.threads[i].number = i;
        running.threads[i].stack = nullptr;
        running.threads[i].syncs = 0;
        running.threads[i].waited = false;
        running.threads[i].index = index;
        if (++index.x == blockDim.x) {
            index.x = 0;
            index.z += index.y + 1 == blockDim.y;
            index.y = index.y + 1 == blockDim.y ? 0 : index.y + 1;
        }
    }
    for (unsigned warp = 0; warp < THREADS_MOST / LANES; warp++) {
        unsigned begin = warp * LANES, left = running.size > begin ? running.size - begin : 0;
        running.waiting[warp] = 0;
        running.meetings[warp].begun = false;
        running.gone[warp] = left >= LANES ? 0 : ~0u << left;
    }
    running.returned = running.at_barrier = running.barriers = 0;
    running.serial++;
}

void run_block(void)
{
    fibre_work(run_threads);
    begin_threads();
    fill_queue();
    message[0] = '\0';
    become(next());
    running.running = true;
    fibre_enter();
    if (!message[0] && running.returned < running.size)
        report_deadlock();
    end_shared();
    running.running = false;
    if (message[0]) {
        fibre_abandon();
        fault("%s", message);
    }
}

__attribute__((format(printf, 1, 0))) static void note(const char *format, va_list arguments)
{
    uint3 index = running.current->index;
    if (message[0])
        return; // errors after a fault may be its consequences
    int length = snprintf(message, sizeof message,
                          "kernel %s, block (%u, %u, %u), thread (%u, %u, %u): ", running.kernel,
                          blockIdx.x, blockIdx.y, blockIdx.z, index.x, index.y, index.z);
    if (length > 0 && (size_t)length < sizeof message)
        vsnprintf(message + length, sizeof message - length, format, arguments);
}

void note_fault(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(format, arguments);
    va_end(arguments);
}

void kernel_fault(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(format, arguments);
    va_end(arguments);
    fibre_leave();
    abort();
}

} // namespace cudaemu
