#include "model/score/holm.h"

#include <stdlib.h>

#include <gsl/gsl_sort.h>

bool holm_adjust(const double *p, int count, double *adjusted, struct status *status)
{
    size_t *order = memory_new((size_t)count, sizeof *order, status);
    double most = 0;
    if (!order)
        return false;
    gsl_sort_index(order, p, 1, (size_t)count);
    for (int k = 0; k < count; k++) {
        double own = (count - k) * p[order[k]];
        most = own > most ? own : most;
        adjusted[order[k]] = most < 1 ? most : 1;
    }
    free(order);
    return true;
}
