#include "tui/argument/argument.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tui/text/arguments.h"

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

/* True if an argument has all of its values. Numbers come last: behind "source" they may stand,
 * behind numbers nothing. */
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
        return false; // no word, but a text
    default:
        return true;
    }
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
