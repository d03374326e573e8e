#include "terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/send.h"
#include "base/system.h"
#include "terminal/captured_stderr.h"

/* What a screen changes in the terminal. */
struct screen {
    char enter[TERMINAL_BYTES], leave[TERMINAL_BYTES];
    size_t enter_bytes, leave_bytes;
};

static struct termios found, wanted; // as at the start; while a screen is up
static volatile sig_atomic_t guarded, changed, pasting, stopping, resumed, resized;
static struct screen screens[2]; // a signal may arrive while the other one is written
static struct screen *volatile screen;
static int news[2] = {-1, -1}; // a pipe: a waiter cannot miss what arrived before it waited

static const int fatal[] = {SIGHUP,  SIGQUIT, SIGILL,  SIGTRAP,  SIGABRT, SIGBUS,
                            SIGFPE,  SIGUSR1, SIGSEGV, SIGUSR2,  SIGALRM, SIGTERM,
                            SIGXCPU, SIGXFSZ, SIGSYS,  SIGVTALRM};

void terminal_restore(void)
{
    static const char brackets_off[] = "\033[?2004l";
    const struct screen *up = screen;
    if (!guarded || (!changed && !up))
        return;
    if (up)
        send_bytes(STDOUT_FILENO, up->leave, up->leave_bytes);
    if (pasting)
        send_bytes(STDOUT_FILENO, brackets_off, sizeof brackets_off - 1);
    tcsetattr(STDIN_FILENO, TCSANOW, &found);
    captured_stderr_release();
}

/* At exit, restores for the last time: nothing is drawn any more. */
static void restore_last(void)
{
    terminal_restore();
    changed = 0;
    screen = NULL;
}

/* SA_RESETHAND: raising it again has the default effect. */
static void on_fatal(int signal_number)
{
    terminal_restore();
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

static void wake(void)
{
    if (write(news[1], "", 1) < 0)
        return; // full: a notice is in it already
}

static void stop_here(int signal_number)
{
    sigset_t signals;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    sigemptyset(&signals);
    sigaddset(&signals, signal_number);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL); // stops here until the program continues
}

/* The screen is up again before this returns, so interrupted drawing can go on. */
static void come_back(void)
{
    if (screen) {
        tcsetattr(STDIN_FILENO, TCSANOW, &wanted);
        send_bytes(STDOUT_FILENO, screen->enter, screen->enter_bytes);
        captured_stderr_hold();
    }
    resumed = 1;
    wake();
}

static void on_stop(int signal_number)
{
    int error = errno;
    terminal_restore();
    stopping = 1;
    stop_here(signal_number);
    stopping = 0;
    set_handler(signal_number, on_stop, 0);
    come_back();
    errno = error;
}

/* SIGSTOP cannot be caught: until now, other programs had the terminal as we left it. */
static void on_continue(int signal_number)
{
    int error = errno;
    (void)signal_number;
    if (!stopping && (changed || screen))
        come_back();
    errno = error;
}

static void on_resize(int signal_number)
{
    int error = errno;
    (void)signal_number;
    resized = 1;
    wake();
    errno = error;
}

void terminal_guard(void)
{
    if (guarded || tcgetattr(STDIN_FILENO, &found) != 0)
        return;
    if (!pipe_open(news, false))
        news[0] = news[1] = -1;
    guarded = 1;
    atexit(restore_last);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        set_handler(fatal[i], on_fatal, SA_RESETHAND);
    set_handler(SIGTSTP, on_stop, 0);
    set_handler(SIGCONT, on_continue, 0);
}

void terminal_change(bool now, bool paste)
{
    pasting = paste;
    changed = now;
}

/* Other threads block the signal, so it arrives on the thread that draws. */
void terminal_hold_stops(bool on)
{
    static sigset_t before;
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    if (on)
        pthread_sigmask(SIG_BLOCK, &stop, &before);
    else
        pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static size_t copy_bytes(char *to, const char *from)
{
    size_t bytes = strnlen(from, TERMINAL_BYTES);
    memcpy(to, from, bytes);
    return bytes;
}

void terminal_screen(const char *enter, const char *leave)
{
    struct screen *other = screen == &screens[0] ? &screens[1] : &screens[0];
    if (!enter) {
        screen = NULL;
        captured_stderr_release();
        return;
    }
    tcgetattr(STDIN_FILENO, &wanted);
    captured_stderr_hold();
    other->enter_bytes = copy_bytes(other->enter, enter);
    other->leave_bytes = copy_bytes(other->leave, leave);
    screen = other;
}

void terminal_watch_size(void)
{
    struct sigaction action = {.sa_handler = on_resize, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGWINCH, &action, NULL);
}

int terminal_file(void)
{
    return news[0];
}

bool terminal_resumed(void)
{
    bool was = resumed;
    resumed = 0;
    return was;
}

bool terminal_resized(void)
{
    char byte;
    while (read(news[0], &byte, 1) > 0)
        continue;
    bool was = resized;
    resized = 0;
    return was;
}

/* Typed ahead ---------------------------------------------------------------------------------- */

enum { QUEUE_BYTES = 4096 };

static struct {
    unsigned char bytes[QUEUE_BYTES];
    size_t count;
} queue;

void typed_ahead_add(const unsigned char *bytes, size_t count)
{
    size_t room = QUEUE_BYTES - queue.count;
    count = count < room ? count : room;
    memcpy(queue.bytes + queue.count, bytes, count);
    queue.count += count;
}

size_t typed_ahead_take(unsigned char *bytes, size_t count)
{
    count = count < queue.count ? count : queue.count;
    memcpy(bytes, queue.bytes, count);
    queue.count -= count;
    memmove(queue.bytes, queue.bytes + count, queue.count);
    return count;
}

bool typed_ahead_any(void)
{
    return queue.count > 0;
}
