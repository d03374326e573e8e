#include "tests/bench/calibrate.h"

#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

void calibrate_print(void)
{
    double begin = now();
    volatile double sum = 1;
    for (int i = 0; i < 1 << 26; i++)
        sum = sum * 0.999999 + 1e-6;
    printf("calibration: 2^26 dependent multiply-adds through memory take %.0f ms\n",
           now() - begin);
}
