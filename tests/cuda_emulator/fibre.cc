#include "fibre.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sanitizer.h"

/* Saves the registers that a callee must preserve and stores the stack pointer in *from; continues
 * where `to` was saved. */
extern "C" __attribute__((visibility("hidden"))) void cudaemu_switch(void **from, void *to);

#if defined __x86_64__
asm(R"(
    .text
    .globl cudaemu_switch
    .hidden cudaemu_switch
    .type cudaemu_switch, @function
cudaemu_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size cudaemu_switch, . - cudaemu_switch
)");
// Saved: six registers, then the return address; above it null as the return address of `work`.
enum { SAVED_WORDS = 8, SAVED_RETURN = 6 };
#elif defined __aarch64__
asm(R"(
    .text
    .globl cudaemu_switch
    .hidden cudaemu_switch
    .type cudaemu_switch, %function
cudaemu_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size cudaemu_switch, . - cudaemu_switch
)");
enum { SAVED_WORDS = 20, SAVED_RETURN = 11 };
#else
#error "the CUDA emulator switches fibres on x86-64 and aarch64"
#endif

namespace cudaemu
{

// Most of a stack is never touched, but AddressSanitizer's reports need the depth.
constexpr size_t STACK_BYTES = 256 << 10, GUARD_BYTES = 16 << 10;
constexpr int FIBRES_MOST = 1025; // every thread of a block, and one that looks for the next one

struct fibre {
    void *saved;
    const void *bottom;
    size_t bytes;
    void *fake_stack; // for AddressSanitizer
    fibre *next;      // in the pool
};

static fibre host, fibres[FIBRES_MOST];
static int made;
static fibre *pool, *running = &host;
static void (*fibre_does)(void);

// The host's stack is not ours: its bounds are known only at the first switch away from it.
static bool entering;

static void switched(void)
{
    const void *bottom = nullptr;
    size_t bytes = 0;
    end_switch(running->fake_stack, &bottom, &bytes);
    if (entering) {
        host.bottom = bottom;
        host.bytes = bytes;
        entering = false;
    }
}

static void begin(void)
{
    switched();
    fibre_does();
    abort();
}

static void prepare(fibre *fibre)
{
    // Tops that are a power of two apart would share a few cache lines.
    size_t apart = (size_t)(fibre - fibres) * 832 % (32 << 10) / 64 * 64;
    void **saved = (void **)((char *)fibre->bottom + fibre->bytes - apart) - SAVED_WORDS;
    memset(saved, 0, SAVED_WORDS * sizeof *saved);
    saved[SAVED_RETURN] = (void *)begin;
    fibre->saved = saved;
    fibre->fake_stack = nullptr;
}

static fibre *make(void)
{
    void *memory = mmap(nullptr, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == FIBRES_MOST || memory == MAP_FAILED || mprotect(memory, GUARD_BYTES, PROT_NONE)) {
        fprintf(stderr, "CUDA emulator: no memory for the stacks of a block's threads\n");
        abort();
    }
    fibre *fibre = &fibres[made++];
    fibre->bottom = (char *)memory + GUARD_BYTES;
    fibre->bytes = STACK_BYTES;
    prepare(fibre);
    return fibre;
}

static fibre *take(void)
{
    fibre *taken = pool;
    if (!taken)
        return make();
    pool = taken->next;
    return taken;
}

static void go(fibre *to)
{
    fibre *from = running;
    running = to;
    begin_switch(&from->fake_stack, to->bottom, to->bytes);
    cudaemu_switch(&from->saved, to->saved);
    switched();
}

void fibre_work(void (*work)(void))
{
    fibre_does = work;
}

void fibre_enter(void)
{
    entering = true;
    go(take());
}

void fibre_leave(void)
{
    go(&host);
}

void fibre_switch(fibre *to)
{
    go(to ? to : take());
}

fibre *fibre_self(void)
{
    return running;
}

void fibre_retire(fibre *fibre)
{
    fibre->next = pool;
    pool = fibre;
}

void fibre_abandon(void)
{
    pool = nullptr;
    for (int i = made; i-- > 0;) {
        unpoison(fibres[i].bottom, fibres[i].bytes);
        prepare(&fibres[i]);
        fibre_retire(&fibres[i]);
    }
}

bool fibre_overflowed(const void *address)
{
    for (int i = 0; i < made; i++) {
        uintptr_t bottom = (uintptr_t)fibres[i].bottom, at = (uintptr_t)address;
        if (at < bottom && at >= bottom - GUARD_BYTES)
            return true;
    }
    return false;
}

} // namespace cudaemu
