/* The CUDA emulator: accesses outside arrays, and accesses of the host to device memory, end the
 * process. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kernel.h>

#include "tests/cuda_emulator/sanitizer.h"
#include "tests/gpu/cuda/emulator_support.h"

static __global__ void writes_at(int *out, int index)
{
    out[index] = 1;
}

/* Runs the body in a separate process, and returns what it printed before it died. */
static const char *last_words(void (*body)(void))
{
    static char words[64 << 10];
    int ends[2], status;
    size_t length = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGSEGV, SIG_DFL); // cmocka's handler would continue the test
        body();
        _exit(0);
    }
    close(ends[1]);
    ssize_t got;
    while ((got = read(ends[0], words + length, sizeof words - 1 - length)) > 0)
        length += (size_t)got;
    words[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        fail_msg("it went through, and said \"%s\"", words);
    return words;
}

static __global__ void writes_beyond_shared(int index)
{
    SHARED(int, small, 5);
    SHARED(int, other, 5);
    int *first = small;
    other[threadIdx.x % 5] = 0;
    first[index] = 1;
}

static void write_beyond_shared(void)
{
    LAUNCH(writes_beyond_shared, 1, 1, 0, nullptr, 5);
}

static void write_before_shared(void)
{
    LAUNCH(writes_beyond_shared, 1, 1, 0, nullptr, -1);
}

static void write_beyond_global(void)
{
    LAUNCH(writes_at, 1, 1, 0, nullptr, device_integers(5), 5);
}

static void write_before_global(void)
{
    LAUNCH(writes_at, 1, 1, 0, nullptr, device_integers(5), -1);
}

static void host_reads(void)
{
    volatile int *memory = device_integers(1);
    (void)*memory;
}

static void host_writes(void)
{
    *(volatile int *)device_integers(100) = 1;
}

static void write_far_beyond_global(void)
{
    LAUNCH(writes_at, 1, 1, 0, nullptr, device_integers(5), 1 << 30);
}

static __global__ void recurses(int *out, int depth)
{
    volatile char room[1000];
    room[depth % 1000] = 1;
    if (depth > 0)
        recurses(out, depth - 1);
    out[0] += room[depth % 1000];
}

static void overflow_stack(void)
{
    LAUNCH(recurses, 1, 1, 0, nullptr, device_integers(1), 1000);
}

static void accesses_outside_of_arrays_end_the_process(void **)
{
    static const struct {
        void (*body)(void);
        const char *asan, *plain; // the message with AddressSanitizer and without
    } cases[] = {
        {write_beyond_shared, "kernel writes_beyond_shared", "outside of shared array small"},
        {write_before_shared, "kernel writes_beyond_shared", "outside of shared array small"},
        {write_beyond_global, "kernel writes_at", "wrote outside of an allocation of 20 bytes"},
        {write_before_global, "kernel writes_at", "wrote outside of an allocation of 20 bytes"},
        {write_far_beyond_global, "kernel writes_at", "is no allocation of device memory"},
        {host_reads, "the host touches device memory", "byte 0 of an allocation of 4"},
        {host_writes, "the host touches device memory", "byte 0 of an allocation of 400"},
        {overflow_stack, "kernel recurses", "stack of 256 KB overflowed"},
    };
    for (auto &one : cases) {
        const char *words = last_words(one.body);
        expect_in(words, CUDAEMU_ASAN ? one.asan : one.plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_outside_of_arrays_end_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
