/* The kernels for any processor. */
#define KERNELS kernels_c
#include "gpu/cpu/kernel/kernels_impl.h"
