/* The functions that code compiled with -fsanitize=thread calls, in place of the sanitizer's
 * runtime. */
#include <stddef.h>

#include "races.h"

using namespace cudaemu;

#define HOOK extern "C" __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

#define ACCESS(name, bytes, kind)                                                                  \
    HOOK void name(void *address);                                                                 \
    HOOK void name(void *address)                                                                  \
    {                                                                                              \
        watch_access(address, bytes, access::kind, CALLER);                                        \
    }
#define ACCESSES(bytes)                                                                            \
    ACCESS(__tsan_read##bytes, bytes, read)                                                        \
    ACCESS(__tsan_write##bytes, bytes, write)                                                      \
    ACCESS(__tsan_unaligned_read##bytes, bytes, read)                                              \
    ACCESS(__tsan_unaligned_write##bytes, bytes, write)                                            \
    ACCESS(__tsan_volatile_read##bytes, bytes, read)                                               \
    ACCESS(__tsan_volatile_write##bytes, bytes, write)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define RANGE(name, kind)                                                                          \
    HOOK void name(void *address, size_t bytes);                                                   \
    HOOK void name(void *address, size_t bytes)                                                    \
    {                                                                                              \
        watch_access(address, bytes, access::kind, CALLER);                                        \
    }
RANGE(__tsan_read_range, read)
RANGE(__tsan_write_range, write)

#define NOTHING(name, ...)                                                                         \
    HOOK void name(__VA_ARGS__);                                                                   \
    HOOK void name(__VA_ARGS__)                                                                    \
    {                                                                                              \
    }
NOTHING(__tsan_func_entry, void *)
NOTHING(__tsan_func_exit, void)
NOTHING(__tsan_vptr_update, void **, void *)
NOTHING(__tsan_vptr_read, void **)

HOOK void __tsan_init(void);
HOOK void __tsan_init(void)
{
    watch_code();
}

/* For the host's part of the plug-in: the flag that cancels a pass. */
HOOK char __tsan_atomic8_load(const volatile char *from, int order);
HOOK char __tsan_atomic8_load(const volatile char *from, int)
{
    return __atomic_load_n(from, __ATOMIC_SEQ_CST);
}

HOOK void __tsan_atomic8_store(volatile char *to, char value, int order);
HOOK void __tsan_atomic8_store(volatile char *to, char value, int)
{
    __atomic_store_n(to, value, __ATOMIC_SEQ_CST);
}
