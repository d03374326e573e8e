/* A sentence, a given translation, a pair's score. */
#include <stdlib.h>
#include <string.h>

#include "report/view_report.h"
#include "session/testset.h"
#include "terminal/text/arguments.h"
#include "tui/command/command.h"

enum { NUMBER };
static const struct argument of_hypothesis[] = {
    [NUMBER] = {"N", .kind = ARGUMENT_TEXT}, // the session checks the range
};

enum { TARGET };
static const struct argument of_force[] = {
    [TARGET] = {"TARGET", .kind = ARGUMENT_SENTENCE},
};

enum { SRC, TGT };
static const struct argument of_score[] = {
    [SRC] = {"SRC", .kind = ARGUMENT_SENTENCE, .required = true},
    [TGT] = {"TGT", .kind = ARGUMENT_SENTENCE, .required = true, .bar = true},
};

static const struct argument of_sentence[] = {
    {"TEXT", .kind = ARGUMENT_SENTENCE, .required = true}};

/* Only scripts read the plain translation; the screen shows it anyway. */
static void report_pair(struct report *report, const struct session *session)
{
    const struct sentence_pair *pair = session->current;
    const struct hypothesis *best = &pair->translation.hypotheses[0];
    report->effect = EFFECT_SENTENCE;
    report_sentence(report, session);
    if (pair->forced)
        report_line(report, FOR_PEOPLE, "log-probability %.4f  tokens %d  score %.4f",
                    best->logprob, best->count, best->score);
    else
        report_line(report, IN_TEXT, "%s", pair->texts[0]);
    report_unknown(report, pair);
}

static bool run_sentence(struct session *session, const struct request *request,
                         struct report *report, struct status *status)
{
    struct sentence_pair *pair = pair_translate(&session->state, request->text, status);
    if (!pair || !testset_add(&session->typed, request->text, status)) {
        pair_free(pair);
        return false;
    }
    session->among_typed = true;
    session_take(session, pair);
    report_pair(report, session);
    return report_end(report, status);
}

/* Returns the test set's reference if the current sentence is the test set's. */
static const char *reference_at_hand(const struct session *session, struct status *status)
{
    const struct testset *testset = session->testset;
    const char *reference = testset ? testset_reference(testset) : NULL;
    if (!reference)
        status_fail(status, STATUS_INVALID, "expected the translation to force: %s",
                    testset ? "the test set was opened without references"
                            : "no test set with references is open");
    else if (strcmp(session->current->text, testset_source(testset)) != 0)
        status_fail(status, STATUS_INVALID,
                    "expected the translation to force: the current sentence is not number %d of "
                    "the test set",
                    testset->current + 1);
    else if (command_blank(reference))
        status_fail(status, STATUS_INVALID,
                    "expected the translation to force: the reference of sentence %d is blank",
                    testset->current + 1);
    else
        return reference;
    return NULL;
}

static bool run_force(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    const char *target = argument_text(request->given, TARGET);
    if (!session->current)
        return status_fail(status, STATUS_INVALID, "no sentence yet: give one first");
    target = target ? target : reference_at_hand(session, status);
    struct sentence_pair *pair =
        target ? pair_force(&session->state, session->current->text, target, status) : NULL;
    if (!pair)
        return false;
    session_take(session, pair);
    report_pair(report, session);
    return report_end(report, status);
}

/* A star marks the current one. */
static void report_hypotheses(struct report *report, const struct session *session)
{
    static const struct column columns[] = {
        {.title = "", .least = 1},
        {.all = "number", .type = COLUMN_INT},
        {.all = "score", .type = COLUMN_REAL, .digits = 4},
        {.name = "logprob", .title = "log-probability", .type = COLUMN_REAL, .digits = 4},
        {.all = "tokens", .type = COLUMN_INT},
        {.all = "text", .type = COLUMN_SENTENCE},
    };
    const struct sentence_pair *pair = session->current;
    report_sentence(report, session);
    report_unknown(report, pair);
    report_command(report, "hypothesis");
    report_origin(report, session, pair);
    struct table *table =
        report_table(report, FOR_PEOPLE | IN_TABLE | IN_ARRAYS, NULL, columns, COUNT(columns));
    table->style = TABLE_RECORDS; // translations are never cut
    for (int i = 0; i < pair->translation.count; i++) {
        const struct hypothesis *hypothesis = &pair->translation.hypotheses[i];
        table_add(table, value_text(i == pair->chosen ? "*" : ""), value_int(i + 1),
                  value_real(hypothesis->score), value_real(hypothesis->logprob),
                  value_int(hypothesis->count), value_text(pair->texts[i]));
        table_enter(table, ":hypothesis %d", i + 1);
    }
}

static void report_chosen(struct report *report, const struct session *session)
{
    const struct sentence_pair *pair = session->current;
    report->effect = EFFECT_SENTENCE;
    report_json(report, "hypothesis", value_int(pair->chosen + 1));
    report_sentence(report, session);
    report_line(report, IN_TEXT, "%s", pair_target(pair));
    report_line(report, FOR_PEOPLE | IF_WATCHED, "hypothesis %d of %d, score %.4f",
                pair->chosen + 1, pair->translation.count, pair_hypothesis(pair)->score);
}

static bool run_hypothesis(struct session *session, const struct request *request,
                           struct report *report, struct status *status)
{
    if (!session_current(session, status))
        return false;
    struct sentence_pair *pair = session->current;
    const bool chosen = argument_given(request->given, NUMBER);
    int number = 0;
    if (chosen && session->aside)
        return status_fail(status, STATUS_BUSY, "a command is at work on this hypothesis");
    if (chosen && (!argument_within(request->given, NUMBER, "N", 1, pair->translation.count,
                                    &number, status) ||
                   !pair_choose(pair, number - 1, status)))
        return false;
    if (chosen)
        report_chosen(report, session);
    else
        report_hypotheses(report, session);
    return report_end(report, status);
}

static void report_score(struct report *report, const struct session *session,
                         const struct hypothesis *given)
{
    static const struct column columns[] = {
        {.all = "number", .type = COLUMN_INT, .in = IN_SCREEN | FOR_PROGRAMS},
        {.name = "logprob", .title = "log-probability", .type = COLUMN_REAL, .digits = 4},
        {.all = "token", .type = COLUMN_TEXT},
    };
    const struct vocabulary *vocabulary = session->loaded->checkpoint->vocabulary[SIDE_TARGET];
    double logprob = 0;
    for (int i = 0; i < given->count; i++)
        logprob += given->logprobs[i];
    report_json(report, "logprob", value_real(logprob));
    report_json(report, "tokens", report_tokens(report, session->loaded->checkpoint, given));
    report_json(report, "ids", value_ints(given->ids, given->count));
    report_json(report, "logprobs", report_floats(report, given->logprobs, given->count));
    report_json(report, "score", value_real(given->score));
    report_line(report, FOR_PEOPLE, "log-probability %.4f  tokens %d  score %.4f", logprob,
                given->count, given->score);
    struct table *table =
        report_table(report, FOR_PEOPLE | IN_TABLE | IN_ARRAYS, NULL, columns, COUNT(columns));
    for (int i = 0; i < given->count; i++) {
        table_add(table, value_int(i + 1), value_real(given->logprobs[i]),
                  value_text(vocabulary_piece(vocabulary, given->ids[i])));
    }
}

static bool run_score(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    struct sentence_pair *pair = pair_force(&session->state, argument_text(request->given, SRC),
                                            argument_text(request->given, TGT), status);
    if (!pair)
        return false;
    report_keep(report, pair, pair_release);
    report_origin(report, session, pair);
    report_command(report, "score %s", request->text);
    report_score(report, session, &pair->translation.hypotheses[0]);
    report_unknown(report, pair);
    return report_end(report, status);
}

static const char *const notes_of_hypothesis[] = {
    "Hypothesis 1 is the best. Later views show the chosen one, until the sentence is translated "
    "again.",
    NULL,
};

const struct command command_hypothesis = {
    .name = "hypothesis",
    .summary = "look at another hypothesis of the beam; without N, list them",
    .arguments = ARGUMENT_LIST(of_hypothesis),
    .notes = notes_of_hypothesis,
    .examples = (const char *const[]){DOGS, ":hypothesis", ":hypothesis 2", NULL},
    .run = run_hypothesis,
    .group = GROUP_SENTENCES,
    .view = true,
    .needs = NEEDS_SESSION,
};

static const struct help_item meanings_of_force[] = {
    {"TARGET",
     "the translation. Without it, the reference of the test set's current sentence (:open) is "
     "taken. An empty one (\"\") ends the sentence at once"},
    {NULL, NULL},
};
static const char *const notes_of_force[] = {
    "Later views show this pair, until another sentence is given.",
    NULL,
};

const struct command command_force = {
    .name = "force",
    .summary = "keep the source and show the model's attention for a given translation",
    .arguments = ARGUMENT_LIST(of_force),
    .takes_text = true,
    .meanings = meanings_of_force,
    .notes = notes_of_force,
    .examples =
        (const char *const[]){DOGS, ":force Zwei Hunde rennen.", ":open " TESTSET, ":force", NULL},
    .run = run_force,
    .group = GROUP_SENTENCES,
};

static const struct help_item meanings_of_score[] = {
    {"TGT", "may be empty, which ends the sentence at once. A text that contains ||| is quoted: "
            "\"a ||| b\" ||| TGT; \" and \\ in it are escaped with \\"},
    {NULL, NULL},
};
static const char *const notes_of_score[] = {
    "score is the log-probability divided by the length penalty (setting length_penalty).",
    NULL,
};

const struct command command_score = {
    .name = "score",
    .summary = "log-probability of a translation, token by token",
    .arguments = ARGUMENT_LIST(of_score),
    .takes_text = true,
    .meanings = meanings_of_score,
    .notes = notes_of_score,
    .examples = (const char *const[]){":score I see stars. ||| Ich sehe Sterne.",
                                      ":score " DOGS " ||| Zwei Hunde rennen.", NULL},
    .run = run_score,
    .group = GROUP_SENTENCES,
    .view = true,
};

static const char *const notes_of_sentence_command[] = {
    "Start with a space to translate a line that begins with \":\".",
    NULL,
};

const struct command sentence_command = {
    .name = "sentence",
    .summary = "translate a sentence",
    .arguments = ARGUMENT_LIST(of_sentence),
    .takes_text = true,
    .notes = notes_of_sentence_command,
    .run = run_sentence,
    .group = GROUP_SENTENCES,
};
