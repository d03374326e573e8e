/* Walking through a test set: `:open`, `:next`, `:prev`, `:goto`. */
#include "model/net/quote.h"
#include "tui/arguments.h"
#include "tui/command.h"

/* Translates sentence `index` and makes it the sentence at hand. A blank line is shown as what it is: then
 * there is none. */
static bool show(struct session *session, struct testset *testset, int index, struct result *result,
                 struct status *status)
{
    const char *source = testset->sources.text[index];
    struct subject *subject = NULL;
    if (!command_blank(source)) {
        subject = subject_translate(&session->state, source, status);
        if (!subject)
            return status_prefix(status, "%s:%d", QUOTED_PATH(testset->path), index + 1);
    }
    session_take(session, subject);
    testset->current = index;
    result->kind = RESULT_TESTSET;
    return true;
}

COMMAND(open)
{
    const struct pieces *words = &request->words;
    if (!no_more_words(request, 2, status))
        return false;
    if (words->count == 0)
        return status_fail(status, STATUS_INVALID, "expected SRC [REF]");
    struct testset *testset =
        testset_open(words->text[0], words->count > 1 ? words->text[1] : NULL, status);
    if (!testset)
        return false;
    if (!show(session, testset, 0, result, status)) {
        testset_close(testset);
        return false;
    }
    testset_close(session->testset);
    session->testset = testset;
    return true;
}

static bool check_open(const struct session *session, struct status *status)
{
    return session->testset || status_fail(status, STATUS_INVALID,
                                           "no test set is open: expected :open SRC [REF] before");
}

static bool step(struct session *session, const struct request *request, int by,
                 struct result *result, struct status *status)
{
    if (!no_more_words(request, 0, status) || !check_open(session, status))
        return false;
    int index = session->testset->current + by, count = session->testset->sources.count;
    if (index < 0 || index >= count)
        return status_fail(status, STATUS_INVALID, "sentence %d of %d is the %s",
                           session->testset->current + 1, count, by < 0 ? "first" : "last");
    return show(session, session->testset, index, result, status);
}

COMMAND(next)
{
    return step(session, request, 1, result, status);
}

COMMAND(prev)
{
    return step(session, request, -1, result, status);
}

COMMAND(goto)
{
    int number;
    if (!no_more_words(request, 1, status) || !check_open(session, status))
        return false;
    int count = session->testset->sources.count;
    if (request->words.count == 0)
        return status_fail(status, STATUS_INVALID, "expected the number of a sentence, 1 to %d",
                           count);
    return parse_int("sentence", request->words.text[0], 1, count, &number, status) &&
           show(session, session->testset, number - 1, result, status);
}
