/* Reports what accessed device memory invalidly: SIGSEGV in its range, or below a thread's
 * stack. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "fault.h"
#include "fibre.h"
#include "memory.h"
#include "sanitizer.h"
#include "scheduler.h"

namespace cudaemu
{

static struct sigaction before;

static const char *kernel_place(char *text, size_t size)
{
    uint3 thread = running.current->index;
    snprintf(text, size, "kernel %s, block (%u, %u, %u), thread (%u, %u, %u)", running.kernel,
             blockIdx.x, blockIdx.y, blockIdx.z, thread.x, thread.y, thread.z);
    return text;
}

static void describe(const void *address)
{
    char place[400];
    if (fibre_overflowed(address))
        tell_fault("%s: its stack of 256 KB overflowed", kernel_place(place, sizeof place));
    else if (running.running)
        tell_fault("%s: %p is no allocation of device memory", kernel_place(place, sizeof place),
                   address);
    else if (const allocation *held = find_allocation(address))
        tell_fault(
            "the host touches device memory outside of a copy: byte %zu of an allocation of %zu",
            (size_t)((const char *)address - held->begin), held->bytes);
    else
        tell_fault("the host touches device memory that is not allocated");
}

/* Restores the previous handler, which runs next: AddressSanitizer's report, or the end. */
static void segv(int, siginfo_t *info, void *)
{
    sigaction(SIGSEGV, &before, nullptr);
    if (on_device(info->si_addr) || (running.running && fibre_overflowed(info->si_addr)))
        describe(info->si_addr);
}

static void say_kernel(const char *)
{
    char place[400];
    if (running.running)
        fprintf(stderr, "CUDA emulator: %s\n", kernel_place(place, sizeof place));
}

static void make_stack(void)
{
    static char stack[64 << 10];
    stack_t alternative = {}, present;
    alternative.ss_sp = stack;
    alternative.ss_size = sizeof stack;
    if (sigaltstack(nullptr, &present) == 0 && present.ss_flags & SS_DISABLE)
        sigaltstack(&alternative, nullptr);
}

void watch_reach(void)
{
    struct sigaction present;
    sigaction(SIGSEGV, nullptr, &present);
    if (present.sa_flags & SA_SIGINFO && present.sa_sigaction == segv)
        return; // our handler is still set: others, such as cmocka, replace it from time to time
    make_stack();
    struct sigaction action = {};
    action.sa_sigaction = segv;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &action, &before);
    before_report(say_kernel);
}

} // namespace cudaemu
