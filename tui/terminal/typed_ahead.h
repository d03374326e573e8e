/* Bytes typed while something else was read from the terminal: whoever reads standard input next
 * takes them first.
 *
 * One queue for the whole program; all functions by the thread that reads the terminal.
 */
#ifndef ATTNSCOPE_TYPED_AHEAD_H
#define ATTNSCOPE_TYPED_AHEAD_H

#include <stdbool.h>
#include <stddef.h>

/* Appends; what does not fit into the queue (4096 bytes) is lost, as the kernel does with its
 * own. */
void typed_ahead_add(const unsigned char *bytes, size_t count);

/* Takes up to `count` bytes from the front; returns how many. */
size_t typed_ahead_take(unsigned char *bytes, size_t count);
bool typed_ahead_any(void);

#endif
