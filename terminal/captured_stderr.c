#include "terminal/captured_stderr.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

#include "base/send.h"
#include "base/system.h"

enum { LINE_BYTES = 1000 };

static int kept[2] = {-1, -1}; // a pipe with both ends non-blocking
static int own = -1;           // standard error as the program started with it
static volatile sig_atomic_t holding;
static struct {
    char text[LINE_BYTES];
    size_t bytes;
} begun; // a line that may be incomplete

/* A sanitizer's report ends the program, so it must go to the real standard error. */
static void keep_reports(void)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_set_report_fd((void *)(intptr_t)own);
#endif
}

static bool open_pipe(void)
{
    if (own >= 0)
        return true;
    if (kept[0] < 0 && !pipe_open(kept, false)) {
        kept[0] = kept[1] = -1;
        return false;
    }
    own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (own >= 0)
        keep_reports();
    return own >= 0;
}

void captured_stderr_hold(void)
{
    if (!holding && isatty(STDERR_FILENO) && open_pipe())
        holding = dup2(kept[1], STDERR_FILENO) == STDERR_FILENO;
}

void captured_stderr_release(void)
{
    char bytes[512];
    ssize_t count;
    if (!holding)
        return;
    holding = 0;
    dup2(own, STDERR_FILENO);
    send_bytes(STDERR_FILENO, begun.text, begun.bytes);
    begun.bytes = 0;
    while ((count = read(kept[0], bytes, sizeof bytes)) > 0)
        send_bytes(STDERR_FILENO, bytes, (size_t)count);
}

bool captured_stderr_take(char *line, size_t size)
{
    char *end;
    ssize_t count = 0;
    while (!(end = memchr(begun.text, '\n', begun.bytes)) && begun.bytes < sizeof begun.text &&
           holding && (count = read(kept[0], begun.text + begun.bytes, 1)) > 0)
        begun.bytes += (size_t)count;
    if (!end && begun.bytes < sizeof begun.text)
        return false;
    size_t length = end ? (size_t)(end - begun.text) : begun.bytes;
    size_t copied = length < size ? length : size - 1;
    memcpy(line, begun.text, copied);
    line[copied] = '\0';
    begun.bytes = 0;
    return true;
}

int captured_stderr_file(void)
{
    return holding ? kept[0] : -1;
}
