/* Rounds float32 weights to 16 bits, for devices that store them this way (enum precision in
 * gpu/backend.h).
 *
 * Rounds to nearest, ties to even, as in IEEE 754, including subnormals, infinities and NaN. Uses
 * plain integer arithmetic, so the bits are the same on every machine. Never fails; thread-safe.
 */
#ifndef ATTNSCOPE_CPU_NARROW_H
#define ATTNSCOPE_CPU_NARROW_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/backend.h"

/* `dtype`: DTYPE_F16 or DTYPE_BF16. A value too large for the type becomes infinite. */
uint16_t narrow(float value, enum dtype dtype);

/* True if `narrowed` is infinite although `value` is not. */
bool narrow_overflows(float value, uint16_t narrowed, enum dtype dtype);

#endif
