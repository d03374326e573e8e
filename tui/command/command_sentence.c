/* A sentence, a given translation, a pair's score. */
#include <stdlib.h>
#include <string.h>

#include "tui/command/command.h"
#include "tui/text/arguments.h"

/* A translation alone is what scripts read; the screen shows it anyway. */
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
    report_unknown(report, FOR_PEOPLE | IF_WATCHED, session);
}

COMMAND(sentence)
{
    struct sentence_pair *pair = pair_translate(&session->state, request->text, status);
    if (!pair)
        return false;
    session_take(session, pair);
    report_pair(report, session);
    return report_end(report, status);
}

/* The reference of the test set's sentence, where that is the one at hand. */
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

COMMAND(force)
{
    char *target = arguments_text(request->text, strlen(request->text), status);
    if (!target)
        return false;
    struct sentence_pair *pair = NULL;
    const char *given = NULL;
    if (!session->current)
        status_fail(status, STATUS_INVALID, "no sentence yet: give one first");
    else
        // A pair of quotes is an empty target.
        given = *skip_blanks(request->text) ? target : reference_at_hand(session, status);
    if (given)
        pair = pair_force(&session->state, session->current->text, given, status);
    free(target);
    if (!pair)
        return false;
    session_take(session, pair);
    report_pair(report, session);
    return report_end(report, status);
}

/* The one that is looked at has a star. */
static void report_hypotheses(struct report *report, const struct session *session)
{
    static const struct column columns[] = {
        {.title = "", .least = 1},
        {.title = "number", .type = COLUMN_INT},
        {.title = "score", .type = COLUMN_REAL, .digits = 4},
        {.title = "log-probability", .type = COLUMN_REAL, .digits = 4},
        {.title = "tokens", .type = COLUMN_INT},
        {.title = "text", .type = COLUMN_SENTENCE},
    };
    const struct sentence_pair *pair = session->current;
    report_sentence(report, session);
    report_unknown(report, IN_SCREEN, session);
    struct table *table = report_table(report, FOR_PEOPLE, NULL, columns, COUNT(columns));
    table->style = TABLE_RECORDS; // no translation is cut
    for (int i = 0; i < pair->translation.count; i++) {
        const struct hypothesis *hypothesis = &pair->translation.hypotheses[i];
        table_row(table);
        table_put(table, value_text(i == pair->chosen ? "*" : ""));
        table_put(table, value_int(i + 1));
        table_put(table, value_real(hypothesis->score));
        table_put(table, value_real(hypothesis->logprob));
        table_put(table, value_int(hypothesis->count));
        table_put(table, value_text(pair->texts[i]));
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

COMMAND(hypothesis)
{
    int number;
    if (!no_more_words(request, 1, status) || !session_current(session, status))
        return false;
    struct sentence_pair *pair = session->current;
    int count = pair->translation.count;
    bool choose = request->words.count > 0;
    if (choose && (!parse_int("N", request->words.text[0], 1, count, &number, status) ||
                   !pair_choose(pair, number - 1, status)))
        return false;
    if (choose)
        report_chosen(report, session);
    else
        report_hypotheses(report, session);
    return report_end(report, status);
}

/* Cuts SRC ||| TGT in two; the target may be empty. */
static bool split_pair(const char *text, char **source, char **target, struct status *status)
{
    const char *bar = arguments_bar(text);
    if (!bar)
        return status_fail(status, STATUS_INVALID, "expected SRC ||| TGT");
    if (arguments_bar(bar + 3))
        return status_fail(status, STATUS_INVALID,
                           "expected SRC ||| TGT; a text that has ||| itself is quoted: "
                           "\"a ||| b\" ||| TGT");
    *source = arguments_text(text, bar - text, status);
    *target = arguments_text(bar + 3, strlen(bar + 3), status);
    if (!*source || !*target)
        return false;
    return **source ||
           status_fail(status, STATUS_INVALID, "expected SRC ||| TGT: the source is empty");
}

static void report_score(struct report *report, const struct session *session,
                         const struct hypothesis *given)
{
    static const struct column columns[] = {
        {.title = "number", .type = COLUMN_INT, .in = IN_SCREEN},
        {.title = "log-probability", .type = COLUMN_REAL, .digits = 4},
        {.title = "token", .type = COLUMN_TEXT},
    };
    const struct vocabulary *vocabulary = session->loaded->checkpoint->vocabulary[SIDE_TARGET];
    const char **tokens = report_new(report, (size_t)given->count, sizeof *tokens);
    double logprob = 0;
    for (int i = 0; i < given->count; i++) {
        logprob += given->logprobs[i];
        if (tokens)
            tokens[i] = vocabulary_piece(vocabulary, given->ids[i]);
    }
    report_json(report, "logprob", value_real(logprob));
    report_json(report, "tokens", value_texts(tokens, given->count));
    report_json(report, "ids", value_ints(given->ids, given->count));
    report_json(report, "logprobs", report_floats(report, given->logprobs, given->count));
    report_json(report, "score", value_real(given->score));
    report_line(report, FOR_PEOPLE, "log-probability %.4f  tokens %d  score %.4f", logprob,
                given->count, given->score);
    struct table *table = report_table(report, FOR_PEOPLE, NULL, columns, COUNT(columns));
    for (int i = 0; i < given->count; i++) {
        table_row(table);
        table_put(table, value_int(i + 1));
        table_put(table, value_real(given->logprobs[i]));
        table_put(table, value_text(vocabulary_piece(vocabulary, given->ids[i])));
    }
}

COMMAND(score)
{
    char *source = NULL, *target = NULL;
    struct sentence_pair *pair = NULL;
    if (split_pair(request->text, &source, &target, status))
        pair = pair_force(&session->state, source, target, status);
    free(source);
    free(target);
    if (!pair)
        return false;
    report_keep(report, pair, pair_release);
    report->origin.pair = pair;
    report_score(report, session, &pair->translation.hypotheses[0]);
    return report_end(report, status);
}
