/* Heatmaps larger than the area, and several beside each other. */
#include <math.h>

#include "tests/support/test.h"
#include "tests/tui/screen/scene_support.h"

/* Scrolling ------------------------------------------------------------------------------------ */

static void a_large_matrix_scrolls_with_the_cursor(void **state)
{
    struct scene scene;
    drawn_scene_open(&scene, 1, 1, 1000, 1000);
    scene.panels[0].matrix.row_labels = number_labels;
    scene.panels[0].matrix.column_labels = number_labels;
    scene_make(&scene);
    // 20 rows: 4 of labels ("a999"), 16 of cells; 60 columns: 4 of labels, 2 of margins, 27 cells.
    static const struct {
        int row, column, top, left;
    } steps[] = {{0, 0, 0, 0},         {15, 26, 0, 0},       {16, 27, 1, 1},
                 {999, 999, 984, 973}, {984, 973, 984, 973}, {983, 972, 983, 972},
                 {2000, -5, 984, 0},   {500, 500, 500, 474}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        scene.cursor.row = steps[i].row;
        scene.cursor.column = steps[i].column;
        scene_draw(&scene, &plain, 20, 60, true);
        assert_int_equal(scene.cursor.top, steps[i].top);
        assert_int_equal(scene.cursor.left, steps[i].left);
        assert_string_equal(scene_text(&scene, 4, 4), scene.cursor.top > 0 ? "▴" : " ");
        assert_string_equal(scene_text(&scene, 19, 59), scene.cursor.top < 984 ? "▾" : " ");
        assert_string_equal(scene_text(&scene, 3, 4), scene.cursor.left > 0 ? "‹" : " ");
        assert_string_equal(scene_text(&scene, 3, 59), scene.cursor.left < 973 ? "›" : " ");
        assert_true(scene_has(&scene, number_labels[scene.cursor.row]));
    }
    drawn_scene_close(&scene);
}

/* Several -------------------------------------------------------------------------------------- */

static void open_three(struct scene *scene, int size)
{
    static const char *const titles[] = {"a: one", "b: two", "b - a"};
    drawn_scene_open(scene, 1, 3, size, size);
    for (int i = 0; i < 3; i++) {
        scene->panels[i].title = titles[i];
        scene->panels[i].matrix.column_labels = number_labels;
    }
    scene->panels[0].matrix.row_labels = number_labels;
    scene->panels[2].matrix.scale = 1;
    scene_make(scene);
}

static void panels_beside_each_other_scroll_in_step(void **state)
{
    struct scene scene;
    open_three(&scene, 40);
    scene.cursor = (struct picture_cursor){.panel = 2, .row = 30, .column = 35};
    // 76 columns: "a26" 3, margins 6, 33 cells: 11 each; 20 rows: title, 3 of labels, 16.
    scene_draw(&scene, &truecolor, 20, 76, true);
    assert_int_equal(scene.cursor.top, 15);
    assert_int_equal(scene.cursor.left, 25);
    for (int panel = 0; panel < 3; panel++) {
        int start = panel * 24 + 4;
        struct picture_cursor found = scene.cursor;
        assert_string_equal(scene_text(&scene, 1, start), "z"); // z25
        assert_string_equal(scene_text(&scene, 3, start), "5");
        assert_int_equal(scene_style(&scene, 1, start + 20).ink, INK_ACCENT);
        assert_int_equal(scene_style(&scene, 1, start + 18).ink, INK_NORMAL);
        assert_true(picture_find(&scene.picture, (struct area){0, 0, 20, 76}, &scene.cursor, 4,
                                 start, &found));
        assert_int_equal(found.panel, panel);
        assert_int_equal(found.row, 15);
        assert_int_equal(found.column, 25);
        assert_int_equal(scene_style(&scene, 0, start - 1).reverse, panel == 2);
    }
    assert_string_equal(scene_text(&scene, 19, 4 + 48 + 20), "["); // row 30 is the last, column 35
    drawn_scene_close(&scene);
}

static void a_narrow_area_has_the_cursors_panel_and_whom_it_holds(void **state)
{
    static const struct {
        int columns, panel;
        const char *seen[3], *hidden[3];
    } cases[] = {{76, 0, {"a: one", "b: two", "b - a"}, {NULL}},
                 {45, 0, {"a: one", "b: two", "›"}, {"b - a", "‹"}},
                 {45, 1, {"a: one", "b: two", "›"}, {"b - a", "‹"}},
                 {45, 2, {"‹", "b: two", "b - a"}, {"a: one", "›"}},
                 {24, 1, {"‹", "b: two", "›"}, {"a: one", "b - a"}},
                 {24, 2, {"‹", "b - a", "z25"}, {"a: one", "b: two", "›"}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct scene scene;
        open_three(&scene, 40);
        scene.cursor = (struct picture_cursor){.panel = cases[k].panel, .row = 25};
        scene_draw(&scene, &plain, 20, cases[k].columns, true);
        char title[4096], all[8192];
        scene_row(&scene, 0, title);
        snprintf(all, sizeof all, "%s %s", title, scene_has(&scene, "z25") ? "z25" : "");
        for (int i = 0; i < 3; i++) {
            if (cases[k].seen[i] && !strstr(all, cases[k].seen[i]))
                fail_msg("%d columns, panel %d: no %s in %s", cases[k].columns, cases[k].panel,
                         cases[k].seen[i], all);
            if (cases[k].hidden[i] && strstr(all, cases[k].hidden[i]))
                fail_msg("%d columns, panel %d: %s in %s", cases[k].columns, cases[k].panel,
                         cases[k].hidden[i], all);
        }
        drawn_scene_close(&scene);
    }
}

static void two_translations_have_their_own_labels(void **state)
{
    static const char *const first[] = {"eins", "zwei", "drei"}, *const second[] = {"uno", "due"};
    struct scene scene;
    int row, column;
    drawn_scene_open(&scene, 1, 2, 3, 5);
    scene.panels[1].matrix.rows = 2;
    scene.panels[0].matrix.row_labels = first;
    scene.panels[1].matrix.row_labels = second;
    scene_make(&scene);
    scene.cursor = (struct picture_cursor){.panel = 0, .row = 1};
    scene_draw(&scene, &truecolor, 10, 60, true);
    assert_true(scene_find(&scene, "zwei", &row, &column));
    assert_int_equal(scene_style(&scene, row, column).ink, INK_ACCENT);
    assert_true(scene_find(&scene, "due", &row, &column));
    // 60 columns, 7 of labels and 4 of margins: 4 for each of 10 cells; 3 rows for each, the label
    // on the second.
    assert_int_equal(row, 3 + 1);
    assert_int_equal(column, 4 + 1 + 5 * 4 + 1);
    assert_int_equal(scene_style(&scene, row, column).ink, INK_NORMAL); // another row than zwei
    assert_true(scene_style(&scene, 2 * 3 - 1, column + 4).filled);
    assert_false(scene_style(&scene, 2 * 3, column + 4).filled);
    drawn_scene_close(&scene);
}

int main(void)
{
    number_labels_make();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_matrix_scrolls_with_the_cursor),
        cmocka_unit_test(panels_beside_each_other_scroll_in_step),
        cmocka_unit_test(a_narrow_area_has_the_cursors_panel_and_whom_it_holds),
        cmocka_unit_test(two_translations_have_their_own_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
