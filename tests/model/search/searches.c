#include "tests/model/search/searches.h"
#include "tests/support/test.h"

#include <math.h>

static const char *case_source(const struct golden *golden, int number)
{
    size_t cases = json_array_size(golden->cases);
    const json_t *given = json_array_get(golden->cases, (size_t)number % cases);
    return json_string_value(json_object_get(given, "source"));
}

/* Writes the first words of a source; how many depends on the number. */
static void compose(const struct golden *golden, int number, char *text, size_t size)
{
    int words = 1 + number * 7 % 6;
    snprintf(text, size, "%s", case_source(golden, number));
    for (char *c = text; *c; c++)
        if (*c == ' ' && --words == 0)
            *c-- = '\0';
}

struct search_options searches_options(const struct searches *searches, int beam, int batch)
{
    struct search_options options = search_defaults(searches->golden->checkpoint->config);
    options.beam = beam;
    options.batch = batch;
    options.factor = 1;
    options.plus = 2;
    return options;
}

void searches_open(struct searches *searches, const char *model, int count)
{
    struct status status;
    char text[1000];
    *searches = (struct searches){.golden = golden_open(model, "cpu", 1), .count = count};
    assert_true(count <= SEARCHES_MOST);
    for (int i = 0; i < count; i++) {
        compose(searches->golden, i, text, sizeof text);
        if (!sentence_encode(searches->golden->checkpoint, text, &searches->sentences[i], &status))
            fail_msg("%s", status.message);
        searches->jobs[i].source = &searches->sentences[i];
    }
}

void searches_close(struct searches *searches)
{
    for (int i = 0; i < searches->count; i++) {
        translation_free(&searches->jobs[i].result);
        sentence_free(&searches->sentences[i]);
    }
    golden_close(searches->golden);
}

void searches_run(struct searches *searches, int first, int count,
                  const struct search_options *options, const struct search_listener *listener)
{
    struct status status;
    for (int i = first; i < first + count; i++)
        translation_free(&searches->jobs[i].result);
    if (!search_run(searches->golden->model, searches->jobs + first, count, options, listener,
                    &status))
        fail_msg("%s", status.message);
}

static void expect_same_hypothesis(int sentence, const struct hypothesis *a,
                                   const struct hypothesis *b)
{
    if (a->count != b->count || memcmp(a->ids, b->ids, (size_t)a->count * sizeof *a->ids) != 0 ||
        !(fabs(a->score - b->score) <= 1e-4))
        fail_msg("sentence %d: other tokens, or another score: %.9g, expected %.9g", sentence + 1,
                 b->score, a->score);
}

void searches_expect_same(const struct searches *a, const struct searches *b)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        const struct translation *x = &a->jobs[i].result, *y = &b->jobs[i].result;
        assert_true(x->count > 0);
        assert_int_equal(x->count, y->count);
        expect_same_hypothesis(i, &x->hypotheses[0], &y->hypotheses[0]);
    }
}
