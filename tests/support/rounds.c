#include "tests/support/rounds.h"

#include <stdlib.h>

bool rounds_full(void)
{
    return getenv("ATTNSCOPE_TEST_FULL");
}

int rounds_of(int usual, int full)
{
    return rounds_full() ? full : usual;
}
