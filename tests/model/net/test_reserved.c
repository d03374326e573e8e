/* A model that is at work does not begin anything else. */
#include "tests/model/search/searches.h"
#include "tests/support/test.h"

static void a_reserved_model_refuses_to_work(void **state)
{
    struct searches searches, again;
    struct status status = {0};
    searches_open(&searches, "vanilla_post", 4);
    searches_open(&again, "vanilla_post", 4);
    const struct search_options options = searches_options(&searches, 3, 4);
    searches_run(&searches, 0, 4, &options, NULL);
    struct model *model = again.golden->model;
    model_reserve(model, true);
    assert_false(search_run(model, again.jobs, 4, &options, NULL, &status));
    assert_int_equal(status.code, STATUS_BUSY);
    for (int i = 0; i < 4; i++)
        assert_int_equal(again.jobs[i].result.count, 0);
    const struct hypothesis *best = &searches.jobs[0].result.hypotheses[0];
    const struct capture_request request = {.logits = true};
    struct capture capture;
    assert_false(force_run(model, &again.sentences[0], best->ids, best->count, NULL, &request,
                           &capture, &status));
    assert_int_equal(status.code, STATUS_BUSY);
    float logprobs[100];
    assert_in_range(best->count, 1, 100);
    struct score_job job = {&again.sentences[0], best->ids, best->count, NULL, logprobs};
    assert_false(score_run(model, &job, 1, 1, &status));
    assert_int_equal(status.code, STATUS_BUSY);
    model_reserve(model, false);
    searches_run(&again, 0, 4, &options, NULL);
    searches_expect_same(&searches, &again);
    searches_close(&again);
    searches_close(&searches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reserved_model_refuses_to_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
