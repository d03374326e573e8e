#include "tests/scored_support.h"

#include <stdio.h>
#include <unistd.h>

void scored_open(struct scored *scored, const char *model, const char *sources,
                 const char *references)
{
    scored->bench = bench_open(model);
    bench_connect(&scored->bench);
    write_lines(sources, scored->source);
    write_lines(references, scored->reference);
}

void scored_close(struct scored *scored)
{
    unlink(scored->source);
    unlink(scored->reference);
    bench_close(&scored->bench);
}

const char *scored_line(struct scored *scored, const char *command, const char *rest)
{
    snprintf(scored->line, sizeof scored->line, "%s %s %s%s", command, scored->source,
             scored->reference, rest);
    return scored->line;
}
