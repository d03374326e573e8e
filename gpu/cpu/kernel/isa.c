#include "gpu/cpu/kernel/isa.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const char *const names[ISA_COUNT] = {[ISA_AVX512_VNNI] = "avx512vnni",
                                             [ISA_AVX512] = "avx512",
                                             [ISA_AVX_VNNI] = "avxvnni",
                                             [ISA_AVX2] = "avx2",
                                             [ISA_C] = "c"};

const char *isa_name(enum isa isa)
{
    return names[isa];
}

#if defined(__x86_64__)
/* Not every compiler's __builtin_cpu_supports knows F16C. If AVX2 is supported, the operating
 * system saves its registers. */
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

/* Bits of CPUID leaf 7. Compilers do not know names for all of these, either. */
enum { EXTENDED_FEATURES = 7, AVX512_VNNI_BIT = 1 << 11, AVX_VNNI_BIT = 1 << 4 };

static bool avx512_vnni_supported(void)
{
    unsigned a, b, c, d;
    return avx512_supported() && __get_cpuid_count(EXTENDED_FEATURES, 0, &a, &b, &c, &d) &&
           (c & AVX512_VNNI_BIT) != 0;
}

static bool avx_vnni_supported(void)
{
    unsigned a, b, c, d;
    return avx2_supported() && __get_cpuid_count(EXTENDED_FEATURES, 1, &a, &b, &c, &d) &&
           (a & AVX_VNNI_BIT) != 0;
}
#endif

bool isa_supported(enum isa isa)
{
    switch (isa) {
    case ISA_C:
        return true;
#if defined(__x86_64__)
    case ISA_AVX512_VNNI:
        return avx512_vnni_supported();
    case ISA_AVX512:
        return avx512_supported();
    case ISA_AVX_VNNI:
        return avx_vnni_supported();
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
                           "ATTNSCOPE_ISA: \"%.40s\", expected avx512vnni, avx512, avxvnni, avx2 "
                           "or c",
                           wanted);
    if (!isa_supported(*isa))
        return status_fail(status, STATUS_DEVICE,
                           "ATTNSCOPE_ISA: this machine has no %s (its best is %s)", wanted,
                           isa_name(isa_best()));
    return true;
}
