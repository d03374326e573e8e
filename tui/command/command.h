/* What the functions of commands share. */
#ifndef ATTNSCOPE_COMMAND_H
#define ATTNSCOPE_COMMAND_H

#include "tui/command/commands.h"
#include "tui/report/labels.h"
#include "tui/session/selector.h"

/* Defines the function of a command, which the table (command_table.c) names. */
#define COMMAND(name)                                                                              \
    command_function command_##name;                                                               \
    bool command_##name(struct session *session, const struct request *request,                    \
                        struct report *report, struct status *status)

/* `:importance` of the current sentence, which `:importance FILE` goes on with where there is no FILE. */
command_function command_importance;
/* `:align` of the current sentence, likewise, and what it shows where the selector leaves it open. */
command_function command_align;
bool align_choose(const struct session *session, struct selector *selector, struct view *view,
                  struct status *status);

/* A selector and the words after it. */
struct selection {
    struct selector selector;
    const char **rest; // (count), borrowed from the request
    int count;
};

/* Reads the selector of a command, not yet checked against a module. Freed with selection_free unless
 * this fails. */
bool selection_parse(const struct request *request, enum heads_allowed heads,
                     struct selection *selection, struct status *status);
void selection_free(struct selection *selection);

/* Fails where a command has more than `most` words, and names the first one too many. */
bool no_more_words(const struct request *request, int most, struct status *status);

/* What several commands report (report_session.c): `source` and `hypotheses` of the current sentence for JSON, null and
 * none where there is no sentence; a line with the words of the source that the model does not know, if there are any. */
void report_sentence(struct report *report, const struct session *session);
void report_unknown(struct report *report, unsigned in, const struct session *session);
/* Warns of the first source that names a language which the model does not know. */
void report_unknown_language(struct report *report, const struct session *session,
                             const struct lines *lines);
/* What a change of the session did to the current sentence: `before` (taken; NULL: there was none) and after it. */
void report_change(struct report *report, const struct session *session,
                   struct sentence_pair *before);
/* Texts of the report, "" where there is nothing to say: heads that are off, and changed ones; settings of the search
 * that the model's file does not have so. */
const char *report_heads_off(struct report *report, const struct session *session);
const char *report_heads_changed(struct report *report, const struct session *session);
const char *report_search(struct report *report, const struct session *session);
/* A list of all settings, of one: its value, what it means, what it takes. */
void report_settings(struct report *report, unsigned in, const struct session *session,
                     const struct setting *one);
/* One setting, as `:set NAME` and `:help NAME` show it; for people in `in`. */
void report_setting(struct report *report, unsigned in, const struct session *session,
                    const struct setting *setting);

#endif
