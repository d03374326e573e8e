/* The places of a figure's parts: nothing overlaps, nothing leaves the page, sizes are as
 * requested. */
#include <math.h>

#include "render/text.h"
#include "tests/render/render_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

/* Boxes ---------------------------------------------------------------------------------------- */

#define NEAR 0.01 // pixels

static bool overlap(struct box a, struct box b)
{
    return a.x + a.width > b.x + NEAR && b.x + b.width > a.x + NEAR &&
           a.y + a.height > b.y + NEAR && b.y + b.height > a.y + NEAR;
}

struct boxes {
    struct box list[20000];
    const char *what[20000];
    int count;
};

static void add_box(struct boxes *boxes, struct box box, const char *what)
{
    assert_true(boxes->count < (int)(sizeof boxes->list / sizeof *boxes->list));
    boxes->list[boxes->count] = box;
    boxes->what[boxes->count++] = what;
}

/* Every text, matrix and bar. */
static void collect(const struct figure_layout *layout, struct boxes *boxes)
{
    boxes->count = 0;
    for (size_t i = 0; i < layout->text_count; i++)
        add_box(boxes, layout->texts[i].box, layout->texts[i].line.text);
    for (int i = 0; i < layout->matrix_count; i++) {
        const struct placed_matrix *placed = &layout->matrices[i];
        struct box end = layout_cell(placed, placed->matrix->rows, placed->matrix->columns);
        add_box(boxes, (struct box){placed->x, placed->y, end.x - placed->x, end.y - placed->y},
                "a matrix");
    }
    for (int i = 0; i < layout->bar_count; i++) {
        const struct placed_bar *bar = &layout->bars[i];
        add_box(boxes, (struct box){bar->x, bar->y, bar->width, bar->height}, "a bar");
    }
}

static void check_boxes(const struct boxes *boxes, const struct figure_layout *layout,
                        const char *where)
{
    for (int i = 0; i < boxes->count; i++) {
        struct box box = boxes->list[i];
        if (!(box.x >= 0 && box.y >= 0 && box.x + box.width <= layout->width &&
              box.y + box.height <= layout->height && box.width > 0 && box.height > 0))
            fail_msg("%s: \"%s\" at (%g, %g), %g x %g, is not on the page of %d x %d", where,
                     boxes->what[i], box.x, box.y, box.width, box.height, layout->width,
                     layout->height);
        for (int j = 0; j < i; j++)
            if (overlap(box, boxes->list[j]))
                fail_msg("%s: \"%s\" at (%g, %g) overlaps \"%s\" at (%g, %g)", where,
                         boxes->what[i], box.x, box.y, boxes->what[j], boxes->list[j].x,
                         boxes->list[j].y);
    }
}

/* Examples ------------------------------------------------------------------------------------- */

static const struct {
    double width_mm, height_mm, font_pt;
    int dpi;
} styles[] = {{0, 0, 8, 300},    {0, 0, 6, 72},     {170, 0, 8, 300},    {120, 0, 10, 240},
              {85, 0, 6, 600},   {85, 0, 8, 30},    {0, 200, 8, 300},    {0, 110, 7, 150},
              {160, 90, 8, 300}, {77, 160, 7, 300}, {240, 120, 16, 150}, {160, 300, 8, 200}};

static struct figure_layout *open_layout(const struct example *example, int style_index,
                                         struct text *text, char *where, size_t size)
{
    struct figure_style style = figure_style_default();
    struct status status;
    struct typesetter typesetter = text_typesetter(text);
    style.width_mm = styles[style_index].width_mm;
    style.height_mm = styles[style_index].height_mm;
    style.font_pt = styles[style_index].font_pt;
    style.dpi = styles[style_index].dpi;
    snprintf(where, size, "%s, %g x %g mm, %g pt, %d dpi", example->name, style.width_mm,
             style.height_mm, style.font_pt, style.dpi);
    struct figure_layout *layout =
        layout_open(&example->figure, &style, &pixel_limits, &typesetter, &status);
    if (!layout && !(style.dpi == 30 && strstr(status.message, "a width of 85 mm, expected")) &&
        !(style.height_mm > 0 && strstr(status.message, " mm, expected at least")))
        fail_msg("%s: %s", where, status.message);
    if (layout && style.width_mm > 0)
        assert_int_equal(layout->width, lround(style.width_mm / 25.4 * style.dpi));
    if (layout && style.height_mm > 0)
        assert_int_equal(layout->height, lround(style.height_mm / 25.4 * style.dpi));
    return layout;
}

static void nothing_overlaps_or_leaves_the_page(void **state)
{
    static struct boxes boxes;
    struct status status;
    struct text *text = text_open("DejaVu Sans", &status);
    assert_non_null(text);
    for (int i = 0; i < EXAMPLES; i++) {
        struct example example;
        example_open(&example, i);
        for (size_t s = 0; s < sizeof styles / sizeof *styles; s++) {
            char where[200];
            struct figure_layout *layout = open_layout(&example, (int)s, text, where, sizeof where);
            if (!layout)
                continue;
            collect(layout, &boxes);
            check_boxes(&boxes, layout, where);
            layout_close(layout);
        }
        example_close(&example);
    }
    text_close(text);
}

static bool is_inside(const struct boxes *boxes, int x, int y, int margin)
{
    for (int i = 0; i < boxes->count; i++) {
        struct box box = boxes->list[i];
        if (x >= box.x - margin && x <= box.x + box.width + margin && y >= box.y - margin &&
            y <= box.y + box.height + margin)
            return true;
    }
    return false;
}

/* Boxes would be worth little if what is drawn were larger. */
static void ink_stays_in_its_boxes(void **state)
{
    static struct boxes boxes;
    struct status status;
    struct text *text = text_open("DejaVu Sans", &status);
    struct figure_style style = figure_style_default();
    assert_non_null(text);
    struct typesetter typesetter = text_typesetter(text);
    style.dpi = rounds_of(75, 150);
    for (int i = 0; i < EXAMPLES; i++) {
        struct example example;
        example_open(&example, i);
        struct figure_layout *layout =
            layout_open(&example.figure, &style, &pixel_limits, &typesetter, &status);
        assert_non_null(layout);
        struct picture picture = picture_open(&example.figure, &style, NULL, 0);
        assert_int_equal(picture.width, layout->width);
        assert_int_equal(picture.height, layout->height);
        collect(layout, &boxes);
        for (int b = 0; b < layout->bar_count; b++) // with its ticks
            boxes.list[boxes.count - 1 - b].width += layout->tick_length;
        for (int y = 0; y < picture.height; y++)
            for (int x = 0; x < picture.width; x++)
                if (picture_pixel(&picture, x, y) != 0xFFFFFF &&
                    !is_inside(&boxes, x, y, layout->line + 1))
                    fail_msg("%s: ink at (%d, %d)", example.name, x, y);
        picture_close(&picture);
        layout_close(layout);
        example_close(&example);
    }
    text_close(text);
}

/* Letters of known size ------------------------------------------------------------------------ */

/* Every byte is half as wide as the size; lines are as high as the size. */
static bool set_plain(void *context, const char *text, double size, double most,
                      struct text_line *line, struct status *status)
{
    (void)context;
    (void)status;
    *line = (struct text_line){0};
    if (!text || !*text)
        return true;
    size_t length = strlen(text);
    if (length * size / 2 > most)
        length = (size_t)(most / (size / 2));
    *line = (struct text_line){.text = strndup(text, length),
                               .width = length * size / 2,
                               .ascent = 0.75 * size,
                               .descent = 0.25 * size};
    return true;
}
static const struct typesetter plain_letters = {NULL, set_plain, 0.75, 0.25};

/* 72 dpi and 10 pt: a line is 10 pixels high, a letter 5 wide. */
static struct figure_style plain_style(double width_pixels)
{
    struct figure_style style = figure_style_default();
    style.dpi = 72;
    style.font_pt = 10;
    style.cell_mm = 0;
    style.width_mm = width_pixels / 72 * 25.4;
    return style;
}

enum { SIDE = 40 };
static const float zeros[SIDE * SIDE];

/* A matrix with the same label on each row and each column. */
static struct figure_layout *open_plain(int rows, int columns, const char *row, const char *column,
                                        double width)
{
    static const char *row_labels[SIDE], *column_labels[SIDE];
    struct figure_scale scale = {.map = colormap_find("grey"), .no_bar = true};
    struct figure_panel panel = {.kind = PANEL_MATRIX,
                                 .matrix = {.values = zeros, .rows = rows, .columns = columns}};
    struct figure figure = {
        .rows = 1, .columns = 1, .panels = &panel, .scales = &scale, .scale_count = 1};
    struct figure_style style = plain_style(width);
    struct status status;
    for (int i = 0; i < SIDE; i++) {
        row_labels[i] = row;
        column_labels[i] = column;
    }
    panel.matrix.row_labels = row ? row_labels : NULL;
    panel.matrix.column_labels = column ? column_labels : NULL;
    struct figure_layout *layout =
        layout_open(&figure, &style, &pixel_limits, &plain_letters, &status);
    if (!layout)
        fail_msg("%s", status.message);
    return layout;
}

static int count_texts(const struct figure_layout *layout, enum text_role role, bool upright)
{
    int count = 0;
    for (size_t i = 0; i < layout->text_count; i++)
        count += layout->texts[i].role == role && layout->texts[i].upright == upright;
    return count;
}

static void cells_are_as_high_as_their_labels(void **state)
{
    struct figure_layout *layout = open_plain(5, 6, "row", "x", 0);
    assert_float_equal(layout->matrices[0].cell_width, 10, 0);
    assert_float_equal(layout->matrices[0].cell_height, 10, 0);
    assert_int_equal(count_texts(layout, ROLE_ROW_LABEL, false), 5);
    assert_float_equal(layout->texts[0].box.width, 15, 0);
    assert_float_equal(layout->texts[1].box.y - layout->texts[0].box.y, 10, 1e-9);
    layout_close(layout);
}

static void column_labels_turn_when_one_is_too_wide(void **state)
{
    // 30 pixels a cell, room for 4 letters but not for 6.
    struct figure_layout *level = open_plain(2, 10, NULL, "four", 300 + 40);
    assert_int_equal(count_texts(level, ROLE_COLUMN_LABEL, false), 10);
    layout_close(level);
    struct figure_layout *upright = open_plain(2, 10, NULL, "sixsix", 300 + 40);
    assert_int_equal(count_texts(upright, ROLE_COLUMN_LABEL, true), 10);
    layout_close(upright);
}

static void labels_shrink_and_then_thin_out(void **state)
{
    struct figure_layout *shrunk = open_plain(SIDE, SIDE, NULL, "token", 40 * 7 + 20);
    assert_int_equal(count_texts(shrunk, ROLE_COLUMN_LABEL, true), SIDE);
    assert_in_range((int)(shrunk->texts[0].size * 10), 60, 80);
    layout_close(shrunk);
    struct figure_layout *thinned = open_plain(SIDE, SIDE, NULL, "token", 40 * 2 + 20);
    assert_float_equal(thinned->texts[0].size, 5, 1e-9);
    assert_in_range(count_texts(thinned, ROLE_COLUMN_LABEL, true), SIDE / 4, SIDE / 2);
    layout_close(thinned);
}

static void long_labels_are_cut_at_14_sizes(void **state)
{
    struct figure_layout *layout =
        open_plain(1, 1, "a label of more than twenty-eight letters, which are 140 pixels", "x", 0);
    assert_float_equal(layout->texts[0].box.width, 140, 0);
    layout_close(layout);
}

/* Beside a matrix lower than both; the title is 20 letters. */
static void a_bar_has_room_for_its_title_and_two_ticks(void **state)
{
    static const char title[] = "what the colours are";
    struct figure_scale scale = {.map = colormap_find("grey"), .range = RANGE_GIVEN, .most = 1};
    struct figure_panel panel = {.kind = PANEL_MATRIX,
                                 .matrix = {.values = zeros, .rows = 1, .columns = SIDE}};
    struct figure figure = {
        .rows = 1, .columns = 1, .panels = &panel, .scales = &scale, .scale_count = 1};
    for (int titled = 0; titled < 2; titled++) {
        struct figure_style style = plain_style(0);
        struct status status;
        scale.title = titled ? title : NULL;
        struct figure_layout *layout =
            layout_open(&figure, &style, &pixel_limits, &plain_letters, &status);
        assert_non_null(layout);
        assert_true(layout->bars[0].tick_count >= 2);
        assert_int_equal(count_texts(layout, ROLE_BAR_TITLE, true), titled);
        for (size_t i = 0; i < layout->text_count; i++)
            if (layout->texts[i].role == ROLE_BAR_TITLE)
                assert_float_equal(layout->texts[i].box.height, 20 * 5, 0); // none is missing
        static struct boxes boxes;
        collect(layout, &boxes);
        check_boxes(&boxes, layout, titled ? "with a title" : "without a title");
        layout_close(layout);
    }
}

static void a_width_that_cannot_hold_the_figure_is_refused(void **state)
{
    struct example example;
    struct figure_style style = plain_style(50);
    struct status status;
    example_open(&example, 1);
    assert_null(layout_open(&example.figure, &style, &pixel_limits, &plain_letters, &status));
    assert_non_null(strstr(status.message, "expected at least"));
    example_close(&example);
}

/* Numbers are "0.00", 20 pixels wide at 10 pt. At half that size they take 10 of the 88% of a
 * cell's width that are theirs, 11.36 pixels or 4.0 mm, and a line takes 5 pixels or 1.8 mm. */
static void the_smallest_cells_for_numbers_are_told(void **state)
{
    struct figure_scale scale = {.map = colormap_find("grey"), .no_bar = true};
    struct figure_panel panel = {.kind = PANEL_MATRIX,
                                 .matrix = {.values = zeros, .rows = 2, .columns = 2}};
    struct figure figure = {
        .rows = 1, .columns = 1, .panels = &panel, .scales = &scale, .scale_count = 1};
    struct figure_style style = plain_style(0);
    struct status status;
    style.values = true;
    style.cell_mm = 0;
    style.width_mm = style.height_mm = 8;
    assert_null(layout_open(&figure, &style, &pixel_limits, &plain_letters, &status));
    if (!strstr(status.message, "expected at least 4.01 x 1.76 mm for the numbers in them at 5 pt"))
        fail_msg("%s", status.message);
}

/* 43.9 is between two round numbers, and a low page has room for two: the axis reaches the next. */
static void a_low_plot_has_two_ticks(void **state)
{
    static const float values[5] = {33.9f, 28.8f, 43.9f, 24.6f, 20};
    static const char *const labels[5] = {"up to 6", "7-8", "9-14", "15 or more", "all"};
    struct figure_series series = {"BLEU", figure_colours[0], values, 0};
    struct figure_panel panel = {
        .kind = PANEL_BARS,
        .plot = {.series = &series, .series_count = 1, .points = 5, .labels = labels}};
    struct figure figure = {.rows = 1, .columns = 1, .panels = &panel};
    struct figure_style style = figure_style_default();
    style.width_mm = 110;
    style.height_mm = 25;
    struct figure_layout *layout = figure_layout(&figure, &style);
    int ticks = 0, whole = 0;
    for (size_t i = 0; i < layout->text_count; i++) {
        ticks += layout->texts[i].role == ROLE_TICK;
        whole += strcmp(layout->texts[i].line.text, "15 or more") == 0;
    }
    assert_int_equal(ticks, 2);
    assert_true(layout->axis.most == 50);
    assert_int_equal(whole, 1); // it has room enough, however low the page
    layout_close(layout);
}

/* Boxes are as high as letters that reach below the line; above it others would seem to float. */
static void level_labels_stand_close_to_their_cells(void **state)
{
    static const char *const names[] = {"1", "2", "g"};
    static const float values[3] = {0, 0.5f, 1};
    struct figure_style style = figure_style_default();
    double em = style.font_pt / 72 * style.dpi;
    struct strip strip;
    int labels = 0;
    strip_fill(&strip, "viridis", RANGE_GIVEN, values, 3);
    strip.panel.matrix.column_labels = names;
    struct figure_layout *layout = figure_layout(&strip.figure, &style);
    for (size_t i = 0; i < layout->text_count; i++) {
        const struct placed_text *text = &layout->texts[i];
        if (text->role != ROLE_COLUMN_LABEL)
            continue;
        double gap = layout->matrices[0].y - (text->box.y + text->box.height);
        assert_false(text->upright);
        assert_true(gap > 0 && gap < 0.25 * em);
        labels++;
    }
    assert_int_equal(labels, 3);
    layout_close(layout);
}

/* Or it would look like the title of the next panel's rows. */
static void a_bar_s_title_keeps_away_from_the_next_panel(void **state)
{
    static const float values[3] = {0, 0.5f, 1};
    struct figure_style style = figure_style_default();
    struct figure_panel panels[2];
    struct figure_scale scales[2];
    struct strip strip;
    int titles = 0;
    strip_fill(&strip, "viridis", RANGE_GIVEN, values, 3);
    for (int i = 0; i < 2; i++) {
        panels[i] = strip.panel;
        panels[i].matrix.scale = i;
        scales[i] = strip.scale;
        scales[i].title = "weight";
    }
    struct figure figure = {
        .rows = 1, .columns = 2, .panels = panels, .scales = scales, .scale_count = 2};
    struct figure_layout *layout = figure_layout(&figure, &style);
    double ticks = 0, next = layout->matrices[1].x;
    for (size_t i = 0; i < layout->text_count; i++)
        if (layout->texts[i].role == ROLE_TICK && layout->texts[i].box.x < next)
            ticks = fmax(ticks, layout->texts[i].box.x + layout->texts[i].box.width);
    for (size_t i = 0; i < layout->text_count; i++) {
        const struct box *box = &layout->texts[i].box;
        if (layout->texts[i].role != ROLE_BAR_TITLE || box->x > next)
            continue;
        assert_true(box->x > ticks && next - (box->x + box->width) > box->x - ticks);
        titles++;
    }
    assert_int_equal(titles, 1);
    layout_close(layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_overlaps_or_leaves_the_page),
        cmocka_unit_test(ink_stays_in_its_boxes),
        cmocka_unit_test(cells_are_as_high_as_their_labels),
        cmocka_unit_test(column_labels_turn_when_one_is_too_wide),
        cmocka_unit_test(labels_shrink_and_then_thin_out),
        cmocka_unit_test(long_labels_are_cut_at_14_sizes),
        cmocka_unit_test(a_bar_has_room_for_its_title_and_two_ticks),
        cmocka_unit_test(a_width_that_cannot_hold_the_figure_is_refused),
        cmocka_unit_test(the_smallest_cells_for_numbers_are_told),
        cmocka_unit_test(a_low_plot_has_two_ticks),
        cmocka_unit_test(level_labels_stand_close_to_their_cells),
        cmocka_unit_test(a_bar_s_title_keeps_away_from_the_next_panel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
