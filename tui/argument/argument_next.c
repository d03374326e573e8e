#include "tui/argument/argument_next.h"

/* A value of the keyword before, and where the value may be left out, all else. */
static bool is_pending(const struct argument_values *values, int index)
{
    return values->pending == index;
}

/* True if a placed and required argument before this one is still missing. */
static bool is_missing_before(const struct argument_values *values, int index)
{
    for (int i = 0; i < index; i++) {
        const struct argument *argument = &values->list->each[i];
        if (!argument->keyword && argument->required && !values->each[i].given &&
            argument->kind != ARGUMENT_SELECTOR && argument->kind != ARGUMENT_SELECTORS &&
            argument_allowed(values, i))
            return true;
    }
    return false;
}

/* True if the argument's place comes next: no required one before it is missing, and none closed
 * it. */
static bool is_open_place(const struct argument_values *values, int index)
{
    const struct argument_value *value = &values->each[index];
    return index >= values->closed && value->count < argument_most(&values->list->each[index]) &&
           !is_missing_before(values, index);
}

/* True if the selector has all of its parts. */
static bool is_full(const struct argument *argument, const struct selector *selector)
{
    return selector->module_given && selector->layer != PART_ABSENT &&
           selector->head != PART_ABSENT &&
           (argument->heads == HEADS_SINGLE || selector->method_given);
}

static bool takes_value(const struct argument_values *values, int index)
{
    const struct argument *argument = &values->list->each[index];
    if (argument->kind == ARGUMENT_SELECTORS)
        return true;
    if (argument->kind == ARGUMENT_SELECTOR)
        return !is_full(argument, &values->selector);
    return !argument->keyword && is_open_place(values, index);
}

/* The rest of the line is one argument's. */
static int rest_index(const struct argument_values *values)
{
    for (int i = 0; i < values->list->count; i++) {
        enum argument_kind kind = values->list->each[i].kind;
        if ((kind == ARGUMENT_VIEW || kind == ARGUMENT_VALUE) && values->each[i].given)
            return i;
    }
    return -1;
}

/* The one argument that alone may stand next, or -1. */
static int only_next(const struct argument_values *values)
{
    const int pending = values->pending;
    if (pending >= 0 && values->each[pending].count < argument_least(&values->list->each[pending]))
        return pending;
    for (int i = 0; values->in_selector && i < values->list->count; i++)
        if (values->list->each[i].kind == ARGUMENT_SELECTOR ||
            values->list->each[i].kind == ARGUMENT_SELECTORS)
            return i;
    if (values->list->count && values->list->each[0].verbatim && !values->each[0].given)
        return 0;
    return rest_index(values);
}

int arguments_next(const struct argument_values *values,
                   struct argument_next next[2 * ARGUMENTS_MOST])
{
    int count = 0, only = only_next(values);
    for (int i = 0; i < values->list->count; i++) {
        const struct argument *argument = &values->list->each[i];
        if (argument->hidden || (only >= 0 && only != i))
            continue;
        // Further words of a value are nothing that could be told.
        if (argument->kind == ARGUMENT_VALUE && values->each[i].given)
            continue;
        bool allowed = argument_allowed(values, i);
        if (only == i || is_pending(values, i) || (allowed && takes_value(values, i)))
            next[count++] = (struct argument_next){argument, false};
        if (only < 0 && allowed && argument->keyword && !values->each[i].given &&
            !is_missing_before(values, i))
            next[count++] = (struct argument_next){argument, true};
    }
    return count;
}
