#include "tui/across.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/session.h"
#include "tui/states.h"

void across_free(struct across_result *across)
{
    for (int i = 0; across->studies && i < across->names.count; i++)
        study_free(&across->studies[i]);
    for (int i = 0; across->contrasts && i < across->names.count; i++)
        contrast_free(&across->contrasts[i]);
    free(across->studies);
    free(across->contrasts);
    pieces_free(&across->names);
    *across = (struct across_result){.done = 0};
}

bool across_asked(const struct pieces *words)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->text[i], ACROSS_IN) == 0)
            return true;
    return false;
}

bool across_parse(const struct pieces *words, int first, struct pieces *states,
                  struct status *status)
{
    int count = words->count - first;
    if (count < 2 || count > ACROSS_MOST)
        return status_fail(status, STATUS_INVALID, "in: %d states after it, expected 2 to %d",
                           count, ACROSS_MOST);
    for (int i = first; i < words->count; i++)
        if (!pieces_add(states, words->text[i], strlen(words->text[i]), status))
            return false;
    return true;
}

bool across_open(struct session *session, const struct pieces *states, bool of_contrasts,
                 struct across_result *across, struct status *status)
{
    size_t count = (size_t)states->count;
    for (int i = 0; i < states->count; i++) {
        struct saved_state state;
        if (!states_find(session, states->text[i], &state, status) ||
            !pieces_add(&across->names, state.name, strlen(state.name), status))
            return false;
    }
    if (of_contrasts)
        across->contrasts = memory_new(count, sizeof *across->contrasts, status);
    else
        across->studies = memory_new(count, sizeof *across->studies, status);
    return across->studies || across->contrasts;
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

bool across_agree(const struct across_result *across, int state, struct status *status)
{
    bool same = across->studies ? same_rows(&across->studies[0], &across->studies[state])
                                : suite_equal(&across->contrasts[0].run->suite,
                                              &across->contrasts[state].run->suite);
    return same || status_fail(status, STATUS_INVALID,
                               "the files are others for state %d than for the first: expected "
                               "them to stay as they are",
                               state + 1);
}

bool across_stop(struct across_result *across, struct status *status)
{
    if (status->code != STATUS_CANCELLED || across->done == 0)
        return false;
    return status_fail(status, STATUS_CANCELLED, "interrupted: %d of %d states are scored",
                       across->done, across->names.count);
}

/* Rows ------------------------------------------------------------------------------------------- */

int across_groups(const struct across_result *across)
{
    return across->studies ? across->studies[0].row_count : across->contrasts[0].groups.count;
}

static struct across_row row_of_studies(const struct across_result *across, int row)
{
    const struct study_result *first = &across->studies[0];
    bool all = row == first->row_count;
    const struct study_row *of_first = all ? &first->all : &first->rows[row];
    struct across_row out = {all ? "" : "length", of_first->name, of_first->sentences, {0}};
    for (int s = 0; s < across->done; s++) {
        const struct study_result *study = &across->studies[s];
        const struct study_row *own = all ? &study->all : &study->rows[row];
        out.values[s] = own->sentences ? study_score(&own->score[0], STUDY_BLEU) : NAN;
    }
    return out;
}

static struct across_row row_of_contrasts(const struct across_result *across, int row)
{
    const struct contrast_result *first = &across->contrasts[0];
    struct across_row out = {"", "all", first->decisions, {0}};
    if (row == first->groups.count) {
        for (int s = 0; s < across->done; s++)
            out.values[s] = (double)across->contrasts[s].correct / first->decisions;
        return out;
    }
    const struct contrast_group *group = &first->groups.groups[row];
    out = (struct across_row){contrast_by_names[group->by], group->name, group->decisions, {0}};
    for (int s = 0; s < across->done; s++)
        out.values[s] = (double)across->contrasts[s].groups.groups[row].correct / group->decisions;
    return out;
}

struct across_row across_row(const struct across_result *across, int row)
{
    return across->studies ? row_of_studies(across, row) : row_of_contrasts(across, row);
}

const char *across_measure(const struct across_result *across)
{
    return across->studies ? study_metric_names[STUDY_BLEU] : "accuracy";
}
