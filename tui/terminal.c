#include "tui/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <termios.h>
#include <unistd.h>

static struct termios found;
static volatile sig_atomic_t guarded, changed, pasting, resumed;

static const int fatal[] = {SIGHUP,  SIGQUIT, SIGILL,  SIGTRAP,  SIGABRT, SIGBUS,
                            SIGFPE,  SIGUSR1, SIGSEGV, SIGUSR2,  SIGALRM, SIGTERM,
                            SIGXCPU, SIGXFSZ, SIGSYS,  SIGVTALRM};

/* Only what may be called in a signal handler. */
static void restore(void)
{
    static const char brackets_off[] = "\033[?2004l";
    if (!guarded || !changed)
        return;
    tcsetattr(STDIN_FILENO, TCSANOW, &found);
    if (pasting && write(STDOUT_FILENO, brackets_off, sizeof brackets_off - 1) < 0)
        return; // nobody is there to see it
}

/* SA_RESETHAND: the signal then does what it would have done. */
static void on_fatal(int signal_number)
{
    restore();
    raise(signal_number);
}

static void set_handler(int signal_number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags | SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) &&
        before.sa_handler == SIG_DFL)
        sigaction(signal_number, &action, NULL);
}

static void on_stop(int signal_number)
{
    int error = errno;
    sigset_t signals;
    restore();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    sigemptyset(&signals);
    sigaddset(&signals, signal_number);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL); // stops here until the program is continued
    set_handler(signal_number, on_stop, 0);
    resumed = 1;
    errno = error;
}

void terminal_guard(void)
{
    if (guarded || tcgetattr(STDIN_FILENO, &found) != 0)
        return;
    guarded = 1;
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        set_handler(fatal[i], on_fatal, SA_RESETHAND);
    set_handler(SIGTSTP, on_stop, 0);
}

void terminal_change(bool now, bool paste)
{
    pasting = paste;
    changed = now;
}

bool terminal_resumed(void)
{
    bool was = resumed;
    resumed = 0;
    return was;
}
