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

COMMAND(force)
{
    char *target = arguments_text(request->text, strlen(request->text), status);
    if (!target)
        return false;
    struct subject *subject = NULL;
    if (!*target)
        status_fail(status, STATUS_INVALID, "expected the translation to force: :force TARGET");
    else if (!session->subject)
        status_fail(status, STATUS_INVALID, "no sentence yet: give one first");
    else
        subject = subject_force(&session->state, session->subject->text, target, status);
    free(target);
    if (!subject)
        return false;
    session_take(session, subject);
    result->kind = RESULT_SENTENCE;
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
