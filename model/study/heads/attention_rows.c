#include "model/study/heads/attention_rows.h"

#include <math.h>

#include "model/study/heads/attention_rows_lanes.h"

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    for (int l = 0; l < ROW_LANES; l++)
        c[l] = fmaf(a[l], b[l], c[l]);
    return c;
}

static inline lanes lanes_root(lanes a)
{
    for (int l = 0; l < ROW_LANES; l++)
        a[l] = sqrtf(a[l]);
    return a;
}

static inline bool lanes_any(int_lanes a)
{
    int32_t any = 0;
    for (int l = 0; l < ROW_LANES; l++)
        any |= a[l];
    return any != 0;
}

#include "model/study/heads/attention_rows_impl.h"

const struct row_arithmetic row_arithmetic_c = ROW_ARITHMETIC;

const struct row_arithmetic *row_arithmetic(void)
{
    const struct row_arithmetic *fast = row_arithmetic_avx2();
    return fast ? fast : &row_arithmetic_c;
}
