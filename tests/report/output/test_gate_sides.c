/* `:gates qk`: averages of queries and of keys in one view, one table, one figure. */
#include <math.h>
#include <unistd.h>

#include "report/gates.h"
#include "report/output/figures.h"
#include "tests/report/output/export_data_support.h"
#include "tests/report/output/export_support.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

static char lines[64];

static int open_all(void **state)
{
    write_lines("the dog sees\n\na cat\n", lines);
    return export_open(state);
}

static int close_all(void **state)
{
    unlink(lines);
    return export_close(state);
}

static struct report gates_by(struct bench *bench, const char *what, const char *by)
{
    char line[128];
    snprintf(line, sizeof line, ":gates dec %s %s by %s", what, lines, by);
    return bench_run(bench, line);
}

static void both_sides_are_those_of_each_alone(void **state)
{
    static const char *const groupings[] = {"layer", "position", "length"};
    struct bench bench = bench_open("mixture_decoder");
    for (int b = 0; b < 3; b++) {
        struct report both = gates_by(&bench, "qk", groupings[b]);
        int g = 0;
        assert_string_equal(bench_value(&both, NULL, "side")->text, "qk");
        for (int side = 0; side < SIDE_COUNT; side++) {
            struct report one = gates_by(&bench, gate_side_names[side], groupings[b]);
            assert_true(bench_groups(&one) > 0);
            for (int i = 0; i < bench_groups(&one); i++, g++) {
                assert_true(g < bench_groups(&both));
                assert_string_equal(bench_group_side(&both, g), gate_side_names[side]);
                assert_string_equal(bench_group_name(&both, g), bench_group_name(&one, i));
                assert_int_equal(bench_group_count(&both, g), bench_group_count(&one, i));
                assert_true(bench_group_mean(&both, g) == bench_group_mean(&one, i));
            }
            report_free(&one);
        }
        assert_int_equal(g, bench_groups(&both));
        report_free(&both);
    }
    bench_close(&bench);
}

/* Queries have gates in layers 1 and 3, keys in 2 and 3. */
static void a_point_is_of_both_sides(void **state)
{
    struct gate_group groups[] = {{MODULE_ENCODER, SIDE_Q, 0, "1", 4, 1},
                                  {MODULE_ENCODER, SIDE_Q, 2, "3", 2, 1},
                                  {MODULE_ENCODER, SIDE_K, 1, "2", 4, 3},
                                  {MODULE_ENCODER, SIDE_K, 2, "3", 8, 2}};
    static const double wanted[2][3] = {{0.25, NAN, 0.5}, {NAN, 0.75, 0.25}};
    const struct gates_study both = {.side = GATES_BOTH, .groups = groups, .count = 4};
    const struct gates_study keys = {.side = SIDE_K, .groups = groups + 2, .count = 2};
    struct gate_points points;
    struct status status;
    assert_true(gate_points_make(&both, &points, &status));
    assert_int_equal(points.sides, 2);
    assert_int_equal(points.count, 3);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 3; i++) {
            float value = points.values[s * 3 + i];
            assert_true(isnan(wanted[s][i]) ? isnan(value) : value == (float)wanted[s][i]);
        }
    assert_string_equal(points.names[1], "2");
    gate_points_free(&points);
    assert_true(gate_points_make(&keys, &points, &status));
    assert_int_equal(points.sides, 1);
    assert_int_equal(points.side[0], SIDE_K);
    assert_int_equal(points.count, 2);
    assert_true(points.values[0] == 0.75f && points.values[1] == 0.25f);
    gate_points_free(&points);
}

/* With the papers' colours: queries blue, keys red. */
static void a_figure_has_a_line_for_each_side(void **state)
{
    static const struct rgb colours[] = {{0x21, 0x66, 0xAC}, {0xB2, 0x18, 0x2B}};
    static const char *const names[] = {"queries", "keys"};
    struct bench bench = bench_open("mixture_decoder");
    struct status status;
    struct drawing drawing;
    struct report both = gates_by(&bench, "qk", "layer");
    assert_true(drawing_of_report(&drawing, &both, &bench.session->settings.figure, &status));
    const struct figure_panel *panel = drawing.figure.panels;
    assert_int_equal(panel->kind, PANEL_LINES);
    assert_int_equal(panel->plot.series_count, 2);
    for (int s = 0; s < 2; s++) {
        const struct figure_series *series = &panel->plot.series[s];
        assert_memory_equal(&series->colour, &colours[s], sizeof colours[s]);
        assert_string_equal(series->name, names[s]);
        for (int i = 0; i < panel->plot.points; i++) {
            int group = s * panel->plot.points + i;
            assert_float_equal(series->values[i], bench_group_mean(&both, group), 1e-6);
        }
    }
    drawing_free(&drawing);
    report_free(&both);
    both = gates_by(&bench, "qk", "length");
    assert_true(drawing_of_report(&drawing, &both, &bench.session->settings.figure, &status));
    assert_int_equal(drawing.figure.panels->kind, PANEL_BARS);
    assert_false(drawing.figure.panels->plot.has_mean); // of both together it would say nothing
    drawing_free(&drawing);
    report_free(&both);
    bench_close(&bench);
}

static void data_says_which_side_it_is_of(void **state)
{
    struct bench bench = bench_open("mixture_decoder");
    char view[100];
    struct report both = gates_by(&bench, "qk", "position");
    int groups = bench_groups(&both);
    snprintf(view, sizeof view, "gates dec qk %s by position", lines);
    export_view(&bench, "g.csv", view);
    struct cells cells = read_table("g.csv", take_csv);
    assert_int_equal(cells.columns, 4);
    assert_int_equal(cells.count, 4 * (groups + 1));
    assert_string_equal(cells.text[0], "side");
    for (int i = 0; i < groups; i++)
        assert_string_equal(cells.text[4 * (i + 1)], bench_group_side(&both, i));
    free(cells.content);
    export_view(&bench, "g.npy", view);
    struct npy_read array = read_npy("g.npy");
    assert_int_equal(array.dimensions, 2);
    assert_int_equal(array.shape[0], 2);
    assert_int_equal(array.shape[1], groups / 2);
    free(array.content);
    json_t *object = export_json(&bench, view);
    assert_string_equal(text_of(object, "side"), "qk");
    for (int i = 0; i < groups; i++)
        assert_string_equal(text_of(json_array_get(json_object_get(object, "groups"), i), "side"),
                            bench_group_side(&both, i));
    json_decref(object);
    report_free(&both);
    bench_close(&bench);
}

static void both_sides_need_a_file_and_gates_of_both(void **state)
{
    struct bench bench = bench_open("context_deep_head_gates");
    char line[128];
    bench_run_quietly(&bench, "the dog");
    bench_refuse(&bench, ":gates qk", "expected FILE after it");
    snprintf(line, sizeof line, ":gates dec qk %s", lines);
    bench_refuse(&bench, line, "the decoder has no gates of queries and keys");
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_are_those_of_each_alone),
        cmocka_unit_test(a_point_is_of_both_sides),
        cmocka_unit_test(a_figure_has_a_line_for_each_side),
        cmocka_unit_test(data_says_which_side_it_is_of),
        cmocka_unit_test(both_sides_need_a_file_and_gates_of_both),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
