/* Functions that commands share. */
#ifndef ATTNSCOPE_COMMAND_H
#define ATTNSCOPE_COMMAND_H

#include "report/labels.h"
#include "report/report.h"
#include "session/selector.h"
#include "tui/command/commands.h"

/* The subjects of several commands' examples. */
#define TESTSET "samples/sentences.en samples/sentences.de"
#define ALIGNED "samples/aligned.en samples/aligned.de"
#define DOGS "Two dogs are running."
#define STARS "I have never seen so many stars in the sky."

/* Parts of several commands' help. */
#define SELECTOR_ITEM                                                                              \
    {                                                                                              \
        "SELECTOR", "the heads (:help selector)"                                                   \
    }
#define WORD_ITEM                                                                                  \
    {                                                                                              \
        "word", "words instead of tokens: the columns of a word's tokens are summed, their rows "  \
                "averaged"                                                                         \
    }
#define COMPARED_NOTE                                                                              \
    "Translations that differ are shown one above the other, with marks around the words that "    \
    "were [changed], [-dropped-] or {+inserted+}."

/* The words of an argument as they were typed, with blanks between them: those of a selector. */
const char *report_typed(struct report *report, const struct argument_values *given, int index);

/* Reports that commands share (report_session.c): `source` and `hypotheses` of the current sentence
 * for JSON, null and none without a sentence; a line with the words of the source that the model
 * does not know, if there are any. */
void report_sentence(struct report *report, const struct session *session);
void report_unknown(struct report *report, unsigned in, const struct session *session);
/* The tokens of a translation by a model, as its vocabulary has them. */
struct value report_tokens(struct report *report, const struct checkpoint *checkpoint,
                           const struct hypothesis *hypothesis);
/* Warns of what a source names and no language of the model is; of how many of a command's files
 * do. */
void report_unknown_languages(struct report *report, const struct session *session,
                              const struct argument_values *given);
/* Reports what a change of the session did to the sentence: `before` (taken; NULL: there was none)
 * and after it. */
void report_change(struct report *report, const struct session *session,
                   struct sentence_pair *before);
/* Texts of the report, "" where there is nothing to say: heads that are off, and changed ones;
 * settings of the search that the model's file does not have so. */
const char *report_heads_off(struct report *report, const struct session *session);
const char *report_heads_changed(struct report *report, const struct session *session);
const char *report_search(struct report *report, const struct session *session);
/* A list of all settings, of one: its value, what it means, what it takes. */
void report_settings(struct report *report, unsigned in, const struct session *session,
                     const struct setting *one);
/* One setting, as `:set NAME` and `:help NAME` show it; for people in `in`. */
void report_setting(struct report *report, unsigned in, const struct session *session,
                    const struct setting *setting);

/* True if the command that has run was a study in shards, of which this session has one; then
 * replaces the report: the part is done, and has no result, which would pass for the whole one's.
 * `line`: the command with its colon. */
bool report_part(struct report *report, const struct session *session, const char *line);
/* True if the session works on a part, where a command that needs the whole does nothing; then says
 * so. */
bool report_needs_whole(struct report *report, const struct session *session);

#endif
