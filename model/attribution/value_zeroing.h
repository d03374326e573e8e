/* Value zeroing of one layer (method.h): a forced pass for each key. */
#ifndef ATTNSCOPE_VALUE_ZEROING_H
#define ATTNSCOPE_VALUE_ZEROING_H

#include "base/watch.h"
#include "model/attribution/vectors.h"

/* out (rows, columns) of the module; the captures have nothing to hold. */
bool value_zeroing(const struct captured *captured, enum module module, int layer,
                   const struct watch *watch, double *out, struct status *status);

#endif
