/* The kernels of every instruction set that this processor supports. */
#ifndef ATTNSCOPE_TESTS_KERNEL_SUPPORT_H
#define ATTNSCOPE_TESTS_KERNEL_SUPPORT_H

#include "gpu/cpu/kernel/isa.h"
#include "gpu/cpu/kernel/kernels.h"

/* Returns NULL if this processor lacks the instruction set. */
const struct kernels *kernels_of(enum isa isa);

#endif
