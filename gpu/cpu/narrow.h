/* Rounding float32 weights to 16 bits, for devices that store them so (enum precision in
 * gpu/backend.h).
 *
 * To the nearest value, halves to the even one, as IEEE 754 rounds; subnormals, infinities and NaN
 * included. Plain integer arithmetic, so the bits are the same on every machine. Never fails; any
 * number of threads may call it.
 */
#ifndef ATTNSCOPE_CPU_NARROW_H
#define ATTNSCOPE_CPU_NARROW_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/backend.h"

/* `dtype`: DTYPE_F16 or DTYPE_BF16. A value too large for it becomes infinite. */
uint16_t narrow(float value, enum dtype dtype);

/* True if `narrowed` is infinite although the value that was narrowed is not. */
bool narrow_overflows(float value, uint16_t narrowed, enum dtype dtype);

#endif
