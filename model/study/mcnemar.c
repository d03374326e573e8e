#include "model/study/mcnemar.h"

#include <gsl/gsl_cdf.h>

double mcnemar_test(int lost, int won)
{
    int fewer = lost < won ? lost : won;
    double p = 2 * gsl_cdf_binomial_P((unsigned)fewer, 0.5, (unsigned)(lost + won));
    return p < 1 ? p : 1;
}
