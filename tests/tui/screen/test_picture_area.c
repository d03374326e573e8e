/* Pictures in any area: what is drawn is found, and nothing is outside. */
#include <math.h>

#include "tests/support/rounds.h"
#include "tests/support/test.h"
#include "tests/tui/screen/scene_support.h"

/* Everywhere ----------------------------------------------------------------------------------- */

/* A figure of one of the kinds that the program draws. */
static void open_any(struct scene *scene, int kind)
{
    static const char *const names[] = {"layer 1", "layer 2", "layer 3", "layer 4",
                                        "layer 5", "layer 6", "layer 7", "layer 8"};
    bool grid = kind == 2;
    int rows = 1 + roll(roll(4) ? 30 : 300), columns = 1 + roll(roll(4) ? 30 : 300);
    int panels = kind == 0 ? 1 : grid ? 1 + roll(8) : 1 + roll(3);
    drawn_scene_open(scene, grid ? 1 + roll(6) : 1, panels, rows, columns);
    for (int i = 0; i < scene->figure.rows * panels; i++) {
        struct figure_panel *panel = &scene->panels[i];
        panel->title = roll(2) ? "off" : NULL;
        panel->matrix.scale = roll(4) == 0;
        panel->matrix.row_labels = !grid && roll(2) ? number_labels : NULL;
        panel->matrix.column_labels = !grid && roll(2) ? number_labels : NULL;
        panel->matrix.row_title = roll(2) ? "target" : NULL;
        panel->matrix.column_title = roll(2) ? "source" : NULL;
    }
    scene->figure.row_titles = grid ? names : NULL;
    scene->figure.column_titles = grid ? names : NULL;
    scene->cursor = (struct picture_cursor){roll(40),       roll(300),      roll(300),
                                            roll(300) - 20, roll(300) - 20, roll(3) == 0};
    scene_make(scene);
}

/* Of the cells that are drawn as one, from the cursor's on: the greatest value, or in the other
 * scale that furthest from zero. NaN: there is none. */
static double strongest(const struct scene *scene, const struct picture_cursor *cursor, int rows,
                        int columns)
{
    const struct figure_matrix *matrix = &scene->panels[cursor->panel].matrix;
    double value = NAN;
    for (int r = cursor->row; r < cursor->row + rows && r < matrix->rows; r++)
        for (int c = cursor->column; c < cursor->column + columns && c < matrix->columns; c++) {
            double other = matrix->values[r * matrix->columns + c];
            bool more = matrix->scale ? fabs(other) > fabs(value) : other > value;
            if (isnan(value) || more)
                value = other;
        }
    return value;
}

/* What the cell of that index should be filled with: the ranges of both scales by hand. */
static uint32_t expected_fill(const struct scene *scene, const struct picture_cursor *cursor,
                              int rows, int columns)
{
    const struct figure_matrix *matrix = &scene->panels[cursor->panel].matrix;
    double most = 0;
    for (int i = 0; i < scene->figure.rows * scene->figure.columns; i++)
        for (int k = 0;
             scene->panels[i].matrix.scale == matrix->scale && k < matrix->rows * matrix->columns;
             k++)
            if (scene->values[i][k] > most)
                most = scene->values[i][k];
    most = most > 0 ? most : 1;
    double value = strongest(scene, cursor, rows, columns);
    return matrix->scale ? map_entry("bluered", (value + most) / (2 * most))
                         : map_entry("viridis", value / most);
}

/* Every cell that is filled is found, and has its value's colour; what is found is filled, or has
 * no value. */
static void check_found(const struct scene *scene, struct area area)
{
    bool grid = picture_kind(&scene->figure) == PICTURE_GRID;
    int rows, columns, seen = 0;
    picture_block(&scene->picture, area, &scene->cursor, &rows, &columns);
    for (int r = area.row - 1; r <= area.row + area.rows; r++)
        for (int c = area.column - 1; c <= area.column + area.columns; c++) {
            struct picture_cursor found = scene->cursor;
            bool is_found = picture_find(&scene->picture, area, &scene->cursor, r, c, &found);
            bool filled = scene_style(scene, r, c).filled;
            if (filled)
                assert_true(is_found);
            if (!is_found)
                continue;
            const struct figure_matrix *matrix = &scene->panels[found.panel].matrix;
            assert_in_range(found.row, 0, matrix->rows - 1);
            assert_in_range(found.column, 0, matrix->columns - 1);
            double value = strongest(scene, &found, rows, columns);
            assert_int_equal(found.row % rows, 0);
            assert_int_equal(found.column % columns, 0);
            seen += found.row + rows >= matrix->rows && found.column + columns >= matrix->columns;
            if (!filled)
                assert_true(isnan(value) || grid); // a grid's header is found too
            else
                assert_int_equal(scene_fill(scene, r, c),
                                 expected_fill(scene, &found, rows, columns));
        }
    enum { ROOM = 40 }; // below, there may be none for all panels
    if (scene->cursor.whole && !grid && area.columns >= ROOM && area.rows >= ROOM / 4)
        assert_true(seen >= scene->figure.columns);
}

static void what_is_drawn_is_found_and_nothing_is_outside(void **state)
{
    enum { BORDER = 3 };
    dice = 20;
    for (int round = 0; round < rounds_of(100, 600); round++) {
        struct scene scene;
        struct status status = {0};
        open_any(&scene, round % 3);
        struct area area = {BORDER, BORDER, roll(roll(2) ? 12 : 70), roll(roll(2) ? 20 : 250)};
        assert_true(canvas_resize(&scene.canvas, area.rows + 2 * BORDER, area.columns + 2 * BORDER,
                                  &status));
        const struct cell canary = {.text = "?", .style = {.ink = INK_MARK, .underline = true}};
        for (int i = 0; i < scene.canvas.rows * scene.canvas.columns; i++)
            scene.canvas.cells[i] = canary;
        picture_draw(&scene.picture, &truecolor, &scene.canvas, area, &scene.cursor, false);
        for (int r = 0; r < scene.canvas.rows; r++)
            for (int c = 0; c < scene.canvas.columns; c++)
                if (r < BORDER || c < BORDER || r >= BORDER + area.rows ||
                    c >= BORDER + area.columns)
                    assert_memory_equal(canvas_cell(&scene.canvas, r, c), &canary, sizeof canary);
        check_found(&scene, area);
        drawn_scene_close(&scene);
    }
}

/* The cursor's cell is drawn whatever is asked for. */
static void the_cursor_is_always_in_sight(void **state)
{
    dice = 21;
    for (int round = 0; round < 600; round++) {
        struct scene scene;
        open_any(&scene, round % 2);
        scene_draw(&scene, &truecolor, 1 + roll(60), 1 + roll(200), true);
        int seen = 0, last = -1;
        for (int r = 0; r < scene.canvas.rows; r++)
            for (int c = 0; c < scene.canvas.columns; c++) {
                if (strcmp(scene_text(&scene, r, c), "[") != 0 &&
                    strcmp(scene_text(&scene, r, c), "*") != 0)
                    continue;
                assert_true(seen == 0 || r == last + 1); // of a cell of several rows
                last = r;
                seen++;
            }
        assert_in_range(seen, 1, 8);
        drawn_scene_close(&scene);
    }
}

int main(void)
{
    number_labels_make();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_drawn_is_found_and_nothing_is_outside),
        cmocka_unit_test(the_cursor_is_always_in_sight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
