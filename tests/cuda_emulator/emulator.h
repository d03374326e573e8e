/* Controls for tests of the emulated GPU; the code under test does not include this.
 *
 * There is one GPU per process. Its initial state comes from the environment. The functions change
 * it, at any time when no kernel runs. They are plain C, so that a test that has opened a plug-in
 * finds them with dlsym.
 *
 *   CUDAEMU_ORDER    forward (default), reverse, random or random:SEED
 *   CUDAEMU_MEMORY   bytes of device memory (default 2 GiB)
 *   CUDAEMU_DEVICES  number of GPUs (default 1; 0: none)
 *   CUDAEMU_MAJOR    their compute capability, MAJOR.0 (default 9)
 *   CUDAEMU_BUSY     1: another program has exclusive use of the GPU
 *   CUDAEMU_DRIVER   the driver's version (default 13000, as in cudaDriverGetVersion)
 *   CUDAEMU_EAGER    1: work is done when it is given to a stream. Otherwise it is done when the
 *                    host waits for it, as late as a GPU may, so that a result read too early is
 *                    missing.
 *   CUDAEMU_POISON   the byte that fills unwritten memory (default 255: NaN, and -1)
 *   CUDAEMU_SUMS     how cuBLAS adds: double (default), chain, split or wrong (enum cudaemu_sums)
 *   CUDAEMU_TF32     how it converts float factors to tf32: round (default) or cut
 *
 * A fault is an error that no error code reports: undefined behaviour of a kernel, or of the host
 * towards the device. Without a handler it is printed and the process aborts. With a handler, the
 * handler gets the message, work given to the stream is dropped, and the next call that can fail
 * returns cudaErrorLaunchFailure. After an access to inaccessible memory the program cannot
 * continue: once the message is printed, SIGSEGV is handled as before. AddressSanitizer's own
 * reports end the process as usual; the kernel, block and thread are printed too.
 */
#ifndef CUDA_EMULATOR_EMULATOR_H
#define CUDA_EMULATOR_EMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The order in which the threads of a block and the blocks of a grid run. A result that depends on
 * it has a race. */
enum cudaemu_order { CUDAEMU_FORWARD, CUDAEMU_REVERSE, CUDAEMU_RANDOM };
void cudaemu_set_order(enum cudaemu_order order, uint64_t seed);

void cudaemu_set_memory(size_t bytes);
void cudaemu_set_devices(int count);
void cudaemu_set_busy(int busy);
void cudaemu_set_major(int major);
void cudaemu_set_driver(int version);
void cudaemu_set_eager(int eager);

void cudaemu_set_poison(int byte);

/* How a product's sums over k are added. The default is exact except for one rounding. Others: in
 * one chain of float with fma; or in 2, 3 or 4 such chains, with rounded products, that are then
 * added. Their number depends on the shape, so that the number of rows changes bits. */
enum cudaemu_sums {
    CUDAEMU_SUMS_DOUBLE,
    CUDAEMU_SUMS_CHAIN,
    CUDAEMU_SUMS_SPLIT,
    CUDAEMU_SUMS_WRONG // twice the right result, for tests that must notice
};
void cudaemu_set_sums(enum cudaemu_sums sums);
/* Makes tf32 factors lose their lower bits instead of being rounded. */
void cudaemu_set_tf32_cut(int cut);

/* Makes cuBLASLt find no algorithm for any product from now on. */
void cudaemu_refuse_epilogues(int refuse);

/* Which step of making a graph fails from now on: the beginning of a capture, its end, or the
 * instantiation. */
enum cudaemu_graphs {
    CUDAEMU_GRAPHS_WORK,
    CUDAEMU_GRAPHS_NO_CAPTURE,
    CUDAEMU_GRAPHS_SPOILT,
    CUDAEMU_GRAPHS_NO_INSTANTIATION
};
void cudaemu_refuse_graphs(enum cudaemu_graphs which);

/* The message says what was wrong and names the kernel, the block and the thread. NULL: no
 * handler. */
typedef void cudaemu_handler(void *context, const char *message);
void cudaemu_on_fault(cudaemu_handler *handler, void *context);

/* Called for every kernel, product and graph before it is given to a stream, in captures too. It
 * must not call CUDA. NULL: no listener. */
typedef void cudaemu_listener(void *context);
void cudaemu_on_launch(cudaemu_listener *listener, void *context);

/* Makes the GPU fail when it is given its `count`-th piece of work from now: kernels, products,
 * graphs and copies, in captures too. Its pending work is dropped, and from then on every call that
 * can fail returns cudaErrorLaunchFailure. 0: the GPU works (again). Returns what was left of the
 * previous count. */
size_t cudaemu_lose_after(size_t count);

/* Returns the number of instantiated graphs. */
size_t cudaemu_ready_graphs(void);

/* Counts since the last reset. A product of cuBLAS counts as a launch. */
struct cudaemu_counts {
    size_t launches;       // kernels and products given to a stream, outside captures
    size_t graph_launches; // graphs given to a stream
    size_t kernels;        // kernels and products run, in graphs and outside
    size_t early;          // of these, those launched early (kernel.h)
    size_t copies;         // copies and fills given to a stream, outside captures
    size_t allocations;    // of device and pinned memory
    size_t reads;          // copies from the device to the host
    size_t read_bytes;     // by those reads
    size_t recordings;     // graphs that were instantiated
    size_t waits;          // for a stream, an event or the device, including blocking copies
    size_t warp_loads; // bytes of 32-byte sectors that cudaemu_count_loads counts: each once for an
                       // instruction of a warp, which is what warps request from their cache; and
    size_t block_loads; // each once for a block, which is what that cache requests if it keeps them
};
void cudaemu_get_counts(struct cudaemu_counts *counts);
void cudaemu_reset_counts(void);

/* From now on counts the loads of device memory by kernels whose names contain this text; NULL:
 * none. Returns false if no kernel was compiled for counting, as those of attnscope-cudaraces.so
 * are (races.h). */
int cudaemu_count_loads(const char *kernels);

#ifdef __cplusplus
}
#endif

#endif
