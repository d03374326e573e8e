/* The machine that reads a pickle: bytes, a stack of values with marks on it, and a memo of values
 * by number. Private to the reader of pickles: pickle_machine.c, pickle_objects.c; pickle_read.c
 * maps opcodes to these functions.
 */
#ifndef ATTNSCOPE_PICKLE_MACHINE_H
#define ATTNSCOPE_PICKLE_MACHINE_H

#include "model/formats/archive/pickle.h"

/* The limited memory of a pickle's values. Private to the reader of pickles. */

struct pickle {
    struct block *blocks; // of values and texts, the newest first
    size_t left;          // bytes of the newest block that are free
    size_t room;          // bytes that may still be allocated in all
    struct pickle_value *root;
    struct pickle_value **persistent; // (persistent_count)
    size_t persistent_count, persistent_capacity;
};

struct pickle *pickle_store_new(size_t room, struct status *status);

/* Zeroed memory that lives as long as the pickle, aligned for all its objects. NULL: limit reached,
 * or out of memory. */
void *pickle_store(struct pickle *pickle, size_t bytes, struct status *status);

/* Makes room for one more in a list of pointers, at least doubling it when it grows. */
bool pickle_store_pointer(struct pickle *pickle, struct pickle_value ***list, size_t *capacity,
                          size_t needed, struct status *status);

/* A value, with its own object if `object`. */
struct pickle_value *pickle_store_value(struct pickle *pickle, enum pickle_kind kind, bool object,
                                        struct status *status);
struct pickle_value *pickle_store_text(struct pickle *pickle, enum pickle_kind kind,
                                       const unsigned char *text, size_t bytes,
                                       struct status *status);
/* Appends `more` to a container: elements (width 1), or keys and values (width 2). */
bool pickle_store_append(struct pickle *pickle, struct pickle_value *container,
                         struct pickle_value *const *more, size_t count, size_t width,
                         struct status *status);

struct machine {
    const unsigned char *begin, *at, *end;
    struct pickle *pickle;
    struct pickle_value **stack; // (depth)
    struct pickle_value **memo;  // (memo_capacity); NULL: nothing stored
    size_t depth, stack_capacity, memo_capacity, remembered;
    size_t *marks; // (mark_count): depths of the stack
    size_t mark_count, mark_capacity;
    bool stopped;
    struct status *status;
};

/* Returns false. */
bool machine_fail(struct machine *machine, const char *what);

/* Take the next bytes (NULL: end of the pickle); a number of `bytes` bytes, lowest first; a line
 * without its end. */
const unsigned char *machine_take(struct machine *machine, uint64_t bytes);
bool machine_take_number(struct machine *machine, int bytes, uint64_t *number);
bool machine_take_line(struct machine *machine, const unsigned char **text, size_t *bytes);

/* Fails if the value is NULL, because its allocation failed. */
bool machine_push(struct machine *machine, struct pickle_value *value);
/* True if there are `count` values above the last mark. */
bool machine_have(struct machine *machine, size_t count);
struct pickle_value *machine_pop(struct machine *machine);
bool machine_mark(struct machine *machine);
/* Pops all values above the last mark, and the mark. *values stay valid until the next push. */
bool machine_pop_marked(struct machine *machine, struct pickle_value ***values, size_t *count);

/* Stores the top of the stack in the memo under a number; pushes the value of a number. */
bool machine_remember(struct machine *machine, uint64_t number);
bool machine_recall(struct machine *machine, uint64_t number);

bool machine_push_integer(struct machine *machine, int64_t integer);
/* An integer of any number of bytes, lowest first, with its sign in the highest bit. */
bool machine_push_long(struct machine *machine, uint64_t bytes);
bool machine_push_real(struct machine *machine);
/* Text or bytes after their length, which has `length_bytes` bytes. */
bool machine_push_text(struct machine *machine, enum pickle_kind kind, int length_bytes);
bool machine_push_empty(struct machine *machine, enum pickle_kind kind);
bool machine_push_sequence(struct machine *machine, enum pickle_kind kind,
                           struct pickle_value *const *values, size_t count);
bool machine_push_marked(struct machine *machine, enum pickle_kind kind);
bool machine_push_tuple(struct machine *machine, size_t count);

/* Adds elements (width 1) or pairs (width 2) to the container below them: all above the mark, or
 * only one. */
bool machine_add_marked(struct machine *machine, size_t width);
bool machine_add_popped(struct machine *machine, size_t width);

/* A class or function by name, which is never looked up. */
bool machine_push_global(struct machine *machine);
bool machine_push_stacked_global(struct machine *machine);
/* A record instead of a call; omits keyword arguments. */
bool machine_make_object(struct machine *machine);
bool machine_make_object_by_names(struct machine *machine);
bool machine_set_state(struct machine *machine);
bool machine_push_persistent(struct machine *machine);

#endif
