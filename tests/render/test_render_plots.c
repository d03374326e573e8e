/* Lines, bars and alignments: what is drawn stands where the numbers say. */
#include <math.h>
#include <unistd.h>

#include "tests/render/render_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

enum { BLUE = 0x2166AC, RED = 0xB2182B, GREY = 0x808080 };

static const char *const layers[] = {"1", "2", "3", "4", "5"};
enum { POINTS = 5 };

static struct figure figure_of(const struct figure_panel *panel)
{
    return (struct figure){.rows = 1, .columns = 1, .panels = panel};
}

/* The pixel at the place of a value, from the axes' box alone: points are in the middle of equal
 * parts. */
static unsigned pixel_at(const struct picture *picture, const struct figure_layout *layout,
                         int point, double value, double dx)
{
    const struct box *axes = &layout->axes;
    double share = (value - layout->axis.least) / (layout->axis.most - layout->axis.least);
    return picture_pixel(picture, (int)(axes->x + (point + 0.5) * axes->width / POINTS + dx),
                         (int)(axes->y + (1 - share) * axes->height));
}

/* At the ends of bars that have one, on the side of zero that the bar is on; the note is the lowest
 * text. */
static void marks_stand_at_the_ends_of_bars(void **state)
{
    static const float values[POINTS] = {3, -2, 1, NAN, -4};
    static const char *const marks[POINTS] = {"*", "*", "", "*", NULL};
    struct figure_series series = {"change", figure_colours[0], values, 0};
    struct figure_panel panel = {.kind = PANEL_BARS,
                                 .plot = {.series = &series,
                                          .series_count = 1,
                                          .points = POINTS,
                                          .labels = layers,
                                          .x_title = "head",
                                          .marks = marks,
                                          .note = "* p < 0.05"}};
    struct figure figure = figure_of(&panel);
    struct figure_style style = figure_style_default();
    int found = 0;
    struct figure_layout *layout = figure_layout(&figure, &style);
    const struct box *axes = &layout->axes;
    double zero =
        axes->y + axes->height * layout->axis.most / (layout->axis.most - layout->axis.least);
    const struct placed_text *note = NULL;
    for (size_t i = 0; i < layout->text_count; i++) {
        const struct placed_text *text = &layout->texts[i];
        double middle = text->box.x + text->box.width / 2;
        if (text->role != ROLE_NOTE)
            continue;
        if (text->box.y > axes->y + axes->height) {
            note = text;
            continue;
        }
        int point = (int)((middle - axes->x) / (axes->width / POINTS));
        double end = zero - values[point] * axes->height / (layout->axis.most - layout->axis.least);
        assert_int_equal(point, found++);
        if (values[point] > 0)
            assert_true(fabs(text->box.y + text->box.height - end) < 1.5);
        else
            assert_true(fabs(text->box.y - end) < 1.5);
    }
    assert_int_equal(found, 2);
    assert_non_null(note);
    for (size_t i = 0; i < layout->text_count; i++)
        assert_true(layout->texts[i].box.y <= note->box.y);
    layout_close(layout);
}

/* Three rules as wide as the table; numbers end at one place, texts begin at one; rows come one
 * below the other. */
static void tables_have_rules_and_columns(void **state)
{
    static const char *const headings[] = {"system", "BLEU"};
    static const char *const cells[] = {"8L", "25.02", "7F+1L", "4.63", "a longer name", "124.64"};
    static const bool numbers[] = {false, true};
    struct figure_panel panel = {.kind = PANEL_TABLE, .table = {3, 2, headings, cells, numbers}};
    struct figure figure = figure_of(&panel);
    struct figure_style style = figure_style_default();
    double left = 0, right = 0, low = 0;
    struct figure_layout *layout = figure_layout(&figure, &style);
    assert_int_equal(layout->shape_count, 3);
    assert_int_equal(layout->text_count, 8);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(layout->shapes[i].kind, SHAPE_BOX);
        assert_true(layout->shapes[i].x[0] == layout->shapes[0].x[0]);
        assert_true(layout->shapes[i].x[1] == layout->shapes[0].x[1]);
    }
    for (int i = 0; i < 8; i++) {
        const struct box *box = &layout->texts[i].box;
        assert_int_equal(layout->texts[i].role, ROLE_CELL);
        double end = box->x + box->width;
        if (i < 2) {
            left = i == 0 ? box->x : left;
            right = i == 1 ? end : right;
        }
        assert_true(i % 2 ? fabs(end - right) < 1 : fabs(box->x - left) < 1);
        if (i % 2 == 0) {
            assert_true(box->y >= low);
            low = box->y + box->height;
        }
    }
    layout_close(layout);
}

static void lines_go_through_their_points(void **state)
{
    static const float first[POINTS] = {0.1f, 0.5f, 0.9f, 0.3f, 0.7f};
    static const float second[POINTS] = {0.8f, NAN, 0.4f, NAN, 0.1f};
    struct figure_series series[] = {{"queries", figure_colours[0], first, 0},
                                     {"keys", figure_colours[1], second, 1}};
    struct figure_panel panel = {
        .kind = PANEL_LINES,
        .plot = {
            .series = series, .series_count = 2, .points = POINTS, .labels = layers, .most = 1}};
    struct figure figure = figure_of(&panel);
    struct figure_style style = figure_style_default();
    struct figure_layout *layout = figure_layout(&figure, &style);
    struct picture picture = picture_open(&figure, &style, NULL, 0);
    assert_true(layout->axis.least == 0 && layout->axis.most == 1);
    for (int i = 0; i < POINTS; i++) {
        assert_int_equal(pixel_at(&picture, layout, i, first[i], 0), BLUE);
        if (!isnan(second[i])) // alone between gaps as well
            assert_int_equal(pixel_at(&picture, layout, i, second[i], 0), RED);
    }
    // Halfway between points, where there is a line or a gap.
    double half = layout->axes.width / POINTS / 2;
    assert_int_equal(pixel_at(&picture, layout, 0, 0.3, half), BLUE);
    assert_int_not_equal(pixel_at(&picture, layout, 0, 0.6, half), RED);
    picture_close(&picture);
    layout_close(layout);
}

/* The lines that the legend takes are above the axes, which give them up. */
static void a_legend_stands_above_the_axes(void **state)
{
    static const float values[POINTS] = {0.1f, 0.5f, 0.9f, 0.3f, 0.7f};
    struct figure_series series[FIGURE_COLOURS];
    struct figure_panel panel = {
        .kind = PANEL_LINES,
        .plot = {.series = series, .points = POINTS, .labels = layers, .most = 1}};
    struct figure figure = figure_of(&panel);
    struct figure_style style = figure_style_default();
    for (int s = 0; s < FIGURE_COLOURS; s++)
        series[s] =
            (struct figure_series){"a rather long name of a series", figure_colours[s], values, s};
    for (int count = 2; count <= FIGURE_COLOURS; count++) {
        int names = 0;
        panel.plot.series_count = count;
        struct figure_layout *layout = figure_layout(&figure, &style);
        for (size_t i = 0; i < layout->text_count; i++) {
            const struct placed_text *text = &layout->texts[i];
            if (text->role != ROLE_LEGEND)
                continue;
            names++;
            assert_true(text->box.y + text->box.height <= layout->axes.y);
            assert_true(text->box.x >= layout->axes.x &&
                        text->box.x + text->box.width <= layout->axes.x + layout->axes.width + 1);
        }
        assert_int_equal(names, count);
        layout_close(layout);
    }
}

/* Series of one colour: on grey paper their strokes and markers are all there is. */
static void lines_differ_without_colours(void **state)
{
    static const float values[POINTS] = {0.1f, 0.5f, 0.9f, 0.3f, 0.7f};
    struct figure_series series[FIGURE_COLOURS];
    struct figure_panel panel = {
        .kind = PANEL_LINES,
        .plot = {.series = series, .series_count = FIGURE_COLOURS, .points = POINTS, .most = 1}};
    struct figure figure = figure_of(&panel);
    struct figure_style style = figure_style_default();
    struct placed_shape line[FIGURE_COLOURS] = {{0}}, marker[FIGURE_COLOURS] = {{0}};
    for (int s = 0; s < FIGURE_COLOURS; s++)
        series[s] = (struct figure_series){"one", figure_colours[0], values, s};
    struct figure_layout *layout = figure_layout(&figure, &style);
    int found = 0;
    // In the legend each line stands before its marker.
    for (size_t i = 0; i + 1 < layout->shape_count && found < FIGURE_COLOURS; i++)
        if (layout->shapes[i].kind == SHAPE_LINE && layout->shapes[i + 1].kind != SHAPE_LINE) {
            line[found] = layout->shapes[i];
            marker[found++] = layout->shapes[i + 1];
        }
    assert_int_equal(found, FIGURE_COLOURS);
    for (int a = 0; a < FIGURE_COLOURS; a++)
        for (int b = 0; b < a; b++) {
            bool same_corners = marker[a].kind == marker[b].kind;
            for (int i = 1; i < 4 && marker[a].kind == SHAPE_CORNERS;
                 i++) // as steps from the first
                same_corners &=
                    fabs(marker[a].x[i] - marker[a].x[0] - marker[b].x[i] + marker[b].x[0]) <
                        0.01 &&
                    fabs(marker[a].y[i] - marker[a].y[0] - marker[b].y[i] + marker[b].y[0]) < 0.01;
            bool ring = a == FIGURE_COLOURS - 1 && b == 0; // a dot with a hole, which follows
            assert_true(!same_corners || ring);
            assert_true(line[a].dash_count != line[b].dash_count ||
                        memcmp(line[a].dashes, line[b].dashes, sizeof line[a].dashes) != 0);
        }
    layout_close(layout);
}

/* A dash that reaches a point continues after it, so that the line reads as one. */
static void dashes_go_on_over_points(void **state)
{
    static const float values[POINTS] = {0.1f, 0.5f, NAN, 0.3f, 0.7f};
    struct figure_series series = {NULL, figure_colours[0], values, 1};
    struct figure_panel panel = {
        .kind = PANEL_LINES,
        .plot = {.series = &series, .series_count = 1, .points = POINTS, .most = 1}};
    struct figure figure = figure_of(&panel);
    struct figure_style style = figure_style_default();
    double length = 0;
    int lines = 0;
    struct figure_layout *layout = figure_layout(&figure, &style);
    for (size_t i = 0; i < layout->shape_count; i++) {
        const struct placed_shape *shape = &layout->shapes[i];
        if (shape->kind != SHAPE_LINE)
            continue;
        assert_true(shape->dash_count > 0);
        assert_float_equal(shape->phase, length, 0.01);
        length += hypot(shape->x[1] - shape->x[0], shape->y[1] - shape->y[0]);
        lines++;
    }
    assert_int_equal(lines, 2);
    layout_close(layout);
}

/* Lines show how values differ, so their axis may begin near them; the limit beside them is seen as
 * well. */
static void an_axis_without_zero_begins_near_the_values(void **state)
{
    static const float values[POINTS] = {34.1f, 34.6f, 33.2f, 32.9f, 31.5f};
    struct figure_series series = {NULL, figure_colours[0], values, 0};
    struct figure_panel panel = {.kind = PANEL_LINES,
                                 .plot = {.series = &series,
                                          .series_count = 1,
                                          .points = POINTS,
                                          .mean = 30.5,
                                          .has_mean = true}};
    struct figure figure = figure_of(&panel);
    struct figure_style style = figure_style_default();
    for (int without = 0; without < 2; without++) {
        panel.plot.without_zero = without;
        struct figure_layout *layout = figure_layout(&figure, &style);
        assert_true(without ? layout->axis.least >= 28 && layout->axis.least <= 30.5
                            : layout->axis.least == 0);
        assert_true(layout->axis.most >= 34.6 && layout->axis.most < 41);
        layout_close(layout);
    }
}

static void bars_reach_from_zero_to_their_value(void **state)
{
    static const float values[POINTS] = {3, -2, INFINITY, 0, 4};
    struct figure_series series = {"BLEU", figure_colours[1], values, 1};
    struct figure_panel panel = {.kind = PANEL_BARS,
                                 .plot = {.series = &series,
                                          .series_count = 1,
                                          .points = POINTS,
                                          .labels = layers,
                                          .mean = 1.25,
                                          .has_mean = true}};
    struct figure figure = figure_of(&panel);
    struct figure_style style = figure_style_default();
    struct figure_layout *layout = figure_layout(&figure, &style);
    struct picture picture = picture_open(&figure, &style, NULL, 0);
    assert_true(layout->axis.least <= -2 && layout->axis.most >= 4);
    for (int i = 0; i < POINTS; i++)
        for (double at = layout->axis.least + 0.3; at < layout->axis.most; at += 0.5) {
            bool within =
                isfinite(values[i]) && ((at > 0 && at < values[i]) || (at < 0 && at > values[i]));
            bool near = fabs(at - values[i]) < 0.15 || fabs(at) < 0.15 || fabs(at - 1.25) < 0.15;
            if (!near && (pixel_at(&picture, layout, i, at, 0) == RED) != within)
                fail_msg("bar %d of %g is %swrong at %g", i, values[i], within ? "" : "not ", at);
        }
    for (int i = 0; i + 1 < POINTS; i++) // between bars, as over them
        assert_int_equal(pixel_at(&picture, layout, i, 1.25, layout->axes.width / POINTS / 2),
                         GREY);
    picture_close(&picture);
    layout_close(layout);
}

/* Numbers at the axis are where their values are. */
static void ticks_stand_at_their_values(void **state)
{
    static const float values[POINTS] = {0.13f, 0.58f, 0.02f, 0.71f, 0.44f};
    struct figure_series series = {NULL, figure_colours[0], values, 0};
    struct figure_panel panel = {.kind = PANEL_LINES,
                                 .plot = {.series = &series, .series_count = 1, .points = POINTS}};
    struct figure figure = figure_of(&panel);
    struct figure_style style = figure_style_default();
    int ticks = 0;
    struct figure_layout *layout = figure_layout(&figure, &style);
    for (size_t i = 0; i < layout->text_count; i++) {
        const struct placed_text *text = &layout->texts[i];
        assert_int_equal(text->role, ROLE_TICK); // no labels, titles or legend were asked for
        double share =
            (atof(text->line.text) - layout->axis.least) / (layout->axis.most - layout->axis.least);
        double y = layout->axes.y + (1 - share) * layout->axes.height;
        assert_float_equal(text->box.y + text->box.height / 2, y, 1.5);
        ticks++;
    }
    assert_true(ticks >= 3);
    layout_close(layout);
}

static const char *const upper[] = {"The", "keeper", "sleeps", "."};
static const char *const lower[] = {"Der", "Wärter", "schläft"};
static const float weights[3 * 4] = {0.9f, 0.04f, 0.06f, NAN, //
                                     0.2f, 0.7f,  0.1f,  0,   //
                                     0.0f, 0.05f, 0.5f,  0.45f};

/* Between the middles of the tokens, the thicker the greater the weight, none below the least. */
static void curves_join_the_tokens(void **state)
{
    struct figure_panel panel = {.kind = PANEL_ALIGNMENT,
                                 .alignment = {.upper = upper,
                                               .lower = lower,
                                               .upper_count = 4,
                                               .lower_count = 3,
                                               .weights = weights,
                                               .least = 0.1}};
    struct figure figure = figure_of(&panel);
    struct figure_style style = figure_style_default();
    static const int order[] = {6, 4, 11, 10, 5, 0}; // cells by weight, those of 0.1 and above
    struct figure_layout *layout = figure_layout(&figure, &style);
    assert_int_equal(layout->shape_count, 6);
    assert_int_equal(layout->text_count, 7);
    for (int i = 0; i < 6; i++) {
        const struct placed_shape *curve = &layout->shapes[i];
        const struct box *from = &layout->texts[order[i] % 4].box;
        const struct box *to = &layout->texts[4 + order[i] / 4].box;
        assert_int_equal(curve->kind, SHAPE_CURVE);
        assert_float_equal(curve->x[0], from->x + from->width / 2, 0.01);
        assert_float_equal(curve->x[3], to->x + to->width / 2, 0.01);
        assert_true(curve->y[0] >= from->y + from->height && curve->y[3] <= to->y);
        if (i > 0)
            assert_true(curve->width > layout->shapes[i - 1].width);
    }
    layout_close(layout);
}

/* If the message names the least height, that is enough, and one millimetre less is not. */
static void check_least_height(const struct figure *figure, struct figure_style style,
                               const char *message)
{
    float least;
    struct status status;
    if (sscanf(message, "a height of %*f mm, expected at least %f mm", &least) != 1)
        return;
    for (int less = 0; less < 2; less++) {
        FILE *file = tmpfile();
        assert_non_null(file);
        style.height_mm = least - less;
        assert_int_equal(figure_write(figure, &style, FIGURE_SVG, NULL, 0, file, &status), !less);
        fclose(file);
    }
}

static void wrong_descriptions_are_refused(void **state)
{
    static const float values[POINTS] = {0};
    struct figure_series series = {NULL, figure_colours[0], values, 0}, empty = {0};
    const struct figure_plot plot = {.series = &series, .series_count = 1, .points = POINTS};
    struct figure_plot none = plot, blank = plot, many = plot, endless = plot, odd = plot;
    struct figure_series unknown = {NULL, figure_colours[0], values, FIGURE_COLOURS};
    odd.series = &unknown;
    none.points = 0;
    blank.series = &empty;
    many.points = 20001;
    endless.has_mean = true;
    endless.mean = NAN;
    const struct {
        struct figure_panel panel;
        int columns;
        double width_mm, height_mm;
        const char *says;
    } cases[] = {
        {{.kind = PANEL_LINES, .plot = none}, 1, 0, 0, "1 series of 0 points"},
        {{.kind = PANEL_BARS, .plot = many}, 1, 0, 0, "expected 1 to 20000 points in all"},
        {{.kind = PANEL_BARS, .plot = blank}, 1, 0, 0, "series 1: no values"},
        {{.kind = PANEL_BARS, .plot = endless}, 1, 0, 0, "expected finite numbers"},
        {{.kind = PANEL_LINES, .plot = odd}, 1, 0, 0, "pattern 6, expected 0 to 5"},
        {{.kind = PANEL_LINES, .plot = plot}, 2, 0, 0, "stand alone"},
        {{.kind = PANEL_LINES, .plot = plot}, 1, 15, 0, "a page of 15 x"},
        {{.kind = PANEL_LINES, .plot = plot}, 1, 80, 8, "a page of 80 x 8 mm, expected at least"},
        {{.kind = PANEL_ALIGNMENT}, 1, 0, 0, "rows of 0 and 0 tokens"},
        {{.kind = PANEL_ALIGNMENT, .alignment = {upper, lower, 4, 3, weights, 0, NULL, NULL, NULL}},
         1,
         10,
         0,
         "a width of 10 mm, expected at least"},
        {{.kind = PANEL_ALIGNMENT, .alignment = {upper, lower, 4, 3, weights, 0, NULL, NULL, NULL}},
         1,
         0,
         10,
         "a height of 10 mm, expected at least"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct figure_panel panels[2] = {cases[i].panel};
        struct figure figure = {.rows = 1, .columns = cases[i].columns, .panels = panels};
        struct figure_style style = figure_style_default();
        struct status status;
        FILE *file = tmpfile();
        style.width_mm = cases[i].width_mm;
        style.height_mm = cases[i].height_mm;
        if (figure_write(&figure, &style, FIGURE_SVG, NULL, 0, file, &status))
            fail_msg("taken, expected \"%s\"", cases[i].says);
        if (!strstr(status.message, cases[i].says) || status.code != STATUS_INVALID)
            fail_msg("\"%s\" does not say \"%s\"", status.message, cases[i].says);
        assert_int_equal(ftell(file), 0);
        fclose(file);
        check_least_height(&figure, style, status.message);
    }
}

/* Any bytes as labels, any floats as values, in all formats. */
static void any_bytes_and_numbers_make_a_figure(void **state)
{
    enum { SIDE = 6, LONGEST = 300 };
    static char texts[SIDE][LONGEST + 1];
    const char *labels[SIDE];
    float values[SIDE * SIDE];
    unsigned seed = 5;
    for (int round = 0; round < rounds_of(12, 60); round++) {
        for (int i = 0; i < SIDE; i++) {
            int length = (int)(seed >> 8) % (round % 3 ? 20 : LONGEST);
            for (int c = 0; c < length; c++) {
                seed = seed * 1664525 + 1013904223;
                texts[i][c] = (char)(seed >> 24);
            }
            texts[i][length] = '\0';
            labels[i] = texts[i];
        }
        for (int i = 0; i < SIDE * SIDE; i++) {
            seed = seed * 1664525 + 1013904223;
            memcpy(&values[i], &seed, sizeof *values);
        }
        struct figure_series series[] = {{texts[0], figure_colours[0], values, 0},
                                         {texts[1], figure_colours[1], values + SIDE, 1}};
        struct figure_panel panel = {
            .kind = (enum panel_kind)(PANEL_MATRIX + round % 4),
            .matrix = {values, SIDE, SIDE, 0, labels, labels, texts[0], texts[1]},
            .plot = {series, 2, SIDE, labels, texts[2], texts[3], 0, 0, round % 3 == 0, 0,
                     round % 8 > 3, NULL, NULL, NULL},
            .alignment = {labels, labels, SIDE, SIDE, values, 0, texts[4], texts[5], NULL}};
        struct figure_scale scale = {.map = colormap_find("magma"),
                                     .range = (enum figure_range)(round / 4 % 3)};
        struct figure figure = {texts[0], 1, 1, &panel, NULL, NULL, &scale, 1};
        struct figure_note note = {"key", texts[1]};
        struct figure_style style = figure_style_default();
        struct status status;
        style.width_mm = round % 2 ? 0 : 200;
        for (enum figure_format format = FIGURE_PNG; format <= FIGURE_SVG; format++) {
            FILE *file = tmpfile();
            if (!figure_write(&figure, &style, format, &note, 1, file, &status))
                fail_msg("round %d: %s", round, status.message);
            assert_true(ftell(file) > 100);
            fclose(file);
        }
        if (round % 6)
            continue;
        char path[FIGURE_PATH];
        size_t size;
        figure_save(&figure, &style, FIGURE_SVG, &note, 1, path);
        free(program_output((const char *const[]){"xmllint", "--nonet", "--noout", path, NULL},
                            &size));
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_stand_at_the_ends_of_bars),
        cmocka_unit_test(tables_have_rules_and_columns),
        cmocka_unit_test(lines_go_through_their_points),
        cmocka_unit_test(a_legend_stands_above_the_axes),
        cmocka_unit_test(lines_differ_without_colours),
        cmocka_unit_test(dashes_go_on_over_points),
        cmocka_unit_test(an_axis_without_zero_begins_near_the_values),
        cmocka_unit_test(bars_reach_from_zero_to_their_value),
        cmocka_unit_test(ticks_stand_at_their_values),
        cmocka_unit_test(curves_join_the_tokens),
        cmocka_unit_test(wrong_descriptions_are_refused),
        cmocka_unit_test(any_bytes_and_numbers_make_a_figure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
