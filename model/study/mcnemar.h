/* Whether two sets of decisions about the same items differ by more than chance (McNemar 1947), exactly.
 *
 * Pure functions.
 */
#ifndef ATTNSCOPE_MCNEMAR_H
#define ATTNSCOPE_MCNEMAR_H

/* Of the decisions that are correct once and wrong once, `lost` are correct the first time and `won` the
 * second. Two-sided: were each as likely as the other, the number of the rarer ones would be this or less
 * with half of p (binomial; at most 1; 0 where it is below some 1e-305). None of either: 1. Any counts >= 0; a
 * few milliseconds at most. */
double mcnemar_test(int lost, int won);

#endif
