/* AddressSanitizer's annotations, empty without it, and whether this is compiled for races.h. */
#ifndef CUDA_EMULATOR_SANITIZER_H
#define CUDA_EMULATOR_SANITIZER_H

#include <stddef.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define CUDAEMU_ASAN 1
#endif
#endif
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define CUDAEMU_TSAN 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define CUDAEMU_TSAN 1
#endif
#ifndef CUDAEMU_TSAN
#define CUDAEMU_TSAN 0
#endif

#ifdef __SANITIZE_ADDRESS__
#define CUDAEMU_ASAN 1
#endif

#ifdef CUDAEMU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
#define CUDAEMU_ASAN 0
#endif

namespace cudaemu
{

constexpr bool asan = CUDAEMU_ASAN;

#if CUDAEMU_ASAN
inline void poison(const void *begin, size_t bytes)
{
    __asan_poison_memory_region(begin, bytes);
}

inline void unpoison(const void *begin, size_t bytes)
{
    __asan_unpoison_memory_region(begin, bytes);
}

inline void begin_switch(void **fake_stack, const void *bottom, size_t bytes)
{
    __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
}

inline void end_switch(void *fake_stack, const void **bottom, size_t *bytes)
{
    __sanitizer_finish_switch_fiber(fake_stack, bottom, bytes);
}

inline void before_report(void (*say)(const char *report))
{
    __asan_set_error_report_callback(say);
}
#else
inline void poison(const void *, size_t)
{
}

inline void unpoison(const void *, size_t)
{
}

inline void begin_switch(void **, const void *, size_t)
{
}

inline void end_switch(void *, const void **, size_t *)
{
}

inline void before_report(void (*)(const char *))
{
}
#endif

} // namespace cudaemu

#endif
