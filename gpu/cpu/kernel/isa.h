/* Instruction sets: which kernels this machine can run.
 *
 * Results are bit-identical with each of them; they only differ in speed.
 */
#ifndef ATTNSCOPE_CPU_ISA_H
#define ATTNSCOPE_CPU_ISA_H

#include "base/status.h"

enum isa {
    ISA_AVX512_VNNI, // AVX512_VNNI, and all of ISA_AVX512
    ISA_AVX512,      // F, DQ, BW, VL, and all of ISA_AVX2
    ISA_AVX_VNNI,    // AVX-VNNI, and all of ISA_AVX2
    ISA_AVX2,        // AVX2, FMA, F16C
    ISA_C,           // plain C
    ISA_COUNT
};

/* "avx512vnni", "avx512", "avxvnni", "avx2", "c". */
const char *isa_name(enum isa isa);

/* True if processor and operating system support it. */
bool isa_supported(enum isa isa);

/* Chooses the best supported one, or the one named by the environment variable ATTNSCOPE_ISA. Fails
 * if that is unknown or not supported. */
bool isa_choose(enum isa *isa, struct status *status);

#endif
