/* The words that may be typed next in a line whose finished words have been read
 * (arguments_parse_typed). */
#ifndef ATTNSCOPE_ARGUMENT_NEXT_H
#define ATTNSCOPE_ARGUMENT_NEXT_H

#include "tui/argument/argument.h"

/* One thing that may stand next. */
struct argument_next {
    const struct argument *argument;
    bool keyword; // its keyword; else a value
};

/* Fills in what may stand next, in the order of declaration, hidden arguments left out. Returns how
 * many. */
int arguments_next(const struct argument_values *values,
                   struct argument_next next[2 * ARGUMENTS_MOST]);

#endif
