#include "model/score/mcnemar.h"

#include <float.h>
#include <stdint.h>

/* Adds up the binomial's terms from the middle outwards, each computed from the one before. They
 * need no scale, as their sum gives it. After some standard deviations further terms no longer
 * count, however many there are. Continued fractions of the beta function, including GSL's, do not
 * converge for millions. */
double mcnemar_test(int lost, int won)
{
    const int64_t all = (int64_t)lost + won, fewer = lost < won ? lost : won;
    double term = 1, total = 0, tail = 0;
    for (int64_t i = all / 2; i >= 0 && term > DBL_MIN + tail * DBL_EPSILON / 4; i--) {
        total += 2 * i == all ? term : 2 * term; // the other half is the same
        if (i <= fewer)
            tail += term;
        term *= (double)i / (double)(all - i + 1);
    }
    double p = 2 * tail / total;
    return p < 1 ? p : 1;
}
