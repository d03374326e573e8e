/* Vectors of ROW_LANES floats, which gcc and clang map to the available instructions. Only for
 * attention_rows_*.c. */
#ifndef ATTNSCOPE_ATTENTION_ROWS_LANES_H
#define ATTNSCOPE_ATTENTION_ROWS_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/study/heads/attention_rows.h"

typedef float lanes __attribute__((vector_size(ROW_LANES * sizeof(float))));
typedef int32_t int_lanes __attribute__((vector_size(ROW_LANES * sizeof(int32_t))));

#define lanes_all(value) ((lanes){0} + (value))

static inline lanes lanes_load(const float *from)
{
    lanes loaded;
    memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

static inline void lanes_store(float *to, lanes stored)
{
    memcpy(to, &stored, sizeof stored);
}

#endif
