/* The kernels for any processor. */
#define KERNELS kernels_c
#include "gpu/cpu/kernels_impl.h"
