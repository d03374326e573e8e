/* Every kind of figure with every kind of labels in every form, as poppler, librsvg and libxml read
 * them: all texts are there, on the page, over no other; fonts are embedded; there is one page of
 * the size asked for. */
#include <math.h>
#include <unistd.h>

#include "tests/render/pdf_support.h"
#include "tests/render/render_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

/* Labels --------------------------------------------------------------------------------------- */

static const char *const japanese[] = {"灯台守", "は",   "毎晩", "▁船が帰ってくる",
                                       "前に",   "灯り", "を",   "ともします"};
static const char *const arabic[] = {"الحارس", "ينام", "في", "المنارة", "كلَّ", "ليلة", "."};
static const char *const german[] = {"Der",
                                     "Wärter",
                                     "des",
                                     "Leuchtturms",
                                     "zündet",
                                     "jeden",
                                     "Abend",
                                     "sein",
                                     "Licht",
                                     "an",
                                     "Donaudampfschifffahrtsgesellschaftskapitän",
                                     "."};

static const struct {
    const char *name;
    const char *const *texts;
    int of, count; // texts are repeated
} labels[] = {{"Japanese", japanese, 8, 8},
              {"60 tokens", german, 12, 60},
              {"one token", german, 1, 1},
              {"Arabic", arabic, 7, 7}};
enum { LABELS = sizeof labels / sizeof *labels, TOKENS_MOST = 60 };

/* Forms ---------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double width_mm, height_mm, font_pt;
    const char *font;
    bool title;
} forms[] = {{"natural", 0, 0, 8, "DejaVu Sans", true},
             {"acl-column", 77, 0, 7, "DejaVu Sans", false},
             {"acl-page", 160, 0, 8, "DejaVu Serif", false},
             {"slide", 240, 120, 16, "DejaVu Sans", true}};
enum { FORMS = sizeof forms / sizeof *forms };

/* Kinds ---------------------------------------------------------------------------------------- */

struct sentence_pair {
    const char *tokens[TOKENS_MOST];
    int count;
    float values[TOKENS_MOST * TOKENS_MOST];
    struct figure_panel panels[48];
    struct figure_scale scales[2];
    struct figure_series series[3];
    struct figure figure;
};

static const char *const layer_titles[] = {"layer 1", "layer 2", "layer 3",
                                           "layer 4", "layer 5", "layer 6"};
static const char *const head_titles[] = {"head 1", "head 2", "head 3", "head 4",
                                          "head 5", "head 6", "head 7", "head 8"};

static struct figure_panel matrix_of(const struct sentence_pair *pair, int columns, bool labelled)
{
    struct figure_panel panel = {
        .kind = PANEL_MATRIX,
        .matrix = {.values = pair->values, .rows = pair->count, .columns = columns}};
    if (labelled) {
        panel.matrix.row_labels = pair->tokens;
        panel.matrix.row_title = "target";
    }
    return panel;
}

static void make_heatmap(struct sentence_pair *pair)
{
    pair->panels[0] = matrix_of(pair, pair->count, true);
    pair->panels[0].matrix.column_labels = pair->tokens;
    pair->panels[0].matrix.column_title = "source";
}

static void make_grid(struct sentence_pair *pair)
{
    pair->figure.rows = 6;
    pair->figure.columns = 8;
    pair->figure.row_titles = layer_titles;
    pair->figure.column_titles = head_titles;
    for (int i = 0; i < 48; i++)
        pair->panels[i] = matrix_of(pair, pair->count, false);
}

static void make_beside(struct sentence_pair *pair)
{
    pair->figure.columns = 3;
    for (int i = 0; i < 3; i++) {
        pair->panels[i] = matrix_of(pair, pair->count, i == 0);
        pair->panels[i].matrix.column_labels = pair->tokens;
        pair->panels[i].title = i == 2 ? "b − a" : i == 1 ? "b: without head 8" : "a: all heads";
        pair->panels[i].matrix.scale = i == 2;
    }
}

static void make_heads(struct sentence_pair *pair)
{
    static const char *const numbers[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    pair->panels[0] = matrix_of(pair, 8, true);
    pair->panels[0].matrix.column_labels = numbers;
    pair->panels[0].matrix.column_title = "head";
}

static void make_plot(struct sentence_pair *pair, enum panel_kind kind)
{
    static const char *const names[] = {"queries", "keys", "a state with quite a long name"};
    for (int i = 0; i < 3; i++)
        pair->series[i] = (struct figure_series){names[i], figure_colours[i],
                                                 pair->values + (size_t)i * pair->count, 2 * i};
    pair->panels[0] = (struct figure_panel){.kind = kind,
                                            .plot = {.series = pair->series,
                                                     .series_count = 3,
                                                     .points = pair->count,
                                                     .labels = pair->tokens,
                                                     .x_title = "token",
                                                     .y_title = "mean gate λ",
                                                     .mean = 0.4,
                                                     .has_mean = kind == PANEL_BARS}};
    pair->figure.scale_count = 0;
}

static void make_lines(struct sentence_pair *pair)
{
    make_plot(pair, PANEL_LINES);
}

static void make_bars(struct sentence_pair *pair)
{
    make_plot(pair, PANEL_BARS);
}

static void make_alignment(struct sentence_pair *pair)
{
    pair->panels[0] = (struct figure_panel){.kind = PANEL_ALIGNMENT,
                                            .alignment = {.upper = pair->tokens,
                                                          .lower = pair->tokens,
                                                          .upper_count = pair->count,
                                                          .lower_count = pair->count,
                                                          .weights = pair->values,
                                                          .least = 0.9,
                                                          .upper_title = "source",
                                                          .lower_title = "target"}};
    pair->figure.scale_count = 0;
}

static const struct {
    const char *name;
    void (*make)(struct sentence_pair *pair);
} kinds[] = {{"heatmap", make_heatmap},    {"grid", make_grid},   {"beside", make_beside},
             {"heads", make_heads},        {"lines", make_lines}, {"bars", make_bars},
             {"alignment", make_alignment}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void make_pair(struct sentence_pair *pair, int kind, int label, int form)
{
    unsigned seed = 11;
    *pair = (struct sentence_pair){.count = labels[label].count};
    for (int i = 0; i < pair->count; i++)
        pair->tokens[i] = labels[label].texts[i % labels[label].of];
    for (int i = 0; i < TOKENS_MOST * TOKENS_MOST; i++) {
        seed = seed * 1664525 + 1013904223;
        pair->values[i] = (float)(seed >> 8) / (1 << 24);
    }
    pair->scales[0] =
        (struct figure_scale){.map = colormap_find("viridis"), .title = "attention weight"};
    pair->scales[1] = (struct figure_scale){
        .map = colormap_find("bluered"), .range = RANGE_SYMMETRIC, .title = "b − a"};
    pair->figure = (struct figure){
        .rows = 1, .columns = 1, .panels = pair->panels, .scales = pair->scales, .scale_count = 2};
    if (forms[form].title)
        pair->figure.title = "cross  layer 2/6  head 3/8  without the encoder's head 8";
    kinds[kind].make(pair);
}

static struct figure_style make_style(int form)
{
    struct figure_style style = figure_style_default();
    style.width_mm = forms[form].width_mm;
    style.height_mm = forms[form].height_mm;
    style.font_pt = forms[form].font_pt;
    style.font = forms[form].font;
    return style;
}

/* Tests ---------------------------------------------------------------------------------------- */

static void check_page(const char *name, const struct words *words, int form)
{
    const double inch = 72 / 25.4;
    if ((forms[form].width_mm > 0 && fabs(words->width - forms[form].width_mm * inch) > 0.051) ||
        (forms[form].height_mm > 0 && fabs(words->height - forms[form].height_mm * inch) > 0.051))
        fail_msg("%s: a page of %g x %g pt", name, words->width, words->height);
}

/* At its natural size a figure shows all its labels. */
static void check_all_labels(const char *name, const struct sentence_pair *pair,
                             const struct figure_layout *layout)
{
    int rows = 0;
    for (size_t i = 0; i < layout->text_count; i++)
        rows += layout->texts[i].role == ROLE_ROW_LABEL || layout->texts[i].role == ROLE_TOKEN;
    enum panel_kind kind = pair->panels[0].kind;
    int expected = kind == PANEL_ALIGNMENT             ? 2 * pair->count
                   : pair->panels[0].matrix.row_labels ? pair->count
                                                       : 0;
    if (rows != expected)
        fail_msg("%s: %d labels, expected %d", name, rows, expected);
}

/* Of every kind and all labels one form each, unless all are wanted. */
static void pdf_is_as_the_layout_has_it(void **state)
{
    static struct sentence_pair pair;
    static struct words words;
    for (int kind = 0; kind < KINDS; kind++)
        for (int label = 0; label < LABELS; label++)
            for (int form = 0; form < FORMS; form++) {
                if (!rounds_full() && form != (kind + label) % FORMS)
                    continue;
                char name[100], path[FIGURE_PATH];
                struct figure_style style = make_style(form);
                make_pair(&pair, kind, label, form);
                snprintf(name, sizeof name, "%s, %s, %s", kinds[kind].name, labels[label].name,
                         forms[form].name);
                figure_save(&pair.figure, &style, FIGURE_PDF, NULL, 0, path);
                struct figure_layout *layout = vector_layout(&pair.figure, &style);
                words_read(path, layout, &words);
                check_page(name, &words, form);
                words_check_lines(name, &words, layout);
                words_check_places(name, &words);
                fonts_check(name, path);
                if (form == 0)
                    check_all_labels(name, &pair, layout);
                layout_close(layout);
                unlink(path);
            }
}

/* Of every kind one labelling and one form each, which together are all of them: these programs
 * take their time. */
static void svg_is_read_by_others(void **state)
{
    static struct sentence_pair pair;
    for (int kind = 0; kind < KINDS; kind++)
        for (int label = 0; label < LABELS; label++) {
            if (!rounds_full() && label != kind / 2)
                continue;
            char path[FIGURE_PATH];
            size_t size;
            int form = (kind + label) % FORMS;
            struct figure_style style = make_style(form);
            make_pair(&pair, kind, label, form);
            figure_save(&pair.figure, &style, FIGURE_SVG, NULL, 0, path);
            struct figure_layout *layout = vector_layout(&pair.figure, &style);
            char *count =
                program_output((const char *const[]){"xmllint", "--nonet", "--xpath",
                                                     "count(//*[local-name()='text'])", path, NULL},
                               &size);
            assert_int_equal(strtol(count, NULL, 10), layout->text_count);
            char *picture = program_output(
                (const char *const[]){"rsvg-convert", "-d", "30", "-p", "30", path, NULL}, &size);
            assert_true(size > 100 && memcmp(picture + 1, "PNG", 3) == 0);
            free(count);
            free(picture);
            layout_close(layout);
            unlink(path);
        }
}

static void png_has_the_size_asked_for(void **state)
{
    static struct sentence_pair pair;
    for (int kind = 0; kind < KINDS; kind++)
        for (int label = 0; label < LABELS; label++) {
            if (!rounds_full() && label != (6 - kind) / 2)
                continue;
            int form = (kind + label + 1) % FORMS;
            struct figure_style style = make_style(form);
            style.dpi = 200;
            make_pair(&pair, kind, label, form);
            struct picture picture = picture_open(&pair.figure, &style, NULL, 0);
            if (forms[form].width_mm > 0)
                assert_int_equal(picture.width, lround(forms[form].width_mm / 25.4 * 200));
            if (forms[form].height_mm > 0)
                assert_int_equal(picture.height, lround(forms[form].height_mm / 25.4 * 200));
            picture_close(&picture);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pdf_is_as_the_layout_has_it),
        cmocka_unit_test(svg_is_read_by_others),
        cmocka_unit_test(png_has_the_size_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
