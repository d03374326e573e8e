/* Labels of points that have not all room: counts stand at round numbers, other labels at equal
 * distances. */
#include "tests/render/render_support.h"
#include "tests/support/test.h"

enum { POINTS = 60 };

/* Marks the points whose labels, the prefix and numbers from 1 on, are drawn. Returns how many
 * there are. */
static int draw(const char *prefix, double width_mm, bool drawn[POINTS])
{
    static char texts[POINTS][20];
    const char *labels[POINTS];
    float values[POINTS];
    for (int i = 0; i < POINTS; i++) {
        snprintf(texts[i], sizeof texts[i], "%s%d", prefix, i + 1);
        labels[i] = texts[i];
        values[i] = (float)i / POINTS;
    }
    struct figure_series series = {NULL, figure_colours[0], values, 0};
    struct figure_panel panel = {
        .kind = PANEL_LINES,
        .plot = {
            .series = &series, .series_count = 1, .points = POINTS, .labels = labels, .most = 1}};
    struct figure figure = {.rows = 1, .columns = 1, .panels = &panel};
    struct figure_style style = figure_style_default();
    style.width_mm = width_mm;
    struct figure_layout *layout = figure_layout(&figure, &style);
    int count = 0;
    for (int i = 0; i < POINTS; i++) {
        drawn[i] = false;
        for (size_t t = 0; t < layout->text_count; t++)
            drawn[i] |= layout->texts[t].role == ROLE_COLUMN_LABEL &&
                        strcmp(layout->texts[t].line.text, texts[i]) == 0;
        count += drawn[i];
    }
    layout_close(layout);
    return count;
}

static void counts_stand_at_round_numbers(void **state)
{
    static const double widths[] = {30, 50, 80, 120};
    bool drawn[POINTS];
    int steps = 0;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        int count = draw("", widths[w], drawn), step = 1;
        while (step <= POINTS && !drawn[step - 1])
            step++;
        assert_true(step == 1 || step == 2 || step == 5 || step == 10 || step == 20 || step == 50);
        for (int i = 0; i < POINTS; i++)
            assert_int_equal(drawn[i], (i + 1) % step == 0);
        assert_int_equal(count, POINTS / step);
        steps += step > 1;
    }
    assert_true(steps >= 2);
}

static void other_labels_begin_with_the_first(void **state)
{
    bool drawn[POINTS];
    int step = 1;
    assert_true(draw("p", 80, drawn) >= 2);
    while (!drawn[step])
        step++;
    assert_true(step > 1);
    for (int i = 0; i < POINTS; i++)
        assert_int_equal(drawn[i], i % step == 0);
}

/* Writes a row of cells with these labels in every format; `missing` is what the last one found. */
static void note_missing(const char *const *labels, int count, struct figure_missing *missing)
{
    static const enum figure_format formats[] = {FIGURE_PNG, FIGURE_PDF, FIGURE_SVG};
    static const float values[12];
    struct strip strip;
    strip_fill(&strip, "viridis", RANGE_GIVEN, values, count);
    strip.panel.matrix.column_labels = labels;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        char path[FIGURE_PATH];
        struct figure_style style = figure_style_default();
        *missing = (struct figure_missing){.count = 0};
        style.missing = missing;
        figure_save(&strip.figure, &style, formats[f], NULL, 0, path);
        remove(path);
    }
}

/* Characters for private use (U+F0000 ...) and noncharacters belong to no font. */
static void characters_without_a_font_are_noted(void **state)
{
    static const char *const usual[] = {"Hund", "schläft", "▁", "a\xE2\x80\x8D b"};
    static const char *const rare[] = {"a\xF3\xB0\x80\x85", "Hund",
                                       "\xF3\xB0\x80\x81\xF3\xB0\x80\x85"};
    static const char *const many[] = {
        "\xF3\xB0\x80\x80\xF3\xB0\x80\x81\xF3\xB0\x80\x82\xF3\xB0\x80\x83",
        "\xF3\xB0\x80\x84\xF3\xB0\x80\x85\xF3\xB0\x80\x86\xF3\xB0\x80\x87", "\xF3\xB0\x80\x88"};
    struct figure_missing missing;
    note_missing(usual, 4, &missing);
    assert_int_equal(missing.count, 0);
    note_missing(rare, 3, &missing);
    assert_int_equal(missing.count, 2);
    assert_int_equal(missing.characters[0], 0xF0005);
    assert_int_equal(missing.characters[1], 0xF0001);
    assert_false(missing.more);
    note_missing(many, 3, &missing);
    assert_int_equal(missing.count, FIGURE_MISSING_MOST);
    assert_true(missing.more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_stand_at_round_numbers),
        cmocka_unit_test(other_labels_begin_with_the_first),
        cmocka_unit_test(characters_without_a_font_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
