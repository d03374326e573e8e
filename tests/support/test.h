/* Included by every test: cmocka with the headers that it needs, and those that most tests use. */
#ifndef ATTNSCOPE_TEST_H
#define ATTNSCOPE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

#endif
