/* p-values of several tests at once (Holm 1979, "A simple sequentially rejective multiple test procedure").
 */
#ifndef ATTNSCOPE_HOLM_H
#define ATTNSCOPE_HOLM_H

#include "gpu/status.h"

/* adjusted[i], the p of test i among all `count`: of p sorted upwards the k-th (from 0) counts (count - k) times,
 * at most 1, and none less than one before it. Rejecting what is below α keeps the chance of any false rejection
 * below α. p, adjusted: (count). Fails where memory is short alone. */
bool holm_adjust(const double *p, int count, double *adjusted, struct status *status);

#endif
