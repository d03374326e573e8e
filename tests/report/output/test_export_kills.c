/* `:export`, killed at random moments: every file is whole, the one before or the new one, or
 * absent where there was none, nothing else is left, and the next run writes what it would have.
 *
 * What replaces a file has a name of its own between two calls of the system: a kill between them
 * leaves a whole file. A filesystem without O_TMPFILE may keep what a killed run was writing. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

#define TEMPORARY ".attnscope."
enum { TARGETS_MOST = 128 };

/* Names of folders that files are written to, in the test's own. */
static const char *const folders[] = {"kill", "kill/heads"};
enum { FOLDERS = 2 };

/* A file and what may be in it. */
struct target {
    char *name; // from the test's folder on
    char *old_bytes, *new_bytes;
    size_t old_size, new_size;
    bool stays; // in every second one there is something before
};

static struct target targets[TARGETS_MOST]; // (target_count), by name
static int target_count;

/* Runs ----------------------------------------------------------------------------------------- */

/* Every form, and a folder of heads. */
static void write_script(const char *name, const char *sentence)
{
    static const char *const exports[] = {
        "a.png heads",  "b.pdf attn cross", "c.svg heads",   "d.csv heads", "e.tsv attn",
        "f.json heads", "g.npy attn",       "h.safetensors", "i.npz heads", "heads/ all csv"};
    char text[sizeof exports / sizeof *exports * (PATH_MAX + 40)];
    int used = sprintf(text, "%s\n", sentence);
    for (size_t i = 0; i < sizeof exports / sizeof *exports; i++)
        used += sprintf(text + used, ":export %s/%s\n", cli_path("kill"), exports[i]);
    cli_write(name, text);
}

static pid_t start(const char *script)
{
    const char *const arguments[] = {
        CPU, "--threads", "1", "--dpi", "100", "-f", cli_path(script), "samples/en-de.bin", NULL};
    int scratch = cli_scratch();
    pid_t child = cli_start(arguments, scratch, scratch, scratch);
    close(scratch);
    return child;
}

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void wait_seconds(double seconds)
{
    const struct timespec time = {(time_t)seconds,
                                  (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

/* Files ---------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct target *)a)->name, ((const struct target *)b)->name);
}

static struct target *find_target(const char *name)
{
    const struct target wanted = {.name = (char *)name};
    return bsearch(&wanted, targets, target_count, sizeof *targets, by_name);
}

/* Calls `each` with the name of every file. */
static void walk_files(void (*each)(const char *name))
{
    for (int f = 0; f < FOLDERS; f++) {
        DIR *folder = opendir(cli_path(folders[f]));
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            char name[PATH_MAX];
            if (entry->d_type != DT_REG)
                continue;
            snprintf(name, sizeof name, "%s/%s", folders[f], entry->d_name);
            each(name);
        }
        if (folder)
            closedir(folder);
    }
}

static void add_target(const char *name)
{
    assert_true(target_count < TARGETS_MOST);
    struct target *target = &targets[target_count++];
    *target = (struct target){.name = strdup(name)};
    target->old_bytes = cli_read(cli_path(name), &target->old_size);
}

static void read_new(const char *name)
{
    struct target *target = find_target(name);
    assert_non_null(target);
    target->new_bytes = cli_read(cli_path(name), &target->new_size);
    assert_true(target->new_size != target->old_size ||
                memcmp(target->new_bytes, target->old_bytes, target->new_size) != 0);
}

/* Reads the output of two runs that are not killed. Returns the seconds that the second one
 * takes. */
static double read_targets(void)
{
    assert_int_equal(cli_finish(start("old")), 0);
    walk_files(add_target);
    qsort(targets, target_count, sizeof *targets, by_name);
    for (int i = 0; i < target_count; i++)
        targets[i].stays = i % 2 == 0;
    double began = seconds_now();
    assert_int_equal(cli_finish(start("new")), 0);
    double took = seconds_now() - began;
    walk_files(read_new);
    for (int i = 0; i < target_count; i++)
        assert_non_null(targets[i].new_bytes);
    return took;
}

static void remove_file(const char *name)
{
    assert_int_equal(unlink(cli_path(name)), 0);
}

/* Restores the state before every round. */
static void restore_files(void)
{
    walk_files(remove_file);
    for (int i = 0; i < target_count; i++) {
        if (!targets[i].stays)
            continue;
        FILE *file = fopen(cli_path(targets[i].name), "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(targets[i].old_bytes, 1, targets[i].old_size, file),
                         targets[i].old_size);
        assert_int_equal(fclose(file), 0);
    }
}

/* Checks --------------------------------------------------------------------------------------- */

static int round_now, temporaries, renewed;
static bool nameless; // the filesystem has files without a name

static bool has(const char *bytes, size_t size, const char *wanted, size_t wanted_size)
{
    return size == wanted_size && memcmp(bytes, wanted, size) == 0;
}

static void check_temporary(const char *name)
{
    size_t size;
    bool whole = false;
    if (strncmp(strrchr(name, '/') + 1, TEMPORARY, strlen(TEMPORARY)) != 0)
        fail_msg("round %d: %s: expected no such file", round_now, name);
    char *bytes = cli_read(cli_path(name), &size);
    for (int i = 0; i < target_count && !whole; i++)
        whole = has(bytes, size, targets[i].new_bytes, targets[i].new_size);
    free(bytes);
    if (nameless && !whole)
        fail_msg("round %d: %s: %zu bytes of a file are left", round_now, name, size);
    temporaries++;
}

static void check_file(const char *name)
{
    const struct target *target = find_target(name);
    if (!target) {
        check_temporary(name);
        return;
    }
    size_t size;
    char *bytes = cli_read(cli_path(name), &size);
    bool is_new = has(bytes, size, target->new_bytes, target->new_size);
    if (!is_new && !(target->stays && has(bytes, size, target->old_bytes, target->old_size)))
        fail_msg("round %d: %s: %zu bytes, neither the %zu before nor the %zu new ones", round_now,
                 name, size, target->stays ? target->old_size : 0, target->new_size);
    renewed += is_new;
    free(bytes);
}

static void check_files(int temporaries_most)
{
    temporaries = renewed = 0;
    walk_files(check_file);
    for (int i = 0; i < target_count; i++)
        if (targets[i].stays && access(cli_path(targets[i].name), F_OK) != 0)
            fail_msg("round %d: %s is gone", round_now, targets[i].name);
    if (temporaries > temporaries_most)
        fail_msg("round %d: %d temporary files, expected %d at most", round_now, temporaries,
                 temporaries_most);
}

/* Kills ---------------------------------------------------------------------------------------- */

static uint64_t dice = 20261122;

static double random_share(void)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(dice >> 11) / 9007199254740992.0;
}

/* Waits until there are this many files, or the child has ended: the next file is then being
 * written. */
static void wait_for_files(int watch, pid_t child, int wanted)
{
    char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    siginfo_t about = {0};
    while (wanted > 0 && waitid(P_PID, child, &about, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           about.si_pid == 0) {
        struct pollfd ready = {watch, POLLIN, 0};
        if (poll(&ready, 1, 20) <= 0)
            continue;
        ssize_t bytes = read(watch, events, sizeof events);
        for (ssize_t at = 0; at < bytes;) {
            const struct inotify_event *event = (const void *)(events + at);
            wanted -= event->len && strncmp(event->name, TEMPORARY, strlen(TEMPORARY)) != 0;
            at += (ssize_t)sizeof *event + event->len;
        }
    }
}

/* Half of the rounds end anywhere in a run, the others at most a millisecond after some file was
 * written. */
static bool kill_run(double seconds)
{
    int watch = inotify_init1(IN_CLOEXEC);
    assert_true(watch >= 0);
    for (int f = 0; f < FOLDERS; f++)
        assert_true(inotify_add_watch(watch, cli_path(folders[f]), IN_CREATE | IN_MOVED_TO) >= 0);
    pid_t child = start("new");
    if (round_now % 2 == 0) {
        wait_seconds(random_share() * seconds);
    } else {
        /* Nine forms; the last one, the folder, has most of the files. */
        double share = random_share();
        int wanted = share < 0.8 ? 1 + (int)(share * 10) : (int)(share * target_count);
        wait_for_files(watch, child, wanted);
        wait_seconds(random_share() * 0.001);
    }
    kill(child, SIGKILL);
    close(watch);
    return cli_finish(child) == 256 + SIGKILL;
}

static void what_is_killed_leaves_whole_files(void **state)
{
    int killed = 0, cut = 0;
    write_script("old", "A man is in the house.");
    write_script("new", "Two dogs are running in the park.");
    assert_int_equal(mkdir(cli_path(folders[0]), 0777), 0);
    int probe = open(cli_path(folders[0]), O_TMPFILE | O_RDWR, 0600);
    nameless = probe >= 0;
    if (nameless)
        close(probe);
    double seconds = read_targets();
    for (round_now = 0; round_now < rounds_of(8, 20); round_now++) {
        restore_files();
        killed += kill_run(seconds);
        check_files(1);
        cut += temporaries;
        if (getenv("SHOW_TIMES"))
            print_message("round %d: %d of %d files are new, %d temporary ones\n", round_now,
                          renewed, target_count, temporaries);
    }
    if (killed < rounds_of(8, 20) / 4)
        fail_msg("%d of %d runs were killed before their end", killed, rounds_of(8, 20));
    assert_int_equal(cli_finish(start("new")), 0); // beside what the last one has left
    check_files(1);
    assert_int_equal(renewed, target_count);
    for (int i = 0; i < target_count; i++) {
        free(targets[i].name);
        free(targets[i].old_bytes);
        free(targets[i].new_bytes);
    }
    if (getenv("SHOW_TIMES"))
        print_message("%d of %d runs killed, %d of them within a file\n", killed, rounds_of(8, 20),
                      cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_killed_leaves_whole_files),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
