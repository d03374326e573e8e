#include "tests/gpu/activations.h"

#include <math.h>

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

double activation_expected(enum activation activation, double x)
{
    switch (activation) {
    case ACTIVATION_RELU:
        return x < 0 ? 0 : x;
    case ACTIVATION_GELU:
        return x / 2 * erfc(-x / sqrt(2));
    case ACTIVATION_SWISH:
        return x * sigmoid(x);
    case ACTIVATION_GELU_TANH:
        return x / 2 * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
    case ACTIVATION_GELU_SIGMOID:
        return x * sigmoid(1.702 * x);
    case ACTIVATION_TANH:
        return tanh(x);
    case ACTIVATION_SIGMOID:
        return sigmoid(x);
    default:
        return x;
    }
}
