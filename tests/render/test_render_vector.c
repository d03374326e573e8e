/* PDF and SVG as other software reads them: poppler, librsvg, libxml. */
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "tests/render/pdf_support.h"
#include "tests/render/render_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

static const struct figure_note notes[] = {
    {"program", "a test 1.0"},
    {"source", "夜の灯台 \"—\" \\ <b> & ]]> é\n\r\tz"},
    {"author", "N. N."},
    {"broken", "a\xff\x01!"},
};
enum { NOTES = sizeof notes / sizeof *notes };

/* Examples whose letters all have a font. */
static bool is_readable(int example)
{
    return example != 4 && example != 7 && example != 11;
}

static const double widths_mm[] = {0, 170};

static void pdf_is_a_page_of_text_with_its_fonts(void **state)
{
    static struct words words;
    for (int i = 0; i < EXAMPLES; i++)
        for (int w = 0; w < 2; w++) {
            if (!rounds_full() && w != i % 2)
                continue;
            struct example example;
            struct figure_style style = figure_style_default();
            char path[FIGURE_PATH];
            style.width_mm = widths_mm[w];
            example_open(&example, i);
            figure_save(&example.figure, &style, FIGURE_PDF, notes, NOTES, path);
            struct figure_layout *layout = vector_layout(&example.figure, &style);
            words_read(path, layout, &words);
            assert_float_equal(words.width, layout->width / 10.0, 0.01);
            assert_float_equal(words.height, layout->height / 10.0, 0.01);
            if (w)
                assert_float_equal(words.width, 170 / 25.4 * 72, 0.051);
            if (is_readable(i))
                words_check_lines(example.name, &words, layout);
            words_check_places(example.name, &words);
            fonts_check(example.name, path);
            layout_close(layout);
            unlink(path);
            example_close(&example);
        }
}

/* In a line of many tokens the last one is as exactly in its place as the first. */
static void texts_of_a_line_do_not_drift(void **state)
{
    enum { COUNT = 60 };
    static struct words words;
    static float weights[COUNT * COUNT];
    const char *tokens[COUNT];
    struct figure_style style = figure_style_default();
    char path[FIGURE_PATH];
    for (int i = 0; i < COUNT; i++)
        tokens[i] = i % 2 ? "Wärter" : "zündet";
    struct figure_panel panel = {.kind = PANEL_ALIGNMENT,
                                 .alignment = {.upper = tokens,
                                               .lower = tokens,
                                               .upper_count = COUNT,
                                               .lower_count = COUNT,
                                               .weights = weights}};
    struct figure figure = {.rows = 1, .columns = 1, .panels = &panel};
    style.width_mm = 1000;
    figure_save(&figure, &style, FIGURE_PDF, NULL, 0, path);
    struct figure_layout *layout = vector_layout(&figure, &style);
    words_read(path, layout, &words);
    assert_int_equal(words.count, 2 * COUNT);
    for (int i = 0; i < words.count; i++) {
        const struct box *box = &layout->texts[words.list[i].line].box;
        assert_true(words.list[i].line >= 0);
        assert_float_equal(words.list[i].left, box->x / 10, 0.1);
        assert_float_equal(words.list[i].right, (box->x + box->width) / 10, 0.2);
    }
    layout_close(layout);
    unlink(path);
}

/* Cells ---------------------------------------------------------------------------------------- */

/* All pixels of a cell have its colour where pixels are the layout's; `edge`: without those at its
 * edge. */
static void check_cell(const struct picture *picture, struct box cell, unsigned colour, int edge,
                       const char *name)
{
    for (int y = (int)cell.y + edge; y < (int)(cell.y + cell.height) - edge; y++)
        for (int x = (int)cell.x + edge; x < (int)(cell.x + cell.width) - edge; x++)
            if (picture_pixel(picture, x, y) != colour)
                fail_msg("%s: pixel (%d, %d) is %06x, expected %06x", name, x, y,
                         picture_pixel(picture, x, y), colour);
}

static unsigned cell_colour(const struct figure *figure, const struct figure_layout *layout,
                            const struct figure_matrix *matrix, int row, int column)
{
    double value = matrix->values[(size_t)row * matrix->columns + column];
    struct scale_range range = layout->ranges[matrix->scale];
    struct rgb colour = colormap_colour(figure->scales[matrix->scale].map,
                                        (value - range.least) / (range.most - range.least));
    return (unsigned)colour.red << 16 | (unsigned)colour.green << 8 | colour.blue;
}

static void cells_have_their_colours(void **state)
{
    static const int chosen[] = {0, 3, 8};
    for (int i = 0; i < 3; i++)
        for (enum figure_format format = FIGURE_PDF; format <= FIGURE_SVG; format++) {
            if (!rounds_full() && (format == FIGURE_PDF) != (i % 2 == 0))
                continue;
            struct example example;
            struct figure_style style = figure_style_default();
            example_open(&example, chosen[i]);
            struct figure_layout *layout = vector_layout(&example.figure, &style);
            struct picture picture = picture_render(&example.figure, &style, format, VECTOR_DPI);
            assert_true(abs(picture.width - layout->width) <= 1);
            for (int m = 0; m < layout->matrix_count; m++) {
                const struct figure_matrix *matrix = layout->matrices[m].matrix;
                for (int r = 0; r < matrix->rows; r++)
                    for (int c = 0; c < matrix->columns; c++)
                        if (!isnan(matrix->values[(size_t)r * matrix->columns + c]))
                            check_cell(&picture, layout_cell(&layout->matrices[m], r, c),
                                       cell_colour(&example.figure, layout, matrix, r, c),
                                       format == FIGURE_PDF, example.name);
            }
            picture_close(&picture);
            layout_close(layout);
            example_close(&example);
        }
}

/* At a resolution at which no edge lies between two pixels, a black matrix has no lighter pixel. */
static void paper_does_not_shine_through_between_cells(void **state)
{
    enum { SIDE = 23, DPI = 97 };
    static float values[SIDE * SIDE];
    struct figure_scale scale = {.map = colormap_find("grey"), .range = RANGE_GIVEN, .most = 1};
    struct figure_panel panel = {.kind = PANEL_MATRIX,
                                 .matrix = {.values = values, .rows = SIDE, .columns = SIDE}};
    struct figure figure = {
        .rows = 1, .columns = 1, .panels = &panel, .scales = &scale, .scale_count = 1};
    for (int i = 0; i < SIDE * SIDE; i++)
        values[i] = 1;
    for (enum figure_format format = FIGURE_PDF; format <= FIGURE_SVG; format++) {
        struct figure_style style = figure_style_default();
        style.panel_mm = 37;
        struct figure_layout *layout = vector_layout(&figure, &style);
        struct picture picture = picture_render(&figure, &style, format, DPI);
        double scaled = (double)DPI / VECTOR_DPI;
        struct box last = layout_cell(&layout->matrices[0], SIDE - 1, SIDE - 1);
        struct box all = {ceil(layout->matrices[0].x * scaled),
                          ceil(layout->matrices[0].y * scaled), 0, 0};
        all.width = floor((last.x + last.width) * scaled) - all.x;
        all.height = floor((last.y + last.height) * scaled) - all.y;
        assert_true(all.width > 100);
        check_cell(&picture, all, 0, 0, format == FIGURE_PDF ? "PDF" : "SVG");
        picture_close(&picture);
        layout_close(layout);
    }
}

/* Notes ---------------------------------------------------------------------------------------- */

static char *read_text(const char *const *arguments)
{
    size_t size;
    char *text = program_output(arguments, &size);
    text = realloc(text, size + 1);
    text[size] = '\0';
    return text;
}

static void pdf_has_the_notes_as_metadata(void **state)
{
    static const char *const lines[] = {
        "Title:           cross  layer 2/6",
        "Author:          N. N.\n",
        "Creator:         a test 1.0\n",
        "Keywords:        {\"program\":\"a test 1.0\",\"source\":\"夜の灯台 \\\"—\\\" \\\\ <b> & "
        "]]> "
        "é\\u000a\\u000d\\u0009z\",\"author\":\"N. N.\",\"broken\":\"a\xef\xbf\xbd\\u0001!\"}\n",
        "Pages:           1\n",
    };
    struct example example;
    struct figure_style style = figure_style_default();
    char path[FIGURE_PATH];
    example_open(&example, 0);
    figure_save(&example.figure, &style, FIGURE_PDF, notes, NOTES, path);
    char *text = read_text((const char *const[]){"pdfinfo", path, NULL});
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i]))
            fail_msg("no \"%s\" in:\n%s", lines[i], text);
    assert_null(strstr(text, "CreationDate"));
    free(text);
    unlink(path);
    static const struct figure_note date = {"date", "2024-02-29T12:30:00Z"};
    figure_save(&example.figure, &style, FIGURE_PDF, &date, 1, path);
    text = read_text((const char *const[]){"pdfinfo", "-isodates", path, NULL});
    assert_non_null(strstr(text, "CreationDate:    2024-02-29T12:30:00Z\n"));
    free(text);
    unlink(path);
    example_close(&example);
}

static void svg_has_the_notes_and_all_texts(void **state)
{
    const char *const paths[] = {
        "//*[local-name()='note'][@key='program']", "a test 1.0",
        "//*[local-name()='note'][@key='source']",  notes[1].text,
        "//*[local-name()='note'][@key='broken']",  "a\xef\xbf\xbd\xef\xbf\xbd!",
    };
    for (int i = 0; i < EXAMPLES; i++) {
        struct example example;
        struct figure_style style = figure_style_default();
        char path[FIGURE_PATH], query[200];
        example_open(&example, i);
        figure_save(&example.figure, &style, FIGURE_SVG, notes, NOTES, path);
        for (size_t n = 0; n < sizeof paths / sizeof *paths && (i == 0 || rounds_full()); n += 2) {
            snprintf(query, sizeof query, "string(%s)", paths[n]);
            char *text = read_text(
                (const char *const[]){"xmllint", "--nonet", "--xpath", query, path, NULL});
            assert_int_equal(strncmp(text, paths[n + 1], strlen(paths[n + 1])), 0);
            free(text);
        }
        struct figure_layout *layout = vector_layout(&example.figure, &style);
        char *count = read_text((const char *const[]){
            "xmllint", "--xpath", "count(//*[local-name()='text'])", path, NULL});
        assert_int_equal(atoi(count), layout->text_count);
        free(count);
        layout_close(layout);
        unlink(path);
        example_close(&example);
    }
}

/* librsvg's letters lie where the layout has them; they are not hinted as ours are. */
static void svg_text_is_where_the_layout_has_it(void **state)
{
    static const int chosen[] = {0, 2, 3, 10};
    enum { DPI = 360 };
    for (int i = 0; i < 4; i++) {
        struct example example;
        struct figure_style style = figure_style_default();
        example_open(&example, chosen[i]);
        struct figure_layout *layout = vector_layout(&example.figure, &style);
        struct picture picture = picture_render(&example.figure, &style, FIGURE_SVG, DPI);
        for (size_t t = 0; t < layout->text_count; t++) {
            const double scale = (double)DPI / VECTOR_DPI, near = 2;
            struct box box = layout->texts[t].box;
            int inside = 0, outside = 0;
            int reach = (int)(4 * near), left = (int)(box.x * scale) - reach;
            int top = (int)(box.y * scale) - reach;
            int right = (int)((box.x + box.width) * scale) + reach;
            int bottom = (int)((box.y + box.height) * scale) + reach;
            for (int y = top < 0 ? 0 : top; y < bottom && y < picture.height; y++)
                for (int x = left < 0 ? 0 : left; x < right && x < picture.width; x++) {
                    bool dark = (picture_pixel(&picture, x, y) & 0xff) < 0x80;
                    bool within_y =
                        y >= box.y * scale - near && y <= (box.y + box.height) * scale + near;
                    bool within_x =
                        x >= box.x * scale - near && x <= (box.x + box.width) * scale + near;
                    bool upright = layout->texts[t].upright;
                    bool beside = upright ? within_x && fabs(y - box.y * scale) < 3 * near
                                          : within_y && fabs(x - box.x * scale) < 3 * near;
                    inside += dark && within_x && within_y;
                    outside += dark && beside && !(within_x && within_y);
                }
            if (inside == 0 || outside > 0)
                fail_msg("%s: \"%s\": %d dark pixels in its box, %d at its end", example.name,
                         layout->texts[t].line.text, inside, outside);
        }
        picture_close(&picture);
        layout_close(layout);
        example_close(&example);
    }
}

/* Bytes ---------------------------------------------------------------------------------------- */

static char *write_memory(const struct figure *figure, enum figure_format format, size_t *size)
{
    struct figure_style style = figure_style_default();
    struct status status;
    char *bytes = NULL;
    FILE *stream = open_memstream(&bytes, size);
    if (!figure_write(figure, &style, format, notes, NOTES, stream, &status))
        fail_msg("%s", status.message);
    fclose(stream);
    return bytes;
}

/* Whoever looks at the clock sees another second. */
static void wait_for_another_second(void)
{
    for (const time_t began = time(NULL); time(NULL) == began;)
        usleep(10000);
}

static void the_same_figure_gives_the_same_bytes(void **state)
{
    static const enum figure_format formats[] = {FIGURE_PDF, FIGURE_SVG};
    struct example example;
    char *first[2];
    size_t sizes[2], size;
    example_open(&example, 4);
    for (int i = 0; i < 2; i++)
        first[i] = write_memory(&example.figure, formats[i], &sizes[i]);
    wait_for_another_second();
    for (int i = 0; i < 2; i++) {
        char *second = write_memory(&example.figure, formats[i], &size);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(first[i], second, size);
        free(first[i]);
        free(second);
    }
    example_close(&example);
}

static void a_full_disk_is_an_error(void **state)
{
    for (enum figure_format format = FIGURE_PDF; format <= FIGURE_SVG; format++) {
        struct example example;
        struct status status = {0};
        struct figure_style style = figure_style_default();
        FILE *full = fopen("/dev/full", "wb");
        example_open(&example, 0);
        assert_false(figure_write(&example.figure, &style, format, NULL, 0, full, &status));
        assert_int_equal(status.code, STATUS_IO);
        assert_non_null(strstr(status.message, "No space left on device"));
        fclose(full);
        example_close(&example);
    }
}

static void too_many_cells_and_too_large_a_page_are_refused(void **state)
{
    enum { SIDE = 708 };
    static float values[SIDE * SIDE];
    struct figure_scale scale = {.map = colormap_find("grey"), .range = RANGE_GIVEN, .most = 1};
    struct figure_panel panel = {.kind = PANEL_MATRIX,
                                 .matrix = {.values = values, .rows = SIDE, .columns = SIDE}};
    struct figure figure = {
        .rows = 1, .columns = 1, .panels = &panel, .scales = &scale, .scale_count = 1};
    struct figure_style style = figure_style_default();
    struct status status;
    FILE *file = tmpfile();
    assert_false(figure_write(&figure, &style, FIGURE_PDF, NULL, 0, file, &status));
    assert_string_equal(status.message,
                        "501264 cells, expected at most 500000 in PDF and SVG; PNG takes more");
    panel.matrix.rows = 1;
    style.panel_mm = 6000;
    assert_false(figure_write(&figure, &style, FIGURE_SVG, NULL, 0, file, &status));
    assert_non_null(strstr(status.message, " pt, expected at most 14400 a side; a given width"));
    assert_int_equal(ftell(file), 0);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pdf_is_a_page_of_text_with_its_fonts),
        cmocka_unit_test(texts_of_a_line_do_not_drift),
        cmocka_unit_test(cells_have_their_colours),
        cmocka_unit_test(paper_does_not_shine_through_between_cells),
        cmocka_unit_test(pdf_has_the_notes_as_metadata),
        cmocka_unit_test(svg_has_the_notes_and_all_texts),
        cmocka_unit_test(svg_text_is_where_the_layout_has_it),
        cmocka_unit_test(the_same_figure_gives_the_same_bytes),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(too_many_cells_and_too_large_a_page_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
