/* Markers of series: every corner is drawn where the layout has it. */
#include <unistd.h>

#include "tests/render/render_support.h"
#include "tests/support/test.h"

enum { POINTS = 3, PAPER = 0xFFFFFF };

/* Three quarters of the way from the middle of a marker to each of its corners. */
static void check_corners(const struct picture *picture, const struct placed_shape *shape)
{
    double x = 0, y = 0;
    for (int i = 0; i < 4; i++) {
        x += shape->x[i] / 4;
        y += shape->y[i] / 4;
    }
    for (int i = 0; i < 4; i++) {
        int px = (int)(0.75 * shape->x[i] + 0.25 * x), py = (int)(0.75 * shape->y[i] + 0.25 * y);
        if (picture_pixel(picture, px, py) == PAPER)
            fail_msg("corner %d at %.1f, %.1f is not drawn", i, shape->x[i], shape->y[i]);
    }
}

static void markers_have_their_corners(void **state)
{
    static const float values[POINTS] = {0.2f, 0.8f, 0.5f};
    struct figure_series series[FIGURE_COLOURS];
    struct figure_panel panel = {
        .kind = PANEL_LINES,
        .plot = {.series = series, .series_count = 1, .points = POINTS, .most = 1}};
    struct figure figure = {.rows = 1, .columns = 1, .panels = &panel};
    struct figure_style style = figure_style_default();
    int found = 0;
    style.dpi = 600;
    for (int s = 0; s < FIGURE_COLOURS; s++) {
        series[0] = (struct figure_series){"one", figure_colours[0], values, s};
        struct figure_layout *layout = figure_layout(&figure, &style);
        struct picture picture = picture_open(&figure, &style, NULL, 0);
        for (size_t i = 0; i < layout->shape_count; i++)
            if (layout->shapes[i].kind == SHAPE_CORNERS) {
                check_corners(&picture, &layout->shapes[i]);
                found++;
            }
        picture_close(&picture);
        layout_close(layout);
    }
    assert_true(found >= POINTS);
}

/* 100 mm and 40 mm are 283.465 and 113.386 points; pages have tenths of them. */
static void lengths_of_svg_are_in_points(void **state)
{
    static const float values[POINTS] = {0.2f, 0.8f, 0.5f};
    struct figure_series series = {"one", figure_colours[0], values, 0};
    struct figure_panel panel = {
        .kind = PANEL_LINES,
        .plot = {.series = &series, .series_count = 1, .points = POINTS, .most = 1}};
    struct figure figure = {.rows = 1, .columns = 1, .panels = &panel};
    struct figure_style style = figure_style_default();
    char path[FIGURE_PATH], begin[1000];
    style.width_mm = 100;
    style.height_mm = 40;
    figure_save(&figure, &style, FIGURE_SVG, NULL, 0, path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    begin[fread(begin, 1, sizeof begin - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    if (!strstr(begin, " width=\"283.5pt\" height=\"113.4pt\" viewBox=\"0 0 283.5 113.4\""))
        fail_msg("%s", begin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markers_have_their_corners),
        cmocka_unit_test(lengths_of_svg_are_in_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
