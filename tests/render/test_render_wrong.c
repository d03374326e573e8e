/* Descriptions of figures that are wrong, or strange. */
#include <math.h>

#include "tests/render/render_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

/* All that a case may spoil. */
struct draft {
    struct figure_scale scale;
    struct figure_panel panel;
    struct figure figure;
    struct figure_style style;
    struct figure_note note;
};

#define BREAK(name, statement)                                                                     \
    static void name(struct draft *draft)                                                          \
    {                                                                                              \
        draft->statement;                                                                          \
    }
BREAK(no_rows, panel.matrix.rows = 0)
BREAK(minus_columns, panel.matrix.columns = -1)
BREAK(huge_rows, panel.matrix.rows = 2147483647)
BREAK(no_values, panel.matrix.values = NULL)
BREAK(no_such_scale, panel.matrix.scale = 1)
BREAK(minus_scale, panel.matrix.scale = -1)
BREAK(empty_panel, panel.kind = PANEL_EMPTY)
BREAK(no_panels, figure.rows = 0)
BREAK(huge_grid, figure.columns = 2147483647)
BREAK(minus_scales, figure.scale_count = -1)
BREAK(no_map, scale.map = NULL)
BREAK(falling_range, scale.least = 2)
BREAK(endless_range, scale.most = INFINITY)
BREAK(range_of_nan, scale.least = NAN)
BREAK(no_dpi, style.dpi = 0)
BREAK(huge_dpi, style.dpi = 1000000)
BREAK(width_of_nan, style.width_mm = NAN)
BREAK(minus_width, style.width_mm = -1)
BREAK(tiny_width, style.width_mm = 1)
BREAK(huge_width, style.width_mm = 9999)
BREAK(minus_height, style.height_mm = -1)
BREAK(tiny_height, style.height_mm = 1)
BREAK(low_height, style.height_mm = 9)
BREAK(tall_page, style.panel_mm = 1000)
BREAK(wide_page, style.panel_mm = 9000)
BREAK(huge_font, style.font_pt = 1e300)
BREAK(no_font, style.font = "")
BREAK(unknown_font, style.font = "A Family That Nobody Has")
BREAK(broken_font, style.font = "\xff")
BREAK(empty_key, note.key = "")
BREAK(blank_key, note.key = " key")
BREAK(two_blanks, note.key = "a  key")
BREAK(long_key,
      note.key = "12345678901234567890123456789012345678901234567890123456789012345678901234567890")
BREAK(key_of_others, note.key = "Schlüssel")
BREAK(no_text, note.text = NULL)

static const struct {
    void (*spoil)(struct draft *draft);
    const char *says;
} wrong[] = {
    {no_rows, "panel 1: 0 x 3 cells, expected 1 to 20000"},
    {minus_columns, "panel 1: 3 x -1 cells, expected 1 to 20000"},
    {huge_rows, "panel 1: 2147483647 x 3 cells"},
    {no_values, "panel 1: no values"},
    {no_such_scale, "panel 1: scale 2, expected 1 to 1"},
    {minus_scale, "panel 1: scale 0, expected 1 to 1"},
    {empty_panel, "every panel is empty"},
    {no_panels, "0 x 1 panels"},
    {huge_grid, "1 x 2147483647 panels"},
    {minus_scales, "-1 scales"},
    {no_map, "scale 1: no colour map"},
    {falling_range, "scale 1: from 2 to 1, expected"},
    {endless_range, "scale 1: from 0 to inf, expected"},
    {range_of_nan, "expected two finite numbers"},
    {no_dpi, "dpi 0, expected 30 to 2400"},
    {huge_dpi, "expected 30 to 2400"},
    {width_of_nan, "width in mm nan, expected 0 to"},
    {minus_width, "width in mm -1, expected 0 to"},
    {tiny_width, "a width of 1 mm, expected at least"},
    {minus_height, "height in mm -1, expected 0 to"},
    {tiny_height, "a height of 1 mm, expected at least"},
    {low_height, "a height of 9 mm, expected at least 17 mm for the colour bars"},
    {huge_width, "pixels at 300 dpi, expected at most 20000 a side"},
    {tall_page, "expected at most 20000 a side and 52 million in all"},
    {wide_page, "expected at most 20000 a side"},
    {huge_font, "font size in pt"},
    {no_font, "no font"},
    {unknown_font, "font \"A Family That Nobody Has\" is not installed"},
    {broken_font, "font with invalid UTF-8 or control characters is not installed"},
    {empty_key, "note 1: expected"},
    {blank_key, "note 1: expected"},
    {two_blanks, "note 1: expected"},
    {long_key, "note 1: expected"},
    {key_of_others, "note 1: expected"},
    {no_text, "note 1: expected"},
};

static void fill_draft(struct draft *draft)
{
    static const float values[9];
    draft->scale =
        (struct figure_scale){.map = colormap_find("viridis"), .range = RANGE_GIVEN, .most = 1};
    draft->panel = (struct figure_panel){.kind = PANEL_MATRIX,
                                         .matrix = {.values = values, .rows = 3, .columns = 3}};
    draft->figure = (struct figure){.rows = 1,
                                    .columns = 1,
                                    .panels = &draft->panel,
                                    .scales = &draft->scale,
                                    .scale_count = 1};
    draft->style = figure_style_default();
    draft->note = (struct figure_note){"key", "text"};
}

static bool write_draft(const struct draft *draft, long *size, struct status *status)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    bool ok =
        figure_write(&draft->figure, &draft->style, FIGURE_PNG, &draft->note, 1, file, status);
    *size = ftell(file);
    fclose(file);
    return ok;
}

static void wrong_descriptions_are_refused_before_anything_is_written(void **state)
{
    struct draft draft;
    struct status status;
    long size;
    fill_draft(&draft);
    assert_true(write_draft(&draft, &size, &status));
    assert_true(size > 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fill_draft(&draft);
        wrong[i].spoil(&draft);
        if (write_draft(&draft, &size, &status))
            fail_msg("taken, expected \"%s\"", wrong[i].says);
        if (!strstr(status.message, wrong[i].says) || status.code != STATUS_INVALID)
            fail_msg("\"%s\" does not say \"%s\"", status.message, wrong[i].says);
        assert_int_equal(size, 0);
    }
}

/* As many labels as a page could never hold are refused without setting them. */
static void too_many_labels_are_refused(void **state)
{
    enum { ROWS = 20000 };
    static const char *labels[ROWS];
    static const float values[ROWS];
    struct draft draft;
    struct status status;
    long size;
    fill_draft(&draft);
    for (int i = 0; i < ROWS; i++)
        labels[i] = "token";
    draft.panel.matrix =
        (struct figure_matrix){.values = values, .rows = ROWS, .columns = 1, .row_labels = labels};
    assert_false(write_draft(&draft, &size, &status));
    assert_non_null(strstr(status.message, "expected at most 20000 a side"));
}

static void any_bytes_and_numbers_make_a_picture(void **state)
{
    enum { SIDE = 6, LONGEST = 600 };
    static char texts[SIDE + 1][LONGEST + 1];
    const char *labels[SIDE];
    float values[SIDE * SIDE];
    unsigned seed = 7;
    for (int round = 0; round < rounds_of(8, 30); round++) {
        struct draft draft;
        fill_draft(&draft);
        for (int i = 0; i <= SIDE; i++) {
            int length = (int)(seed >> 8) % (round % 3 ? 20 : LONGEST);
            for (int c = 0; c < length; c++) {
                seed = seed * 1664525 + 1013904223;
                texts[i][c] = (char)(seed >> 24);
            }
            texts[i][length] = '\0';
        }
        for (int i = 0; i < SIDE; i++)
            labels[i] = texts[i];
        for (int i = 0; i < SIDE * SIDE; i++) {
            seed = seed * 1664525 + 1013904223;
            memcpy(&values[i], &seed, sizeof *values); // any float there is
        }
        draft.scale.range = (enum figure_range)(round % RANGE_GIVEN);
        draft.scale.title = draft.figure.title = draft.panel.title = texts[SIDE];
        draft.panel.matrix = (struct figure_matrix){.values = values,
                                                    .rows = SIDE,
                                                    .columns = SIDE,
                                                    .row_labels = labels,
                                                    .column_labels = labels,
                                                    .row_title = texts[SIDE]};
        draft.style.dpi = 72;
        draft.style.width_mm = round % 2 ? 0 : 200;
        struct picture picture = picture_open(&draft.figure, &draft.style, NULL, 0);
        assert_true(picture.width > 0);
        picture_close(&picture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_descriptions_are_refused_before_anything_is_written),
        cmocka_unit_test(too_many_labels_are_refused),
        cmocka_unit_test(any_bytes_and_numbers_make_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
