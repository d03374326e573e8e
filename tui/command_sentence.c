/* A sentence, a given translation, a pair's score. */
#include <stdlib.h>
#include <string.h>

#include "tui/arguments.h"
#include "tui/command.h"

COMMAND(sentence)
{
    struct subject *subject = subject_translate(&session->state, request->text, status);
    if (!subject)
        return false;
    session_take(session, subject);
    result->kind = RESULT_SENTENCE;
    return true;
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
    else if (strcmp(session->subject->text, testset_source(testset)) != 0)
        status_fail(status, STATUS_INVALID,
                    "expected the translation to force: the sentence at hand is not number %d of "
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
    struct subject *subject = NULL;
    const char *given = NULL;
    if (!session->subject)
        status_fail(status, STATUS_INVALID, "no sentence yet: give one first");
    else
        given = *target ? target : reference_at_hand(session, status);
    if (given)
        subject = subject_force(&session->state, session->subject->text, given, status);
    free(target);
    if (!subject)
        return false;
    session_take(session, subject);
    result->kind = RESULT_SENTENCE;
    return true;
}

COMMAND(hypothesis)
{
    int number;
    if (!no_more_words(request, 1, status) || !session_subject(session, status))
        return false;
    struct subject *subject = session->subject;
    int count = subject->translation.count;
    if (request->words.count == 0) {
        result->kind = RESULT_HYPOTHESES;
        return true;
    }
    if (!parse_int("N", request->words.text[0], 1, count, &number, status) ||
        !subject_choose(subject, number - 1, status))
        return false;
    result->kind = RESULT_HYPOTHESIS;
    return true;
}

/* Cuts SRC ||| TGT in two. */
static bool split_pair(const char *text, char **source, char **target, struct status *status)
{
    const char *bar = strstr(text, "|||");
    if (!bar || strstr(bar + 3, "|||"))
        return status_fail(status, STATUS_INVALID, "expected SRC ||| TGT");
    *source = arguments_text(text, bar - text, status);
    *target = arguments_text(bar + 3, strlen(bar + 3), status);
    if (!*source || !*target)
        return false;
    if (!**source || !**target)
        return status_fail(status, STATUS_INVALID, "expected SRC ||| TGT: the %s is empty",
                           **source ? "target" : "source");
    return true;
}

static bool fill_score(const struct session *session, const struct hypothesis *given,
                       struct score_result *score, struct status *status)
{
    const struct vocabulary *vocabulary = session->loaded->checkpoint->vocabulary[SIDE_TARGET];
    score->count = given->count;
    score->ids = memory_new(given->count, sizeof *score->ids, status);
    score->tokens = memory_new(given->count, sizeof *score->tokens, status);
    score->logprobs = memory_new(given->count, sizeof *score->logprobs, status);
    if (!score->ids || !score->tokens || !score->logprobs)
        return false;
    for (int i = 0; i < given->count; i++) {
        score->ids[i] = given->ids[i];
        score->tokens[i] = vocabulary_piece(vocabulary, given->ids[i]);
        score->logprobs[i] = given->logprobs[i];
        score->logprob += given->logprobs[i];
    }
    score->score = given->score;
    return true;
}

COMMAND(score)
{
    char *source = NULL, *target = NULL;
    struct subject *subject = NULL;
    if (split_pair(request->text, &source, &target, status))
        subject = subject_force(&session->state, source, target, status);
    free(source);
    free(target);
    if (!subject)
        return false;
    result->kind = RESULT_SCORE;
    bool ok = fill_score(session, &subject->translation.hypotheses[0], &result->score, status);
    subject_free(subject);
    if (!ok)
        result_free(result);
    return ok;
}
