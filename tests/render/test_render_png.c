/* PNG figures as other software reads them: size, resolution, texts, text chunks; the same bytes
 * each time. */
#include <math.h>
#include <sys/resource.h>

#include <png.h>

#include "render/draw.h"
#include "render/notes.h"
#include "render/text.h"
#include "tests/render/render_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

static void the_page_has_the_size_and_resolution_asked_for(void **state)
{
    static const struct {
        double width_mm;
        int dpi, pixels;
    } cases[] = {{85, 300, 1004}, {170, 150, 1004}, {25.4, 600, 600}, {210, 96, 794}};
    struct example example;
    example_open(&example, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct figure_style style = figure_style_default();
        style.width_mm = cases[i].width_mm;
        style.dpi = cases[i].dpi;
        style.font_pt = 5;
        struct picture picture = picture_open(&example.figure, &style, NULL, 0);
        size_t size;
        double x, y;
        char *text = program_output((const char *const[]){"identify", "-units", "PixelsPerInch",
                                                          "-format", "%x %y", picture.path, NULL},
                                    &size);
        assert_int_equal(picture.width, cases[i].pixels);
        assert_int_equal(sscanf(text, "%lf %lf", &x, &y), 2);
        assert_float_equal(x, cases[i].dpi, 0.02);
        assert_float_equal(y, cases[i].dpi, 0.02);
        free(text);
        picture_close(&picture);
    }
    example_close(&example);
}

/* Returns the pixels of a figure of one cell with this title. */
static unsigned char *title_pixels(const char *title, size_t *size)
{
    float value = 1;
    struct strip strip;
    struct figure_style style = figure_style_default();
    strip_fill(&strip, "viridis", RANGE_GIVEN, &value, 1);
    strip.figure.title = title;
    style.width_mm = 600;
    style.dpi = 50;
    struct picture picture = picture_open(&strip.figure, &style, NULL, 0);
    *size = (size_t)picture.width * (size_t)picture.height * 3;
    unsigned char *pixels = malloc(*size);
    assert_non_null(pixels);
    memcpy(pixels, picture.pixels, *size);
    picture_close(&picture);
    return pixels;
}

static void texts_are_cleaned_and_cut(void **state)
{
    enum { LONGEST = 300 }; // characters that are set
    char longer[LONGEST + 2] = "", shown[LONGEST + 3] = "";
    memset(longer, 'i', LONGEST + 1);
    memset(shown, 'i', LONGEST - 1);
    strcat(shown, "\xe2\x80\xa6");
    const struct {
        const char *text, *as;
    } cases[] = {{"a\x01\x7f\xc2\x9b m", "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd m"},
                 {"a\xff!", "a\xef\xbf\xbd!"},
                 {"a\tb\nc", "a b c"},
                 {longer, shown}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size, expected_size;
        unsigned char *pixels = title_pixels(cases[i].text, &size);
        unsigned char *expected = title_pixels(cases[i].as, &expected_size);
        if (size != expected_size || memcmp(pixels, expected, size) != 0)
            fail_msg("%s does not look like %s", cases[i].text, cases[i].as);
        free(pixels);
        free(expected);
    }
}

/* The file is drawn some rows at a time; here the page as a whole. */
static cairo_surface_t *draw_page(const struct figure *figure, const struct figure_style *style)
{
    struct status status;
    struct figure_layout *layout = figure_layout(figure, style);
    struct text *text = text_open(style->font, &status);
    assert_non_null(text);
    cairo_surface_t *page =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, layout->width, layout->height);
    cairo_t *cairo = cairo_create(page);
    assert_true(draw_figure(cairo, figure, layout, text, NULL));
    cairo_destroy(cairo);
    cairo_surface_flush(page);
    text_close(text);
    layout_close(layout);
    return page;
}

static void pages_have_no_seams(void **state)
{
    struct figure_style style = figure_style_default();
    style.dpi = 100;
    for (int i = 0; i < EXAMPLES; i += rounds_of(3, 1)) {
        struct example example;
        example_open(&example, i);
        struct picture picture = picture_open(&example.figure, &style, NULL, 0);
        cairo_surface_t *page = draw_page(&example.figure, &style);
        const unsigned char *pixels = cairo_image_surface_get_data(page);
        int stride = cairo_image_surface_get_stride(page);
        for (int y = 0; y < picture.height; y++)
            for (int x = 0; x < picture.width; x++) {
                unsigned drawn = ((const uint32_t *)(pixels + (size_t)y * stride))[x] & 0xFFFFFF;
                if (picture_pixel(&picture, x, y) != drawn)
                    fail_msg("%s: pixel (%d, %d) is %06x, expected %06x", example.name, x, y,
                             picture_pixel(&picture, x, y), drawn);
            }
        cairo_surface_destroy(page);
        picture_close(&picture);
        example_close(&example);
    }
}

static const struct figure_note notes[] = {
    {"Software", "a test"},
    {"Source", "夜の灯台 — \xc3\xa9"},
    {"attnscope.command", "attn cross layer 2\nhead 3"},
    {"Broken", "a\xff!"},
};
enum { NOTES = sizeof notes / sizeof *notes };

/* As libpng reads them; every other note is not ASCII. */
static void check_chunks(const char *path, const char *const *expected)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_read_info(png, info);
    png_textp texts;
    assert_int_equal(png_get_text(png, info, &texts, NULL), NOTES);
    for (int i = 0; i < NOTES; i++) {
        assert_string_equal(texts[i].key, notes[i].key);
        assert_string_equal(texts[i].text, expected[i]);
        assert_int_equal(texts[i].compression,
                         i % 2 ? PNG_ITXT_COMPRESSION_NONE : PNG_TEXT_COMPRESSION_NONE);
    }
    png_destroy_read_struct(&png, &info, NULL);
    fclose(file);
}

static void notes_are_text_chunks(void **state)
{
    const char *const expected[NOTES] = {notes[0].text, notes[1].text, notes[2].text,
                                         "a\xef\xbf\xbd!"};
    struct example example;
    struct figure_style style = figure_style_default();
    size_t size;
    example_open(&example, 0);
    struct picture picture = picture_open(&example.figure, &style, notes, NOTES);
    check_chunks(picture.path, expected);
    char *text = program_output((const char *const[]){"identify", "-format",
                                                      "%[Software]|%[attnscope.command]",
                                                      picture.path, NULL},
                                &size);
    assert_string_equal(text, "a test|attn cross layer 2\nhead 3");
    free(text);
    picture_close(&picture);
    example_close(&example);
}

static char *write_memory(const struct figure *figure, size_t *size)
{
    struct figure_style style = figure_style_default();
    struct status status;
    char *bytes = NULL;
    FILE *stream = open_memstream(&bytes, size);
    if (!figure_write(figure, &style, FIGURE_PNG, notes, NOTES, stream, &status))
        fail_msg("%s", status.message);
    fclose(stream);
    return bytes;
}

static void the_same_figure_gives_the_same_bytes(void **state)
{
    struct example example;
    size_t size, again;
    example_open(&example, 4);
    char *first = write_memory(&example.figure, &size);
    char *second = write_memory(&example.figure, &again);
    assert_int_equal(size, again);
    assert_memory_equal(first, second, size);
    free(first);
    free(second);
    example_close(&example);
}

static void a_full_disk_is_an_error(void **state)
{
    struct example example;
    struct figure_style style = figure_style_default();
    for (int i = 0; i < 2; i++) { // a file that fits the stream's buffer, and one that does not
        struct status status = {0};
        FILE *full = fopen("/dev/full", "wb");
        assert_non_null(full);
        example_open(&example, i ? 5 : 2);
        style.dpi = i ? 300 : 30;
        assert_false(figure_write(&example.figure, &style, FIGURE_PNG, NULL, 0, full, &status));
        assert_int_equal(status.code, STATUS_IO);
        assert_non_null(strstr(status.message, "No space left on device"));
        fclose(full);
        example_close(&example);
    }
}

/* libpng allocates and clears as much as a chunk of text says that it has: here 2 GB. */
static void a_chunk_that_says_it_is_long_takes_no_memory(void **state)
{
    enum { MOST = 512 << 10 }; // in kB
    struct status status = {0};
    struct figure_notes found;
    struct rusage before, after;
    char name[16];
    FILE *file = fopen("tests/fuzz/seeds/notes/long-chunk.png", "rb");
    assert_non_null(file);
    assert_non_null(
        fgets(name, sizeof name, file)); // the input of a fuzz target begins with a name
    getrusage(RUSAGE_SELF, &before);
    assert_false(figure_read_png_notes(file, &found, &status));
    getrusage(RUSAGE_SELF, &after);
    assert_non_null(strstr(status.message, "no valid PNG"));
    assert_true(after.ru_maxrss - before.ru_maxrss < MOST);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_the_size_and_resolution_asked_for),
        cmocka_unit_test(texts_are_cleaned_and_cut),
        cmocka_unit_test(pages_have_no_seams),
        cmocka_unit_test(notes_are_text_chunks),
        cmocka_unit_test(the_same_figure_gives_the_same_bytes),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(a_chunk_that_says_it_is_long_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
