#include "model/study/several_states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void several_states_free(struct several_states *several)
{
    for (int i = 0; several->studies && i < several->names.count; i++)
        study_free(&several->studies[i]);
    for (int i = 0; several->contrasts && i < several->names.count; i++)
        contrast_free(&several->contrasts[i]);
    free(several->studies);
    free(several->contrasts);
    strings_free(&several->names);
    *several = (struct several_states){.done = 0};
}

bool several_states_open(bool of_contrasts, struct several_states *several, struct status *status)
{
    size_t count = (size_t)several->names.count;
    if (of_contrasts)
        several->contrasts = memory_new(count, sizeof *several->contrasts, status);
    else
        several->studies = memory_new(count, sizeof *several->studies, status);
    return several->studies || several->contrasts;
}

void *several_states_result(struct several_states *several, int state)
{
    return several->studies ? (void *)&several->studies[state] : &several->contrasts[state];
}

static bool same_rows(const struct study_result *a, const struct study_result *b)
{
    if (a->sentences != b->sentences || a->row_count != b->row_count)
        return false;
    for (int i = 0; i < a->row_count; i++)
        if (a->rows[i].sentences != b->rows[i].sentences ||
            strcmp(a->rows[i].name, b->rows[i].name) != 0)
            return false;
    return true;
}

bool several_states_agree(const struct several_states *several, int state, struct status *status)
{
    bool same = several->studies ? same_rows(&several->studies[0], &several->studies[state])
                                 : suite_equal(&several->contrasts[0].run->suite,
                                               &several->contrasts[state].run->suite);
    return same ||
           status_fail(status, STATUS_INVALID,
                       "the files have changed between the first state and state %d", state + 1);
}

bool several_states_stop(struct several_states *several, struct status *status)
{
    if (status->code != STATUS_CANCELLED || several->done == 0)
        return false;
    return status_fail(status, STATUS_CANCELLED, "interrupted: %d of %d states are scored",
                       several->done, several->names.count);
}

/* Rows ----------------------------------------------------------------------------------------- */

int several_states_groups(const struct several_states *several)
{
    return several->studies ? several->studies[0].row_count : several->contrasts[0].groups.count;
}

static struct several_row row_of_studies(const struct several_states *several, int row)
{
    const struct study_result *first = &several->studies[0];
    bool all = row == first->row_count;
    const struct study_row *of_first = all ? &first->all : &first->rows[row];
    struct several_row out = {all ? "" : "length", of_first->name, of_first->sentences, {0}};
    for (int s = 0; s < several->done; s++) {
        const struct study_result *study = &several->studies[s];
        const struct study_row *own = all ? &study->all : &study->rows[row];
        out.values[s] = own->sentences ? study_score(&own->score[0], STUDY_BLEU) : NAN;
    }
    return out;
}

static struct several_row row_of_contrasts(const struct several_states *several, int row)
{
    const struct contrast_result *first = &several->contrasts[0];
    struct several_row out = {"", "all", first->decisions, {0}};
    if (row == first->groups.count) {
        for (int s = 0; s < several->done; s++)
            out.values[s] = (double)several->contrasts[s].correct / first->decisions;
        return out;
    }
    const struct contrast_group *group = &first->groups.groups[row];
    out = (struct several_row){contrast_by_names[group->by], group->name, group->decisions, {0}};
    for (int s = 0; s < several->done; s++)
        out.values[s] = (double)several->contrasts[s].groups.groups[row].correct / group->decisions;
    return out;
}

struct several_row several_row(const struct several_states *several, int row)
{
    return several->studies ? row_of_studies(several, row) : row_of_contrasts(several, row);
}

const char *several_states_measure(const struct several_states *several)
{
    return several->studies ? study_metric_names[STUDY_BLEU] : "accuracy";
}
