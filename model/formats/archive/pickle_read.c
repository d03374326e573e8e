/* The opcodes of pickles, in the order of Python's pickletools. */
#include <stdlib.h>

#include "model/formats/archive/pickle_machine.h"

enum { MOST_ROOM = 1 << 30, LEAST_ROOM = 1 << 26, ROOM_FOR_BYTE = 64, LAST_PROTOCOL = 5 };

static struct pickle_value nothing = {.kind = PICKLE_NONE};
static struct pickle_value truth = {.kind = PICKLE_BOOL, .integer = 1};
static struct pickle_value falsehood = {.kind = PICKLE_BOOL, .integer = 0};

static bool unknown(struct machine *machine, unsigned char opcode)
{
    return status_fail(machine->status, STATUS_INVALID,
                       "opcode 0x%02X, expected one that checkpoints have (protocols 2 to 5)",
                       (unsigned)opcode);
}

static bool pop_to_mark(struct machine *machine)
{
    struct pickle_value **values;
    size_t count;
    return machine_pop_marked(machine, &values, &count);
}

/* Runs an opcode that is followed by a number of `bytes` bytes. */
static bool run_numbered(struct machine *machine, unsigned char opcode, int bytes)
{
    uint64_t number;
    if (!machine_take_number(machine, bytes, &number))
        return false;
    switch (opcode) {
    case 0x80: // PROTO
        return number <= LAST_PROTOCOL ||
               machine_fail(machine, "a later protocol, expected 2 to 5");
    case 0x95: // FRAME
        return true;
    case 'K': // BININT1
    case 'M': // BININT2
        return machine_push_integer(machine, (int64_t)number);
    case 'J': // BININT
        return machine_push_integer(machine, (int32_t)(uint32_t)number);
    case 0x8a: // LONG1
    case 0x8b: // LONG4
        return machine_push_long(machine, number);
    case 'h': // BINGET
    case 'j': // LONG_BINGET
        return machine_recall(machine, number);
    default: // BINPUT, LONG_BINPUT
        return machine_remember(machine, number);
    }
}

static bool run_stack(struct machine *machine, unsigned char opcode)
{
    switch (opcode) {
    case '(': // MARK
        return machine_mark(machine);
    case '0': // POP, which also removes a mark
        if (machine->mark_count && machine->marks[machine->mark_count - 1] == machine->depth)
            return pop_to_mark(machine);
        return machine_pop(machine);
    case '1': // POP_MARK
        return pop_to_mark(machine);
    case '2': // DUP
        return machine_have(machine, 1) &&
               machine_push(machine, machine->stack[machine->depth - 1]);
    case 0x94: // MEMOIZE
        return machine_remember(machine, machine->remembered);
    case '.': // STOP
        machine->pickle->root = machine_pop(machine);
        machine->stopped = true;
        return machine->pickle->root;
    default:
        return unknown(machine, opcode);
    }
}

static bool run_container(struct machine *machine, unsigned char opcode)
{
    switch (opcode) {
    case ']': // EMPTY_LIST
        return machine_push_empty(machine, PICKLE_LIST);
    case ')': // EMPTY_TUPLE
        return machine_push_empty(machine, PICKLE_TUPLE);
    case '}': // EMPTY_DICT
        return machine_push_empty(machine, PICKLE_DICT);
    case 0x8f: // EMPTY_SET
        return machine_push_empty(machine, PICKLE_SET);
    case 0x91: // FROZENSET
        return machine_push_marked(machine, PICKLE_SET);
    case 't': // TUPLE
        return machine_push_marked(machine, PICKLE_TUPLE);
    case 0x85: // TUPLE1
    case 0x86: // TUPLE2
    case 0x87: // TUPLE3
        return machine_push_tuple(machine, opcode - 0x84u);
    case 'a': // APPEND
        return machine_add_popped(machine, 1);
    case 's': // SETITEM
        return machine_add_popped(machine, 2);
    case 'e':  // APPENDS
    case 0x90: // ADDITEMS
        return machine_add_marked(machine, 1);
    case 'u': // SETITEMS
        return machine_add_marked(machine, 2);
    default:
        return run_stack(machine, opcode);
    }
}

static bool run_object(struct machine *machine, unsigned char opcode)
{
    switch (opcode) {
    case 'c': // GLOBAL
        return machine_push_global(machine);
    case 0x93: // STACK_GLOBAL
        return machine_push_stacked_global(machine);
    case 'R':  // REDUCE
    case 0x81: // NEWOBJ
        return machine_make_object(machine);
    case 0x92: // NEWOBJ_EX
        return machine_make_object_by_names(machine);
    case 'b': // BUILD
        return machine_set_state(machine);
    case 'Q': // BINPERSID
        return machine_push_persistent(machine);
    default:
        return run_container(machine, opcode);
    }
}

static bool run_opcode(struct machine *machine, unsigned char opcode)
{
    switch (opcode) {
    case 'K':
    case 'h':
    case 'q':
    case 0x80:
    case 0x8a:
        return run_numbered(machine, opcode, 1);
    case 'M':
        return run_numbered(machine, opcode, 2);
    case 'J':
    case 'j':
    case 'r':
    case 0x8b:
        return run_numbered(machine, opcode, 4);
    case 0x95:
        return run_numbered(machine, opcode, 8);
    case 'N': // NONE
        return machine_push(machine, &nothing);
    case 0x88: // NEWTRUE
        return machine_push(machine, &truth);
    case 0x89: // NEWFALSE
        return machine_push(machine, &falsehood);
    case 'G': // BINFLOAT
        return machine_push_real(machine);
    case 'U':  // SHORT_BINSTRING
    case 0x8c: // SHORT_BINUNICODE
        return machine_push_text(machine, PICKLE_TEXT, 1);
    case 'T': // BINSTRING
    case 'X': // BINUNICODE
        return machine_push_text(machine, PICKLE_TEXT, 4);
    case 0x8d: // BINUNICODE8
        return machine_push_text(machine, PICKLE_TEXT, 8);
    case 'C': // SHORT_BINBYTES
        return machine_push_text(machine, PICKLE_BYTES, 1);
    case 'B': // BINBYTES
        return machine_push_text(machine, PICKLE_BYTES, 4);
    case 0x8e: // BINBYTES8
    case 0x96: // BYTEARRAY8
        return machine_push_text(machine, PICKLE_BYTES, 8);
    default:
        return run_object(machine, opcode);
    }
}

static bool run(struct machine *machine)
{
    while (!machine->stopped) {
        size_t place = (size_t)(machine->at - machine->begin);
        const unsigned char *opcode = machine_take(machine, 1);
        if (!opcode || !run_opcode(machine, *opcode))
            return status_prefix(machine->status, "byte %zu", place);
    }
    return true;
}

/* Limits the machine's memory by the size of the pickle, so that a short one cannot demand much. */
static size_t room_of(size_t bytes)
{
    return bytes > (MOST_ROOM - LEAST_ROOM) / ROOM_FOR_BYTE ? MOST_ROOM
                                                            : LEAST_ROOM + ROOM_FOR_BYTE * bytes;
}

struct pickle *pickle_read(const unsigned char *data, size_t bytes, size_t *end,
                           struct status *status)
{
    struct machine machine = {.begin = data, .at = data, .end = data + bytes, .status = status};
    machine.pickle = pickle_store_new(room_of(bytes), status);
    bool good = machine.pickle && run(&machine);
    free(machine.stack);
    free(machine.memo);
    free(machine.marks);
    *end = (size_t)(machine.at - data);
    if (good)
        return machine.pickle;
    pickle_close(machine.pickle);
    return NULL;
}

const struct pickle_value *pickle_root(const struct pickle *pickle)
{
    return pickle->root;
}

size_t pickle_persistent_count(const struct pickle *pickle)
{
    return pickle->persistent_count;
}

const struct pickle_value *pickle_persistent(const struct pickle *pickle, size_t index)
{
    return index < pickle->persistent_count ? pickle->persistent[index] : NULL;
}
