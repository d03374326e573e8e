/* What tests ask of the emulated GPU; the code under test does not include this.
 *
 * The GPU is one for the process, and begins as the environment says; the functions change it at
 * any time when no kernel runs. Plain C: a test that has opened a plug-in finds them with dlsym.
 *
 *   CUDAEMU_ORDER    forward (default), reverse, random or random:SEED
 *   CUDAEMU_MEMORY   bytes of device memory (default 2 GiB)
 *   CUDAEMU_DEVICES  how many GPUs there are (default 1; 0: none)
 *   CUDAEMU_MAJOR    their compute capability, MAJOR.0 (default 9)
 *   CUDAEMU_BUSY     1: another program has the GPU for itself
 *   CUDAEMU_DRIVER   the driver's version (default 13000, as cudaDriverGetVersion says it)
 *   CUDAEMU_EAGER    1: work is done when it is given to a stream. Otherwise it is done when the
 *                    host waits for it, as late as a GPU may, so that a result read too early is
 *                    missing.
 *   CUDAEMU_POISON   the byte that memory has before it is written (default 255: NaN, and -1)
 *   CUDAEMU_SUMS     how cuBLAS adds: double (default), chain, split or wrong (enum cudaemu_sums)
 *   CUDAEMU_TF32     how it makes float's factors tf32: round (default) or cut
 *
 * A fault is what no error code tells: undefined behaviour of a kernel, or of the host towards the
 * device. Without a handler it is printed and the process aborts. With one, the handler is told,
 * work given to the stream is dropped, and the next call that can fail returns
 * cudaErrorLaunchFailure. An access to memory out of reach cannot go on: after the message, SIGSEGV
 * is handled as it was before. AddressSanitizer's own reports end the process as always; the
 * kernel, block and thread are printed too.
 */
#ifndef CUDA_EMULATOR_EMULATOR_H
#define CUDA_EMULATOR_EMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In which order threads of a block go on, and blocks of a grid are run. A result that differs
 * between them has a race. */
enum cudaemu_order { CUDAEMU_FORWARD, CUDAEMU_REVERSE, CUDAEMU_RANDOM };
void cudaemu_set_order(enum cudaemu_order order, uint64_t seed);

void cudaemu_set_memory(size_t bytes);
void cudaemu_set_devices(int count);
void cudaemu_set_busy(int busy);
void cudaemu_set_major(int major);
void cudaemu_set_driver(int version);
void cudaemu_set_eager(int eager);

void cudaemu_set_poison(int byte);

/* How a product's sums over k are added: the default is exact to a rounding; in one chain of float,
 * fma after fma; or in 2, 3 or 4 such chains, products rounded, whose number depends on the shape,
 * which are then added: so the number of rows changes bits. */
enum cudaemu_sums {
    CUDAEMU_SUMS_DOUBLE,
    CUDAEMU_SUMS_CHAIN,
    CUDAEMU_SUMS_SPLIT,
    CUDAEMU_SUMS_WRONG // twice what they are: for those that must notice
};
void cudaemu_set_sums(enum cudaemu_sums sums);
/* True if factors of tf32 lose their lower bits instead of being rounded. */
void cudaemu_set_tf32_cut(int cut);

/* True if cuBLASLt finds no algorithm for any product from now on. */
void cudaemu_refuse_epilogues(int refuse);

/* Where making a graph fails from now on: when a capture begins, when it ends, or when the graph is
 * instantiated. */
enum cudaemu_graphs {
    CUDAEMU_GRAPHS_WORK,
    CUDAEMU_GRAPHS_NO_CAPTURE,
    CUDAEMU_GRAPHS_SPOILT,
    CUDAEMU_GRAPHS_NO_INSTANTIATION
};
void cudaemu_refuse_graphs(enum cudaemu_graphs which);

/* The message names what was wrong, the kernel, the block and the thread. NULL: no handler. */
typedef void cudaemu_handler(void *context, const char *message);
void cudaemu_on_fault(cudaemu_handler *handler, void *context);

/* Told of every kernel, product and graph before a stream is given it, in captures too. Calls
 * nothing of CUDA's. NULL: nobody is told. */
typedef void cudaemu_listener(void *context);
void cudaemu_on_launch(cudaemu_listener *listener, void *context);

/* The GPU is lost when it is given its work number `count` from now: kernels, products, graphs and
 * copies, in captures too. What it was given and has not done is dropped, and every call that can
 * fail returns cudaErrorLaunchFailure from then on. 0: it is there (again). Returns what was left
 * of the count before. */
size_t cudaemu_lose_after(size_t count);

/* Graphs that are ready to be launched now. */
size_t cudaemu_ready_graphs(void);

/* Since the last reset. A product of cuBLAS is a launch. */
struct cudaemu_counts {
    size_t launches;       // kernels and products given to a stream, outside captures
    size_t graph_launches; // graphs given to a stream
    size_t kernels;        // kernels and products run, in graphs and outside
    size_t early;          // of these, launched early (kernel.h)
    size_t copies;         // copies and fills given to a stream, outside captures
    size_t allocations;    // of device and pinned memory
    size_t reads;          // copies from the device to the host
    size_t read_bytes;     // by them
    size_t recordings;     // graphs that were made ready to be launched
    size_t waits;          // for a stream, an event or the device, blocking copies included
    size_t warp_loads; // bytes of 32-byte sectors that cudaemu_count_loads counts: each once for an
                       // instruction of a warp, which is what warps ask their cache for; and
    size_t block_loads; // each once for a block, which is what that cache asks for if it keeps them
};
void cudaemu_get_counts(struct cudaemu_counts *counts);
void cudaemu_reset_counts(void);

/* From now on counts what kernels load of device memory that have this text in their names; NULL:
 * none. False: no kernel is compiled so that it can be counted, as those of attnscope-cudaraces.so
 * are (races.h). */
int cudaemu_count_loads(const char *kernels);

#ifdef __cplusplus
}
#endif

#endif
