#include "tests/gpu/cpu/kernel_support.h"

const struct kernels *kernels_of(enum isa isa)
{
#if defined(__x86_64__)
    if (isa == ISA_AVX512_VNNI || isa == ISA_AVX512)
        return isa_supported(isa) ? &kernels_avx512 : NULL;
    if (isa == ISA_AVX_VNNI || isa == ISA_AVX2)
        return isa_supported(isa) ? &kernels_avx2 : NULL;
#endif
    return isa == ISA_C ? &kernels_c : NULL;
}
