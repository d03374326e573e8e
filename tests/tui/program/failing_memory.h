/* Failing allocations, for the program that test_memory runs and for tests that are linked in the
 * same way (Makefile). */
#ifndef ATTNSCOPE_TESTS_FAILING_MEMORY_H
#define ATTNSCOPE_TESTS_FAILING_MEMORY_H

#include <stdbool.h>

/* Makes the `number`-th allocation from now on fail, counted from 1; 0: none. */
void failing_memory_begin(long number);
/* True if that allocation was made, and failed. */
bool failing_memory_failed(void);

#endif
