/* Checks what a program sent to its terminal, for tests: text and the sequences of a full screen,
 * and nothing else.
 *
 * The sequences are listed here as the terminals' manuals define them, independently of the
 * terminal descriptions that the program reads. So a sequence that came from a text is found.
 */
#ifndef ATTNSCOPE_TESTS_SENT_SUPPORT_H
#define ATTNSCOPE_TESTS_SENT_SUPPORT_H

#include <stddef.h>

/* Fails the running test at the first byte that does not belong there, and shows those around it. A
 * sequence cut off at the end is ignored. */
void sent_check(const char *bytes, size_t count);

#endif
