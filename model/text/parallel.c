#include "model/text/parallel.h"

#include <stdlib.h>

#include "model/text/conllu/conllu.h"

bool parallel_read(const struct strings *paths, const struct watch *watch, struct parallel *out,
                   struct status *status)
{
    *out = (struct parallel){.lines = memory_new((size_t)paths->count, sizeof *out->lines, status)};
    for (int i = 0; out->lines && i < paths->count; i++) {
        if (!sentences_read(paths->text[i], watch, &out->lines[i], NULL, status))
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

bool parallel_copy(const struct parallel *parallel, struct parallel *copy, struct status *status)
{
    size_t count = (size_t)parallel->count;
    *copy = (struct parallel){.lines = memory_new(count, sizeof *copy->lines, status)};
    if (!copy->lines)
        return false;
    for (; copy->count < parallel->count; copy->count++)
        if (!lines_copy(&parallel->lines[copy->count], &copy->lines[copy->count], status)) {
            parallel_free(copy);
            return false;
        }
    return true;
}

bool parallel_equal(const struct parallel *a, const struct parallel *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (!lines_equal(&a->lines[i], &b->lines[i]))
            return false;
    return true;
}

const char *const **parallel_others(const struct parallel *parallel, struct status *status)
{
    const char *const **others = memory_new((size_t)parallel->count - 1, sizeof *others, status);
    for (int i = 1; others && i < parallel->count; i++)
        others[i - 1] = (const char *const *)parallel->lines[i].text;
    return others;
}
