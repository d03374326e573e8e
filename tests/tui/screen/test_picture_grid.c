/* Overviews in characters: many heatmaps, each shrunk so that what is strong is seen. */
#include <math.h>

#include "tests/support/test.h"
#include "tests/tui/screen/scene_support.h"

/* Overviews ------------------------------------------------------------------------------------ */

static const char *const layers[] = {"layer 1", "layer 2", "layer 3", "layer 4"};
static const char *const heads[] = {"head 1", "head 2", "head 3", "head 4",
                                    "head 5", "head 6", "head 7", "head 12"};

static void open_heads(struct scene *scene, int rows, int columns)
{
    drawn_scene_open(scene, 4, 8, rows, columns);
    scene->figure.row_titles = layers;
    scene->figure.column_titles = heads;
    scene->panels[8 * 2 + 7].title = "off";
}

static void a_lone_strong_cell_is_seen_where_it_is(void **state)
{
    enum { SIZE = 40, WIDTH = 12, HEIGHT = 5 };
    for (int place = 0; place < SIZE * SIZE; place += 7) {
        struct scene scene;
        open_heads(&scene, SIZE, SIZE);
        for (int i = 0; i < 32; i++)
            for (int k = 0; k < SIZE * SIZE; k++)
                scene.values[i][k] = k == place ? 1 : 0.25f;
        scene_make(&scene);
        // 8 panels of 12 columns and a gap; 4 of a header and 5 rows.
        scene_draw(&scene, &truecolor, 24, 8 * (WIDTH + 1) - 1, false);
        for (int panel = 0; panel < 32; panel++) {
            int top = panel / 8 * (HEIGHT + 1) + 1, left = panel % 8 * (WIDTH + 1), strong = 0;
            for (int r = 0; r < HEIGHT; r++)
                for (int c = 0; c < WIDTH; c++) {
                    bool inside = place / SIZE >= r * SIZE / HEIGHT &&
                                  place / SIZE < (r + 1) * SIZE / HEIGHT &&
                                  place % SIZE >= c * SIZE / WIDTH &&
                                  place % SIZE < (c + 1) * SIZE / WIDTH;
                    assert_int_equal(scene_fill(&scene, top + r, left + c),
                                     map_entry("viridis", inside ? 1 : 0.25));
                    strong += inside;
                }
            assert_int_equal(strong, 1);
        }
        drawn_scene_close(&scene);
    }
}

static void of_differences_the_greatest_magnitude_is_seen(void **state)
{
    struct scene scene;
    open_heads(&scene, 20, 20);
    for (int i = 0; i < 32; i++) {
        scene.panels[i].matrix.scale = 1;
        for (int k = 0; k < 400; k++)
            scene.values[i][k] = k == 25 ? -1 : k % 2 ? 0.25f : NAN;
    }
    scene_make(&scene);
    scene_draw(&scene, &truecolor, 12, 8 * 9 - 1, false);                // 2 x 8 blocks
    assert_int_equal(scene_fill(&scene, 1, 2), map_entry("bluered", 0)); // row 1, column 5
    assert_int_equal(scene_fill(&scene, 1, 1), map_entry("bluered", 0.625));
    // Beyond both ends of a narrower scale one is as strong as the other: the first is seen.
    scene.scales[1] = (struct figure_scale){
        .map = scene.scales[1].map, .range = RANGE_GIVEN, .least = -0.125, .most = 0.125};
    for (int k = 0; k < 400; k++)
        scene.values[0][k] = k == 25 ? -1 : k == 26 ? 0.2f : 0;
    scene_make(&scene);
    scene_draw(&scene, &truecolor, 12, 8 * 9 - 1, false);
    assert_int_equal(scene_fill(&scene, 1, 2), map_entry("bluered", 0));
    drawn_scene_close(&scene);
}

/* Of matrices too large to be read whenever they are drawn. */
static void a_lone_strong_cell_of_a_large_matrix_is_seen(void **state)
{
    for (int round = 0; round < 20; round++) {
        struct scene scene;
        int size = 100 + roll(400), place = roll(size * size);
        drawn_scene_open(&scene, 2, 1, size, size);
        for (int k = 0; k < size * size; k++)
            scene.values[1][k] = k == place ? 1 : 0.25f;
        for (int k = 0; k < size * size; k++)
            scene.values[0][k] = NAN;
        scene_make(&scene);
        scene_draw(&scene, &truecolor, 30, 40, false);
        int strong = 0, filled = 0;
        for (int r = 0; r < 30; r++)
            for (int c = 0; c < 40; c++) {
                if (!scene_style(&scene, r, c).filled)
                    continue;
                filled++;
                if (scene_fill(&scene, r, c) != map_entry("viridis", 1))
                    continue;
                struct picture_cursor found = {0};
                strong++;
                assert_true(picture_find(&scene.picture, (struct area){0, 0, 30, 40}, &scene.cursor,
                                         r, c, &found));
                assert_int_equal(found.panel, 1);
                assert_int_equal(found.row * size + found.column, place);
            }
        assert_int_equal(filled, 14 * 40);
        assert_int_equal(strong, 1);
        drawn_scene_close(&scene);
    }
}

static void headers_name_heads_and_what_is_off(void **state)
{
    struct scene scene;
    int row, column;
    open_heads(&scene, 10, 10);
    scene_make(&scene);
    scene.cursor.panel = 8 + 2;
    scene_draw(&scene, &truecolor, 24, 100, true);
    assert_true(scene_find(&scene, "1.1", &row, &column));
    assert_int_equal(row, 0);
    assert_int_equal(column, 0);
    assert_true(scene_find(&scene, "4.12", &row, &column));
    assert_true(scene_find(&scene, "3.12 off", &row, &column));
    assert_int_equal(row, 2 * 6);
    assert_int_equal(scene_style(&scene, row, column + 5).ink, INK_WARN);
    assert_true(scene_find(&scene, "2.3", &row, &column));
    assert_true(scene_style(&scene, row, column).reverse);
    assert_true(scene_find(&scene, "2.4", &row, &column));
    assert_false(scene_style(&scene, row, column).reverse);
    drawn_scene_close(&scene);
}

/* Of masked heads and of fixed patterns, whose titles say what they are. */
static void headers_name_heads_by_their_numbers(void **state)
{
    static const char *const kinds[] = {"1 global",   "2 global",          "3 local 1",
                                        "4 local 1",  "5 forward",         "6 forward",
                                        "7 backward", "12 end of sentence"};
    struct scene scene;
    open_heads(&scene, 10, 10);
    scene.figure.column_titles = kinds;
    scene_make(&scene);
    scene_draw(&scene, &truecolor, 24, 100, true);
    assert_true(scene_has(&scene, "1.1"));
    assert_true(scene_has(&scene, "2.3"));
    assert_true(scene_has(&scene, "3.5"));
    assert_true(scene_has(&scene, "4.12"));
    assert_false(scene_has(&scene, "global"));
    assert_false(scene_has(&scene, "sentence"));
    drawn_scene_close(&scene);
}

/* "3.12 off" takes 8 columns, "3.12□" 5; there are gaps between. */
static void narrow_overviews_show_all_heads(void **state)
{
    static const struct {
        int columns;
        const char *off;
    } cases[] = {{100, "3.12 off"}, {71, "3.12 off"}, {70, "3.12□"}, {47, "3.12□"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct scene scene;
        int row, column;
        char name[8];
        open_heads(&scene, 6, 6);
        scene_make(&scene);
        scene_draw(&scene, &truecolor, 24, cases[k].columns, true);
        for (int head = 0; head < 8; head++) {
            snprintf(name, sizeof name, "1.%s", heads[head] + 5);
            assert_true(scene_find(&scene, name, &row, &column));
        }
        assert_true(scene_has(&scene, cases[k].off));
        drawn_scene_close(&scene);
    }
}

/* 38 columns have room for four: eight lines, of which 7 rows show two. */
static void an_overview_scrolls_by_lines(void **state)
{
    struct scene scene;
    int row, column;
    open_heads(&scene, 10, 10);
    scene_make(&scene);
    for (int panel = 0; panel < 32; panel++) {
        char name[16];
        scene.cursor.panel = panel;
        scene_draw(&scene, &truecolor, 7, 38, true);
        snprintf(name, sizeof name, "%d.%s", panel / 8 + 1, heads[panel % 8] + 5);
        assert_true(scene_find(&scene, name, &row, &column));
        assert_true(scene_style(&scene, row, column).reverse);
        assert_int_equal(scene_has(&scene, "▴"), scene.cursor.top > 0);
        assert_int_equal(scene_has(&scene, "▾"), scene.cursor.top < 6);
    }
    drawn_scene_close(&scene);
}

/* Eight heads of 14 x 14 on 15 rows: in a row of 80 columns a cell would get half a column's
 * width. */
static void the_heads_of_a_layer_wrap_into_rows(void **state)
{
    struct scene scene;
    int rows[2], columns[2];
    drawn_scene_open(&scene, 1, 8, 14, 14);
    scene.figure.row_titles = layers;
    scene.figure.column_titles = heads;
    scene_make(&scene);
    scene_draw(&scene, &truecolor, 15, 80, true);
    assert_true(scene_find(&scene, "1.1", &rows[0], &columns[0]));
    assert_true(scene_find(&scene, "1.5", &rows[1], &columns[1]));
    assert_int_equal(rows[0], 0);
    assert_int_equal(rows[1], 7);
    assert_int_equal(columns[1], columns[0]);
    struct area area = {0, 0, 15, 80};
    assert_int_equal(picture_grid_move(&scene.picture, area, 1, 1, 0), 5);
    assert_int_equal(picture_grid_move(&scene.picture, area, 5, -9, 0), 1);
    assert_int_equal(picture_grid_move(&scene.picture, area, 3, 0, 1), 4);
    assert_int_equal(picture_grid_move(&scene.picture, area, 6, 0, 9), 7);
    drawn_scene_close(&scene);
}

/* Lines of seven heads may be of unequal length. */
static void below_the_end_of_a_line_is_its_last_head(void **state)
{
    struct scene scene;
    drawn_scene_open(&scene, 1, 7, 20, 20);
    scene.figure.column_titles = heads;
    scene_make(&scene);
    for (int columns = 20; columns < 120; columns++)
        for (int panel = 0; panel < 7; panel++) {
            struct area area = {0, 0, 30, columns};
            assert_in_range(picture_grid_move(&scene.picture, area, panel, 9, 0), 0, 6);
            assert_int_equal(picture_grid_move(&scene.picture, area, panel, 0, 9), 6);
            assert_int_equal(picture_grid_move(&scene.picture, area, panel, 0, -9), 0);
        }
    drawn_scene_close(&scene);
}

/* 2 layers of 8 heads, 14 x 15, in the view of 200 x 60 beside its panel: more than half of the
 * cells are filled. */
static void an_overview_uses_a_large_area(void **state)
{
    struct scene scene;
    int filled = 0;
    drawn_scene_open(&scene, 2, 8, 14, 15);
    scene.figure.row_titles = layers;
    scene.figure.column_titles = heads;
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 14 * 15; k++)
            scene.values[i][k] = 0.5f;
    scene_make(&scene);
    scene_draw(&scene, &truecolor, 51, 169, false);
    for (int r = 0; r < 51; r++)
        for (int c = 0; c < 169; c++)
            filled += scene_style(&scene, r, c).filled;
    assert_true(filled > 51 * 169 / 2);
    drawn_scene_close(&scene);
}

static void figures_are_of_three_kinds(void **state)
{
    struct scene scene;
    drawn_scene_open(&scene, 1, 3, 2, 2);
    assert_int_equal(picture_kind(&scene.figure), PICTURE_MATRIX);
    scene.figure.column_titles = heads; // heads of one layer
    assert_int_equal(picture_kind(&scene.figure), PICTURE_GRID);
    scene.figure.column_titles = NULL;
    scene.figure.rows = 3;
    scene.figure.columns = 1;
    assert_int_equal(picture_kind(&scene.figure), PICTURE_GRID);
    scene.figure.rows = 1;
    scene.panels[0].kind = PANEL_BARS;
    assert_int_equal(picture_kind(&scene.figure), PICTURE_PLOT);
    drawn_scene_close(&scene);
}

static void an_alignment_is_refused(void **state)
{
    struct figure_panel panel = {.kind = PANEL_ALIGNMENT};
    struct figure figure = {.rows = 1, .columns = 1, .panels = &panel};
    struct picture picture;
    struct status status = {0};
    assert_false(picture_make(&picture, &figure, &status));
    assert_int_equal(status.code, STATUS_INVALID);
}

int main(void)
{
    number_labels_make();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_strong_cell_is_seen_where_it_is),
        cmocka_unit_test(of_differences_the_greatest_magnitude_is_seen),
        cmocka_unit_test(a_lone_strong_cell_of_a_large_matrix_is_seen),
        cmocka_unit_test(headers_name_heads_and_what_is_off),
        cmocka_unit_test(headers_name_heads_by_their_numbers),
        cmocka_unit_test(narrow_overviews_show_all_heads),
        cmocka_unit_test(an_overview_scrolls_by_lines),
        cmocka_unit_test(the_heads_of_a_layer_wrap_into_rows),
        cmocka_unit_test(below_the_end_of_a_line_is_its_last_head),
        cmocka_unit_test(an_overview_uses_a_large_area),
        cmocka_unit_test(figures_are_of_three_kinds),
        cmocka_unit_test(an_alignment_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
