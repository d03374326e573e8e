/* What a program sent to its terminal, for tests: text, and the sequences of a full screen; nothing
 * else.
 *
 * The sequences are written down here as the terminals' manuals have them, apart from the
 * descriptions that the program reads: one that only a text can have brought is found.
 */
#ifndef ATTNSCOPE_TESTS_SENT_SUPPORT_H
#define ATTNSCOPE_TESTS_SENT_SUPPORT_H

#include <stddef.h>

/* Fails the running test at the first byte that does not belong there, with those around it. What
 * the end cuts off is not looked at. */
void sent_check(const char *bytes, size_t count);

#endif
