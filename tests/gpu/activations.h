/* What activations are expected to give, in double: the formulas of gpu/operations.h. */
#ifndef ATTNSCOPE_TESTS_ACTIVATIONS_H
#define ATTNSCOPE_TESTS_ACTIVATIONS_H

#include "gpu/operations.h"

/* relu keeps a NaN. */
double activation_expected(enum activation activation, double x);

#endif
