/* Cells of PNG figures as ImageMagick reads them: their colours, their numbers, and the bar that
 * explains them. */
#include <math.h>

#include "tests/render/render_support.h"
#include "tests/support/test.h"

/* Colours -------------------------------------------------------------------------------------- */

/* matplotlib 3.11: to_hex(matplotlib.colormaps[NAME](t)). */
#define POINTS 7
static const double points[POINTS] = {0, 0.1, 0.25, 0.5, 0.75, 0.999, 1};
static const struct {
    const char *name, *theirs;
    unsigned colours[POINTS];
} published[] = {
    {"viridis", "viridis", {0x440154, 0x482475, 0x3b528b, 0x21918c, 0x5ec962, 0xfde725, 0xfde725}},
    {"magma", "magma", {0x000004, 0x140e36, 0x51127c, 0xb73779, 0xfc8961, 0xfcfdbf, 0xfcfdbf}},
    {"cividis", "cividis", {0x00224e, 0x083370, 0x434e6c, 0x7d7c78, 0xbcae6c, 0xfee838, 0xfee838}},
    {"blues", "Blues", {0xf7fbff, 0xe3eef9, 0xc6dbef, 0x6aaed6, 0x2070b4, 0x08306b, 0x08306b}},
    {"grey", "gray_r", {0xffffff, 0xe6e6e6, 0xbfbfbf, 0x7f7f7f, 0x3f3f3f, 0x000000, 0x000000}},
    {"bluered", "RdBu_r", {0x053061, 0x2065ab, 0x6bacd1, 0xf7f6f6, 0xe48066, 0x67001f, 0x67001f}},
};
enum { PUBLISHED = sizeof published / sizeof *published };

static void colour_maps_are_the_published_ones(void **state)
{
    assert_int_equal(colormap_count, PUBLISHED);
    for (int m = 0; m < PUBLISHED; m++) {
        const struct colormap *map = colormap_find(published[m].name);
        assert_ptr_equal(map, &colormap_table[m]);
        for (int i = 0; i < POINTS; i++) {
            struct rgb rgb = colormap_colour(map, points[i]);
            unsigned colour = (unsigned)rgb.red << 16 | (unsigned)rgb.green << 8 | rgb.blue;
            if (colour != published[m].colours[i])
                fail_msg("%s at %g: %06x, expected %06x", map->name, points[i], colour,
                         published[m].colours[i]);
        }
    }
    assert_null(colormap_find("jet"));
    assert_int_equal(colormap_colour(colormap_find("viridis"), -1e30).red, 0x44);
    assert_int_equal(colormap_colour(colormap_find("viridis"), INFINITY).red, 0xfd);
    assert_int_equal(colormap_colour(colormap_find("viridis"), NAN).red, 0x44);
}

/* The whole cell, from corner to corner, has the colour. */
static void check_cell(const struct picture *picture, struct box cell, unsigned colour)
{
    int left = (int)cell.x, top = (int)cell.y;
    assert_true(cell.width >= 3 && cell.height >= 3);
    for (int y = top; y < top + (int)cell.height; y++)
        for (int x = left; x < left + (int)cell.width; x++)
            if (picture_pixel(picture, x, y) != colour)
                fail_msg("pixel (%d, %d) is %06x, expected %06x", x, y,
                         picture_pixel(picture, x, y), colour);
}

static void check_strip(const struct strip *strip, double width_mm, const unsigned *colours)
{
    struct figure_style style = figure_style_default();
    style.width_mm = width_mm;
    struct figure_layout *layout = figure_layout(&strip->figure, &style);
    struct picture picture = picture_open(&strip->figure, &style, NULL, 0);
    for (int i = 0; i < strip->panel.matrix.columns; i++)
        if (!isnan(strip->panel.matrix.values[i]))
            check_cell(&picture, layout_cell(&layout->matrices[0], 0, i), colours[i]);
    picture_close(&picture);
    layout_close(layout);
}

static void cells_have_the_colour_of_their_value(void **state)
{
    float values[POINTS];
    for (int i = 0; i < POINTS; i++)
        values[i] = (float)points[i];
    for (int m = 0; m < PUBLISHED; m++) {
        struct strip strip;
        strip_fill(&strip, published[m].name, RANGE_GIVEN, values, POINTS);
        check_strip(&strip, 0, published[m].colours);
        check_strip(&strip, 61.7, published[m].colours);
    }
}

static void ranges_come_from_the_values(void **state)
{
    static const unsigned *const viridis = published[0].colours;
    const unsigned start = viridis[0], quarter = viridis[2], half = viridis[3], end = viridis[6];
    const struct {
        enum figure_range range;
        float values[5];
        unsigned colours[5];
    } cases[] = {
        {RANGE_MAXIMUM, {0, 1, 2, 4, -3}, {start, quarter, half, end, start}},
        {RANGE_MAXIMUM, {NAN, 0.5f, INFINITY, 1, -INFINITY}, {0, half, end, end, start}},
        {RANGE_MAXIMUM, {0, 0, -1, 0, 0}, {start, start, start, start, start}},
        {RANGE_DATA, {-1, 0, 1, 3, NAN}, {start, quarter, half, end, 0}},
        {RANGE_DATA, {7, 7, 7, 7, 7}, {start, start, start, start, start}},
        {RANGE_SYMMETRIC, {-4, -2, 0, 1e-9f, 2}, {start, quarter, half, half, viridis[4]}},
        {RANGE_SYMMETRIC, {0, NAN, 0, 0, 0}, {half, 0, half, half, half}},
        // From 1e-4 of the greatest at most: 1e-4, 1e-3, 1e-2, 0.1, 1 are quarters of four decades.
        {RANGE_LOG, {1e-5f, 1.001e-3f, 1.001e-2f, 1, 0}, {start, quarter, half, end, start}},
        // From the least above 0, when that is more.
        {RANGE_LOG, {0.01f, 0.0317f, 0.1001f, 1, -1}, {start, quarter, half, end, start}},
        {RANGE_LOG, {0, 0, NAN, -1, 0}, {start, start, 0, start, start}},
        {RANGE_EACH, {0, 1, 2, 4, -3}, {start, quarter, half, end, start}},
        {RANGE_ROW, {0, 10, 20, 40, 0}, {start, quarter, half, end, start}},
        {RANGE_ROW, {0, 0, NAN, 0, 0}, {start, start, 0, start, start}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strip strip;
        strip_fill(&strip, "viridis", cases[i].range, cases[i].values, 5);
        check_strip(&strip, 0, cases[i].colours);
    }
}

/* Two panels of two rows on one scale: what each is divided by. */
static void matrices_and_rows_may_have_their_own_greatest(void **state)
{
    static const float first[] = {4, 2, 1, 0.5f}, second[] = {0.2f, 0.1f, 0.4f, 0};
    static const unsigned *const viridis = published[0].colours;
    const unsigned start = viridis[0], quarter = viridis[2], half = viridis[3], end = viridis[6];
    const struct {
        enum figure_range range;
        unsigned colours[2][4];
    } cases[] = {
        {RANGE_EACH, {{end, half, quarter, 0}, {half, quarter, end, start}}},
        {RANGE_ROW, {{end, half, end, half}, {end, half, end, start}}},
    };
    struct figure_scale scale = {.map = colormap_find("viridis")};
    struct figure_panel panels[] = {
        {.kind = PANEL_MATRIX, .matrix = {.values = first, .rows = 2, .columns = 2}},
        {.kind = PANEL_MATRIX, .matrix = {.values = second, .rows = 2, .columns = 2}}};
    struct figure figure = {
        .rows = 1, .columns = 2, .panels = panels, .scales = &scale, .scale_count = 1};
    struct figure_style style = figure_style_default();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scale.range = cases[i].range;
        struct figure_layout *layout = figure_layout(&figure, &style);
        struct picture picture = picture_open(&figure, &style, NULL, 0);
        for (int panel = 0; panel < 2; panel++)
            for (int cell = 0; cell < 4; cell++)
                if (cases[i].colours[panel][cell])
                    check_cell(&picture, layout_cell(&layout->matrices[panel], cell / 2, cell % 2),
                               cases[i].colours[panel][cell]);
        picture_close(&picture);
        layout_close(layout);
    }
}

/* W3C: contrast is (lighter + 0.05) / (darker + 0.05). */
static double contrast(double a, double b)
{
    return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

static double linear(unsigned part)
{
    double share = part / 255.0;
    return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4);
}

static void numbers_in_cells_are_there_and_can_be_read(void **state)
{
    enum { COUNT = 60 };
    float values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)(i - 10) / 10;
    values[3] = NAN;
    for (int m = 0; m < PUBLISHED; m++) {
        struct strip strip;
        struct figure_style style = figure_style_default();
        int count = 0;
        style.values = true;
        strip_fill(&strip, published[m].name, RANGE_DATA, values, COUNT);
        struct figure_layout *layout = figure_layout(&strip.figure, &style);
        struct picture picture = picture_open(&strip.figure, &style, NULL, 0);
        for (size_t t = 0; t < layout->text_count; t++) {
            const struct placed_text *text = &layout->texts[t];
            if (text->role != ROLE_VALUE)
                continue;
            int column = count + (count >= 3);
            struct box cell = layout_cell(&layout->matrices[0], 0, column);
            char expected[40];
            snprintf(expected, sizeof expected, "%s%.2f", values[column] < 0 ? "\xe2\x88\x92" : "",
                     fabs(values[column]));
            assert_string_equal(text->line.text, expected);
            assert_true(text->box.x >= cell.x && text->box.y >= cell.y &&
                        text->box.x + text->box.width <= cell.x + cell.width &&
                        text->box.y + text->box.height <= cell.y + cell.height);
            unsigned colour = picture_pixel(&picture, (int)cell.x + 1, (int)cell.y + 1);
            double light = 0.2126 * linear(colour >> 16) + 0.7152 * linear(colour >> 8 & 0xff) +
                           0.0722 * linear(colour & 0xff);
            assert_int_equal(text->light, contrast(light, 1) > contrast(light, 0));
            count++;
        }
        assert_int_equal(count, COUNT - 1);
        picture_close(&picture);
        layout_close(layout);
    }
}

static void a_cell_without_a_value_is_white_with_a_stroke(void **state)
{
    float value = NAN;
    struct strip strip;
    struct figure_style style = figure_style_default();
    strip_fill(&strip, "viridis", RANGE_GIVEN, &value, 1);
    struct figure_layout *layout = figure_layout(&strip.figure, &style);
    struct picture picture = picture_open(&strip.figure, &style, NULL, 0);
    struct box cell = layout_cell(&layout->matrices[0], 0, 0);
    int x = (int)cell.x, y = (int)cell.y, side = (int)cell.width;
    assert_int_equal(picture_pixel(&picture, x + 2, y + 2), 0xFFFFFF);
    assert_int_equal(picture_pixel(&picture, x + side - 3, y + side - 3), 0xFFFFFF);
    assert_int_not_equal(picture_pixel(&picture, x + side / 2, y + side / 2), 0xFFFFFF);
    picture_close(&picture);
    layout_close(layout);
}

/* White is 0 in this map, at the bottom, and black the most; a tick stands where its number
 * says. */
static void the_bar_shows_the_map_and_its_numbers(void **state)
{
    float value = 1;
    int ticks = 0;
    struct strip strip;
    struct figure_style style = figure_style_default();
    strip_fill(&strip, "grey", RANGE_GIVEN, &value, 1);
    strip.scale.most = 1.3; // where ticks are not the same upside down
    struct figure_layout *layout = figure_layout(&strip.figure, &style);
    struct picture picture = picture_open(&strip.figure, &style, NULL, 0);
    const struct placed_bar *bar = &layout->bars[0];
    for (int y = 0; y < bar->height; y++) {
        unsigned colour = picture_pixel(&picture, bar->x + bar->width / 2, bar->y + y);
        assert_float_equal((double)(colour & 0xFF), 255 * (y + 0.5) / bar->height, 2);
    }
    int beside = bar->x + bar->width + layout->tick_length;
    for (size_t i = 0; i < layout->text_count; i++) {
        if (layout->texts[i].role != ROLE_TICK)
            continue;
        double at = bar->y + (1 - atof(layout->texts[i].line.text) / 1.3) * bar->height;
        const struct box *box = &layout->texts[i].box;
        assert_float_equal(box->y + box->height / 2, at, 1);
        assert_int_equal(picture_pixel(&picture, beside, (int)floor(at - 0.5)), 0);
        assert_int_equal(picture_pixel(&picture, beside, (int)at - 2 * layout->line), 0xFFFFFF);
        assert_int_equal(picture_pixel(&picture, beside, (int)at + 2 * layout->line), 0xFFFFFF);
        ticks++;
    }
    assert_true(ticks >= 2);
    picture_close(&picture);
    layout_close(layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colour_maps_are_the_published_ones),
        cmocka_unit_test(cells_have_the_colour_of_their_value),
        cmocka_unit_test(ranges_come_from_the_values),
        cmocka_unit_test(matrices_and_rows_may_have_their_own_greatest),
        cmocka_unit_test(numbers_in_cells_are_there_and_can_be_read),
        cmocka_unit_test(a_cell_without_a_value_is_white_with_a_stroke),
        cmocka_unit_test(the_bar_shows_the_map_and_its_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
