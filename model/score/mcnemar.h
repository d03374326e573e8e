/* McNemar's exact test: whether two sets of decisions about the same items differ by more than
 * chance (McNemar 1947).
 *
 * Pure functions.
 */
#ifndef ATTNSCOPE_MCNEMAR_H
#define ATTNSCOPE_MCNEMAR_H

/* The two-sided p-value. Of the decisions that are correct in only one of the two sets, `lost` are
 * correct in the first and `won` in the second; under the null hypothesis both are equally likely.
 * p is twice the binomial probability that the smaller count is at most as small as observed,
 * limited to 1; 0 below about 1e-305; 1 if both counts are 0. lost, won >= 0. Takes a few
 * milliseconds at most. */
double mcnemar_test(int lost, int won);

#endif
