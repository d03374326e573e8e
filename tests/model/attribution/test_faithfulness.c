/* Comprehensiveness and sufficiency against float64 (scripts/golden/make_faithful_golden.py), and
 * what holds of them. */
#include <jansson.h>
#include <math.h>

#include "model/attribution/faithfulness.h"
#include "tests/model/net/gradient_support.h"
#include "tests/support/test.h"

/* For differences of probabilities. */
#define BOUND 1e-5

static json_t *read_expected(void)
{
    json_error_t error;
    json_t *all = json_load_file("tests/golden/faithful.json", 0, &error);
    assert_non_null(all);
    return all;
}

static int baseline_of(const json_t *record)
{
    const char *name = json_string_value(json_object_get(record, "baseline"));
    int baseline = 0;
    while (strcmp(attribution_baseline_names[baseline], name) != 0)
        baseline++;
    return baseline;
}

static struct state state_of(const struct subject *subject)
{
    return (struct state){.model = subject->golden->model, .head_settings = subject->settings};
}

/* Both measures of every row: (2, count), the caller's. */
static double *measure(const struct subject *subject, int baseline, const float *values,
                       size_t stride)
{
    const struct state state = state_of(subject);
    struct status status;
    struct erasing *erasing =
        erasing_open(&state, &subject->source, subject->target, subject->count, baseline, &status);
    double *out = calloc(2 * (size_t)subject->count, sizeof *out);
    assert_non_null(erasing);
    if (!erasing_measure(erasing, values, stride, NULL, out, out + subject->count, &status))
        fail_msg("%s: %s", subject->golden->name, status.message);
    erasing_close(erasing);
    return out;
}

static double *measure_method(const struct subject *subject, int baseline, const char *name)
{
    const struct state state = state_of(subject);
    struct prediction_question question = {.options = {.baseline = baseline, .steps = 1}};
    struct predictions all;
    struct status status;
    assert_true(method_find(name, &question.method));
    if (!predictions_run(&question, &state, &subject->source, subject->target, subject->count, NULL,
                         &all, &status))
        fail_msg("%s, %s: %s", subject->golden->name, name, status.message);
    double *out = measure(subject, baseline, all.values, (size_t)all.sources + (size_t)all.targets);
    predictions_free(&all);
    return out;
}

static int check_rows(const struct subject *subject, const char *name, const double *is,
                      const json_t *rows)
{
    const json_t *row;
    size_t i;
    int checked = 0;
    assert_int_equal(json_array_size(rows), subject->count);
    json_array_foreach(rows, i, row) for (size_t k = 0; !json_is_null(row) && k < 2; k++)
    {
        const double wanted = json_number_value(json_array_get(row, k));
        const double found = is[k * (size_t)subject->count + i];
        checked++;
        if (!(fabs(found - wanted) <= BOUND))
            fail_msg("%s, %s, row %zu: %s %.8f, expected %.8f", subject->golden->name, name, i,
                     k ? "sufficiency" : "comprehensiveness", found, wanted);
    }
    return checked;
}

static void measures_are_the_references(void **state)
{
    json_t *all = read_expected(), *record, *rows;
    const char *name, *method;
    int checked = 0;
    json_object_foreach(all, name, record)
    {
        struct subject subject;
        subject_open(name, record, "cpu", 2, &subject);
        json_object_foreach(json_object_get(record, "methods"), method, rows)
        {
            double *is = measure_method(&subject, baseline_of(record), method);
            checked += check_rows(&subject, method, is, rows);
            free(is);
        }
        subject_close(&subject);
    }
    json_decref(all);
    assert_true(checked > 200);
}

/* Tokens around the text are not ranked, not even with the greatest value. Of equal values the
 * first one counts. A matrix may follow another one. */
static void tokens_around_the_text_are_never_erased(void **state)
{
    json_t *all = read_expected();
    const json_t *record = json_object_get(all, "specials_differ");
    struct subject subject;
    subject_open("specials_differ", record, "cpu", 1, &subject);
    const int sources = subject.source.count;
    assert_true(subject.source.before + subject.source.behind > 0);
    float *values = calloc((size_t)(subject.count * sources), sizeof *values);
    double *plain = measure(&subject, BASELINE_ZERO, values, (size_t)sources);
    for (int i = 0; i < subject.count * sources; i++)
        if (i % sources < subject.source.before || i % sources >= sources - subject.source.behind)
            values[i] = 1;
        else
            values[i] = -1.0F * (float)(i % sources);
    double *other = measure(&subject, BASELINE_ZERO, values, (size_t)sources);
    assert_memory_equal(plain, other, 2 * (size_t)subject.count * sizeof *plain);
    free(plain);
    free(other);
    free(values);
    subject_close(&subject);
    json_decref(all);
}

static bool stop(void *context, const struct work_progress *progress)
{
    return false;
}

static void a_stop_is_heard(void **state)
{
    static const struct watch watch = {stop, NULL};
    json_t *all = read_expected();
    struct subject subject;
    struct status status;
    subject_open("vanilla_post", json_object_get(all, "vanilla_post"), "cpu", 1, &subject);
    const struct state of = state_of(&subject);
    struct erasing *erasing =
        erasing_open(&of, &subject.source, subject.target, subject.count, BASELINE_ZERO, &status);
    float *values = calloc((size_t)(subject.count * subject.source.count), sizeof *values);
    double out[2][100];
    assert_non_null(erasing);
    assert_false(erasing_measure(erasing, values, (size_t)subject.source.count, &watch, out[0],
                                 out[1], &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    erasing_close(erasing);
    free(values);
    subject_close(&subject);
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_are_the_references),
        cmocka_unit_test(tokens_around_the_text_are_never_erased),
        cmocka_unit_test(a_stop_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
