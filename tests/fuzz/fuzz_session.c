#include "tests/fuzz/fuzz_session.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "terminal/interrupt.h"
#include "tests/fuzz/fuzz.h"
#include "tui/program/program.h"

/* Sessions ------------------------------------------------------------------------------------- */

enum { MODELS_MOST = 4 };

static struct kept {
    const char *model;
    struct session *session;
    struct session first; // a copy of the state after opening
} kept[MODELS_MOST];

/* Longer searches and more resamples would only repeat the same code. */
static void shorten(struct session *session)
{
    struct settings *settings = &session->settings;
    settings->search.beam = 2;
    settings->search.factor = 0;
    settings->search.plus = 4;
    settings->study.resamples = settings->study.trials = 10;
    settings->attribution.steps = 2;
    session->state.search = settings->search;
}

static struct session *open_model(const char *model)
{
    struct status status = {0};
    struct session_spec spec = {
        .paths = &model, .count = 1, .device = {.kind = DEVICE_CPU}, .threads = 1};
    struct session *session = session_open(&spec, &status);
    fuzz_check(session != NULL, status.message);
    shorten(session);
    return session;
}

struct session *fuzz_session_open(const char *model)
{
    struct kept *one = kept;
    while (one < kept + MODELS_MOST && one->model && strcmp(one->model, model) != 0)
        one++;
    fuzz_check(one < kept + MODELS_MOST, "too many models");
    if (!one->session) {
        one->model = model;
        one->session = open_model(model);
        one->first = *one->session;
    }
    return one->session;
}

static struct kept *kept_of(const struct session *session)
{
    struct kept *one = kept;
    while (one->session != session)
        one++;
    return one;
}

/* Closes a session whose number of threads was changed: its weights are on another device. */
void fuzz_session_reset(struct session *session)
{
    struct kept *one = kept_of(session);
    struct status status;
    if (session->opened.device != one->first.opened.device ||
        session->settings.threads != one->first.settings.threads) {
        session_close(session);
        one->session = NULL;
        return;
    }
    session_release(session);
    struct loaded **models = session->models;
    const size_t capacity = session->model_capacity;
    *session = one->first;
    session->models = models;
    session->model_capacity = capacity;
    session->state.head_settings = head_settings_copy(session->loaded->head_settings, &status);
    fuzz_check(session->state.head_settings != NULL, "out of memory");
}

void fuzz_session_run(struct session *session, char *lines)
{
    struct program program = {.session = session, .sink = {.kind = &plain_sink}};
    char *output = NULL, *rest = lines;
    size_t size;
    program.sink.stream = program.sink.failures = open_memstream(&output, &size);
    fuzz_check(program.sink.stream != NULL, "out of memory");
    program_connect(&program);
    for (char *line; !program.stop && !session->quit && (line = strsep(&rest, "\n"));)
        program_line(&program, "", line);
    fclose(program.sink.stream);
    free(output);
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

/* Makes the folder, in memory if the system has a file system for that. */
static void make_folder(void)
{
    snprintf(folder, sizeof folder, "%s/attnscope-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    home = realpath(".", NULL);
    fuzz_check(home && mkdtemp(folder) != NULL, "no folder for files");
    atexit(remove_folder);
    signal(SIGVTALRM, on_time);
}

/* Uses the timer of processor time: the one of real time belongs to libFuzzer. */
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
