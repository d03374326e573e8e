#include "tui/parallel.h"

#include <stdlib.h>

bool parallel_read(const struct pieces *paths, struct parallel *out, struct status *status)
{
    *out = (struct parallel){.lines = memory_new((size_t)paths->count, sizeof *out->lines, status)};
    for (int i = 0; out->lines && i < paths->count; i++) {
        if (!lines_read(paths->text[i], &out->lines[i], status))
            return false;
        out->count++;
        if (!lines_check_any(paths->text[i], &out->lines[i], status) ||
            !lines_check_match(paths->text[0], &out->lines[0], paths->text[i], &out->lines[i],
                               status))
            return false;
    }
    return out->lines != NULL;
}

void parallel_free(struct parallel *parallel)
{
    for (int i = 0; i < parallel->count; i++)
        lines_free(&parallel->lines[i]);
    free(parallel->lines);
    *parallel = (struct parallel){0};
}

const char *const **parallel_others(const struct parallel *parallel, struct status *status)
{
    const char *const **others = memory_new((size_t)parallel->count - 1, sizeof *others, status);
    for (int i = 1; others && i < parallel->count; i++)
        others[i - 1] = (const char *const *)parallel->lines[i].text;
    return others;
}
