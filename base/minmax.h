/* Minimum and maximum of two integers; C has them only for floating point (fmin, fmax). */
#ifndef ATTNSCOPE_MINMAX_H
#define ATTNSCOPE_MINMAX_H

#include <stddef.h>

static inline int int_min(int a, int b)
{
    return a < b ? a : b;
}

static inline int int_max(int a, int b)
{
    return a > b ? a : b;
}

/* `value` limited to [least, most]; `least` if that is above `most`. */
static inline int int_clamp(int value, int least, int most)
{
    return int_max(least, int_min(value, most));
}

static inline size_t size_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t size_max(size_t a, size_t b)
{
    return a > b ? a : b;
}

#endif
