/* Targets of one source with common prefixes, as a tree: each prefix is decoded once. Inside model/net alone.
 *
 * Decoder inputs are the start tokens and the target without its last token; the input at position p is
 * followed by target token p + 1 - starts. Rows of the decoder are those of all branches, one branch after the
 * other. Where a branch parts from its parent, the parent's row is followed by a token of each: a fork.
 */
#ifndef ATTNSCOPE_BRANCHES_H
#define ATTNSCOPE_BRANCHES_H

#include "model/net/force.h"

struct branch {
    int parent;    // an earlier branch, or -1: the first target of its source
    int common;    // tokens that are the parent's; 0 without one
    int own;       // the first position with a row of its own; those before are the parent's
    int rows;      // own ones: positions own … own+rows-1
    int first_row; // of all rows
};

/* The branch of jobs[job] beside those of jobs[first] … jobs[job-1], which have the same source and head_settings.
 * first_row is left to the caller. */
struct branch branch_find(const struct score_job *jobs, int first, int job, int starts);

/* The row that is followed by the first token that is not the parent's; -1: there is none. */
int branch_fork(const struct branch *branches, const struct score_job *jobs, int b, int starts);

/* The row that is followed by token t of branch b; -1: its own fork, or (*b, a branch before it) that of the one
 * that it shares the token with. */
int branch_row(const struct branch *branches, int *b, int t, int starts);

#endif
