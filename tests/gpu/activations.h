/* Expected values of activations in double, by the formulas of gpu/operations.h. */
#ifndef ATTNSCOPE_TESTS_ACTIVATIONS_H
#define ATTNSCOPE_TESTS_ACTIVATIONS_H

#include "gpu/operations.h"

/* relu must keep a NaN. */
double activation_expected(enum activation activation, double x);

#endif
