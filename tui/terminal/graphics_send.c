#include "tui/terminal/graphics_send.h"

#include <string.h>

/* ESC P tmux; … ESC \ with every ESC inside doubled. */
size_t graphics_send(FILE *stream, bool tmux, const char *sequence, size_t bytes)
{
    size_t escapes = 0;
    if (!tmux) {
        fwrite(sequence, 1, bytes, stream);
        return 0;
    }
    fputs("\033Ptmux;", stream);
    for (const char *at = sequence, *end = sequence + bytes; at < end;) {
        const char *escape = memchr(at, '\033', (size_t)(end - at));
        size_t plain = (size_t)((escape ? escape : end) - at);
        fwrite(at, 1, plain, stream);
        if (escape)
            fputs("\033\033", stream);
        escapes += escape != NULL;
        at += plain + (escape != NULL);
    }
    fputs("\033\\", stream);
    return bytes + escapes + strlen("tmux;");
}
