#include "gpu/cpu/kernel/isa.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const char *const names[ISA_COUNT] = {
    [ISA_AVX512] = "avx512", [ISA_AVX2] = "avx2", [ISA_C] = "c"};

const char *isa_name(enum isa isa)
{
    return names[isa];
}

#if defined(__x86_64__)
/* Not every compiler's __builtin_cpu_supports knows F16C; that the operating system saves its
 * registers follows from AVX2. */
static bool f16c_supported(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}

static bool avx2_supported(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && f16c_supported();
}

static bool avx512_supported(void)
{
    return avx2_supported() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

bool isa_supported(enum isa isa)
{
    switch (isa) {
    case ISA_C:
        return true;
#if defined(__x86_64__)
    case ISA_AVX512:
        return avx512_supported();
    case ISA_AVX2:
        return avx2_supported();
#endif
    default:
        return false;
    }
}

static bool isa_find(const char *name, enum isa *isa)
{
    for (int i = 0; i < ISA_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *isa = (enum isa)i;
            return true;
        }
    }
    return false;
}

static enum isa isa_best(void)
{
    int isa = 0;
    while (!isa_supported((enum isa)isa))
        isa++;
    return (enum isa)isa;
}

bool isa_choose(enum isa *isa, struct status *status)
{
    const char *wanted = getenv("ATTNSCOPE_ISA");
    if (!wanted || !*wanted) {
        *isa = isa_best();
        return true;
    }
    if (!isa_find(wanted, isa))
        return status_fail(status, STATUS_INVALID,
                           "ATTNSCOPE_ISA: \"%.40s\", expected avx512, avx2 or c", wanted);
    if (!isa_supported(*isa))
        return status_fail(status, STATUS_DEVICE,
                           "ATTNSCOPE_ISA: this machine has no %s (its best is %s)", wanted,
                           isa_name(isa_best()));
    return true;
}
