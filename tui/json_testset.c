/* Sentences that are walked through, of a test set and of a beam, as JSON. */
#include "tui/json.h"

void json_testset(struct json_writer *json, const struct session *session,
                  const struct result *result)
{
    (void)result;
    const struct testset *testset = session->testset;
    const char *reference = testset_reference(testset);
    put_member_int(json, "number", testset->current + 1);
    put_member_int(json, "sentences", testset->sources.count);
    put_key(json, "reference");
    if (reference)
        put_string(json, reference);
    else
        put_null(json);
    if (session->subject) {
        json_sentence(json, session);
        return;
    }
    put_key(json, "source");
    put_null(json);
    put_key(json, "hypotheses");
    put_array(json);
    put_array_end(json);
}

void json_hypothesis(struct json_writer *json, const struct session *session,
                     const struct result *result)
{
    (void)result;
    put_member_int(json, "hypothesis", session->subject->chosen + 1);
    json_sentence(json, session);
}
