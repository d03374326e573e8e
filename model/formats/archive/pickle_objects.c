/* Containers and objects that a pickle builds from the values on the stack. Objects become records;
 * no class is used. */
#include <string.h>

#include "model/formats/archive/pickle_machine.h"

/* Containers ----------------------------------------------------------------------------------- */

/* Adds elements to the list, or pairs to the dict, on top of the stack. */
static bool add(struct machine *machine, struct pickle_value *const *values, size_t count,
                size_t width)
{
    if (!machine_have(machine, 1))
        return false;
    struct pickle_value *into = machine->stack[machine->depth - 1];
    bool record = into->kind == PICKLE_RECORD;
    bool takes = width == 1 ? into->kind == PICKLE_LIST || into->kind == PICKLE_SET
                            : into->kind == PICKLE_DICT;
    if (record && into->count == 0)
        into->object->is_list = width == 1;
    if (!takes && !(record && into->object->is_list == (width == 1)))
        return machine_fail(machine, width == 1 ? "adds elements to a value that is not a list"
                                                : "adds members to a value that is not a dict");
    return (count % width == 0 || machine_fail(machine, "a key without a value, expected pairs")) &&
           pickle_store_append(machine->pickle, into, values, count / width, width,
                               machine->status);
}

bool machine_add_marked(struct machine *machine, size_t width)
{
    struct pickle_value **values = NULL;
    size_t count = 0;
    return machine_pop_marked(machine, &values, &count) && add(machine, values, count, width);
}

bool machine_add_popped(struct machine *machine, size_t width)
{
    if (!machine_have(machine, width + 1))
        return false;
    machine->depth -= width;
    return add(machine, machine->stack + machine->depth, width, width);
}

/* Objects -------------------------------------------------------------------------------------- */

static char *store_name(struct machine *machine, const unsigned char *name, size_t bytes)
{
    char *copy = pickle_store(machine->pickle, bytes + 1, machine->status);
    if (copy)
        memcpy(copy, name, bytes);
    return copy;
}

bool machine_push_global(struct machine *machine)
{
    const unsigned char *module, *name;
    size_t module_bytes, name_bytes;
    if (!machine_take_line(machine, &module, &module_bytes) ||
        !machine_take_line(machine, &name, &name_bytes))
        return false;
    struct pickle_value *value =
        pickle_store_value(machine->pickle, PICKLE_GLOBAL, true, machine->status);
    if (!value)
        return false;
    value->object->module = store_name(machine, module, module_bytes);
    value->object->name = store_name(machine, name, name_bytes);
    return value->object->module && value->object->name && machine_push(machine, value);
}

bool machine_push_stacked_global(struct machine *machine)
{
    const struct pickle_value *name = machine_pop(machine),
                              *module = name ? machine_pop(machine) : NULL;
    if (!module)
        return false;
    if (!pickle_text(name) || !pickle_text(module))
        return machine_fail(machine, "a class without a name, expected texts");
    struct pickle_value *value =
        pickle_store_value(machine->pickle, PICKLE_GLOBAL, true, machine->status);
    if (!value)
        return false;
    value->object->module = pickle_text(module);
    value->object->name = pickle_text(name);
    return machine_push(machine, value);
}

static bool is_dict(const struct pickle_value *class)
{
    return pickle_is(class, "collections", "OrderedDict") ||
           pickle_is(class, "collections", "defaultdict") ||
           pickle_is(class, "collections", "Counter");
}

/* Python 2 makes an OrderedDict from a list of pairs, and a Counter from a dict. */
static bool fill_dict(struct machine *machine, struct pickle_value *dict,
                      const struct pickle_value *from)
{
    if (from && from->kind == PICKLE_DICT)
        return pickle_store_append(machine->pickle, dict, from->items, from->count, 2,
                                   machine->status);
    for (size_t i = 0; i < pickle_count(from); i++) {
        const struct pickle_value *pair = from->items[i];
        if (pickle_count(pair) != 2)
            return machine_fail(machine, "a dict of values that are not pairs");
        if (!pickle_store_append(machine->pickle, dict, pair->items, 1, 2, machine->status))
            return false;
    }
    return true;
}

static bool is_set(const struct pickle_value *class)
{
    return pickle_is(class, "builtins", "set") || pickle_is(class, "__builtin__", "set") ||
           pickle_is(class, "builtins", "frozenset") ||
           pickle_is(class, "__builtin__", "frozenset");
}

/* Pushes the result of a call with these arguments: a known container, or a record of the call. */
static bool push_object(struct machine *machine, const struct pickle_value *class,
                        struct pickle_value *arguments)
{
    const struct pickle_value *first = pickle_item(arguments, 0);
    if (is_set(class))
        return machine_push_sequence(machine, PICKLE_SET,
                                     first && pickle_count(first) ? first->items : NULL,
                                     pickle_count(first));
    bool dict = is_dict(class);
    struct pickle_value *value = pickle_store_value(
        machine->pickle, dict ? PICKLE_DICT : PICKLE_RECORD, true, machine->status);
    if (!value)
        return false;
    if (class->kind == PICKLE_GLOBAL) {
        value->object->module = class->object->module;
        value->object->name = class->object->name;
    }
    value->object->arguments = arguments;
    return (!dict || fill_dict(machine, value, first)) && machine_push(machine, value);
}

bool machine_make_object(struct machine *machine)
{
    struct pickle_value *arguments = machine_pop(machine),
                        *class = arguments ? machine_pop(machine) : NULL;
    return class && push_object(machine, class, arguments);
}

bool machine_make_object_by_names(struct machine *machine)
{
    return machine_pop(machine) && machine_make_object(machine);
}

bool machine_set_state(struct machine *machine)
{
    struct pickle_value *state = machine_pop(machine);
    if (!state || !machine_have(machine, 1))
        return false;
    struct pickle_value *value = machine->stack[machine->depth - 1];
    if (value->kind != PICKLE_RECORD && value->kind != PICKLE_DICT)
        return machine_fail(machine, "attributes of a value that is not an object");
    if (!value->object) {
        value->object = pickle_store(machine->pickle, sizeof *value->object, machine->status);
        if (!value->object)
            return false;
        value->object->module = value->object->name = "";
    }
    value->object->state = state;
    return true;
}

bool machine_push_persistent(struct machine *machine)
{
    struct pickle *pickle = machine->pickle;
    struct pickle_value *identity = machine_pop(machine);
    struct pickle_value *value =
        identity ? pickle_store_value(pickle, PICKLE_PERSISTENT, true, machine->status) : NULL;
    if (!value || !pickle_store_pointer(pickle, &pickle->persistent, &pickle->persistent_capacity,
                                        pickle->persistent_count + 1, machine->status))
        return false;
    value->object->arguments = identity;
    pickle->persistent[pickle->persistent_count++] = value;
    return machine_push(machine, value);
}
