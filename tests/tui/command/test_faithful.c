/* `:faithful`: sums over the sentences of a file, agreement with gold alignments against `:align`,
 * the random ranking, shards, and questions without an answer. The measures themselves are tested
 * in tests/model/attribution/test_faithfulness.c. */
#include <math.h>
#include <unistd.h>

#include "tests/support/commands_support.h"
#include "tests/support/test.h"

#define FIRST "today never house old sleeps .\n"
#define SECOND "blue likes gives child tree\n"
#define FIRST_TARGET "ein Baum .\n"
#define SECOND_TARGET "das Kind\n"

struct files {
    char source[2][64], target[2][64], both[2][64], gold[64];
};

static void files_open(struct files *files)
{
    write_lines(FIRST, files->source[0]);
    write_lines(SECOND, files->source[1]);
    write_lines(FIRST_TARGET, files->target[0]);
    write_lines(SECOND_TARGET, files->target[1]);
    write_lines(FIRST "\n" SECOND, files->both[0]);
    write_lines(FIRST_TARGET "\n" SECOND_TARGET, files->both[1]);
    write_lines("0-0 1-2 2?1\n\n0-1 1-0\n", files->gold);
}

static void files_close(const struct files *files)
{
    for (int i = 0; i < 2; i++) {
        unlink(files->source[i]);
        unlink(files->target[i]);
        unlink(files->both[i]);
    }
    unlink(files->gold);
}

static int row_of(const struct table *table, const char *method)
{
    for (int i = 0; i < table->row_count; i++)
        if (strcmp(bench_cell(table, i, "name")->text, method) == 0)
            return i;
    fail_msg("no row of %s", method);
    return 0;
}

static double cell(const struct report *result, const char *method, const char *key)
{
    const struct table *table = bench_table(result, "methods");
    return bench_cell(table, row_of(table, method), key)->real;
}

static struct report run(struct bench *bench, const char *methods, const char *source,
                         const char *target, const char *rest)
{
    char line[700];
    snprintf(line, sizeof line, ":faithful %s %s %s%s", methods, source, target, rest);
    return bench_run(bench, line);
}

/* A file has the mean over the tokens of its sentences, blank lines left out, and of each sentence
 * the same random numbers. The best method stands first. */
static void a_file_has_the_means_of_its_tokens(void **state)
{
    static const char *const methods[] = {"saliency", "weights", "random"};
    static const char *const keys[] = {"comprehensiveness.score", "sufficiency.score"};
    struct files files = {.gold = ""};
    files_open(&files);
    struct bench bench = bench_open_model("tests/golden/vanilla_pre.bin");
    struct report one[2];
    for (int i = 0; i < 2; i++)
        one[i] = run(&bench, "saliency weights", files.source[i], files.target[i], "");
    struct report both = run(&bench, "weights saliency", files.both[0], files.both[1], "");
    const int64_t rows[2] = {bench_value(&one[0], NULL, "rows")->integer,
                             bench_value(&one[1], NULL, "rows")->integer};
    assert_int_equal(rows[0], 4);
    assert_int_equal(bench_value(&both, NULL, "rows")->integer, rows[0] + rows[1]);
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 2; k++) {
            const double sum = cell(&one[0], methods[m], keys[k]) * (double)rows[0] +
                               cell(&one[1], methods[m], keys[k]) * (double)rows[1];
            const double mean = cell(&both, methods[m], keys[k]);
            assert_true(fabs(mean - sum / (double)(rows[0] + rows[1])) < 2e-6);
        }
    const struct table *table = bench_table(&both, "methods");
    for (int i = 1; i < 3; i++)
        assert_true(bench_cell(table, i, keys[0])->real <= bench_cell(table, i - 1, keys[0])->real);
    assert_true(isnan(bench_cell(table, 0, "comprehensiveness.p")->real));
    report_free(&one[0]);
    report_free(&one[1]);
    report_free(&both);
    bench_close(&bench);
    files_close(&files);
}

/* Links are those of `:align`, and so is their error rate. */
static void agreement_is_that_of_align(void **state)
{
    char line[400];
    struct files files = {.gold = ""};
    files_open(&files);
    struct bench bench = bench_open_model("tests/golden/vanilla_pre.bin");
    struct report faithful = run(&bench, "alti", files.both[0], files.both[1], "");
    assert_int_equal(bench_table(&faithful, "methods")->column_count, 11);
    report_free(&faithful);
    snprintf(line, sizeof line, " %s", files.gold);
    faithful = run(&bench, "alti rollout", files.both[0], files.both[1], line);
    static const char *const methods[] = {"alti", "rollout"};
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof line, ":align %s %s %s cross layer 2 head all as %s", files.both[0],
                 files.both[1], files.gold, methods[i]);
        struct report align = bench_run(&bench, line);
        assert_true(fabs(bench_value(&align, NULL, "aer")->real -
                         cell(&faithful, methods[i], "aer.score")) < 1e-12);
        report_free(&align);
    }
    report_free(&faithful);
    bench_close(&bench);
    files_close(&files);
}

/* With a single token of source every ranking erases the same: three sentences, no difference. */
static void equal_methods_differ_by_chance(void **state)
{
    char source[64];
    write_lines("today\nhouse\nblue\n", source);
    struct bench bench = bench_open_model("tests/golden/vanilla_pre.bin");
    struct report result = run(&bench, "weights saliency", source, "", "");
    const struct table *table = bench_table(&result, "methods");
    for (int i = 1; i < table->row_count; i++) {
        assert_true(bench_cell(table, i, "comprehensiveness.p")->real == 1);
        assert_true(bench_cell(table, i, "sufficiency.p")->real == 1);
    }
    report_free(&result);
    bench_close(&bench);
    unlink(source);
}

/* The same seed gives the same numbers; intervals hold what they are of. */
static void random_numbers_follow_the_seed(void **state)
{
    static const char key[] = "comprehensiveness.score";
    struct files files = {.gold = ""};
    files_open(&files);
    struct bench bench = bench_open_model("tests/golden/vanilla_pre.bin");
    struct report first = run(&bench, "saliency", files.both[0], files.both[1], "");
    struct report again = run(&bench, "saliency", files.both[0], files.both[1], "");
    bench_run_quietly(&bench, ":set significance.seed 7");
    struct report other = run(&bench, "saliency", files.both[0], files.both[1], "");
    assert_true(cell(&first, "random", key) == cell(&again, "random", key));
    assert_true(cell(&first, "random", key) != cell(&other, "random", key));
    assert_true(cell(&first, "saliency", key) == cell(&other, "saliency", key));
    const struct table *table = bench_table(&first, "methods");
    const struct value *interval =
        value_plain(bench_cell(table, row_of(table, "saliency"), "comprehensiveness.interval"));
    assert_true(interval->list[0].real <= cell(&first, "saliency", key) &&
                interval->list[1].real >= cell(&first, "saliency", key));
    report_free(&first);
    report_free(&again);
    report_free(&other);
    bench_close(&bench);
    files_close(&files);
}

static void questions_without_an_answer_get_one_line(void **state)
{
    static const struct {
        const char *model, *line, *message;
    } cases[] = {
        {"vanilla_pre", ":faithful alti alti @", "alti: given twice"},
        {"vanilla_pre", ":faithful norms @", "\"norms\": expected weights, rollout, flow, alti"},
        {"vanilla_pre", ":faithful alti", "expected SRC: METHOD... SRC [TGT [GOLD [from 0|1]]]"},
        {"vanilla_pre", ":faithful alti @ @ @", "expected a link such as 3-4"},
        {"recurrent_post", ":faithful saliency alti @",
         "alti: the decoder has a recurrence (SSRU), which mixes tokens without attention weights"},
    };
    char source[64], line[300];
    write_lines(FIRST, source);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = 0;
        for (const char *at = cases[i].line; *at; at++)
            length +=
                (size_t)(*at == '@' ? snprintf(line + length, sizeof line - length, "%s", source)
                                    : snprintf(line + length, sizeof line - length, "%c", *at));
        char path[100];
        snprintf(path, sizeof path, "tests/golden/%s.bin", cases[i].model);
        struct bench bench = bench_open_model(path);
        bench_refuse(&bench, line, cases[i].message);
        bench_close(&bench);
    }
    unlink(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_has_the_means_of_its_tokens),
        cmocka_unit_test(agreement_is_that_of_align),
        cmocka_unit_test(equal_methods_differ_by_chance),
        cmocka_unit_test(random_numbers_follow_the_seed),
        cmocka_unit_test(questions_without_an_answer_get_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
