/* The notes of a picture are read back as they were written. */
#include "render/notes.h"
#include "tests/render/render_support.h"
#include "tests/support/test.h"

/* cairo writes what needs no \ in ASCII, and everything else in UTF-16. */
static const struct figure_note ascii[] = {
    {"plain", "the dog sees a cat"},
};
static const struct figure_note escaped[] = {
    {"source", "the dog (it sees \"a cat\") \\ 1) 2) ((3"},
    {"command", ":set figure.title \"<b> & c --> d\"\n\r\t:attn enc\\\\"},
    {"empty", ""},
};
static const struct figure_note unicode[] = {
    {"source", "夜の灯台 \"—\" (é) \\ नमस्ते 😀 \\u00e9"},
    {"last", "\\"},
};

static void check(enum figure_format format,
                  bool (*read)(FILE *, struct figure_notes *, struct status *),
                  const struct figure_note *notes, int count)
{
    struct example example;
    struct figure_style style = figure_style_default();
    struct figure_notes found;
    struct status status;
    FILE *file = tmpfile();
    assert_non_null(file);
    example_open(&example, 0);
    assert_true(figure_write(&example.figure, &style, format, notes, count, file, &status));
    rewind(file);
    assert_true(read(file, &found, &status));
    assert_int_equal(found.count, count);
    for (int i = 0; i < count; i++) {
        assert_string_equal(found.notes[i].key, notes[i].key);
        assert_string_equal(found.notes[i].text, notes[i].text);
    }
    figure_notes_free(&found);
    example_close(&example);
    fclose(file);
}

static void notes_are_read_back(void **state)
{
    static const struct {
        enum figure_format format;
        bool (*read)(FILE *, struct figure_notes *, struct status *);
    } formats[] = {{FIGURE_PDF, figure_read_pdf_notes},
                   {FIGURE_SVG, figure_read_svg_notes},
                   {FIGURE_PNG, figure_read_png_notes}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        check(formats[i].format, formats[i].read, ascii, sizeof ascii / sizeof *ascii);
        check(formats[i].format, formats[i].read, escaped, sizeof escaped / sizeof *escaped);
        check(formats[i].format, formats[i].read, unicode, sizeof unicode / sizeof *unicode);
    }
}

/* As other software may write the same strings again, with halves of characters that are none. */
static void literal_strings_have_escapes(void **state)
{
    static const char pdf[] = "%PDF-1.5\n1 0 obj\n<< /Keywords ({\"source\":\"a \\(b\\) "
                              "\\\\\"c\\\\\"\",\"halves\":\"\\\\ud83d\\\\ude00 "
                              "\\\\u0041\\\\udc00 \\\\ud83d\\\\u0042\"}) >>\nendobj\n";
    struct figure_notes found;
    struct status status;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(fputs(pdf, file) >= 0);
    rewind(file);
    assert_true(figure_read_pdf_notes(file, &found, &status));
    assert_int_equal(found.count, 2);
    assert_string_equal(found.notes[0].key, "source");
    assert_string_equal(found.notes[0].text, "a (b) \"c\"");
    assert_string_equal(found.notes[1].text, "😀 Audc00 ud83dB");
    figure_notes_free(&found);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_are_read_back),
        cmocka_unit_test(literal_strings_have_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
