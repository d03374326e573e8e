/* Allocations that fail, for the program that test_memory runs and for tests that are linked as it
 * is (Makefile). */
#ifndef ATTNSCOPE_TESTS_FAILING_MEMORY_H
#define ATTNSCOPE_TESTS_FAILING_MEMORY_H

#include <stdbool.h>

/* From now on the `number`-th allocation fails, from 1 on; 0: none does. */
void failing_memory_begin(long number);
/* True if it did. */
bool failing_memory_failed(void);

#endif
