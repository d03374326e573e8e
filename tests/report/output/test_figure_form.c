/* `:set figure.…` and what it does to an exported figure, as other software (poppler, ImageMagick)
 * reads it. */
#include <math.h>
#include <unistd.h>

#include "tests/render/picture_support.h"
#include "tests/report/output/export_support.h"
#include "tests/support/test.h"

/* A session that shows the attention of a sentence. */
static struct bench open_view(void)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":force der Hund sieht eine Katze");
    bench_run_quietly(&bench, ":attn cross layer 2 head 3");
    return bench;
}

/* Returns what a program prints about the current view as a PDF. */
static char *pdf_says(struct bench *bench, const char *program)
{
    export_view(bench, "f.pdf", "");
    char *text =
        output_of("%s %s %s", program, export_path("f.pdf"), strstr(program, "totext") ? "-" : "");
    unlink(export_path("f.pdf"));
    return text;
}

static void pdf_has_size(struct bench *bench, double width, double height)
{
    char *text = pdf_says(bench, "pdfinfo");
    double is_width, is_height;
    const char *line = strstr(text, "Page size:");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "Page size: %lf x %lf pts", &is_width, &is_height), 2);
    // To the tenth of a point that pages are made of.
    if (fabs(is_width - width) > 0.0501 || (height > 0 && fabs(is_height - height) > 0.0501))
        fail_msg("a page of %g x %g pt, expected %g x %g", is_width, is_height, width, height);
    free(text);
}

static void pages_have_the_size_asked_for(void **state)
{
    static const struct {
        const char *width, *height;
        double width_pt, height_pt;
    } cases[] = {
        {"8.4cm", "natural", 84 * 72 / 25.4, 0},
        {"84mm", "60", 84 * 72 / 25.4, 60 * 72 / 25.4},
        {"3.3in", "2.5 in", 3.3 * 72, 2.5 * 72},
        {"240pt", "180.5pt", 240, 180.5},
        {"16 cm", "5cm", 160 * 72 / 25.4, 50 * 72 / 25.4},
    };
    struct bench bench = open_view();
    char line[100];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(line, sizeof line, ":set figure.width %s", cases[i].width);
        bench_run_quietly(&bench, line);
        snprintf(line, sizeof line, ":set figure.height %s", cases[i].height);
        bench_run_quietly(&bench, line);
        pdf_has_size(&bench, cases[i].width_pt, cases[i].height_pt);
    }
    bench_refuse(&bench, ":set figure.width 8.4km",
                 "expected a length of 0.001 to 2000 mm, such as 8.4cm");
    bench_refuse(&bench, ":set figure.width -1cm", "expected a length");
    bench_refuse(&bench, ":set figure.width cm", "expected a length");
    bench_refuse(&bench, ":set figure.width 1e9", "expected a length");
    bench_refuse(&bench, ":set figure.height 201cm", "expected a length of 0.001 to 2000 mm");
    bench_refuse(&bench, ":set figure.height .000014", "expected a length");
    bench_refuse(&bench, ":set figure.height 1.2.3cm", "expected a length");
    pdf_has_size(&bench, 160 * 72 / 25.4, 50 * 72 / 25.4); // unchanged
    bench_run_quietly(&bench, ":set figure.height 1cm");
    bench_refuse(&bench, ":export f.pdf", "a height of 10 mm, expected at least");
    bench_close(&bench);
}

static void presets_are_pages_of_their_place(void **state)
{
    static const struct {
        const char *name;
        double width, height; // cm
        bool title;
        const char *font_size;
    } cases[] = {
        {"acl-column", 7.7, 0, false, "DejaVu Sans 7"},
        {"acl-page", 16, 0, false, "DejaVu Sans 8"},
        {"slide", 24, 12, true, "DejaVu Sans 16"},
    };
    struct bench bench = open_view();
    char line[100];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(line, sizeof line, ":set figure.preset %s", cases[i].name);
        bench_run_quietly(&bench, line);
        pdf_has_size(&bench, cases[i].width * 72 / 2.54, cases[i].height * 72 / 2.54);
        assert_string_equal(bench.session->settings.figure.font, cases[i].font_size);
        char *text = pdf_says(&bench, "pdftotext");
        assert_int_equal(strstr(text, "layer 2/") != NULL, cases[i].title);
        free(text);
    }
    // Settings after a preset change what it set; `none` takes back all of it.
    bench_run_quietly(&bench, ":set figure.width 10cm");
    pdf_has_size(&bench, 100 * 72 / 25.4, 120 * 72 / 25.4);
    bench_run_quietly(&bench, ":set figure.preset none");
    assert_true(bench.session->settings.figure.width == 0);
    assert_true(bench.session->settings.figure.height == 0);
    bench_refuse(&bench, ":set figure.preset poster",
                 "expected one of none, acl-column, acl-page, slide");
    bench_close(&bench);
}

static void fonts_are_those_asked_for(void **state)
{
    struct bench bench = open_view();
    bench_run_quietly(&bench, ":set figure.font DejaVu Sans Mono 9.5pt");
    char *text = pdf_says(&bench, "pdffonts");
    assert_non_null(strstr(text, "DejaVuSansMono"));
    free(text);
    // Without its size the family has the usual one.
    bench_run_quietly(&bench, ":set figure.font \"dejavu sans mono\"");
    export_view(&bench, "f.svg", "");
    text = output_of("grep -o 'font-size=\"[0-9.]*\"' %s | sort | uniq -c | sort -n | tail -1",
                     export_path("f.svg"));
    assert_non_null(strstr(text, "font-size=\"8\""));
    free(text);
    unlink(export_path("f.svg"));
    bench_refuse(&bench, ":set figure.font Helvetica Nosuch 8",
                 "figure.font: font \"Helvetica Nosuch\" is not installed, expected a family");
    bench_refuse(&bench, ":set figure.font DejaVu Sans 100", "a size of 100 pt, expected 2 to 72");
    bench_refuse(&bench, ":set figure.font DejaVu Sans 0", "a size of 0 pt, expected 2 to 72");
    bench_refuse(&bench, ":set figure.font \"\"", "figure.font: font \"\" is not installed");
    bench_refuse(&bench, ":set figure.font \"two\nlines\"",
                 "figure.font: a line break, expected one line");
    bench_refuse(&bench, ":set figure.font \"an\033escape\"",
                 "figure.font: font with invalid UTF-8 or control characters is not installed");
    bench_close(&bench);
}

static void titles_and_labels_are_those_asked_for(void **state)
{
    struct bench bench = open_view();
    const char *token = bench.session->current->inputs.texts[1];
    char *text = pdf_says(&bench, "pdftotext");
    assert_non_null(strstr(text, "layer 2/"));
    assert_non_null(strstr(text, token));
    free(text);
    bench_run_quietly(&bench, ":set figure.title Who looks at whom?");
    text = pdf_says(&bench, "pdftotext");
    assert_non_null(strstr(text, "Who looks at whom?"));
    assert_null(strstr(text, "layer 2/"));
    free(text);
    bench_run_quietly(&bench, ":set figure.title none");
    bench_run_quietly(&bench, ":set figure.labels off");
    text = pdf_says(&bench, "pdftotext");
    assert_null(strstr(text, "layer 2/"));
    assert_null(strstr(text, token));
    assert_non_null(strstr(text, "attention weight"));
    free(text);
    char line[400] = ":set figure.title ";
    memset(line + strlen(line), 'x', 300);
    bench_refuse(&bench, line, "figure.title: a text of 300 bytes, expected at most 255");
    bench_close(&bench);
}

/* Every weight, to two decimals, stands in the figure. */
static void numbers_stand_in_the_cells(void **state)
{
    struct bench bench = open_view();
    bench_run_quietly(&bench, ":set figure.values on");
    struct report shown = bench_run(&bench, ":attn");
    const struct matrix *attention = bench_matrix(&shown);
    int cells = attention->rows.count * attention->columns.count, found = 0;
    char *text = pdf_says(&bench, "pdftotext -bbox");
    for (int i = 0; i < cells; i++) {
        char number[40];
        snprintf(number, sizeof number, ">%.2f<", attention->values[i]);
        if (!strstr(text, number))
            fail_msg("no %s in %s", number, text);
    }
    for (const char *at = text; (at = strstr(at, "</word>")); at++)
        found += at[-3] == '.' && at[-4] >= '0' && at[-4] <= '9';
    assert_true(found >= cells); // those of the bar have one decimal
    free(text);
    report_free(&shown);
    bench_run_quietly(&bench, ":set figure.width 45mm");
    bench_refuse(&bench, ":export f.pdf", "for the numbers in them");
    bench_close(&bench);
}

/* The brightest cell of the figure, and where its colour stands in the map. */
static void scales_reach_what_was_asked_for(void **state)
{
    static const struct {
        const char *scale;
        double least, most; // 0: the greatest of the figure
    } cases[] = {{"shared", 0, 0}, {"0-1", 0, 1}, {"matrix", 0, 0}};
    struct bench bench = open_view();
    struct report shown = bench_run(&bench, ":attn");
    const struct matrix *attention = bench_matrix(&shown);
    int rows = attention->rows.count, columns = attention->columns.count;
    double greatest = 0;
    bench_run_quietly(&bench, ":set figure.dpi 100");
    bench_run_quietly(&bench, ":set figure.colormap blues");
    for (int i = 0; i < rows * columns; i++)
        greatest = fmax(greatest, attention->values[i]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct frame frames[9];
        char line[100];
        snprintf(line, sizeof line, ":set figure.scale %s", cases[i].scale);
        bench_run_quietly(&bench, line);
        export_view(&bench, "s.png", "");
        struct picture picture = read_picture("s.png");
        assert_true(find_frames(&picture, 40, frames, 9) >= 1);
        check_cells(&picture, &frames[0], "blues", attention->values, rows, columns, cases[i].least,
                    cases[i].most > 0 ? cases[i].most : greatest);
        free(picture.pixels);
    }
    bench_run_quietly(&bench, ":set figure.scale row");
    char *text = pdf_says(&bench, "pdftotext");
    assert_non_null(strstr(text, "share of row maximum"));
    free(text);
    bench_run_quietly(&bench, ":set figure.scale log");
    text = pdf_says(&bench, "pdftotext");
    assert_non_null(strstr(text, "0.2"));
    free(text);
    report_free(&shown);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_have_the_size_asked_for),
        cmocka_unit_test(presets_are_pages_of_their_place),
        cmocka_unit_test(fonts_are_those_asked_for),
        cmocka_unit_test(titles_and_labels_are_those_asked_for),
        cmocka_unit_test(numbers_stand_in_the_cells),
        cmocka_unit_test(scales_reach_what_was_asked_for),
    };
    return cmocka_run_group_tests(tests, export_open, export_close);
}
