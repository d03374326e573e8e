/* A search whose batch does not fit into the device's memory divides it, down to one sentence. What
 * is too much for the encoder at once enters in several waves. */
#include "tests/model/search/searches.h"
#include "tests/support/test.h"

enum { SENTENCES = 5 };

static size_t most, largest; // bytes of a piece

static bool allocate_some(struct device *device, size_t bytes, struct tensor *out,
                          struct status *status)
{
    if (bytes > most)
        return status_fail(status, STATUS_MEMORY, "no memory");
    largest = bytes > largest ? bytes : largest;
    return cpu_backend.allocate(device, bytes, out, status);
}

/* Runs searches from `first` on, at once if they fit. Once the model is loaded, the device gives no
 * piece of more than `limit` bytes. Returns false if that is too little. */
static bool run(struct searches *searches, int first, int count, size_t limit)
{
    static struct backend sparing;
    const struct search_options options = searches_options(searches, 3, count);
    struct status status;
    sparing = cpu_backend;
    sparing.allocate = allocate_some;
    most = SIZE_MAX;
    struct model *model =
        model_open(searches->golden->checkpoint, &sparing, searches->golden->device, &status);
    assert_non_null(model);
    for (int i = first; i < first + count; i++)
        translation_free(&searches->jobs[i].result);
    most = limit;
    largest = 0;
    const bool ok = search_run(model, searches->jobs + first, count, &options, NULL, &status);
    if (!ok)
        assert_int_equal(status.code, STATUS_MEMORY);
    model_close(model);
    return ok;
}

static void a_batch_is_divided_until_it_fits(void **state)
{
    struct searches searches, whole;
    size_t need = 0;
    searches_open(&searches, "vanilla_post", SENTENCES);
    searches_open(&whole, "vanilla_post", SENTENCES);
    const struct search_options options = searches_options(&whole, 3, SENTENCES);
    searches_run(&whole, 0, SENTENCES, &options, NULL);
    for (int i = 0; i < SENTENCES; i++) {
        assert_true(run(&searches, i, 1, SIZE_MAX));
        need = largest > need ? largest : need;
    }
    assert_true(run(&searches, 0, SENTENCES, SIZE_MAX));
    assert_true(largest > need);
    assert_true(run(&searches, 0, SENTENCES, need));
    assert_true(largest <= need);
    searches_expect_same(&searches, &whole);
    assert_false(run(&searches, 0, SENTENCES, need - 1));
    searches_close(&whole);
    searches_close(&searches);
}

static void what_is_too_long_for_one_wave_enters_in_several(void **state)
{
    static struct backend narrow;
    struct searches searches, whole;
    struct status status;
    searches_open(&searches, "vanilla_post", SEARCHES_MOST);
    searches_open(&whole, "vanilla_post", SEARCHES_MOST);
    const struct search_options options = searches_options(&whole, 3, SEARCHES_MOST);
    searches_run(&whole, 0, SEARCHES_MOST, &options, NULL);
    narrow = cpu_backend;
    narrow.batch = 1; // waves of 24 tokens, or as many as the decoder has rows
    struct model *model =
        model_open(searches.golden->checkpoint, &narrow, searches.golden->device, &status);
    assert_non_null(model);
    int tokens = 0;
    for (int i = 0; i < SEARCHES_MOST; i++)
        tokens += searches.sentences[i].count;
    assert_true(tokens > SEARCHES_MOST * 3);
    if (!search_run(model, searches.jobs, SEARCHES_MOST, &options, NULL, &status))
        fail_msg("%s", status.message);
    searches_expect_same(&searches, &whole);
    model_close(model);
    searches_close(&whole);
    searches_close(&searches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_divided_until_it_fits),
        cmocka_unit_test(what_is_too_long_for_one_wave_enters_in_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
