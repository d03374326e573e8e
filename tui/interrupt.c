#include "tui/interrupt.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t came, idle;
static const struct backend *volatile watched_backend;
static struct device *volatile watched_device;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    if (!watched_device || idle)
        _exit(1);
    came = 1;
    watched_backend->cancel(watched_device, true);
}

void interrupt_install(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN); // a closed pipe is a write error like any other
}

void interrupt_watch(const struct backend *backend, struct device *device)
{
    // The handler reads the device first: it must never see one without its backend.
    watched_device = NULL;
    watched_backend = backend;
    watched_device = device;
}

void interrupt_idle(bool now)
{
    idle = now;
}

bool interrupted(void)
{
    return came;
}

void interrupt_clear(void)
{
    if (!came)
        return;
    came = 0;
    if (watched_device)
        watched_backend->cancel(watched_device, false);
}

bool interrupt_check(struct status *status)
{
    return !came || status_fail(status, STATUS_CANCELLED, "interrupted");
}
