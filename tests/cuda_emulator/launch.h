/* Launches: what LAUNCH calls. */
#ifndef CUDA_EMULATOR_LAUNCH_H
#define CUDA_EMULATOR_LAUNCH_H

#include <tuple>
#include <type_traits>

#include "cuda_runtime.h"
#include "stream.h"

namespace cudaemu
{

struct launch_shape {
    const char *kernel; // as written in the source
    dim3 grid, block;
    size_t bytes, limit; // of dynamic shared memory; of all shared memory
    size_t threads;      // the most that a block may have
    bool early;          // may begin before the previous kernel has ended
};

/* Runs all blocks; each of their threads is body(arguments). */
void run_grid(const launch_shape &shape, void (*body)(const void *arguments),
              const void *arguments);

template <class... P> struct launch_work {
    launch_shape shape;
    void (*kernel)(P...);
    std::tuple<P...> parameters;

    static void run_thread(const void *self)
    {
        const launch_work &work = *(const launch_work *)self;
        std::apply(work.kernel, work.parameters);
    }

    void operator()() const
    {
        run_grid(shape, run_thread, this);
    }
};

/* Refuses a launch as CUDA does; sets shape->limit. */
bool check_launch(launch_shape *shape, const void *kernel);
/* Reports a pointer that the GPU cannot access as a fault. */
void check_pointer(const char *kernel, int parameter, const void *pointer);

template <class T> inline void check_parameter(const char *kernel, int index, const T &value)
{
    static_assert(std::is_trivially_copyable<T>::value, "parameters are copied as bytes");
    if constexpr (std::is_pointer<T>::value)
        check_pointer(kernel, index, (const void *)value);
}

template <class... P, class... A>
void launch(const char *name, void (*kernel)(P...), bool early, size_t threads, dim3 grid,
            dim3 block, size_t bytes, cudaStream_t stream, const A &...arguments)
{
    static_assert(sizeof...(P) == sizeof...(A), "as many arguments as parameters");
    static_assert((sizeof(P) + ... + 0) <= 4096, "parameters have 4096 bytes at most");
    device_lock lock(device_mutex);
    launch_work<P...> work = {
        {name, grid, block, bytes, 0, threads, early}, kernel, std::tuple<P...>(arguments...)};
    if (!check_launch(&work.shape, (const void *)kernel))
        return;
    int index = 0;
    std::apply([&](const P &...values) { (check_parameter(name, index++, values), ...); },
               work.parameters);
    if (result(cudaSuccess) == cudaSuccess)
        give(stream, work_kind::kernel, work);
}

} // namespace cudaemu

#endif
