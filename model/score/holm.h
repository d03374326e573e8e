/* p-values of several tests at once (Holm 1979, "A simple sequentially rejective multiple test
 * procedure").
 */
#ifndef ATTNSCOPE_HOLM_H
#define ATTNSCOPE_HOLM_H

#include "base/status.h"

/* Adjusts the p-values of `count` tests: in ascending order, the k-th (from 0) is multiplied by
 * (count - k), limited to 1, and raised to the previous adjusted value if that is larger. Rejecting
 * adjusted p-values below α keeps the probability of any false rejection below α. p, adjusted:
 * (count), in the order of the tests. Fails only if memory runs out. */
bool holm_adjust(const double *p, int count, double *adjusted, struct status *status);

#endif
