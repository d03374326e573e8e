/* Values as they look at every depth, and the nearest of 256 colours. */
#include <math.h>

#include "tests/support/test.h"
#include "tui/screen/canvas/palette.h"
#include "tui/screen/canvas/style.h"

/* xterm's palette, from 16 on, as its 256colres.pl has it. */
static struct rgb xterm_colour(int index)
{
    int i = index - 16, red = i / 36, green = i % 36 / 6, blue = i % 6;
    if (index >= 232)
        red = green = blue = 8 + (index - 232) * 10;
    else {
        red = red ? red * 40 + 55 : 0;
        green = green ? green * 40 + 55 : 0;
        blue = blue ? blue * 40 + 55 : 0;
    }
    return (struct rgb){(uint8_t)red, (uint8_t)green, (uint8_t)blue};
}

static double to_linear(int value)
{
    double v = value / 255.0;
    return v > 0.04045 ? pow((v + 0.055) / 1.055, 2.4) : v / 12.92;
}

/* CIE 15: L* = 116 f(Y) - 16 …, with f's line for small t written with kappa and epsilon. */
static double curve(double t)
{
    const double epsilon = 216.0 / 24389, kappa = 24389.0 / 27;
    return t > epsilon ? pow(t, 1.0 / 3) : (kappa * t + 16) / 116;
}

static void to_lab(struct rgb colour, double lab[3])
{
    static const double matrix[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                        {0.2126729, 0.7151522, 0.0721750},
                                        {0.0193339, 0.1191920, 0.9503041}};
    static const double white[] = {0.95047, 1, 1.08883};
    double linear[] = {to_linear(colour.red), to_linear(colour.green), to_linear(colour.blue)};
    double f[3];
    for (int i = 0; i < 3; i++)
        f[i] =
            curve((matrix[i][0] * linear[0] + matrix[i][1] * linear[1] + matrix[i][2] * linear[2]) /
                  white[i]);
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

static double distance(struct rgb colour, int index)
{
    double a[3], b[3];
    to_lab(colour, a);
    to_lab(xterm_colour(index), b);
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static void check_nearest(struct rgb colour)
{
    int found = palette_nearest(colour);
    assert_in_range(found, 16, 255);
    double least = INFINITY;
    for (int i = 16; i < 256; i++)
        least = fmin(least, distance(colour, i));
    if (!(distance(colour, found) <= least + 1e-9))
        fail_msg("%d %d %d: %d at %g, there is one at %g", colour.red, colour.green, colour.blue,
                 found, distance(colour, found), least);
}

/* L*, a*, b* of sRGB's corners as published (Lindbloom's calculator, D65), so that the arithmetic
 * above is right. */
static void the_tests_own_arithmetic_is_that_of_cielab(void **state)
{
    static const struct {
        struct rgb colour;
        double lab[3];
    } cases[] = {{{255, 255, 255}, {100, 0, 0}},
                 {{255, 0, 0}, {53.24, 80.09, 67.20}},
                 {{0, 255, 0}, {87.73, -86.18, 83.18}},
                 {{0, 0, 255}, {32.30, 79.19, -107.86}},
                 {{0, 0, 0}, {0, 0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double lab[3];
        to_lab(cases[i].colour, lab);
        for (int j = 0; j < 3; j++)
            assert_true(fabs(lab[j] - cases[i].lab[j]) < 0.02);
    }
}

static void the_palette_is_that_of_xterm(void **state)
{
    for (int i = 16; i < 256; i++) {
        struct rgb expected = xterm_colour(i), is = palette_colour(i);
        assert_memory_equal(&is, &expected, sizeof is);
        assert_true(distance(is, palette_nearest(is)) < 1e-9);
    }
}

static void every_colour_of_a_map_gets_the_nearest(void **state)
{
    for (int i = 0; i < colormap_count; i++)
        for (int j = 0; j < COLORMAP_SIZE; j++)
            check_nearest(colormap_colour(&colormap_table[i], (j + 0.5) / COLORMAP_SIZE));
    for (int i = 0; i < 4096; i++) // and a lattice of all
        check_nearest((struct rgb){(uint8_t)(i / 256 * 17), (uint8_t)(i / 16 % 16 * 17),
                                   (uint8_t)(i % 16 * 17)});
}

/* One value on a canvas of its own: the two cells' texts. */
struct shown {
    char text[2 * CELL_BYTES];
    struct style style;
};

static struct shown show(enum depth depth, bool ascii, const char *map, double position,
                         bool chosen, int columns)
{
    struct screen_style screen_style = {depth, ascii};
    struct canvas canvas = {0};
    struct status status;
    struct shown shown = {{0}, {0}};
    assert_true(canvas_resize(&canvas, 1, 4, &status));
    style_value(&screen_style, &canvas, 0, 1, columns, colormap_find(map), position, chosen);
    for (int i = 0; i < columns; i++)
        strcat(shown.text, canvas_cell(&canvas, 0, 1 + i)->text);
    shown.style = canvas_cell(&canvas, 0, 1)->style;
    assert_string_equal(canvas_cell(&canvas, 0, 0)->text, " ");
    assert_string_equal(canvas_cell(&canvas, 0, 1 + columns)->text, " ");
    canvas_free(&canvas);
    return shown;
}

static void fills_in_truecolor_are_the_colours_of_the_map(void **state)
{
    static const double positions[] = {-1, 0, 0.2, 0.5, 0.999, 1, 7};
    for (int i = 0; i < 7; i++)
        for (int chosen = 0; chosen < 2; chosen++) {
            struct shown shown = show(DEPTH_TRUE, i % 2, "magma", positions[i], chosen, 2);
            struct rgb colour = colormap_colour(colormap_find("magma"), positions[i]);
            assert_true(shown.style.filled);
            assert_false(shown.style.reverse);
            assert_memory_equal(&shown.style.fill, &colour, sizeof colour);
            assert_string_equal(shown.text, chosen ? "[]" : "  ");
        }
}

static void shades_are_equal_shares(void **state)
{
    static const struct {
        enum depth depth;
        bool ascii;
        const char *map;
        double position;
        int columns;
        const char *text;
        enum ink ink;
    } cases[] = {
        {DEPTH_NONE, false, "blues", 0, 2, "  ", INK_NORMAL},
        {DEPTH_NONE, false, "blues", 0.19, 2, "  ", INK_NORMAL},
        {DEPTH_NONE, false, "blues", 0.21, 2, "░░", INK_NORMAL},
        {DEPTH_16, false, "blues", 0, 2, "  ", INK_WHITE}, // thirteenths: 0.0769
        {DEPTH_16, false, "blues", 0.076, 2, "  ", INK_WHITE},
        {DEPTH_16, false, "blues", 0.078, 2, "░░", INK_BLUE},
        {DEPTH_16, false, "blues", 0.38, 1, "█", INK_BLUE},
        {DEPTH_16, false, "blues", 0.39, 1, "░", INK_CYAN},
        {DEPTH_16, false, "blues", 1, 2, "██", INK_WHITE},
        {DEPTH_16, false, "blues", NAN, 1, " ", INK_NORMAL},
        {DEPTH_NONE, false, "blues", 0.41, 2, "▒▒", INK_NORMAL},
        {DEPTH_NONE, false, "blues", 0.61, 1, "▓", INK_NORMAL},
        {DEPTH_NONE, false, "blues", 0.81, 2, "██", INK_NORMAL},
        {DEPTH_NONE, false, "blues", 1, 2, "██", INK_NORMAL},
        {DEPTH_NONE, false, "blues", 9, 2, "██", INK_NORMAL},
        {DEPTH_NONE, false, "blues", -9, 2, "  ", INK_NORMAL},
        {DEPTH_NONE, true, "blues", 0.11, 2, "..", INK_NORMAL},
        {DEPTH_16, true, "blues", 0.55, 2, "++", INK_WHITE},
        {DEPTH_16, true, "blues", 1, 2, "@@", INK_WHITE},
        {DEPTH_16, false, "blues", NAN, 2, "  ", INK_NORMAL},
        {DEPTH_256, false, "blues", NAN, 2, "  ", INK_NORMAL},
        /* Differences: 0.5 is zero, and 0.85 is seven tenths of the way up. */
        {DEPTH_16, false, "bluered", 0.5, 2, "  ", INK_FALL},
        {DEPTH_16, false, "bluered", 0.85, 2, "▓▓", INK_RISE},
        {DEPTH_16, false, "bluered", 0, 2, "██", INK_FALL},
        {DEPTH_NONE, false, "bluered", 0.85, 2, "+▓", INK_RISE},
        {DEPTH_NONE, false, "bluered", 0.15, 2, "-▓", INK_FALL},
        {DEPTH_NONE, true, "bluered", 0, 2, "-@", INK_FALL},
        {DEPTH_NONE, true, "bluered", 1, 1, "+", INK_RISE},
        {DEPTH_NONE, false, "bluered", 0.52, 2, "  ", INK_RISE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shown shown = show(cases[i].depth, cases[i].ascii, cases[i].map, cases[i].position,
                                  false, cases[i].columns);
        if (strcmp(shown.text, cases[i].text) != 0 || shown.style.ink != cases[i].ink)
            fail_msg("%g of %s at depth %d: \"%s\", expected \"%s\"", cases[i].position,
                     cases[i].map, cases[i].depth, shown.text, cases[i].text);
        assert_false(shown.style.filled);
        assert_false(shown.style.reverse);
    }
}

static void the_cursor_is_seen_on_every_value(void **state)
{
    static const double positions[] = {0, 0.5, 1, NAN};
    for (int depth = DEPTH_NONE; depth <= DEPTH_TRUE; depth++)
        for (int i = 0; i < 16; i++) {
            int columns = 1 + i / 4 % 2;
            const char *map = i < 8 ? "viridis" : "bluered";
            struct shown on = show(depth, i % 2, map, positions[i % 4], true, columns);
            struct shown off = show(depth, i % 2, map, positions[i % 4], false, columns);
            assert_string_not_equal(on.text, off.text);
            assert_true(on.style.filled || on.style.reverse);
        }
}

static void ascii_is_chosen_where_it_must(void **state)
{
    assert_string_equal(style_text(&(struct screen_style){DEPTH_TRUE, true}, "─", "-"), "-");
    assert_string_equal(style_text(&(struct screen_style){DEPTH_TRUE, false}, "─", "-"), "─");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tests_own_arithmetic_is_that_of_cielab),
        cmocka_unit_test(the_palette_is_that_of_xterm),
        cmocka_unit_test(every_colour_of_a_map_gets_the_nearest),
        cmocka_unit_test(fills_in_truecolor_are_the_colours_of_the_map),
        cmocka_unit_test(shades_are_equal_shares),
        cmocka_unit_test(the_cursor_is_seen_on_every_value),
        cmocka_unit_test(ascii_is_chosen_where_it_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
