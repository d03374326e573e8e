#include "model/formats/archive/pickle_machine.h"

#include <string.h>

bool machine_fail(struct machine *machine, const char *what)
{
    return status_fail(machine->status, STATUS_INVALID, "%s", what);
}

/* Bytes ---------------------------------------------------------------------------------------- */

const unsigned char *machine_take(struct machine *machine, uint64_t bytes)
{
    const unsigned char *at = machine->at;
    if (bytes > (size_t)(machine->end - at)) {
        machine_fail(machine, "the pickle ends here, expected more of it");
        return NULL;
    }
    machine->at += bytes;
    return at;
}

bool machine_take_number(struct machine *machine, int bytes, uint64_t *number)
{
    const unsigned char *at = machine_take(machine, (uint64_t)bytes);
    *number = 0;
    for (int i = bytes; at && i-- > 0;)
        *number = *number << 8 | at[i];
    return at;
}

bool machine_take_line(struct machine *machine, const unsigned char **text, size_t *bytes)
{
    const unsigned char *end = memchr(machine->at, '\n', (size_t)(machine->end - machine->at));
    if (!end)
        return machine_fail(machine, "a name without an end, expected a line");
    *text = machine->at;
    *bytes = (size_t)(end - machine->at);
    machine->at = end + 1;
    return true;
}

/* The stack ------------------------------------------------------------------------------------ */

bool machine_push(struct machine *machine, struct pickle_value *value)
{
    if (!value || !pickle_store_pointer(machine->pickle, &machine->stack, &machine->stack_capacity,
                                        machine->depth + 1, machine->status))
        return false;
    machine->stack[machine->depth++] = value;
    return true;
}

bool machine_have(struct machine *machine, size_t count)
{
    size_t floor = machine->mark_count ? machine->marks[machine->mark_count - 1] : 0;
    return machine->depth - floor >= count ||
           machine_fail(machine, "takes values that are not there, expected them before it");
}

struct pickle_value *machine_pop(struct machine *machine)
{
    return machine_have(machine, 1) ? machine->stack[--machine->depth] : NULL;
}

bool machine_mark(struct machine *machine)
{
    if (machine->mark_count == machine->mark_capacity) {
        if (machine->mark_count * sizeof *machine->marks > machine->pickle->room)
            return machine_fail(machine, "too many marks, expected a checkpoint");
        if (!memory_grow((void **)&machine->marks, &machine->mark_capacity, machine->mark_count + 1,
                         sizeof *machine->marks, machine->status))
            return false;
    }
    machine->marks[machine->mark_count++] = machine->depth;
    return true;
}

bool machine_pop_marked(struct machine *machine, struct pickle_value ***values, size_t *count)
{
    if (!machine->mark_count)
        return machine_fail(machine, "takes values up to a mark, expected a mark before it");
    size_t floor = machine->marks[--machine->mark_count];
    *values = machine->stack ? machine->stack + floor : NULL;
    *count = machine->depth - floor;
    machine->depth = floor;
    return true;
}

/* The memo ------------------------------------------------------------------------------------- */

/* A pickle numbers the values that it remembers consecutively, and each takes at least a byte: a
 * greater number would only make the memo large. */
bool machine_remember(struct machine *machine, uint64_t number)
{
    if (!machine_have(machine, 1))
        return false;
    if (number > (size_t)(machine->at - machine->begin))
        return machine_fail(machine,
                            "remembers a value under too large a number, expected the next");
    if (!pickle_store_pointer(machine->pickle, &machine->memo, &machine->memo_capacity,
                              (size_t)number + 1, machine->status))
        return false;
    machine->remembered += !machine->memo[number];
    machine->memo[number] = machine->stack[machine->depth - 1];
    return true;
}

bool machine_recall(struct machine *machine, uint64_t number)
{
    if (number >= machine->memo_capacity || !machine->memo[number])
        return machine_fail(machine, "recalls a value that was never remembered");
    return machine_push(machine, machine->memo[number]);
}

/* Values --------------------------------------------------------------------------------------- */

bool machine_push_integer(struct machine *machine, int64_t integer)
{
    struct pickle_value *value =
        pickle_store_value(machine->pickle, PICKLE_INTEGER, false, machine->status);
    if (value)
        value->integer = integer;
    return machine_push(machine, value);
}

bool machine_push_long(struct machine *machine, uint64_t bytes)
{
    const unsigned char *at = machine_take(machine, bytes);
    if (!at)
        return false;
    if (bytes > 8)
        return machine_push(machine, pickle_store_text(machine->pickle, PICKLE_BIG, at,
                                                       (size_t)bytes, machine->status));
    uint64_t number = bytes && at[bytes - 1] & 0x80 ? UINT64_MAX : 0;
    for (uint64_t i = bytes; i-- > 0;)
        number = number << 8 | at[i];
    return machine_push_integer(machine, (int64_t)number);
}

bool machine_push_real(struct machine *machine)
{
    const unsigned char *at = machine_take(machine, 8);
    uint64_t bits = 0;
    struct pickle_value *value =
        at ? pickle_store_value(machine->pickle, PICKLE_REAL, false, machine->status) : NULL;
    if (!value)
        return false;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | at[i];
    memcpy(&value->real, &bits, sizeof bits);
    return machine_push(machine, value);
}

bool machine_push_text(struct machine *machine, enum pickle_kind kind, int length_bytes)
{
    uint64_t bytes;
    const unsigned char *at =
        machine_take_number(machine, length_bytes, &bytes) ? machine_take(machine, bytes) : NULL;
    return at && machine_push(machine, pickle_store_text(machine->pickle, kind, at, (size_t)bytes,
                                                         machine->status));
}

bool machine_push_empty(struct machine *machine, enum pickle_kind kind)
{
    return machine_push(machine, pickle_store_value(machine->pickle, kind, false, machine->status));
}

bool machine_push_sequence(struct machine *machine, enum pickle_kind kind,
                           struct pickle_value *const *values, size_t count)
{
    struct pickle_value *value = pickle_store_value(machine->pickle, kind, false, machine->status);
    return value &&
           pickle_store_append(machine->pickle, value, values, count, 1, machine->status) &&
           machine_push(machine, value);
}

bool machine_push_marked(struct machine *machine, enum pickle_kind kind)
{
    struct pickle_value **values = NULL;
    size_t count = 0;
    return machine_pop_marked(machine, &values, &count) &&
           machine_push_sequence(machine, kind, values, count);
}

bool machine_push_tuple(struct machine *machine, size_t count)
{
    if (!machine_have(machine, count))
        return false;
    machine->depth -= count;
    return machine_push_sequence(machine, PICKLE_TUPLE, machine->stack + machine->depth, count);
}
