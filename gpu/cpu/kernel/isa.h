/* Instruction sets: which of the kernels this machine can run.
 *
 * The results are the same to the bit with each of them; they differ in speed alone.
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

/* The best one that is supported, or the one that the environment variable ATTNSCOPE_ISA names.
 * false and a status when it names one that is unknown or not supported. */
bool isa_choose(enum isa *isa, struct status *status);

#endif
