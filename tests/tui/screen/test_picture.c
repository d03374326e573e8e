/* Heatmaps in characters: every cell has the colour of its value, under its labels. */
#include <math.h>

#include "tests/support/test.h"
#include "tests/tui/screen/scene_support.h"

/* Heatmaps ------------------------------------------------------------------------------------- */

/* Checks all 16 cells, found by their labels. */
static void check_cells(struct scene *scene, const char *map, const double shares[16])
{
    scene_make(scene);
    scene_draw(scene, &truecolor, 12, 30, false);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            int row, column, unused;
            double share = shares[4 * r + c];
            assert_true(scene_find(scene, small_rows[r], &row, &unused));
            assert_true(scene_find(scene, small_columns[c], &unused, &column));
            for (int i = 0; i < 2; i++)
                if (isnan(share))
                    assert_false(scene_style(scene, row, column + i).filled);
                else
                    assert_int_equal(scene_fill(scene, row, column + i), map_entry(map, share));
        }
}

static void a_cell_has_the_colour_of_its_share(void **state)
{
    static const struct {
        enum figure_range range;
        double least, most;
    } ranges[] = {{RANGE_MAXIMUM, 0, 1.5},
                  {RANGE_DATA, 0, 1.5},
                  {RANGE_GIVEN, -1, 1},
                  {RANGE_SYMMETRIC, -1.5, 1.5},
                  {RANGE_EACH, 0, 1.5}};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        struct scene scene;
        double shares[16];
        small_open(&scene, small_values);
        scene.scales[0].range = ranges[k].range;
        scene.scales[0].least = ranges[k].least;
        scene.scales[0].most = ranges[k].most;
        for (int i = 0; i < 16; i++)
            shares[i] = (small_values[i] - ranges[k].least) / (ranges[k].most - ranges[k].least);
        check_cells(&scene, "viridis", shares);
        drawn_scene_close(&scene);
    }
}

static void a_row_is_divided_by_its_greatest(void **state)
{
    const double greatest[] = {0.5, 1.5, 0.08f, 1};
    struct scene scene;
    double shares[16];
    small_open(&scene, small_values);
    scene.scales[0].range = RANGE_ROW;
    for (int i = 0; i < 16; i++)
        shares[i] = small_values[i] / greatest[i / 4];
    check_cells(&scene, "viridis", shares);
    drawn_scene_close(&scene);
}

static void a_logarithmic_scale_goes_by_ratios(void **state)
{
    struct scene scene;
    double shares[16];
    small_open(&scene, small_values);
    scene.scales[0].range = RANGE_LOG;
    for (int i = 0; i < 16; i++) // from the least above 0 to the greatest
        shares[i] = small_values[i] == 0 ? 0 : log(small_values[i] / 0.01f) / log(1.5f / 0.01f);
    check_cells(&scene, "viridis", shares);
    drawn_scene_close(&scene);
}

static void differences_have_zero_in_the_middle(void **state)
{
    float values[16];
    double shares[16];
    struct scene scene;
    for (int i = 0; i < 16; i++) {
        values[i] = (float)(i - 6) / 16;
        shares[i] = 0.5 + (i - 6) / 16.0 / (2 * 9 / 16.0);
    }
    small_open(&scene, values);
    scene.panels[0].matrix.scale = 1;
    check_cells(&scene, "bluered", shares);
    drawn_scene_close(&scene);
}

/* Labels --------------------------------------------------------------------------------------- */

static void column_labels_run_down_to_their_cells(void **state)
{
    static const char *const labels[] = {"abc", "日本", "e\xcc\x81", "👨‍👩‍👧x"};
    struct scene scene;
    small_open(&scene, small_values);
    scene.panels[0].matrix.column_labels = labels;
    scene_make(&scene);
    scene_draw(&scene, &plain, 12, 30, false);
    // "ra" and a blank are 3 columns; the tallest label has 3 graphemes.
    assert_string_equal(scene_text(&scene, 0, 3), "a");
    assert_string_equal(scene_text(&scene, 1, 3), "b");
    assert_string_equal(scene_text(&scene, 2, 3), "c");
    assert_string_equal(scene_text(&scene, 0, 5), " ");
    assert_string_equal(scene_text(&scene, 1, 5), "日");
    assert_string_equal(scene_text(&scene, 2, 5), "本");
    assert_string_equal(scene_text(&scene, 2, 6), ""); // its right half
    assert_string_equal(scene_text(&scene, 2, 7), "e\xcc\x81");
    assert_string_equal(scene_text(&scene, 1, 9), "👨‍👩‍👧");
    assert_string_equal(scene_text(&scene, 2, 9), "x");
    assert_string_equal(scene_text(&scene, 3, 0), "r");
    drawn_scene_close(&scene);
}

/* They leave room for all rows; where that has no three rows left for them, they take a third. */
static void long_labels_show_that_they_go_on(void **state)
{
    static const char *const labels[] = {"abcdefghij", "B", "C", "D"};
    static const char *const names[] = {"Donaudampfschifffahrt", "von", "und", "zu"};
    static const struct {
        const struct screen_style *screen_style;
        const char *down, *across;
    } cases[] = {{&plain, "⋮", "Donaudamp…"}, {&ascii, "~", "Donaudamp~"}};
    for (int k = 0; k < 2; k++) {
        struct scene scene;
        small_open(&scene, small_values);
        scene.panels[0].matrix.column_labels = labels;
        scene.panels[0].matrix.row_labels = names;
        scene_make(&scene);
        scene_draw(&scene, cases[k].screen_style, 12, 30, false);
        assert_string_equal(scene_text(&scene, 0, 11), "a");
        assert_string_equal(scene_text(&scene, 6, 11), "g");
        assert_string_equal(scene_text(&scene, 7, 11), cases[k].down);
        assert_string_equal(scene_text(&scene, 7, 13), "B");
        assert_true(scene_has(&scene, cases[k].across));
        assert_false(scene_has(&scene, "Donaudampf"));
        scene_draw(&scene, cases[k].screen_style, 6, 30, false);
        assert_string_equal(scene_text(&scene, 0, 11), "a");
        assert_string_equal(scene_text(&scene, 1, 11), cases[k].down);
        assert_string_equal(scene_text(&scene, 1, 13), "B");
        drawn_scene_close(&scene);
    }
}

static void right_to_left_labels_stay_in_logical_order(void **state)
{
    static const char *const labels[] = {"سلام", "ב", "ג", "ד"};
    struct scene scene;
    small_open(&scene, small_values);
    scene.panels[0].matrix.row_labels = labels;
    scene.panels[0].matrix.column_labels = labels;
    scene_make(&scene);
    scene_draw(&scene, &plain, 20, 39, false);
    static const char *const letters[] = {"س", "ل", "ا", "م"};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(scene_text(&scene, 4, i), letters[i]);
        assert_string_equal(scene_text(&scene, i, 5), letters[i]);
    }
    drawn_scene_close(&scene);
}

static void control_characters_of_labels_are_not_drawn(void **state)
{
    static const char *const labels[] = {"\x1b[2J", "b\nc", "\xff", "d\x7f"};
    struct scene scene;
    small_open(&scene, small_values);
    scene.panels[0].matrix.row_labels = labels;
    scene.panels[0].matrix.column_labels = labels;
    scene.panels[0].title = "\x1b]0;x\x07";
    scene_make(&scene);
    scene_draw(&scene, &plain, 20, 40, false);
    for (int r = 0; r < 20; r++)
        for (int c = 0; c < 40; c++) {
            unsigned char first = (unsigned char)scene_text(&scene, r, c)[0];
            assert_true(first == 0 || (first >= 0x20 && first != 0x7f && first != 0xff));
        }
    drawn_scene_close(&scene);
}

static void rows_and_columns_are_named_where_there_is_room(void **state)
{
    struct scene scene;
    int row, column;
    small_open(&scene, small_values);
    scene.panels[0].matrix.row_title = "target";
    scene.panels[0].matrix.column_title = "source";
    scene_make(&scene);
    scene_draw(&scene, &plain, 12, 30, false);
    assert_true(scene_has(&scene, "target ↓  source →"));
    scene_draw(&scene, &ascii, 12, 30, false);
    assert_true(scene_has(&scene, "target v  source >"));
    scene_draw(&scene, &plain, 7, 30, false);
    assert_false(scene_find(&scene, "target", &row, &column));
    assert_true(scene_find(&scene, "rd", &row, &column));
    drawn_scene_close(&scene);
}

static void the_cursor_is_seen_in_cell_and_labels(void **state)
{
    struct scene scene;
    small_open(&scene, small_values);
    scene_make(&scene);
    scene.cursor = (struct picture_cursor){.row = 2, .column = 1};
    for (int chosen = 0; chosen < 2; chosen++) {
        scene_draw(&scene, &truecolor, 12, 30, chosen);
        for (int r = 0; r < 4; r++)
            assert_int_equal(scene_style(&scene, 1 + r, 0).ink,
                             chosen && r == 2 ? INK_ACCENT : INK_NORMAL);
        for (int c = 0; c < 4; c++)
            assert_int_equal(scene_style(&scene, 0, 3 + 2 * c).ink,
                             chosen && c == 1 ? INK_ACCENT : INK_NORMAL);
        assert_string_equal(scene_text(&scene, 3, 5), chosen ? "[" : " ");
        assert_string_equal(scene_text(&scene, 3, 6), chosen ? "]" : " ");
        assert_int_equal(scene_fill(&scene, 3, 5), map_entry("viridis", 0.02f / 1.5));
    }
    drawn_scene_close(&scene);
}

/* 4 x 4 cells, with labels of 2 columns and 1 row between margins, in windows of all sizes: as
 * large as all fit, at most 8 rows high, and 4 columns wide for each row. */
static void small_heatmaps_grow_in_large_windows(void **state)
{
    static const struct {
        int rows, columns, tall, wide;
    } cases[] = {{23, 100, 5, 20}, {23, 39, 1, 2},  {23, 40, 5, 9},
                 {12, 60, 2, 8},   {24, 60, 5, 14}, {70, 250, 8, 32}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct scene scene;
        int tall = cases[k].tall, wide = cases[k].wide;
        small_open(&scene, small_values);
        scene_make(&scene);
        scene.cursor = (struct picture_cursor){.row = 3, .column = 2};
        scene_draw(&scene, &truecolor, cases[k].rows, cases[k].columns, true);
        for (int i = 0; i < 16; i++)
            for (int y = 0; y < tall; y++)
                for (int x = 0; x < wide; x++) {
                    int row = 1 + i / 4 * tall + y, column = 3 + i % 4 * wide + x;
                    struct area area = {0, 0, cases[k].rows, cases[k].columns};
                    struct picture_cursor found = {0};
                    assert_true(
                        picture_find(&scene.picture, area, &scene.cursor, row, column, &found));
                    assert_true(found.row == i / 4 && found.column == i % 4);
                    if (isnan(small_values[i]))
                        assert_false(scene_style(&scene, row, column).filled);
                    else
                        assert_int_equal(scene_fill(&scene, row, column),
                                         map_entry("viridis", small_values[i] / 1.5));
                    bool chosen = i == 4 * 3 + 2;
                    assert_string_equal(scene_text(&scene, row, column), chosen && x == 0 ? "["
                                                                         : chosen && x == wide - 1
                                                                             ? "]"
                                                                             : " ");
                }
        assert_string_equal(scene_text(&scene, 1 + (tall - 1) / 2, 0), "r");
        assert_string_equal(scene_text(&scene, 0, 3 + (wide - 2) / 2), small_columns[0]);
        assert_string_equal(scene_text(&scene, 0, 3 + wide + (wide - 2) / 2), small_columns[1]);
        drawn_scene_close(&scene);
    }
}

/* As large as all rows, and all columns, fit, and neither flat nor narrow. */
static void cells_grow_as_far_as_all_fit(void **state)
{
    static const struct {
        int rows, columns, tall, wide; // of the heatmap, and of its cells in 25 by 64
    } cases[] = {{6, 6, 4, 10}, {7, 6, 3, 10},  {9, 6, 2, 8},  {6, 15, 4, 4},  {6, 20, 3, 3},
                 {6, 31, 2, 2}, {12, 15, 2, 4}, {13, 4, 1, 4}, {40, 10, 1, 4}, {4, 32, 1, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct scene scene;
        struct area area = {0, 0, 25, 64};
        drawn_scene_open(&scene, 1, 1, cases[k].rows, cases[k].columns);
        scene.panels[0].matrix.row_labels = scene.panels[0].matrix.column_labels = NULL;
        scene_make(&scene);
        scene_draw(&scene, &truecolor, 25, 64, false);
        // Without labels cells begin behind the margin.
        int row = scene.panels[0].matrix.columns > 31; // then its first row says that it goes on
        struct picture_cursor found = {0};
        int tall = 0, wide = 0;
        while (picture_find(&scene.picture, area, &scene.cursor, row + tall, 1, &found) &&
               found.row == 0)
            tall++;
        while (picture_find(&scene.picture, area, &scene.cursor, row, 1 + wide, &found) &&
               found.column == 0)
            wide++;
        if (tall != cases[k].tall || wide != cases[k].wide)
            fail_msg("%d by %d: cells of %d by %d", cases[k].rows, cases[k].columns, tall, wide);
        drawn_scene_close(&scene);
    }
}

/* "Donaudampf" and a blank are 11 columns: four such cells, row labels and margins are 48, which 48
 * have, and with 47 columns they stay upright. */
static void column_labels_stand_across_where_cells_are_wide_enough(void **state)
{
    static const char *const labels[] = {"Donaudampf", "b", "über", "d"};
    struct scene scene;
    int row, column;
    small_open(&scene, small_values);
    scene.panels[0].matrix.column_labels = labels;
    scene_make(&scene);
    scene_draw(&scene, &plain, 12, 48, true);
    assert_true(scene_find(&scene, "Donaudampf", &row, &column));
    assert_int_equal(row, 0);
    assert_true(scene_has(&scene, "über"));
    assert_true(scene_find(&scene, "ra", &row, &column));
    assert_int_equal(row, 1); // cells of 2 rows
    assert_true(scene_find(&scene, "rb", &row, &column));
    assert_int_equal(row, 3);
    scene_draw(&scene, &plain, 12, 47, true);
    assert_false(scene_has(&scene, "Donaudampf"));
    drawn_scene_close(&scene);
}

static void a_picture_fits_where_all_its_columns_are_seen(void **state)
{
    struct scene scene;
    small_open(&scene, small_values); // 2 columns of labels, 2 of margins, 8 of cells
    scene_make(&scene);
    assert_true(picture_fits(&scene.picture, (struct area){0, 0, 10, 12}));
    assert_true(picture_fits(&scene.picture, (struct area){0, 0, 3, 12}));
    assert_false(picture_fits(&scene.picture, (struct area){0, 0, 10, 11}));
    assert_false(picture_fits(&scene.picture, (struct area){0, 0, 0, 12}));
    drawn_scene_close(&scene);
}

/* Numbers -------------------------------------------------------------------------------------- */

static void entropy_is_in_bits(void **state)
{
    static const float rows[][4] = {{0.25f, 0.25f, 0.25f, 0.25f},
                                    {0.5f, 0.25f, 0.25f, 0},
                                    {0, 0, 1, 0},
                                    {2, 2, 0, NAN},
                                    {0, 0, 0, 0},
                                    {0.5f, -0.5f, 1, 0},
                                    {NAN, NAN, NAN, NAN}};
    static const struct {
        double entropy, most;
        int at;
    } expected[] = {{2, 0.25, 0}, {1.5, 0.5, 0}, {0, 1, 2},     {1, 2, 0},
                    {NAN, 0, 0},  {NAN, 1, 2},   {NAN, NAN, -1}};
    enum { COUNT = sizeof rows / sizeof *rows };
    for (int k = 0; k < COUNT; k++)
        for (int turned = 0; turned < 2; turned++) { // as a row, and as a column
            struct scene scene;
            drawn_scene_open(&scene, 1, 1, 4, 4);
            for (int i = 0; i < 4; i++)
                scene.values[0][turned ? 4 * i + 3 : 4 * 3 + i] = rows[k][i];
            scene_make(&scene);
            struct picture_cursor cursor = {.row = 3, .column = 3};
            struct line_numbers numbers_of = turned ? picture_column(&scene.picture, &cursor)
                                                    : picture_row(&scene.picture, &cursor);
            assert_int_equal(isnan(numbers_of.entropy), isnan(expected[k].entropy));
            if (!isnan(expected[k].entropy))
                assert_true(fabs(numbers_of.entropy - expected[k].entropy) < 1e-12);
            assert_int_equal(isnan(numbers_of.most), isnan(expected[k].most));
            if (!isnan(expected[k].most))
                assert_true(numbers_of.most == expected[k].most);
            assert_int_equal(numbers_of.at, expected[k].at);
            drawn_scene_close(&scene);
        }
}

static void the_value_is_that_of_the_matrix(void **state)
{
    struct scene scene;
    small_open(&scene, small_values);
    scene.scales[0].range = RANGE_ROW;
    scene_make(&scene);
    for (int i = 0; i < 16; i++) {
        struct picture_cursor cursor = {.row = i / 4, .column = i % 4};
        double value = picture_value(&scene.picture, &cursor);
        assert_true(isnan(small_values[i]) ? isnan(value) : value == small_values[i]);
    }
    drawn_scene_close(&scene);
}

/* Legends -------------------------------------------------------------------------------------- */

static void a_legend_goes_from_the_least_to_the_most(void **state)
{
    static const struct {
        int scale, columns;
        const struct screen_style *screen_style;
        const char *text;
    } cases[] = {{0, 40, &plain, "0.00     ░░▒▒▒▒▓▓████ 1.50"},
                 {1, 40, &plain, "−1.50 -█-▒-░  +░+▒+█ 1.50"},
                 {1, 40, &ascii, "-1.50 -%-+-:  +:+++% 1.50"},
                 {0, 13, &plain, ""}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct scene scene;
        struct status status = {0};
        char text[4096];
        small_open(&scene, small_values);
        scene.panels[0].matrix.scale = cases[k].scale;
        scene_make(&scene);
        assert_true(canvas_resize(&scene.canvas, 1, 60, &status));
        picture_legend(&scene.picture, cases[k].screen_style, &scene.canvas, 0, 2, cases[k].columns,
                       &scene.cursor);
        scene_row(&scene, 0, text);
        assert_true(strncmp(text + 2, cases[k].text, strlen(cases[k].text)) == 0);
        if (!*cases[k].text)
            assert_int_equal(strspn(text, " "), strlen(text));
        drawn_scene_close(&scene);
    }
}

int main(void)
{
    number_labels_make();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_has_the_colour_of_its_share),
        cmocka_unit_test(a_row_is_divided_by_its_greatest),
        cmocka_unit_test(a_logarithmic_scale_goes_by_ratios),
        cmocka_unit_test(differences_have_zero_in_the_middle),
        cmocka_unit_test(column_labels_run_down_to_their_cells),
        cmocka_unit_test(long_labels_show_that_they_go_on),
        cmocka_unit_test(right_to_left_labels_stay_in_logical_order),
        cmocka_unit_test(control_characters_of_labels_are_not_drawn),
        cmocka_unit_test(rows_and_columns_are_named_where_there_is_room),
        cmocka_unit_test(the_cursor_is_seen_in_cell_and_labels),
        cmocka_unit_test(small_heatmaps_grow_in_large_windows),
        cmocka_unit_test(cells_grow_as_far_as_all_fit),
        cmocka_unit_test(column_labels_stand_across_where_cells_are_wide_enough),
        cmocka_unit_test(a_picture_fits_where_all_its_columns_are_seen),
        cmocka_unit_test(entropy_is_in_bits),
        cmocka_unit_test(the_value_is_that_of_the_matrix),
        cmocka_unit_test(a_legend_goes_from_the_least_to_the_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
