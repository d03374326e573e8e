/* The kernels for AVX-512; the Makefile sets this file's flags. */
#include "gpu/cpu/kernel/kernels.h"

#if defined(__x86_64__)
#if !defined(__AVX512F__)
#error "this file needs the compiler flags that the Makefile gives it"
#endif

#define KERNELS kernels_avx512
#include "gpu/cpu/kernel/kernels_impl.h"

#endif
