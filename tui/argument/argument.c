#include "tui/argument/argument.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "terminal/text/arguments.h"

int argument_most(const struct argument *argument)
{
    return argument->kind == ARGUMENT_FLAG ? 0 : argument->most ? argument->most : 1;
}

int argument_choices(const struct argument *argument)
{
    int count = 0;
    while (argument->choices && argument->choices[count])
        count++;
    return count - argument->aliases;
}

int argument_least(const struct argument *argument)
{
    if (argument->kind == ARGUMENT_FLAG || argument->value_optional)
        return 0;
    return argument->least ? argument->least : 1;
}

/* True if an argument has all of its values. Numbers come last: they may follow "source", but
 * nothing follows numbers. */
bool argument_full(const struct argument *argument, const struct argument_value *value)
{
    return value->count >= argument_most(argument) ||
           (argument->kind == ARGUMENT_NUMBERS && value->count && value->choice < 0);
}

int argument_choice_of(const struct argument *argument, const char *word)
{
    for (int i = 0; argument->choices && argument->choices[i]; i++)
        if (strcmp(word, argument->choices[i]) == 0)
            return i;
    return -1;
}

static bool is_pair(const char *word)
{
    static const char digits[] = "0123456789";
    size_t first = strspn(word, digits);
    const char *second = word + first + 1;
    return first && word[first] == '-' && *second && !second[strspn(second, digits)];
}

bool argument_takes(const struct argument *argument, const char *word)
{
    switch (argument->kind) {
    case ARGUMENT_CHOICE:
        return argument_choice_of(argument, word) >= 0;
    case ARGUMENT_INTEGER:
    case ARGUMENT_NUMBER:
        return argument_choice_of(argument, word) >= 0 || (*word >= '0' && *word <= '9') ||
               *word == '-' || *word == '.';
    case ARGUMENT_NUMBERS:
        return argument_choice_of(argument, word) >= 0 || (*word >= '0' && *word <= '9');
    case ARGUMENT_PAIRS:
        return is_pair(word);
    case ARGUMENT_SENTENCE:
        return false; // a text rather than a word
    default:
        return true;
    }
}

bool argument_allowed(const struct argument_values *values, int index)
{
    const struct argument *argument = &values->list->each[index];
    for (int i = 0; i < values->list->count; i++) {
        bool given = values->each[i].given;
        bool before = i > index && argument->keyword && !argument->anywhere &&
                      argument_is_placed(&values->list->each[i]);
        bool excluded =
            before || argument->without & ARG(i) || values->list->each[i].without & ARG(index);
        if ((excluded && given) || (argument->needs & ARG(i) && !given))
            return false;
    }
    return true;
}

void arguments_free(struct argument_values *values)
{
    for (int i = 0; values->list && i < values->list->count; i++)
        free(values->each[i].words);
    selector_free(&values->selector);
    selectors_free(&values->selectors);
    strings_free(&values->own);
    *values = (struct argument_values){.list = NULL};
}

bool arguments_copy(const struct argument_values *values, int first, int last, struct strings *out,
                    struct status *status)
{
    for (int i = first; i <= last; i++)
        for (int w = 0; w < values->each[i].count; w++)
            if (!strings_add(out, values->each[i].words[w], strlen(values->each[i].words[w]),
                             status))
                return false;
    return true;
}

bool argument_within(const struct argument_values *values, int index, const char *what, int least,
                     int most, int *out, struct status *status)
{
    return parse_int(what, argument_text(values, index), least, most, out, status);
}

bool argument_pair(const struct argument_values *values, int index, int i, int pair[2])
{
    char *end;
    const char *word = values->each[index].words[i];
    long first = strtol(word, &end, 10), second = strtol(end + 1, NULL, 10);
    pair[0] = (int)first;
    pair[1] = (int)second;
    return first >= 1 && second >= 1 && first <= INT_MAX && second <= INT_MAX;
}

/* What comes next ------------------------------------------------------------------------------ */

/* True if a value of the preceding keyword comes next. If the value is optional, everything else
 * may come, too. */
static bool is_pending(const struct argument_values *values, int index)
{
    return values->pending == index;
}

/* True if a required positional argument before this one is still missing. */
static bool is_missing_before(const struct argument_values *values, int index)
{
    for (int i = 0; i < index; i++) {
        const struct argument *argument = &values->list->each[i];
        if (argument_is_placed(argument) && argument->required && !values->each[i].given &&
            argument_allowed(values, i))
            return true;
    }
    return false;
}

/* True if the argument's place comes next: no required one before it is missing, and no keyword
 * closed it. */
static bool is_open_place(const struct argument_values *values, int index)
{
    const struct argument_value *value = &values->each[index];
    return index >= values->closed && value->count < argument_most(&values->list->each[index]) &&
           !is_missing_before(values, index);
}

/* True if the selector has all its parts. */
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

/* Returns the argument that the rest of the line belongs to, or -1. */
static int rest_index(const struct argument_values *values)
{
    for (int i = 0; i < values->list->count; i++) {
        enum argument_kind kind = values->list->each[i].kind;
        if ((kind == ARGUMENT_VIEW || kind == ARGUMENT_VALUE) && values->each[i].given)
            return i;
    }
    return -1;
}

/* Returns the only argument that may come next, or -1. */
static int only_next(const struct argument_values *values)
{
    const int pending = values->pending;
    if (pending >= 0 && values->each[pending].count < argument_least(&values->list->each[pending]))
        return pending;
    for (int i = 0; values->in_selector && i < values->list->count; i++)
        if (argument_is_selector(&values->list->each[i]))
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
        // There is nothing to say about further words of a value.
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
