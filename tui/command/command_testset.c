/* Walking through a test set: `:open`, `:next`, `:prev`, `:goto`. */
#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/text/arguments.h"

/* The screen shows all of it. */
static bool tell(const struct session *session, struct report *report, struct status *status)
{
    const struct testset *testset = session->testset;
    const char *reference = testset_reference(testset), *number;
    int count = testset->sources.count;
    report->effect = EFFECT_SENTENCE;
    report_json(report, "number", value_int(testset->current + 1));
    report_json(report, "sentences", value_int(count));
    report_json(report, "reference", value_text(reference));
    report_sentence(report, session);
    number = report_format(report, "%d/%d", testset->current + 1, count);
    report_line(report, IN_TEXT, "%-11s%s", number,
                session->current ? testset_source(testset) : "(blank: nothing to translate)");
    if (session->current)
        report_line(report, IN_TEXT, "output     %s", session->current->texts[0]);
    if (reference)
        report_line(report, IN_TEXT, "reference  %s", reference);
    return report_end(report, status);
}

/* Translates sentence `index` and makes it the current sentence. A blank line is shown as what it is: then
 * there is none. */
static bool go_to(struct session *session, struct testset *testset, int index,
                  struct status *status)
{
    const char *source = testset->sources.text[index];
    struct sentence_pair *pair = NULL;
    if (!command_blank(source)) {
        pair = pair_translate(&session->state, source, status);
        if (!pair)
            return status_prefix(status, "%s:%d", QUOTED_PATH(testset->path),
                                 lines_number(&testset->sources, index));
    }
    session_take(session, pair);
    testset->current = index;
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
    if (!go_to(session, testset, 0, status)) {
        testset_close(testset);
        return false;
    }
    testset_close(session->testset);
    session->testset = testset;
    return tell(session, report, status);
}

static bool check_open(const struct session *session, struct status *status)
{
    return session->testset ||
           status_fail(status, STATUS_INVALID,
                       "no test set is open; open one first with :open SRC [REF]");
}

static bool step(struct session *session, const struct request *request, int by,
                 struct report *report, struct status *status)
{
    if (!no_more_words(request, 0, status) || !check_open(session, status))
        return false;
    int index = session->testset->current + by, count = session->testset->sources.count;
    if (index < 0 || index >= count)
        return status_fail(status, STATUS_INVALID, "sentence %d of %d is the %s",
                           session->testset->current + 1, count, by < 0 ? "first" : "last");
    return go_to(session, session->testset, index, status) && tell(session, report, status);
}

COMMAND(next)
{
    return step(session, request, 1, report, status);
}

COMMAND(prev)
{
    return step(session, request, -1, report, status);
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
           go_to(session, session->testset, number - 1, status) && tell(session, report, status);
}
