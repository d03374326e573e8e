/* Lines and bars in characters. */
#include <math.h>

#include "tests/support/test.h"
#include "tests/tui/screen/scene_support.h"

/* Plots ---------------------------------------------------------------------------------------- */

struct plot {
    struct figure_series series;
    float values[200];
};

static void open_plot(struct scene *scene, struct plot *plot, enum panel_kind kind, int points)
{
    static const char *const labels[] = {"1-9", "10-19", "20-29", "30-39"};
    drawn_scene_open(scene, 1, 1, 1, 1);
    scene->figure.scale_count = 0;
    scene->panels[0].kind = kind;
    plot->series = (struct figure_series){"queries", figure_colours[0], plot->values, 0};
    scene->panels[0].plot = (struct figure_plot){.series = &plot->series,
                                                 .series_count = 1,
                                                 .points = points,
                                                 .labels = points <= 4 ? labels : NULL,
                                                 .x_title = "length in tokens",
                                                 .y_title = "mean gate",
                                                 .most = 1,
                                                 .mean = 0.5,
                                                 .has_mean = kind == PANEL_BARS};
}

/* Eighths of a row that a column of characters is filled with, counted from below. */
static int eighths_at(const struct scene *scene, int top, int rows, int column)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    int sum = 0;
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < 8; i++)
            if (strcmp(scene_text(scene, top + r, column), blocks[i]) == 0)
                sum += i + 1;
    return sum;
}

static void bars_are_as_high_as_their_values(void **state)
{
    struct scene scene;
    struct plot plot = {.values = {0, 0.25f, 0.53125f, 1}};
    int row, column;
    open_plot(&scene, &plot, PANEL_BARS, 4);
    scene_make(&scene);
    scene.cursor.column = 2;
    // 11 rows: a title, 8 of values, labels, a title. 64 eighths.
    scene_draw(&scene, &plain, 11, 40, true);
    for (int i = 0; i < 4; i++) {
        assert_true(scene_find(&scene, scene.panels[0].plot.labels[i], &row, &column));
        assert_int_equal(row, 9);
        assert_int_equal(eighths_at(&scene, 1, 8, column), (int)(64 * plot.values[i]));
        assert_int_equal(scene_style(&scene, 9, column).ink, i == 2 ? INK_ACCENT : INK_NORMAL);
    }
    assert_true(scene_find(&scene, "mean gate", &row, &column));
    assert_true(scene_has(&scene, "─ mean 0.50"));
    assert_true(scene_has(&scene, "0.5┤───")); // over the first bar, which is 0
    assert_true(scene_has(&scene, "1.0┤"));
    assert_true(scene_has(&scene, "0.0┤"));
    assert_true(scene_find(&scene, "length in tokens", &row, &column));
    struct line_numbers line = picture_row(&scene.picture, &scene.cursor);
    assert_int_equal(line.at, 3);
    assert_true(isnan(line.entropy));
    assert_true(picture_value(&scene.picture, &scene.cursor) == 0.53125);
    drawn_scene_close(&scene);
}

static void bars_below_zero_hang_from_it(void **state)
{
    struct scene scene;
    struct plot plot = {.values = {-0.5f, 0.5f, 0, -1}};
    int row, column;
    open_plot(&scene, &plot, PANEL_BARS, 4);
    scene.panels[0].plot.least = -1;
    scene.panels[0].plot.has_mean = false;
    scene_make(&scene);
    scene_draw(&scene, &plain, 11, 40, false); // rows 1 to 8, zero between 4 and 5
    static const int first[] = {5, 3, 0, 5}, count[] = {2, 2, 0, 4};
    for (int i = 0; i < 4; i++) {
        assert_true(scene_find(&scene, scene.panels[0].plot.labels[i], &row, &column));
        for (int r = 1; r <= 8; r++) {
            bool full = r >= first[i] && r < first[i] + count[i];
            assert_string_equal(scene_text(&scene, r, column), full ? "█" : " ");
        }
    }
    drawn_scene_close(&scene);
}

static void a_line_has_a_marker_at_every_value(void **state)
{
    struct scene scene;
    struct plot plot = {.values = {0.05f, NAN, 0.55f, 1}};
    static const int rows[] = {8, 0, 4, 1};
    int row, column;
    open_plot(&scene, &plot, PANEL_LINES, 4);
    scene_make(&scene);
    for (int k = 0; k < 2; k++) {
        scene_draw(&scene, k ? &ascii : &plain, 11, 40, false);
        for (int i = 0; i < 4; i++) {
            assert_true(scene_find(&scene, scene.panels[0].plot.labels[i], &row, &column));
            for (int r = 1; r <= 8; r++)
                assert_int_equal(strcmp(scene_text(&scene, r, column), k ? "*" : "●") == 0,
                                 r == rows[i]);
        }
    }
    drawn_scene_close(&scene);
}

static void plots_scroll_and_stay_inside(void **state)
{
    enum { BORDER = 2 };
    dice = 22;
    for (int round = 0; round < 400; round++) {
        struct scene scene;
        struct plot plot;
        struct status status = {0};
        int points = 1 + roll(200);
        for (int i = 0; i < points; i++)
            plot.values[i] = roll(9) ? (float)roll(1000) / 1000 : NAN;
        open_plot(&scene, &plot, round % 2 ? PANEL_BARS : PANEL_LINES, points);
        scene_make(&scene);
        scene.cursor =
            (struct picture_cursor){roll(3), roll(5), roll(300), roll(9), roll(300), false};
        struct area area = {BORDER, BORDER, roll(30), roll(100)};
        const struct cell canary = {.text = "?"};
        assert_true(canvas_resize(&scene.canvas, area.rows + 2 * BORDER, area.columns + 2 * BORDER,
                                  &status));
        for (int i = 0; i < scene.canvas.rows * scene.canvas.columns; i++)
            scene.canvas.cells[i] = canary;
        picture_draw(&scene.picture, round % 3 ? &truecolor : &ascii, &scene.canvas, area,
                     &scene.cursor, true);
        bool found_cursor = area.rows == 0 || area.columns == 0;
        for (int r = 0; r < scene.canvas.rows; r++)
            for (int c = 0; c < scene.canvas.columns; c++) {
                struct picture_cursor found = {0};
                bool inside = r >= BORDER && c >= BORDER && r < BORDER + area.rows &&
                              c < BORDER + area.columns;
                bool is_found = picture_find(&scene.picture, area, &scene.cursor, r, c, &found);
                if (!inside)
                    assert_memory_equal(canvas_cell(&scene.canvas, r, c), &canary, sizeof canary);
                assert_true(inside || !is_found);
                found_cursor = found_cursor || (is_found && found.column == scene.cursor.column);
            }
        assert_true(found_cursor);
        drawn_scene_close(&scene);
    }
}

int main(void)
{
    number_labels_make();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_as_high_as_their_values),
        cmocka_unit_test(bars_below_zero_hang_from_it),
        cmocka_unit_test(a_line_has_a_marker_at_every_value),
        cmocka_unit_test(plots_scroll_and_stay_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
