#include "tests/fuzz/fuzz_session.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tui/terminal/interrupt.h"

struct session *fuzz_session_open(const char *model)
{
    struct status status = {0};
    struct session_spec spec = {
        .paths = &model, .count = 1, .device = {.kind = DEVICE_CPU}, .threads = 1};
    struct session *session = session_open(&spec, &status);
    fuzz_check(session != NULL, status.message);
    return session;
}

/* The folder ----------------------------------------------------------------------------------- */

static char folder[64], *home;

static void empty(const char *path)
{
    DIR *listing = opendir(path);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        char inner[512];
        struct stat about;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (lstat(inner, &about) == 0 && S_ISDIR(about.st_mode)) {
            empty(inner);
            rmdir(inner);
        } else {
            unlink(inner);
        }
    }
    if (listing)
        closedir(listing);
}

static void remove_folder(void)
{
    empty(folder);
    rmdir(folder);
}

static void on_time(int unused)
{
    (void)unused;
    interrupt_raise();
}

/* In memory where the system has a place for that. */
static void make_folder(void)
{
    snprintf(folder, sizeof folder, "%s/attnscope-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    home = realpath(".", NULL);
    fuzz_check(home && mkdtemp(folder) != NULL, "no folder for files");
    atexit(remove_folder);
    signal(SIGVTALRM, on_time);
}

/* The timer of real time is libFuzzer's. */
static void allow(int seconds)
{
    const struct itimerval time = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_VIRTUAL, &time, NULL);
}

void fuzz_session_enter(void)
{
    if (!home)
        make_folder();
    fuzz_check(chdir(folder) == 0, "no folder to run in");
    interrupt_clear();
    allow(1);
}

void fuzz_session_write(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(name, "wb");
    fuzz_check(file && fwrite(data, 1, size, file) == size, "a file that cannot be written");
    fuzz_check(fclose(file) == 0, "a file that cannot be written");
}

void fuzz_session_leave(void)
{
    allow(0);
    interrupt_clear(); // before the next session is opened
    fuzz_check(chdir(home) == 0, "no folder to return to");
    empty(folder);
}

bool fuzz_names_others(const char *text)
{
    return strpbrk(text, "/~") != NULL;
}
