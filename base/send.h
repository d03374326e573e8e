/* Writes all of a buffer to a file descriptor. */
#ifndef ATTNSCOPE_SEND_H
#define ATTNSCOPE_SEND_H

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

/* Returns false, with the reason in errno, if not all bytes could be written. May be called in a
 * signal handler. */
static inline bool send_bytes(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t sent = write(file, bytes, count);
        if (sent < 0 && errno != EINTR)
            return false;
        bytes += sent > 0 ? sent : 0;
        count -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

#endif
