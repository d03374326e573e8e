/* What the full-screen session costs: the time to move the cursor in a matrix of a 1,000-token
 * sentence, the memory it takes, and the time to switch a head off, until the changed screen is
 * there.
 *
 * The program runs in its own pseudo-terminal, and this program sends it keys. The times are
 * processor time of all its threads, from the key until the program is idle, and the elapsed time
 * until the first change, which other processes affect. Before anything is timed, the sentence's
 * tokens are counted. Every key must cause some output.
 *
 * bench_screen [PROGRAM [MODEL]]     (default: attnscope two folders above this program,
 * samples/en-de.bin)
 */
#include <dirent.h>
#include <limits.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model/net/sentence.h"
#include "tests/bench/calibrate.h"

enum {
    TOKENS = 1000,
    MOVES = 40,
    TOGGLES = 20,
    ROWS = 40,
    COLUMNS = 120,
    QUIET = 60,
    WORKED = 1500,
    PATIENCE = 300
};
enum { TEXT_BYTES = 1 << 16, SENT_BYTES = 1 << 20 };

static void stop(const char *what)
{
    fprintf(stderr, "bench_screen: %s\n", what);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* The program ---------------------------------------------------------------------------------- */

static struct {
    pid_t pid;
    int terminal;
    char sent[SENT_BYTES]; // since the last key
    size_t count;
} child;

static void start(const char *program, const char *model)
{
    struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
    child.pid = forkpty(&child.terminal, NULL, NULL, &size);
    if (child.pid < 0)
        stop("no pseudo-terminal");
    if (child.pid > 0)
        return;
    setenv("TERM", "xterm-256color", 1);
    setenv("COLORTERM", "truecolor", 1);
    setenv("XDG_STATE_HOME", "/nonexistent", 1); // keep no history
    unsetenv("NO_COLOR");
    execl(program, program, "--device", "cpu", model, (char *)NULL);
    _exit(127);
}

/* Returns the processor time of all the program's threads, in milliseconds. */
static double used(void)
{
    char path[64];
    double sum = 0;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)child.pid);
    DIR *tasks = opendir(path);
    if (!tasks)
        stop("the program has ended");
    for (struct dirent *task; (task = readdir(tasks));) {
        char file[PATH_MAX];
        unsigned long long nanoseconds = 0;
        snprintf(file, sizeof file, "%s/%s/schedstat", path, task->d_name);
        FILE *stream = *task->d_name != '.' ? fopen(file, "r") : NULL;
        if (stream && fscanf(stream, "%llu", &nanoseconds) == 1)
            sum += (double)nanoseconds / 1e6;
        if (stream)
            fclose(stream);
    }
    closedir(tasks);
    return sum;
}

/* Reads the program's output for up to so many milliseconds; returns false if there is none. */
static bool listen(int milliseconds)
{
    struct pollfd terminal = {.fd = child.terminal, .events = POLLIN};
    if (child.count > sizeof child.sent / 2) // nothing looks back that far
        child.count = 0;
    if (poll(&terminal, 1, milliseconds) != 1)
        return false;
    ssize_t count =
        read(child.terminal, child.sent + child.count, sizeof child.sent - 1 - child.count);
    if (count <= 0)
        stop("the program has ended");
    child.count += (size_t)count;
    child.sent[child.count] = '\0';
    return true;
}

/* Waits until the program has neither written nor computed anything for `quiet` milliseconds. */
static void settle(int quiet)
{
    double end = now() + 1e3 * PATIENCE, before = -1;
    for (double is = used(); listen(quiet) || is > before; is = used()) {
        before = is;
        if (now() > end)
            stop("the program does not come to rest");
    }
}

static void expect(const char *text)
{
    double end = now() + 1e3 * PATIENCE;
    while (!strstr(child.sent, text)) {
        listen(QUIET);
        if (now() > end) {
            fprintf(stderr, "bench_screen: no \"%s\"\n", text);
            exit(1);
        }
    }
}

static void press(const char *keys)
{
    child.count = 0;
    child.sent[0] = '\0';
    for (size_t left = strlen(keys);
         left > 0;) { // a terminal takes only a few thousand bytes at once
        ssize_t count = write(child.terminal, keys, left < 1000 ? left : 1000);
        if (count < 0)
            stop("the program takes no keys");
        keys += count;
        left -= (size_t)count;
        listen(0);
    }
}

static double most_memory(void)
{
    char path[64], line[200];
    double kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)child.pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "VmHWM: %lf", &kilobytes);
    if (file)
        fclose(file);
    return kilobytes / 1024;
}

/* Measurements --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct cost {
    double processor, passed; // milliseconds
};

/* Measures one key, from idle to idle. */
static struct cost time_key(const char *key, const char *shows)
{
    double before = used(), began = now();
    press(key);
    if (shows)
        expect(shows);
    else
        listen(1000);
    struct cost cost = {.passed = now() - began};
    if (!child.count)
        stop("a key changed nothing");
    settle(QUIET);
    cost.processor = used() - before;
    return cost;
}

static void bench(const char *what, const char *keys, int count, const char *shows)
{
    double processor[MOVES] = {0}, passed[MOVES] = {0};
    settle(WORKED);
    for (int i = 0; i < count; i++) {
        const char key[] = {keys[i % (int)strlen(keys)], '\0'};
        struct cost cost = time_key(key, shows);
        processor[i] = cost.processor;
        passed[i] = cost.passed;
    }
    qsort(processor, (size_t)count, sizeof *processor, compare);
    qsort(passed, (size_t)count, sizeof *passed, compare);
    printf("%-44s median %6.2f ms, most %6.2f ms of processors; first change after %6.1f ms\n",
           what, processor[count / 2], processor[count - 1], passed[count / 2]);
}

/* Writes a sentence of TOKENS tokens, end-of-sentence included. */
static void write_sentence(const char *model, char *text)
{
    static const char *const words[] = {"the", "man", "sees", "a", "dog", "and", "the", "cat"};
    struct status status;
    struct sentence sentence = {0};
    struct checkpoint *checkpoint = checkpoint_open(model, &status);
    if (!checkpoint)
        stop(status.message);
    *text = '\0';
    for (int i = 0; sentence.count < TOKENS && strlen(text) + 16 < TEXT_BYTES; i++) {
        snprintf(text + strlen(text), 16, "%s%s", i ? " " : "", words[i % 8]);
        sentence_free(&sentence);
        if (!sentence_encode(checkpoint, text, &sentence, &status))
            stop(status.message);
    }
    printf("a sentence of %d tokens\n", sentence.count);
    if (sentence.count < TOKENS)
        stop("no sentence is that long");
    sentence_free(&sentence);
    checkpoint_close(checkpoint);
}

static const char *own_program(void)
{
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    path[length > 0 ? length : 0] = '\0';
    for (int i = 0; i < 3; i++)
        if (strrchr(path, '/'))
            *strrchr(path, '/') = '\0';
    return strcat(path, "/attnscope");
}

int main(int argc, char **argv)
{
    static char text[TEXT_BYTES], line[TEXT_BYTES + 16];
    const char *program = argc > 1 ? argv[1] : own_program();
    const char *model = argc > 2 ? argv[2] : "samples/en-de.bin";
    calibrate_print();
    write_sentence(model, text);
    start(program, model);
    expect("Type a sentence");
    press("a man sees a dog .\r");
    expect("layer ");
    press(":attn enc layer 1 head 1\r");
    expect("layer 1/");
    press("\033"); // to the view, from here on as well
    bench("a head off, or on: a short sentence", "d", TOGGLES, "score");
    // The model's own translation would take long, and nothing here depends on it.
    press(":set max_length.factor 0\r:set max_length.plus 1\r:set beam 1\r:attn\r");
    settle(WORKED);
    snprintf(line, sizeof line, "i%s\r", text);
    press(line);
    settle(WORKED);
    snprintf(line, sizeof line, ":force %s\r", text);
    press(line);
    expect("log-probability");
    press("\033");
    bench("cursor to the right, and down: 1,000 tokens", "lj", MOVES, NULL);
    bench("a page down: 1,000 tokens", " ", 20, NULL);
    printf("memory: %.0f MB at most\n", most_memory());
    kill(child.pid, SIGTERM);
    waitpid(child.pid, NULL, 0);
    return 0;
}
