#include "model/net/group.h"

#include "base/minmax.h"

static int count_common(const struct score_job *a, const struct score_job *b)
{
    int most = int_min(a->count, b->count), common = 0;
    while (common < most && a->target[common] == b->target[common])
        common++;
    return common;
}

struct branch branch_find(const struct score_job *jobs, int first, int job, int starts)
{
    int rows = starts + jobs[job].count - 1;
    struct branch branch = {.parent = -1, .rows = rows};
    for (int other = first; other < job; other++) {
        int common = count_common(&jobs[other], &jobs[job]);
        if (branch.parent >= 0 && common <= branch.common)
            continue;
        branch.parent = other;
        branch.common = common;
    }
    if (branch.parent < 0)
        return branch;
    // The parent also has the row that reads the last common token: the targets differ only after
    // it.
    int shared = int_min(branch.common + starts, starts + jobs[branch.parent].count - 1);
    branch.own = int_min(shared, rows);
    branch.rows = rows - branch.own;
    return branch;
}

/* Returns the row of branch b at position p. */
static int row_at(const struct branch *branches, int b, int p)
{
    while (p < branches[b].own)
        b = branches[b].parent;
    return branches[b].first_row + p - branches[b].own;
}

int branch_fork(const struct branch *branches, const struct score_job *jobs, int b, int starts)
{
    const struct branch *branch = &branches[b];
    if (branch->parent < 0 || branch->common == jobs[b].count)
        return -1;
    return row_at(branches, b, branch->common + starts - 1);
}

int branch_row(const struct branch *branches, int *b, int t, int starts)
{
    while (branches[*b].parent >= 0 && t < branches[*b].common)
        *b = branches[*b].parent;
    const struct branch *branch = &branches[*b];
    bool fork = branch->parent >= 0 && t == branch->common;
    return fork ? -1 : branch->first_row + t + starts - 1 - branch->own;
}
