/* `:align SRC TGT GOLD as METHOD`, and shares of the source of a file, against the float64
 * reference (scripts/golden/make_methods_golden.py). */
#include <math.h>

#include "tests/support/cli_support.h"
#include "tests/support/packed.h"
#include "tests/support/test.h"
#include "tests/tui/command/study/align_support.h"

/* Against the reference ------------------------------------------------------------------------ */

/* An entry of the reference: [method, layer, head, shift, error rate, precision, recall]. */
enum { OF_METHOD, OF_LAYER, OF_HEAD, OF_SHIFT, OF_RATES, RATES = 3 };
static const char *const rate_names[RATES] = {"aer", "precision", "recall"};

static const json_t *find_head(const json_t *answer, const json_t *wanted)
{
    static const char *const keys[] = {"layer", "head", "shift"};
    const json_t *head = json_array_get(wanted, OF_HEAD), *entry;
    const json_t *list = json_object_get(answer, json_is_integer(head) ? "heads" : "layers");
    size_t i;
    json_array_foreach(list, i, entry)
    {
        bool same = true;
        for (size_t k = 0; k < 3; k++)
            same &= json_equal(json_object_get(entry, keys[k]), json_array_get(wanted, k + 1));
        if (same)
            return entry;
    }
    fail_msg("no such head: %s", json_dumps(wanted, 0));
    return NULL;
}

static void check_rates(const json_t *is, const json_t *wanted)
{
    for (size_t k = 0; k < RATES; k++) {
        const json_t *rate = json_object_get(is, rate_names[k]);
        double number = json_number_value(json_array_get(wanted, OF_RATES + k));
        assert_true(json_is_number(rate));
        if (!(fabs(json_number_value(rate) - number) < 1e-6))
            fail_msg("%s %s: %.10g", json_dumps(wanted, 0), rate_names[k], json_number_value(rate));
    }
}

/* Every head and layer, and the best of them. */
static size_t check_method(json_t *answer, const char *method, const json_t *entries)
{
    json_t *wanted;
    size_t i, count = 0;
    double least = 1;
    assert_string_equal(json_string_value(json_object_get(answer, "as")), method);
    json_array_foreach(entries, i, wanted)
    {
        if (strcmp(json_string_value(json_array_get(wanted, OF_METHOD)), method) != 0)
            continue;
        check_rates(find_head(answer, wanted), wanted);
        least = fmin(least, json_number_value(json_array_get(wanted, OF_RATES)));
        count++;
    }
    assert_int_equal(count, json_array_size(json_object_get(answer, "heads")) +
                                json_array_size(json_object_get(answer, "layers")));
    assert_float_equal(json_number_value(json_object_get(answer, "aer")), least, 1e-6);
    json_decref(answer);
    return count;
}

static void check_shares(const char *model, json_t *answer, const json_t *shares)
{
    json_t *row;
    const json_t *rows = json_object_get(answer, "shares");
    size_t i;
    assert_true(json_array_size(shares) >= 20);
    assert_int_equal(json_array_size(rows), json_array_size(shares));
    json_array_foreach(rows, i, row)
    {
        size_t sentence = (size_t)json_integer_value(json_object_get(row, "sentence"));
        double is = json_number_value(json_object_get(row, "source_share"));
        double wanted = json_number_value(json_array_get(shares, sentence - 1));
        if (!(fabs(is - wanted) < 1e-5))
            fail_msg("%s, sentence %zu: %.9g, expected %.9g", model, sentence, is, wanted);
    }
    json_decref(answer);
}

#define BY_HEAD ":align " GOLD " by layer,head as "
static const char *const methods[] = {"norms",   "block-norms", "contributions",
                                      "rollout", "flow",        "alti"};
enum { METHODS = sizeof methods / sizeof *methods };

/* One program reads the model and the files for all methods. */
static size_t check_sample(const char *model, const json_t *entries, const json_t *shares)
{
    const char *const arguments[] = {"--json",
                                     CPU,
                                     model,
                                     "-e",
                                     BY_HEAD "norms",
                                     "-e",
                                     BY_HEAD "block-norms",
                                     "-e",
                                     BY_HEAD "contributions",
                                     "-e",
                                     BY_HEAD "rollout",
                                     "-e",
                                     BY_HEAD "flow",
                                     "-e",
                                     BY_HEAD "alti",
                                     "-e",
                                     ":alti " FILES,
                                     NULL};
    struct outcome outcome = cli_run(arguments);
    size_t checked = 0;
    for (int m = 0; m < METHODS; m++)
        checked += check_method(cli_object(arguments, outcome.out, m), methods[m], entries);
    check_shares(model, cli_object(arguments, outcome.out, METHODS), shares);
    outcome_free(&outcome);
    return checked;
}

static void every_sample_aligns_as_the_reference_has_it(void **state)
{
    json_t *golden = packed_json_load("tests/golden/methods.json.gz"), *one;
    size_t i, models = 0;
    json_array_foreach(golden, i, one)
    {
        const json_t *entries = json_object_get(one, "alignments");
        if (!entries)
            continue;
        const char *model = json_string_value(json_object_get(one, "model"));
        assert_int_equal(check_sample(model, entries, json_object_get(one, "shares")),
                         json_array_size(entries));
        models++;
    }
    assert_int_equal(models, 8);
    json_decref(golden);
}

/* What is chosen ------------------------------------------------------------------------------- */

static void parts_that_are_left_out_are_those_of_a_sentence(void **state)
{
    align_check_choice(FILES " as alti", 2, "all", false);
    align_check_choice(FILES " as rollout layer 1 shifted", 1, "all", true);
    align_check_choice(FILES " as norms", 2, "mean", false);
    align_check_choice(FILES " as norms head all", 2, "all", false);
    align_check_choice(FILES " as norms cross 1.5", 1, "5", false);
    align_check_choice(GOLD " as norms cross 1.max", 1, "max", false);
    align_check_choice(GOLD " as block-norms layer 1", 1, "all", false);
}

/* The line of a file of alignments that Enter opens, and the command that a head's row runs, give
 * the same again. */
static void a_sentence_of_a_file_is_aligned_as_it_is_alone(void **state)
{
    static const char *const arguments[] = {"--json",
                                            CPU,
                                            SAMPLE,
                                            "-e",
                                            ":align " FILES " as contributions layer 2",
                                            "-e",
                                            ":open " FILES,
                                            "-e",
                                            ":goto 4",
                                            "-e",
                                            ":force",
                                            "-e",
                                            ":align cross layer 2 as contributions word",
                                            NULL};
    size_t i, matched = 0;
    json_t *link;
    struct outcome outcome = cli_run(arguments);
    json_t *of_files = cli_object(arguments, outcome.out, 0);
    json_t *of_one = cli_object(arguments, outcome.out, 4);
    char links[200];
    size_t words = 0;
    snprintf(links, sizeof links, " %s ",
             json_string_value(json_array_get(json_object_get(of_files, "alignments"), 3)));
    for (const char *c = links + 1; *c; c++)
        words += *c == ' ';
    json_array_foreach(json_object_get(of_one, "links"), i, link)
    {
        char text[40];
        snprintf(text, sizeof text, " %d-%d ",
                 (int)json_integer_value(json_object_get(link, "column")) - 1,
                 (int)json_integer_value(json_object_get(link, "row")) - 1);
        matched += strstr(links, text) != NULL;
    }
    assert_int_equal(words, 7);
    assert_int_equal(matched, words); // end-of-sentence is a row of the view alone
    json_decref(of_files);
    json_decref(of_one);
    outcome_free(&outcome);
}

/* Rows of a soft alignment: shares of a method of shares, up to what the target's prefix has. */
static void weights_of_files_are_those_of_the_method(void **state)
{
    char line[300];
    snprintf(line, sizeof line, ":export %s align " FILES " layer 2 as contributions",
             cli_path("soft.nematus"));
    json_decref(cli_answer(SAMPLE, line));
    char *text = cli_read(cli_path("soft.nematus"), NULL), *rest = text;
    size_t rows = 0;
    for (char *row; (row = strsep(&rest, "\n"));) {
        double sum = 0, weight;
        int bytes, columns = 0;
        if (strstr(row, "|||") || !*row)
            continue;
        for (; sscanf(row, "%lf%n", &weight, &bytes) == 1; row += bytes, columns++)
            sum += weight;
        assert_true(columns > 4 && sum > 0.05 && sum < 1); // the residual has the rest
        rows++;
    }
    assert_true(rows > 100);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_aligns_as_the_reference_has_it),
        cmocka_unit_test(parts_that_are_left_out_are_those_of_a_sentence),
        cmocka_unit_test(a_sentence_of_a_file_is_aligned_as_it_is_alone),
        cmocka_unit_test(weights_of_files_are_those_of_the_method),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
