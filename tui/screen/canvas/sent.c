#include "tui/screen/canvas/sent.h"

#include <errno.h>
#include <unistd.h>

static struct {
    char bytes[16384];
    size_t count;
} sent;

void sent_flush(void)
{
    const char *text = sent.bytes;
    ssize_t written = 0;
    while (sent.count > 0 && (written >= 0 || errno == EINTR)) {
        written = write(STDOUT_FILENO, text, sent.count);
        text += written > 0 ? written : 0;
        sent.count -= written > 0 ? (size_t)written : 0;
    }
    sent.count = 0;
}

int sent_byte(int byte)
{
    if (sent.count == sizeof sent.bytes)
        sent_flush();
    sent.bytes[sent.count++] = (char)byte;
    return byte;
}

void sent_add(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        sent_byte((unsigned char)text[i]);
}
