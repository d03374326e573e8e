#include "tests/bench/rounds.h"

#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double round_seconds(double least, void (*run)(void *context), void *context)
{
    double begin = now(), passed = 0;
    int runs = 0;
    while (runs == 0 || passed < least) {
        run(context);
        runs++;
        passed = now() - begin;
    }
    return passed / runs;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct timing rounds_time(const struct rounds *rounds, void (*run)(void *context), void *context)
{
    double seconds[ROUNDS_MOST] = {0};
    run(context);
    for (int i = 0; i < rounds->count; i++)
        seconds[i] = round_seconds(rounds->least_seconds, run, context);
    qsort(seconds, (size_t)rounds->count, sizeof *seconds, ascending);
    return (struct timing){seconds[rounds->count / 2], seconds[0], seconds[rounds->count - 1]};
}
