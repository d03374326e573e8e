#include "model/score/length_groups.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort_int.h>

#include "model/text/quote.h"

bool length_groups_quantiles(const int *lengths, int count, int parts, struct length_groups *out,
                             struct status *status)
{
    int *sorted = memory_new((size_t)count, sizeof *sorted, status);
    *out = (struct length_groups){0};
    if (!sorted)
        return false;
    memcpy(sorted, lengths, (size_t)count * sizeof *sorted);
    gsl_sort_int(sorted, 1, (size_t)count);
    // A cutoff at the shortest length would leave nothing below it.
    int last = sorted[0];
    for (int i = 1; i < parts; i++) {
        int cutoff = sorted[((int64_t)i * (count - 1) + parts - 1) / parts];
        if (cutoff > last)
            out->cutoffs[out->count++] = last = cutoff;
    }
    free(sorted);
    return true;
}

bool length_groups_parse(const char *text, struct length_groups *out, struct status *status)
{
    const char *rest = text;
    int last = 0;
    *out = (struct length_groups){0};
    for (;;) {
        char *end = NULL;
        errno = 0;
        long cutoff = *rest >= '0' && *rest <= '9' ? strtol(rest, &end, 10) : 0;
        if (cutoff <= last || cutoff > INT_MAX || errno || (*end && *end != ','))
            return status_fail(status, STATUS_INVALID,
                               "by \"%s\": expected rising lengths like 10,20,30", QUOTED(text));
        if (out->count == CUTOFFS_MOST)
            return status_fail(status, STATUS_INVALID, "by \"%s\": expected at most %d lengths",
                               QUOTED(text), CUTOFFS_MOST);
        out->cutoffs[out->count++] = last = (int)cutoff;
        if (!*end)
            return true;
        rest = end + 1;
    }
}

int length_groups_find(const struct length_groups *groups, int length)
{
    int group = 0;
    while (group < groups->count && length >= groups->cutoffs[group])
        group++;
    return group;
}

void length_groups_name(const struct length_groups *groups, int group, char name[GROUP_NAME_SIZE])
{
    const int *cutoffs = groups->cutoffs;
    if (groups->count == 0)
        snprintf(name, GROUP_NAME_SIZE, "all");
    else if (group == 0)
        snprintf(name, GROUP_NAME_SIZE, "<%d", cutoffs[0]);
    else if (group == groups->count)
        snprintf(name, GROUP_NAME_SIZE, ">=%d", cutoffs[group - 1]);
    else if (cutoffs[group] == cutoffs[group - 1] + 1)
        snprintf(name, GROUP_NAME_SIZE, "%d", cutoffs[group - 1]);
    else
        snprintf(name, GROUP_NAME_SIZE, "[%d,%d)", cutoffs[group - 1], cutoffs[group]);
}

void length_name_words(const char *name, char words[GROUP_NAME_SIZE])
{
    int from, to;
    if (sscanf(name, "[%9d,%9d)", &from, &to) == 2)
        snprintf(words, GROUP_NAME_SIZE, "%d-%d", from, to - 1);
    else if (sscanf(name, ">=%9d", &from) == 1)
        snprintf(words, GROUP_NAME_SIZE, "%d or more", from);
    else if (sscanf(name, "<%9d", &to) == 1)
        snprintf(words, GROUP_NAME_SIZE, "up to %d", to - 1);
    else
        snprintf(words, GROUP_NAME_SIZE, "%s", name);
}
