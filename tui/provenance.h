/* How an exported file was made, for whoever finds it: model, command, sentence, heads, search.
 *
 *     if (!provenance_open(&provenance, session, subject, ":attn cross layer 1 head 2", status)) ...
 *     provenance.notes[0 … count-1]; put_provenance(&json, &provenance); provenance_write(stream, &provenance);
 *     provenance_close(&provenance);
 */
#ifndef ATTNSCOPE_PROVENANCE_H
#define ATTNSCOPE_PROVENANCE_H

#include "tui/json_writer.h"
#include "tui/result.h"

enum { PROVENANCE_MOST = 16 };

/* Keys of several states. */
extern const char *const provenance_sides[]; // (ACROSS_MOST): a, b, …

struct note {
    const char *key;
    char *text; // UTF-8
    bool json;  // the text is JSON: a list or an object
};

struct provenance {
    struct note notes[PROVENANCE_MOST]; // (count)
    int count;
};

/* program; date, if SOURCE_DATE_EPOCH is set (the time of day would make every file another one); model (its
 * name), checkpoint (its file's name), checkpoint_sha256, command; of `subject`, unless it is NULL, source,
 * target, forced and hypothesis (the number of the one shown, from 1, as JSON); disabled, changed and search
 * as JSON; session, as a JSON list: commands after which `command` shows the same. On failure nothing needs
 * to be closed. */
bool provenance_open(struct provenance *provenance, const struct session *session,
                     const struct subject *subject, const char *command, struct status *status);
/* The same for two states: program, date, command, view (the command that shows the head in one of them),
 * source and session; `a` and `b` as JSON, each an object of state (its name) and all other notes of that
 * state, whose `session` makes it. */
bool provenance_open_beside(struct provenance *provenance, const struct session *session,
                            const struct beside_result *beside, const char *command,
                            struct status *status);
/* The same for scores: of one state as above, without a sentence; of two program, date, command, session and
 * `a` and `b`; of translations that were there already program, date, command and session. */
bool provenance_open_study(struct provenance *provenance, const struct session *session,
                           const struct study_request *study, const char *command,
                           struct status *status);
/* The same for scores in several states: program, date, command, session and `a`, `b` and so on. */
bool provenance_open_across(struct provenance *provenance, const struct session *session,
                            const struct across_result *across, const char *command,
                            struct status *status);
/* The same for decisions: of one state as above; of two `a` and `b`, before and after, and `suite`: the files that
 * `:contrast` was asked for in both, as a JSON list. */
bool provenance_open_contrast(struct provenance *provenance, const struct session *session,
                              const struct contrasted *before, const struct contrasted *after,
                              const char *command, struct status *status);
void provenance_close(struct provenance *provenance);

/* Comments, a line each: "# KEY: TEXT"; what would end the line is a blank. */
void provenance_write(FILE *stream, const struct provenance *provenance);

/* An object with the notes as members; JSON stays JSON. */
void put_provenance(struct json_writer *json, const struct provenance *provenance);

#endif
