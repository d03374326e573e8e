/* Ctrl-C, while the device that it cancels is exchanged. */
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread.h"
#include "gpu/backend.h"
#include "terminal/interrupt.h"
#include "tests/support/test.h"

/* A device that takes its time to be cancelled, and knows whether it was closed meanwhile. */
struct device {
    atomic_bool entered, closed, closed_within, cancelled;
};

static void cancel_slowly(struct device *device, bool on)
{
    enum { MICROSECONDS = 50000 };
    device->cancelled = on;
    device->entered = true;
    usleep(MICROSECONDS); // long enough for a thread that does not wait
    device->closed_within = device->closed;
}

static const struct backend backend = {.cancel = cancel_slowly};

static void *raise_now(void *unused)
{
    (void)unused;
    interrupt_raise();
    return NULL;
}

static void a_device_is_not_let_go_while_it_is_cancelled(void **state)
{
    struct device before = {0}, after = {0};
    pthread_t thread;
    interrupt_watch(&backend, &before);
    assert_int_equal(thread_start(&thread, raise_now, NULL), 0);
    while (!before.entered)
        usleep(100);
    interrupt_watch(&backend, &after);
    before.closed = true;
    pthread_join(thread, NULL);
    assert_true(before.cancelled);
    assert_false(before.closed_within);
    assert_true(interrupted());
    interrupt_clear();
    assert_false(interrupted());
    interrupt_watch(NULL, NULL);
}

static void cancel_late(struct device *device, bool on)
{
    enum { MICROSECONDS = 2000 };
    while (on && !device->closed)
        usleep(10);
    if (on)
        usleep(MICROSECONDS); // long enough for a thread that does not wait
    device->cancelled = on;
}

/* The thread that clears sees the flag before the one that raises has cancelled the device and
 * written its notice. */
static void an_interrupt_is_cleared_with_all_its_effects(void **state)
{
    static const struct backend late = {.cancel = cancel_late};
    struct device device = {0};
    pthread_t thread;
    interrupt_install();
    interrupt_watch(&late, &device);
    assert_int_equal(thread_start(&thread, raise_now, NULL), 0);
    while (!interrupted())
        usleep(10);
    device.closed = true; // the other thread may go on
    interrupt_clear();
    pthread_join(thread, NULL);
    struct pollfd file = {.fd = interrupt_file(), .events = POLLIN};
    assert_false(interrupted());
    assert_int_equal(poll(&file, 1, 0), 0);
    assert_false(device.cancelled);
    interrupt_watch(NULL, NULL);
}

/* The word of waitpid. */
static int die_of(void (*work)(void))
{
    int code;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        interrupt_install();
        work();
        _exit(3);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    return code;
}

static void interrupt_unwatched(void)
{
    raise(SIGINT);
}

static void interrupt_idly(void)
{
    static struct device device;
    interrupt_watch(&backend, &device);
    interrupt_idle(true);
    raise(SIGINT);
}

static void interrupt_held(void)
{
    interrupt_hold(true);
    raise(SIGINT);
    _exit(interrupted() ? 4 : 5);
}

static void a_shell_sees_the_signal_where_nothing_can_be_lost(void **state)
{
    int code = die_of(interrupt_unwatched);
    assert_true(WIFSIGNALED(code) && WTERMSIG(code) == SIGINT);
    code = die_of(interrupt_idly);
    assert_true(WIFSIGNALED(code) && WTERMSIG(code) == SIGINT);
    code = die_of(interrupt_held);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupt_is_cleared_with_all_its_effects),
        cmocka_unit_test(a_device_is_not_let_go_while_it_is_cancelled),
        cmocka_unit_test(a_shell_sees_the_signal_where_nothing_can_be_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
