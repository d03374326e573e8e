/* What a session has found out with heads off, kept so that its rows open at once (`show N`), and so that what
 * Ctrl-C stopped goes on: the last `:ablate` and the last `:prune`. Their translations are kept elsewhere
 * (translated.h).
 *
 *     kept_ablate_find, or the study is made and kept_ablate_put
 *     kept_prune_get, then kept_prune_step after each step
 *
 * They are of files' lines under a state, whatever the files are called, and of the settings that scores depend
 * on. kept_free at the end.
 */
#ifndef ATTNSCOPE_KEPT_H
#define ATTNSCOPE_KEPT_H

#include "tui/parallel.h"
#include "tui/prune.h"
#include "tui/states.h"

/* What a study is of. All is owned where it is kept, all borrowed where one is asked for. */
struct kept_subject {
    struct loaded *loaded; // the state; never owned
    struct dials *dials;
    struct search_options search;
    struct parallel files; // sources, references
    struct ablation_list heads;
    struct study_settings settings;
};
/* Of the state in force. Borrows everything. */
struct kept_subject kept_subject_of(const struct session *session, const struct parallel *files,
                                    const struct ablation_list *heads,
                                    const struct study_settings *settings);

struct kept_ablate {
    struct kept_subject of;
    int sentences, lines;
    double base;
    struct ablation_score *scores; // (of.heads.count); NULL: nothing is kept
    bool tested;
};

/* Steps do not depend on where the pruning was to end. */
struct kept_prune {
    struct kept_subject of;   // heads: that may go, before the first step
    double base;              // where there are steps
    struct prune_step *steps; // (of.heads.count); NULL: nothing is kept
    int count;
    bool stopped; // at Ctrl-C, on the way to `until`
    double until;
};

struct kept {
    struct kept_ablate ablate;
    struct kept_prune prune;
};
void kept_free(struct kept *kept); // leaves it empty

/* The ablations of `of`; NULL: others are kept, or none. Borrowed until the next ones. */
const struct kept_ablate *kept_ablate_find(const struct kept *kept, const struct kept_subject *of);
/* Keeps a copy of what was found out, in place of what was kept; nothing where memory is short. */
void kept_ablate_put(struct kept *kept, const struct kept_subject *of,
                     const struct ablate_result *result);

/* The pruning of `of`, as far as it was taken, or a new one without steps in place of what was kept. Owned by
 * `kept`. NULL: out of memory, nothing is kept. */
struct kept_prune *kept_prune_get(struct kept *kept, const struct kept_subject *of,
                                  struct status *status);
void kept_prune_step(struct kept_prune *kept, double base, const struct prune_step *step);

#endif
