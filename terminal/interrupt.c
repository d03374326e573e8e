#include "terminal/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/system.h"
#include "terminal/terminal.h"

static atomic_bool came, idle, held; // other threads read them
static const struct backend *_Atomic watched_backend;
static struct device *_Atomic watched_device;
static atomic_int raising;     // counts threads that are raising an interrupt
static atomic_uint raised;     // counts how often one has been raised
static int news[2] = {-1, -1}; // a pipe: a waiter cannot miss what arrived before it waited

void interrupt_raise(void)
{
    int error = errno;
    raising++; // before the device is read: interrupt_watch releases none in use
    came = true;
    struct device *device = watched_device;
    if (device)
        watched_backend->cancel(device, true);
    if (write(news[1], "", 1) < 0) // full: a notice is in it already
        errno = error;
    raised++;
    raising--;
}

/* Once this thread continues, a handler that interrupted it has ended. */
static void wait_for_raising(void)
{
    while (raising > 0)
        sched_yield();
}

void interrupt_die(void)
{
    terminal_restore();
    signal(SIGINT, SIG_DFL);
    raise(SIGINT); // takes effect when the handler returns
}

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    if ((!watched_device && !held) || idle)
        interrupt_die();
    else
        interrupt_raise();
}

/* Runs when a page of a mapped file is gone: the file was truncated after the last check
 * (mapped_file.h). The program cannot continue, but says why. Other bus errors are bugs of the
 * program. */
static void on_lost_page(int signal_number, siginfo_t *about, void *unused)
{
    static const char message[] = "attnscope: a model file became shorter while it was read\n";
    (void)unused;
    terminal_restore();
    if (about->si_code != BUS_ADRERR) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
        return;
    }
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
        _exit(EXIT_FAILURE); // nobody can be told
    _exit(EXIT_FAILURE);
}

void interrupt_install(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    struct sigaction lost = {.sa_sigaction = on_lost_page, .sa_flags = SA_SIGINFO};
    if (!pipe_open(news, false))
        news[0] = news[1] = -1;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigemptyset(&lost.sa_mask);
    sigaction(SIGBUS, &lost, NULL);
    signal(SIGPIPE, SIG_IGN); // a closed pipe is a write error like any other
    signal(SIGXFSZ, SIG_IGN); // so is a file that is larger than allowed
}

void interrupt_watch(const struct backend *backend, struct device *device)
{
    // The handler reads the device first, so it must never see a device without its backend.
    watched_device = NULL;
    wait_for_raising();
    watched_backend = backend;
    watched_device = device;
}

void interrupt_hold(bool hold)
{
    held = hold;
}

void interrupt_idle(bool now)
{
    idle = now;
}

bool interrupted(void)
{
    return came;
}

int interrupt_file(void)
{
    return news[0];
}

/* An interrupt that is raised meanwhile is cleared with all its effects, or not at all: else its
 * notice, or the cancelled device, would be left without the flag. */
void interrupt_clear(void)
{
    char byte;
    unsigned before;
    if (!came)
        return;
    do {
        wait_for_raising();
        before = raised;
        came = false;
        if (watched_device)
            watched_backend->cancel(watched_device, false);
        while (read(news[0], &byte, 1) > 0)
            continue;
    } while (raising > 0 || raised != before);
}

bool interrupt_check(struct status *status)
{
    return !came || status_fail(status, STATUS_CANCELLED, "interrupted");
}
