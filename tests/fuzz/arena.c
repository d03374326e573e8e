/* Memory of an execution: the blocks that the program and jansson allocate, one after another; all
 * of them are free again at the end of the execution. AddressSanitizer's own allocator takes ten
 * times as long, so that most of an execution would be spent in it.
 *
 * The linker redirects the program's and the target's calls to this file (MEMORY_CALLS in the
 * Makefile). Free memory is poisoned, blocks are 32 bytes apart, and none is used twice in an
 * execution. So accesses beside a block or to a freed block are still detected, and so is a block
 * that is lost (check_lost). Large blocks and those of libraries are left to AddressSanitizer.
 */
#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/fuzz/fuzz.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t most);
void __real_free(void *memory);
int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t most);
void __wrap_free(void *memory);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Functions of the sanitizers, if the program is linked with them. */
void __asan_poison_memory_region(const volatile void *memory, size_t bytes) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *memory, size_t bytes) __attribute__((weak));
void __lsan_register_root_region(const void *memory, size_t bytes) __attribute__((weak));

enum { LARGE = 1 << 20, ROOM = 64 << 20, GAP = 32, ALIGNMENT = 64, FILL = 0xbe };
enum { LIVE = 0x6c697665, FREED = 0x66726565 };

/* Precedes each block, together with the gap. */
struct head {
    size_t bytes;
    int state;
};

static char *arena, *base, *top; // base: where the blocks of an execution begin; those below stay
static size_t live;
static bool running;

static void poison(void *memory, size_t bytes)
{
    if (__asan_poison_memory_region)
        __asan_poison_memory_region(memory, bytes);
}

static void unpoison(void *memory, size_t bytes)
{
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(memory, bytes);
}

static bool has_room(size_t bytes)
{
    return running && bytes < LARGE && (size_t)(arena + ROOM - top) > bytes + 2 * (GAP + ALIGNMENT);
}

static bool in_arena(const void *memory)
{
    return arena && (const char *)memory >= arena && (const char *)memory < arena + ROOM;
}

static struct head *head_of(void *memory)
{
    return (struct head *)((char *)memory - GAP);
}

static void *take(size_t bytes, size_t alignment)
{
    char *block = top + GAP;
    block += -(uintptr_t)block % alignment;
    *head_of(block) = (struct head){bytes, LIVE};
    top = block + (bytes + 15) / 16 * 16;
    live++;
    unpoison(block, bytes);
    return block;
}

void *__wrap_malloc(size_t bytes)
{
    return has_room(bytes) ? memset(take(bytes, 16), FILL, bytes) : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all) || !has_room(all))
        return __real_calloc(count, bytes);
    return memset(take(all, 16), 0, all);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    if (!has_room(bytes) || alignment > ALIGNMENT)
        return __real_aligned_alloc(alignment, bytes);
    return memset(take(bytes, alignment), FILL, bytes);
}

void __wrap_free(void *memory)
{
    if (!in_arena(memory)) {
        __real_free(memory);
        return;
    }
    struct head *head = head_of(memory);
    fuzz_check(head->state == LIVE, "a block that is freed twice, or is none");
    head->state = FREED;
    live--;
    poison(memory, head->bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    if (memory && !in_arena(memory))
        return __real_realloc(memory, bytes);
    void *grown = __wrap_malloc(bytes);
    if (!memory || !grown)
        return grown;
    fuzz_check(head_of(memory)->state == LIVE, "a block that grows after it was freed");
    const size_t before = head_of(memory)->bytes;
    memcpy(grown, memory, before < bytes ? before : bytes);
    __wrap_free(memory);
    return grown;
}

char *__wrap_strndup(const char *text, size_t most)
{
    const size_t bytes = strnlen(text, most);
    char *copy = __wrap_malloc(bytes + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    return copy;
}

char *__wrap_strdup(const char *text)
{
    return __wrap_strndup(text, strlen(text));
}

static void open_arena(void)
{
    arena = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fuzz_check(arena != MAP_FAILED, "out of memory");
    base = top = arena;
    poison(arena, ROOM);
    if (__lsan_register_root_region)
        __lsan_register_root_region(arena, ROOM);
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
}

static size_t run(const uint8_t *data, size_t size)
{
    const size_t before = live;
    running = true;
    __real_LLVMFuzzerTestOneInput(data, size);
    running = false;
    return live - before;
}

/* Some blocks stay for good, such as tables that are made when first needed. Blocks are lost if the
 * same input leaves some again when it runs a second time. */
static void check_lost(const uint8_t *data, size_t size)
{
    base = top;
    fuzz_check(run(data, size) == 0, "memory that is not freed");
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!arena)
        open_arena();
    if (run(data, size) > 0)
        check_lost(data, size);
    poison(base, (size_t)(top - base));
    top = base;
    return 0;
}
