/* A sum that is the same in whatever order, and in whatever groups, its terms are added: an integer
 * of 128 bits that counts multiples of 2^-64. What a term has below that is cut off.
 */
#ifndef ATTNSCOPE_EXACT_SUM_H
#define ATTNSCOPE_EXACT_SUM_H

#include <math.h>
#include <stdint.h>

struct exact_sum {
    int64_t whole; // INT64_MIN: a term was no number, or too large
    uint64_t rest; // multiples of 2^-64
};

static inline void exact_sum_merge(struct exact_sum *sum, struct exact_sum other)
{
    if (sum->whole == INT64_MIN || other.whole == INT64_MIN) {
        *sum = (struct exact_sum){INT64_MIN, 0};
        return;
    }
    sum->rest += other.rest;
    sum->whole = (int64_t)((uint64_t)sum->whole + (uint64_t)other.whole + (sum->rest < other.rest));
}

static inline void exact_sum_add(struct exact_sum *sum, double term)
{
    struct exact_sum other = {INT64_MIN, 0};
    if (fabs(term) < 0x1p62) {
        int64_t whole = (int64_t)term;
        whole -= term < (double)whole; // a call of floor would take longer than all else here
        double rest = term - (double)whole;
        // If a term is just below 0, the rest is rounded to 1.
        other.whole = whole + (rest >= 1);
        other.rest = rest < 1 ? (uint64_t)(rest * 0x1p64) : 0;
    }
    exact_sum_merge(sum, other);
}

static inline double exact_sum_value(struct exact_sum sum)
{
    return sum.whole == INT64_MIN ? NAN : (double)sum.whole + (double)sum.rest * 0x1p-64;
}

#endif
