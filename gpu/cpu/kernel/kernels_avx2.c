/* The kernels for AVX2 with FMA; the Makefile sets this file's flags. */
#include "gpu/cpu/kernel/kernels.h"

#if defined(__x86_64__)
#if !defined(__AVX2__) || !defined(__FMA__)
#error "this file needs the compiler flags that the Makefile gives it"
#endif

#define KERNELS kernels_avx2
#include "gpu/cpu/kernel/kernels_impl.h"

#endif
