/* Sentences that are walked through, of a test set and of a beam, as plain text. */
#include "tui/plain.h"

void plain_testset(struct sink *sink, const struct session *session, const struct result *result)
{
    (void)result;
    const struct testset *testset = session->testset;
    const char *source = testset_source(testset), *reference = testset_reference(testset);
    char number[32];
    snprintf(number, sizeof number, "%d/%d", testset->current + 1, testset->sources.count);
    fprintf(sink->stream, "%-11s", number);
    plain_text(sink->stream, session->subject ? source : "(blank: nothing to translate)");
    if (session->subject) {
        fputs("output     ", sink->stream);
        plain_text(sink->stream, session->subject->texts[0]);
    }
    if (reference) {
        fputs("reference  ", sink->stream);
        plain_text(sink->stream, reference);
    }
}

void plain_hypothesis(struct sink *sink, const struct session *session, const struct result *result)
{
    const struct subject *subject = session->subject;
    (void)result;
    plain_text(sink->stream, subject_target(subject));
    if (sink->interactive)
        fprintf(sink->stream, "hypothesis %d of %d, score %.4f\n", subject->chosen + 1,
                subject->translation.count, subject_hypothesis(subject)->score);
}

/* The one that is looked at has a star. */
void plain_hypotheses(struct sink *sink, const struct session *session, const struct result *result)
{
    const struct subject *subject = session->subject;
    (void)result;
    for (int i = 0; i < subject->translation.count; i++) {
        fprintf(sink->stream, "%s%2d  %9.4f  ", i == subject->chosen ? "* " : "  ", i + 1,
                subject->translation.hypotheses[i].score);
        plain_text(sink->stream, subject->texts[i]);
    }
}
