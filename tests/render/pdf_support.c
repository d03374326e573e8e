#include "tests/render/pdf_support.h"
#include "tests/support/test.h"

#include <glib.h>

#include "render/text.h"
#include "tests/render/render_support.h"

struct figure_layout *vector_layout(const struct figure *figure, const struct figure_style *given)
{
    struct status status;
    struct figure_style style = *given;
    style.dpi = VECTOR_DPI;
    struct text *text = text_open(style.font, &status);
    assert_non_null(text);
    struct typesetter typesetter = text_typesetter(text);
    struct figure_layout *layout = layout_open(figure, &style, &point_limits, &typesetter, &status);
    if (!layout)
        fail_msg("%s", status.message);
    text_close(text);
    return layout;
}

static void unescape(char *text)
{
    static const struct {
        const char *name, *text;
    } entities[] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}};
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        for (char *at = text; (at = strstr(at, entities[i].name)); at++) {
            *at = entities[i].text[0];
            memmove(at + 1, at + strlen(entities[i].name),
                    strlen(at + strlen(entities[i].name)) + 1);
        }
}

/* Reads the words that pdftotext finds, and their places. */
static void read_words(const char *path, struct words *words)
{
    size_t size;
    char *text =
        program_output((const char *const[]){"pdftotext", "-bbox", path, "-", NULL}, &size);
    text = realloc(text, size + 1);
    text[size] = '\0';
    words->count = 0;
    char *page = strstr(text, "<page ");
    assert_non_null(page);
    assert_int_equal(
        sscanf(page, "<page width=\"%lf\" height=\"%lf\"", &words->width, &words->height), 2);
    assert_null(strstr(page + 1, "<page ")); // there is only one
    for (char *at = text; (at = strstr(at, "<word ")); at++) {
        struct word *word = &words->list[words->count++];
        assert_in_range(words->count, 1, 4000);
        int fields =
            sscanf(at, "<word xMin=\"%lf\" yMin=\"%lf\" xMax=\"%lf\" yMax=\"%lf\">%199[^<]<",
                   &word->left, &word->top, &word->right, &word->bottom, word->text);
        assert_int_equal(fields, 5);
        unescape(word->text);
    }
    free(text);
}

static int compare_letters(const void *a, const void *b)
{
    gunichar first = *(const gunichar *)a, second = *(const gunichar *)b;
    return first < second ? -1 : first > second;
}

/* Returns the letters without blanks, sorted by code point, because readers disagree on the order
 * within right-to-left lines. Freed with g_free. */
static gunichar *sorted_letters(const char *text, long *count)
{
    char *plain = g_utf8_normalize(text, -1, G_NORMALIZE_ALL);
    gunichar *letters = g_utf8_to_ucs4_fast(plain, -1, NULL);
    *count = 0;
    for (gunichar *from = letters; *from; from++)
        if (!g_unichar_isspace(*from) && g_unichar_isgraph(*from))
            letters[(*count)++] = *from;
    qsort(letters, (size_t)*count, sizeof *letters, compare_letters);
    g_free(plain);
    return letters;
}

static bool same_letters(const char *a, const char *b)
{
    long first_count, second_count;
    gunichar *first = sorted_letters(a, &first_count), *second = sorted_letters(b, &second_count);
    bool same = first_count == second_count &&
                memcmp(first, second, (size_t)first_count * sizeof *first) == 0;
    g_free(first);
    g_free(second);
    return same;
}

static bool is_within(const struct word *word, const struct box *box)
{
    double scale = VECTOR_DPI / 72.0;
    double x = (word->left + word->right) / 2 * scale, y = (word->top + word->bottom) / 2 * scale;
    return x > box->x && x < box->x + box->width && y > box->y && y < box->y + box->height;
}

static void find_lines(struct words *words, const struct figure_layout *layout)
{
    for (int w = 0; w < words->count; w++) {
        struct word *word = &words->list[w];
        word->line = -1;
        for (size_t i = 0; i < layout->text_count; i++)
            if (is_within(word, &layout->texts[i].box))
                word->line = (int)i;
    }
}

void words_read(const char *path, const struct figure_layout *layout, struct words *words)
{
    read_words(path, words);
    find_lines(words, layout);
}

void words_check_lines(const char *name, const struct words *words,
                       const struct figure_layout *layout)
{
    for (size_t i = 0; i < layout->text_count; i++) {
        char found[2000] = "";
        for (int w = 0; w < words->count; w++)
            if (words->list[w].line == (int)i)
                strncat(found, words->list[w].text, sizeof found - strlen(found) - 1);
        if (!same_letters(found, layout->texts[i].line.text))
            fail_msg("%s: pdftotext reads \"%s\" where \"%s\" stands", name, found,
                     layout->texts[i].line.text);
    }
}

/* Marks without a letter have no size. */
static bool is_mark(const struct word *word)
{
    return word->right - word->left < 0.1 || word->bottom - word->top < 0.1;
}

/* A word's box has the height of its font, which may slightly exceed its line. Letters and their
 * marks may be separate words. */
void words_check_places(const char *name, const struct words *words)
{
    const double near = 0.3;
    for (int i = 0; i < words->count; i++) {
        const struct word *a = &words->list[i];
        if (!(a->left >= 0 && a->top >= 0 && a->right <= words->width &&
              a->bottom <= words->height))
            fail_msg("%s: \"%s\" is not on the page", name, a->text);
        for (int j = 0; j < i; j++) {
            const struct word *b = &words->list[j];
            if (!is_mark(a) && !is_mark(b) && (a->line < 0 || a->line != b->line) &&
                a->right > b->left + near && b->right > a->left + near &&
                a->bottom > b->top + near && b->bottom > a->top + near)
                fail_msg("%s: \"%s\" (%g %g %g %g) overlaps \"%s\" (%g %g %g %g)", name, a->text,
                         a->left, a->top, a->right, a->bottom, b->text, b->left, b->top, b->right,
                         b->bottom);
        }
    }
}

void fonts_check(const char *name, const char *path)
{
    size_t size;
    char *text = program_output((const char *const[]){"pdffonts", path, NULL}, &size);
    FILE *lines = fmemopen(text, size, "r");
    char line[300];
    int fonts = -2; // skips two lines of heading
    while (fgets(line, sizeof line, lines)) {
        fonts++;
        if (fonts > 0 && !strstr(line, " yes yes "))
            fail_msg("%s: not embedded: %s", name, line);
    }
    assert_true(fonts > 0);
    fclose(lines);
    free(text);
}
