#include "tui/argument/argument.h"

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
