/* How often a test repeats itself. `make check` does everything once or a few times. `make
 * check-full` sets ATTNSCOPE_TEST_FULL in the environment, for tests with every seed, size and
 * model. */
#ifndef ATTNSCOPE_TESTS_ROUNDS_H
#define ATTNSCOPE_TESTS_ROUNDS_H

#include <stdbool.h>

bool rounds_full(void);

/* Returns `full` if rounds_full is true, otherwise `usual`. */
int rounds_of(int usual, int full);

#endif
