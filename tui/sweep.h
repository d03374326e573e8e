/* A test set translated under many settings of dials at once: the sentences of all share batches and, as far as
 * their dials are alike there, the encoder's layers (search.h); every one comes out as it would alone, bit for bit.
 *
 *     sweep_open; sweep_translate; sweep_texts of each; sweep_free
 */
#ifndef ATTNSCOPE_SWEEP_H
#define ATTNSCOPE_SWEEP_H

#include "tui/lines.h"
#include "tui/session.h"
#include "tui/translating.h"

/* Texts of sweeps that are over stay for who looks into them or asks again, up to about so many. */
enum { SWEEP_TEXTS_KEPT = 1000000 };

struct sweep {
    const char *path; // of the sources, for messages
    const struct lines *sources;
    struct dials *const *dials; // (count); borrowed until the translations are there
    int count;
    int kept;                 // translations asked for before that are kept besides
    struct translated **made; // (count); owned by the session until others are asked for
    int64_t tokens;           // of what was not there before, end-of-sentence included
};

/* Finds the translations that the session has. path, sources, dials, count and kept are filled in. sweep_free in
 * either case. */
bool sweep_open(struct session *session, struct sweep *sweep, struct status *status);
void sweep_free(struct sweep *sweep);

/* Translates what the session has no translation of yet, under its model and search. After a failure what was
 * finished is there (STATUS_CANCELLED: at Ctrl-C). follower: as in translating.h; NULL: none. */
bool sweep_translate(struct session *session, struct sweep *sweep, const struct follower *follower,
                     struct status *status);

/* (count, sources): the translations under each dials, NULL where there is none yet; free() frees the list. NULL:
 * out of memory. */
const char *const **sweep_texts(const struct sweep *sweep, struct status *status);

/* After the texts have been used, before sweep_free: of too many those under dials 0 and the last ones stay. */
void sweep_leave(struct session *session, const struct sweep *sweep);

#endif
