/* Figures do not depend on the locale: the same description gives the same bytes in each. Pango
 * asks for the locale once per process, so each figure is drawn in a separate process. */
#include <locale.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/render/render_support.h"
#include "tests/support/test.h"

enum { BYTES_MOST = 1 << 20 };

/* What the C library would say in that locale, which need not be installed. */
static const char *locale_now = "C";

char *setlocale(int category, const char *locale)
{
    (void)category;
    (void)locale;
    return (char *)locale_now;
}

/* The file is the child's standard output. */
static void draw_in(const char *locale, enum figure_format format, const char *text, FILE *out)
{
    static const float values[] = {0.5F};
    struct status status;
    struct strip strip;
    struct figure_style style = figure_style_default();
    locale_now = locale;
    setenv("LC_ALL", locale, 1);
    setenv("LANGUAGE", locale, 1);
    strip_fill(&strip, "viridis", RANGE_GIVEN, values, 1);
    strip.figure.title = text;
    bool ok = figure_language_settle(&status) &&
              figure_write(&strip.figure, &style, format, NULL, 0, out, &status);
    _exit(ok && fflush(out) == 0 ? 0 : 1);
}

static size_t draw(const char *locale, enum figure_format format, const char *text, char *bytes)
{
    int code;
    FILE *file = tmpfile();
    assert_non_null(file);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        draw_in(locale, format, text, file);
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    rewind(file);
    size_t size = fread(bytes, 1, BYTES_MOST, file);
    assert_true(size > 100 && size < BYTES_MOST);
    fclose(file);
    return size;
}

/* Letters that a language has in forms, or fonts, of its own: Han, Serbian and Bulgarian Cyrillic,
 * Romanian. */
static void the_same_figure_is_the_same_bytes_in_every_locale(void **state)
{
    static const char *const texts[] = {"直に海骨今", "бгдпт", "şţ"};
    static const char *const locales[] = {"ja_JP.UTF-8", "zh_CN.UTF-8", "sr_RS.UTF-8",
                                          "ro_RO.UTF-8"};
    static const enum figure_format formats[] = {FIGURE_PNG, FIGURE_PDF, FIGURE_SVG};
    char *usual = malloc(BYTES_MOST), *other = malloc(BYTES_MOST);
    assert_true(usual && other);
    setenv("SOURCE_DATE_EPOCH", "1000000000", 1);
    for (int f = 0; f < 3; f++)
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
            size_t size = draw("C", formats[f], texts[t], usual);
            for (size_t l = 0; l < sizeof locales / sizeof *locales; l++)
                if (draw(locales[l], formats[f], texts[t], other) != size ||
                    memcmp(usual, other, size) != 0)
                    fail_msg("%s in %s: another figure, format %d", texts[t], locales[l], f);
        }
    free(usual);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_figure_is_the_same_bytes_in_every_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
