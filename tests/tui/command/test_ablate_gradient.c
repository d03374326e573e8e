/* `:ablate … by gradient` against derivatives by automatic differentiation
 * (tests/golden/gradients.json). */
#include <jansson.h>
#include <math.h>
#include <unistd.h>

#include "tests/support/commands_support.h"
#include "tests/support/test.h"

#define BOUND 1e-4

static json_t *given;
/* All pairs, and the first of them, for what translates them many times. */
static char files[2][64], few[2][64];

static void write_pairs(size_t most, char (*paths)[64])
{
    for (size_t side = 0; side < 2; side++) {
        char text[2000] = "";
        const json_t *pair;
        size_t i;
        json_array_foreach(json_object_get(given, "pairs"), i, pair)
        {
            if (i == most)
                break;
            strcat(text, json_string_value(json_array_get(pair, side)));
            strcat(text, i ? "\n" : "\n\n"); // a blank line counts in no mean
        }
        write_lines(text, paths[side]);
    }
}

static int open_pairs(void **state)
{
    json_error_t error;
    given = json_load_file("tests/golden/gradients.json", 0, &error);
    if (!given)
        return -1;
    write_pairs(json_array_size(json_object_get(given, "pairs")), files);
    write_pairs(3, few);
    return 0;
}

static int close_pairs(void **state)
{
    for (int side = 0; side < 2; side++) {
        unlink(files[side]);
        unlink(few[side]);
    }
    json_decref(given);
    return 0;
}

static struct report run(struct bench *bench, char (*paths)[64], const char *rest)
{
    char line[300];
    snprintf(line, sizeof line, ":ablate %s %s by gradient%s", paths[0], paths[1], rest);
    return bench_run(bench, line);
}

/* The reference's entry of a row. */
static const json_t *entry_of(const char *model, const struct table *table, int row)
{
    const json_t *entries = json_object_get(json_object_get(given, "models"), model), *entry;
    size_t i;
    json_array_foreach(
        entries, i,
        entry) if (strcmp(text_of(entry, "module"), bench_cell(table, row, "module")->text) == 0 &&
                   number_of(entry, "layer") + 1 == bench_cell(table, row, "layer")->integer &&
                   number_of(entry, "head") + 1 ==
                       bench_cell(table, row, "head")->integer) return entry;
    fail_msg("row %d is of no head of %s", row, model);
    return NULL;
}

static void check_rows(const char *model, const struct table *table)
{
    static const char *const keys[] = {"importance", "mean"};
    for (int row = 0; row < table->row_count; row++)
        for (int k = 0; k < 2; k++) {
            double is = value_plain(bench_cell(table, row, keys[k]))->real;
            double wanted =
                json_number_value(json_object_get(entry_of(model, table, row), keys[k]));
            if (!(fabs(is - wanted) <= BOUND * fmax(1, fabs(wanted))))
                fail_msg("%s row %d: %s %.6g, expected %.6g", model, row, keys[k], is, wanted);
        }
}

static void heads_have_the_references_derivatives(void **state)
{
    static const char *const models[] = {"en-de", "en-de-dhicm"};
    for (int i = 0; i < 2; i++) {
        char path[100];
        snprintf(path, sizeof path, "samples/%s.bin", models[i]);
        struct bench bench = bench_open_model(path);
        struct report result = run(&bench, files, " enc or cross layer 2 or dec");
        const struct table *table = bench_table(&result, "heads");
        const struct config *config = session_config(bench.session);
        assert_int_equal(table->row_count,
                         config->stacks[0].layers * config->stacks[0].heads +
                             (config->stacks[1].layers + 1) * config->stacks[1].heads);
        check_rows(models[i], table);
        assert_string_equal(bench_value(&result, NULL, "by")->text, "gradient");
        assert_int_equal(bench_value(&result, NULL, "sentences")->integer,
                         json_array_size(json_object_get(given, "pairs")) + 1); // a blank line
        report_free(&result);
        bench_close(&bench);
    }
}

static struct report prune(struct bench *bench, const char *rest)
{
    char line[300];
    snprintf(line, sizeof line, ":prune %s %s until 100 cross%s", few[0], few[1], rest);
    return bench_run(bench, line);
}

static double number(const struct table *table, int row, const char *key)
{
    return value_plain(bench_cell(table, row, key))->real;
}

/* The row of a head in the table by gradient. */
static int row_of(const struct table *table, const struct table *steps, int step)
{
    int row = 0;
    while (bench_cell(table, row, "layer")->integer != bench_cell(steps, step, "layer")->integer ||
           bench_cell(table, row, "head")->integer != bench_cell(steps, step, "head")->integer)
        row++;
    return row;
}

static void check_order(const struct table *heads, const struct table *steps, int base)
{
    double last = 0;
    assert_int_equal(steps->row_count - base, heads->row_count);
    for (int i = base; i < steps->row_count; i++) {
        double importance = number(heads, row_of(heads, steps, i), "normalized");
        assert_true(importance >= last);
        last = importance;
    }
}

/* BLEU of the file with the heads of the first steps off. */
static double score_without(struct bench *bench, const struct table *steps, int base, int count)
{
    char line[300];
    for (int i = base; i < base + count; i++) {
        snprintf(line, sizeof line, ":disable cross layer %d head %d",
                 (int)bench_cell(steps, i, "layer")->integer,
                 (int)bench_cell(steps, i, "head")->integer);
        bench_run_quietly(bench, line);
    }
    snprintf(line, sizeof line, ":bleu %s %s", few[0], few[1]);
    struct report result = bench_run(bench, line);
    double score = bench_value(&result, NULL, "score")->real;
    report_free(&result);
    bench_run_quietly(bench, ":enable");
    return score;
}

/* Rows before the first step: that of the baseline, which JSON does not have. */
static int base_rows(const struct table *table)
{
    int rows = 0;
    while (rows < table->row_count && !row_in(table, rows, IN_JSON))
        rows++;
    return rows;
}

static void heads_are_pruned_in_the_order_of_their_gradients(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    struct report heads = run(&bench, few, " cross");
    struct report first = prune(&bench, " by gradient");
    const struct table *steps = bench_table(&first, "steps");
    int base = base_rows(steps);
    check_order(bench_table(&heads, "heads"), steps, base);
    assert_true(value_absent(bench_cell(steps, base, "greedy")));
    assert_true(fabs(score_without(&bench, steps, base, 3) - number(steps, base + 2, "score")) <
                1e-9);

    struct report greedy = prune(&bench, "");
    struct report second = prune(&bench, " by gradient");
    const struct table *others = bench_table(&greedy, "steps"),
                       *again = bench_table(&second, "steps");
    for (int i = base; i < steps->row_count; i++) {
        double score = number(again, i, "score"), other = number(others, i, "score");
        assert_true(score == number(steps, i, "score"));
        assert_true(number(again, i, "greedy") == other);
        assert_true(fabs(number(again, i, "cost") - (other - score)) < 1e-12);
    }
    assert_true(number(again, base, "cost") >= 0); // the first step of the other order is the best
    report_free(&heads);
    report_free(&first);
    report_free(&greedy);
    report_free(&second);
    bench_close(&bench);
}

/* Heads that are off have no row: a gain of 0 cannot be lowered. */
static void heads_that_are_off_are_left_out(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    bench_run_quietly(&bench, ":disable cross layer 1 head 2-8");
    struct report result = run(&bench, few, " cross layer 1");
    assert_int_equal(bench_table(&result, "heads")->row_count, 1);
    report_free(&result);
    bench_run_quietly(&bench, ":disable cross layer 1 head 1");
    char line[300];
    snprintf(line, sizeof line, ":ablate %s %s by gradient cross layer 1", few[0], few[1]);
    bench_refuse(&bench, line, "all selected heads are off");
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_have_the_references_derivatives),
        cmocka_unit_test(heads_are_pruned_in_the_order_of_their_gradients),
        cmocka_unit_test(heads_that_are_off_are_left_out),
    };
    return cmocka_run_group_tests(tests, open_pairs, close_pairs);
}
