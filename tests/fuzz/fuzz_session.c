#include "tests/fuzz/fuzz_session.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tui/terminal/interrupt.h"

static char *home;

static void on_time(int unused)
{
    (void)unused;
    interrupt_raise();
}

/* The timer of real time is libFuzzer's. */
static void allow(int seconds)
{
    const struct itimerval time = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_VIRTUAL, &time, NULL);
}

struct session *fuzz_session_open(const char *model)
{
    struct status status = {0};
    struct session_spec spec = {
        .paths = &model, .count = 1, .device = {.kind = DEVICE_CPU}, .threads = 1};
    if (!home) {
        home = realpath(".", NULL);
        signal(SIGVTALRM, on_time);
    }
    struct session *session = session_open(&spec, &status);
    fuzz_check(home && session, status.message);
    interrupt_clear();
    fuzz_check(chdir(fuzz_folder()) == 0, "no folder to run in");
    allow(1);
    return session;
}

void fuzz_session_close(struct session *session)
{
    allow(0);
    fuzz_check(chdir(home) == 0, "no folder to return to");
    session_close(session);
}

bool fuzz_names_others(const char *text)
{
    return strpbrk(text, "/~") != NULL;
}
