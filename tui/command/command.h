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

/* The words of an argument, such as a selector, as typed, separated by blanks. */
const char *report_typed(struct report *report, const struct argument_values *given, int index);

/* Reports that commands share (report_session.c). report_sentence: `source` and `hypotheses` of the
 * current sentence for JSON; null and an empty list without a sentence. report_unknown: a warning
 * with the tokens unknown to the model, if any: of the source, and of a translation that was
 * forced. */
void report_sentence(struct report *report, const struct session *session);
void report_unknown(struct report *report, const struct sentence_pair *pair);
/* The tokens of a model's translation, as in its vocabulary. */
struct value report_tokens(struct report *report, const struct checkpoint *checkpoint,
                           const struct hypothesis *hypothesis);
/* Warns if source sentences in a command's files name languages that the model lacks, and counts
 * them. */
void report_unknown_languages(struct report *report, const struct session *session,
                              const struct argument_values *given);
/* Reports the effect of a change on the sentence: `before` (taken; NULL: none) and the current
 * pair. */
void report_change(struct report *report, const struct session *session,
                   struct sentence_pair *before);
/* Texts owned by the report, "" if empty: heads that are off; changed heads; search settings that
 * differ from the model's file. */
const char *report_heads_off(struct report *report, const struct session *session);
const char *report_heads_changed(struct report *report, const struct session *session);
const char *report_search(struct report *report, const struct session *session);
/* Lists all settings, or one: its value, meaning and accepted values. */
void report_settings(struct report *report, unsigned in, const struct session *session,
                     const struct setting *one);
/* One setting, as `:set NAME` and `:help NAME` show it; for people in `in`. */
void report_setting(struct report *report, unsigned in, const struct session *session,
                    const struct setting *setting);

/* True if the command just run was a divided study of which this session works on a part. Then
 * replaces the report by one that says the part is done, because a partial result would pass for
 * the whole. `line`: the command with its colon. */
bool report_part(struct report *report, const struct session *session, const char *line);
/* Warns if files of parts had values under the keys of the command just run that its study would
 * not write, such as those of a damaged or forged file. */
void report_refused(struct report *report, const struct session *session);
/* True if the session works on a part, in which commands that need the whole do nothing. Then says
 * so. */
bool report_needs_whole(struct report *report, const struct session *session);

#endif
