/* Contrastive suites that a session has scored, kept for commands that ask again: to look at single items, to
 * export, to see what another state decides otherwise. A few are kept; the one not asked for the longest goes
 * first.
 *
 * Likewise kept are the scores of a run with heads off besides, as many as fit in: CANDIDATES_KEPT of all runs.
 *
 * They are a suite's items under a model and what its heads do, whatever the files are called; what a command
 * stopped at Ctrl-C had finished is among them.
 */
#ifndef ATTNSCOPE_CONTRASTED_H
#define ATTNSCOPE_CONTRASTED_H

#include "model/study/contrast.h"
#include "model/text/text.h"
#include "tui/ablate.h"
#include "tui/states.h"

enum { CONTRASTED_MOST = 8, CANDIDATES_KEPT = 4 << 20 };

/* A run's suite under other dials: all of its items. */
struct contrast_variant {
    struct dials *dials;
    struct contrast_scores scores;
};

struct contrasted {
    struct loaded *loaded; // the state
    struct dials *dials;
    struct suite suite;
    struct contrast_scores scores;
    struct pieces files;               // that `:contrast` was last asked for
    struct contrast_variant *variants; // (variant_count)
    int variant_count;
    size_t variant_capacity;
    struct ablation_list stopped; // ablations that Ctrl-C has stopped; empty: none
};

struct contrasts {
    struct contrasted *runs[CONTRASTED_MOST]; // (count), the one last asked for first
    int count;
};
void contrasts_free(struct contrasts *contrasts); // leaves it empty

/* The run of the suite (taken, also on failure) under a state, scored as far as it was, with the names that its
 * files have now; `files`: what `:contrast` was asked for. Owned by `contrasts` until a few others are asked for.
 * NULL: out of memory. */
struct contrasted *contrasts_get(struct contrasts *contrasts, const struct saved_state *state,
                                 const struct pieces *files, struct suite *suite,
                                 struct status *status);

/* The run's scores under these dials; NULL: they are not kept. Borrowed until others are kept. */
const struct contrast_scores *contrasts_variant(const struct contrasted *run,
                                                const struct dials *dials);
/* Keeps them for one of the runs, both of which are taken where there is room, which other runs make. */
void contrasts_keep(struct contrasts *contrasts, struct contrasted *run, struct dials **dials,
                    struct contrast_scores *scores);

/* The run of the same suite in another state that was asked for before this one; NULL: none is kept. */
struct contrasted *contrasts_before(const struct contrasts *contrasts,
                                    const struct contrasted *run);

#endif
