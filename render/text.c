#include "render/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pango/pangocairo.h>

#include "base/outlet.h"

/* Longer texts are cut before they are set, as the cost of setting grows faster than their
 * length. */
enum { CHARACTERS_MOST = 300 };

/* The language that selects letter forms and fonts: the locale's would make the same figure look
 * different elsewhere. */
#define LANGUAGE "en"
#define ELLIPSIS "\xe2\x80\xa6"

struct text {
    PangoContext *context;
    PangoLayout *layout;
    PangoFontDescription *font;
    double ascent, descent;         // of ordinary letters, as shares of the size
    struct figure_missing *missing; // NULL: not collected
};

/* Opening -------------------------------------------------------------------------------------- */

static bool family_exists(PangoFontMap *map, const char *family)
{
    PangoFontFamily **families;
    int count;
    bool found = false;
    pango_font_map_list_families(map, &families, &count);
    for (int i = 0; i < count && !found; i++)
        found = g_ascii_strcasecmp(pango_font_family_get_name(families[i]), family) == 0;
    g_free(families);
    return found;
}

/* True if a message of one line can repeat it. */
static bool is_readable(const char *name)
{
    if (!g_utf8_validate(name, -1, NULL))
        return false;
    while (*name && !g_unichar_iscntrl(g_utf8_get_char(name)))
        name = g_utf8_next_char(name);
    return !*name;
}

/* Letters keep their shape and width at every size: nothing is hinted to the pixels. */
static void set_options(PangoContext *context)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(context, options);
    cairo_font_options_destroy(options);
    pango_context_set_round_glyph_positions(context, FALSE);
}

static void measure_font(struct text *text)
{
    enum { SIZE = 1000 };
    pango_font_description_set_absolute_size(text->font, SIZE * PANGO_SCALE);
    PangoFontMetrics *metrics = pango_context_get_metrics(text->context, text->font, NULL);
    text->ascent = (double)pango_font_metrics_get_ascent(metrics) / PANGO_SCALE / SIZE;
    text->descent = (double)pango_font_metrics_get_descent(metrics) / PANGO_SCALE / SIZE;
    pango_font_metrics_unref(metrics);
}

static struct text *open_family(PangoFontMap *map, const char *family, struct status *status)
{
    const bool readable = is_readable(family);
    if (!readable || !family_exists(map, family)) {
        const char *const quote = readable ? "\"" : "";
        status_fail(status, STATUS_INVALID,
                    "font %s%s%s is not installed, expected a family that `fc-list : family` names",
                    quote, readable ? family : "with invalid UTF-8 or control characters", quote);
        return NULL;
    }
    struct text *text = memory_new(1, sizeof *text, status);
    if (!text)
        return NULL;
    text->context = pango_font_map_create_context(map);
    pango_context_set_language(text->context, pango_language_from_string(LANGUAGE));
    set_options(text->context);
    text->font = pango_font_description_new();
    pango_font_description_set_family(text->font, family);
    text->layout = pango_layout_new(text->context);
    pango_layout_set_single_paragraph_mode(text->layout, TRUE);
    measure_font(text);
    return text;
}

bool figure_language_settle(struct status *status)
{
    return (setenv("PANGO_LANGUAGE", LANGUAGE, 1) == 0 && setenv("FC_LANG", LANGUAGE, 1) == 0) ||
           status_no_memory(status);
}

bool figure_font_check(const char *family, struct status *status)
{
    struct text *text = text_open(family, status);
    text_close(text);
    return text != NULL;
}

struct text *text_open(const char *family, struct status *status)
{
    // pango's default map would keep every font that was ever used.
    PangoFontMap *map = pango_cairo_font_map_new();
    struct text *text = open_family(map, family, status);
    g_object_unref(map);
    return text;
}

void text_note_missing(struct text *text, struct figure_missing *missing)
{
    text->missing = missing;
}

void text_close(struct text *text)
{
    if (!text)
        return;
    g_object_unref(text->layout);
    g_object_unref(text->context);
    pango_font_description_free(text->font);
    free(text);
}

/* Cleaning ------------------------------------------------------------------------------------- */

static bool is_blank(gunichar character)
{
    return character == '\t' || character == '\n' || character == '\r' || character == 0x2028 ||
           character == 0x2029;
}

/* Limits the length of `text` to a little more than CHARACTERS_MOST characters can take (4 bytes
 * each). */
static size_t usable_length(const char *text)
{
    return strnlen(text, (size_t)CHARACTERS_MOST * 4 + 1);
}

/* Returns valid UTF-8 without barred characters, at most CHARACTERS_MOST of them. *cut: there were
 * more. Freed with g_free. */
static char *clean(const char *raw, bool *cut)
{
    char *valid = g_utf8_make_valid(raw, (gssize)usable_length(raw));
    GString *out = g_string_new(NULL);
    int count = 0;
    const char *at = valid;
    for (; *at && count < CHARACTERS_MOST; at = g_utf8_next_char(at)) {
        gunichar character = g_utf8_get_char(at);
        if (is_blank(character))
            g_string_append_c(out, ' ');
        else if (outlet_bars(OUTLET_SHOWN, character))
            g_string_append(out, REPLACEMENT);
        else
            g_string_append_unichar(out, character);
        count++;
    }
    *cut = *at != '\0';
    g_free(valid);
    return g_string_free(out, FALSE);
}

/* Setting -------------------------------------------------------------------------------------- */

static PangoLayoutLine *set_line(struct text *text, const char *string, double size)
{
    pango_font_description_set_absolute_size(text->font, size * PANGO_SCALE);
    pango_layout_set_font_description(text->layout, text->font);
    pango_layout_set_text(text->layout, string, -1);
    return pango_layout_get_line_readonly(text->layout, 0);
}

static double to_pixels(int units)
{
    return (double)units / PANGO_SCALE;
}

/* Measures ink and advance together; limits the height to twice the usual. */
static void measure(struct text *text, const char *string, double size, struct text_line *line)
{
    PangoRectangle ink, logical;
    pango_layout_line_get_extents(set_line(text, string, size), &ink, &logical);
    int left = MIN(ink.x, logical.x), top = MIN(ink.y, logical.y);
    int right = MAX(ink.x + ink.width, logical.x + logical.width);
    int bottom = MAX(ink.y + ink.height, logical.y + logical.height);
    double ascent = to_pixels(-top), descent = to_pixels(bottom);
    line->text = NULL;
    line->left = to_pixels(-left);
    line->width = to_pixels(right - left);
    line->ascent = fmin(ascent, 2 * text->ascent * size);
    line->descent = fmin(descent, 2 * text->descent * size);
    line->clip = line->ascent < ascent || line->descent < descent;
}

/* Counts the bytes of the first `graphemes` graphemes of `string`. */
static size_t grapheme_prefix(struct text *text, const char *string, double size, int graphemes)
{
    set_line(text, string, size);
    int count;
    const PangoLogAttr *attributes = pango_layout_get_log_attrs_readonly(text->layout, &count);
    const char *at = string;
    for (int i = 0; i < count && *at; i++, at = g_utf8_next_char(at))
        if (attributes[i].is_cursor_position && graphemes-- == 0)
            break;
    return (size_t)(at - string);
}

/* Returns the first `graphemes` graphemes and an ellipsis, freed with g_free. */
static char *shortened(struct text *text, const char *string, double size, int graphemes)
{
    size_t length = grapheme_prefix(text, string, size, graphemes);
    while (length > 0 && string[length - 1] == ' ')
        length--;
    return g_strdup_printf("%.*s" ELLIPSIS, (int)length, string);
}

static bool fits(struct text *text, const char *string, double size, double most)
{
    struct text_line line;
    measure(text, string, size, &line);
    return line.width <= most;
}

/* Returns as much of the string as fits. Takes the string. */
static char *shorten(struct text *text, char *string, double size, double most)
{
    int fit = 0, over = CHARACTERS_MOST; // if nothing fits, 0 graphemes are taken
    while (over - fit > 1) {
        int middle = (fit + over) / 2;
        char *candidate = shortened(text, string, size, middle);
        if (fits(text, candidate, size, most))
            fit = middle;
        else
            over = middle;
        g_free(candidate);
    }
    char *result = shortened(text, string, size, fit);
    g_free(string);
    return result;
}

static void add_missing(struct figure_missing *missing, unsigned character)
{
    for (int i = 0; i < missing->count; i++)
        if (missing->characters[i] == character)
            return;
    if (missing->count < FIGURE_MISSING_MOST)
        missing->characters[missing->count++] = character;
    else
        missing->more = true;
}

static void find_missing(struct text *text, const char *string, double size)
{
    const PangoLayoutLine *line = set_line(text, string, size);
    if (!text->missing || !pango_layout_get_unknown_glyphs_count(text->layout))
        return;
    for (const GSList *run = line->runs; run; run = run->next) {
        const PangoGlyphString *glyphs = ((const PangoGlyphItem *)run->data)->glyphs;
        for (int i = 0; i < glyphs->num_glyphs; i++) {
            PangoGlyph glyph = glyphs->glyphs[i].glyph;
            if (glyph != PANGO_GLYPH_INVALID_INPUT && (glyph & PANGO_GLYPH_UNKNOWN_FLAG))
                add_missing(text->missing, glyph & ~PANGO_GLYPH_UNKNOWN_FLAG);
        }
    }
}

static bool set(void *context, const char *raw, double size, double most, struct text_line *line,
                struct status *status)
{
    struct text *text = context;
    *line = (struct text_line){0};
    if (!raw || !*raw)
        return true;
    bool cut;
    char *string = clean(raw, &cut);
    if (cut || !fits(text, string, size, most))
        string = shorten(text, string, size, most);
    bool ok = true;
    struct text_line measured;
    measure(text, string, size, &measured);
    if (measured.width > 0 && measured.width <= most) { // 0: only marks of direction
        measured.text = memory_new(strlen(string) + 1, 1, status);
        ok = measured.text != NULL;
        *line = ok ? measured : *line;
    }
    if (line->text) {
        strcpy(line->text, string);
        find_missing(text, string, size);
    }
    g_free(string);
    return ok;
}

struct typesetter text_typesetter(struct text *text)
{
    return (struct typesetter){text, set, text->ascent, text->descent};
}

/* Describing ----------------------------------------------------------------------------------- */

static void add_family(const char *family, char *list, size_t size)
{
    char quoted[100];
    size_t used = strlen(list);
    if (strpbrk(family, "'\"<>&"))
        return;
    snprintf(quoted, sizeof quoted, "'%s'", family);
    if (!strstr(list, quoted) && used + strlen(quoted) + 3 < size)
        snprintf(list + used, size - used, "%s%s", used ? ", " : "", quoted);
}

void text_look(struct text *text, const struct placed_text *placed, struct text_look *look)
{
    PangoRectangle logical;
    PangoLayoutLine *line = set_line(text, placed->line.text, placed->size);
    pango_layout_line_get_extents(line, NULL, &logical);
    look->advance = to_pixels(logical.width);
    look->leftwards = line->resolved_dir == PANGO_DIRECTION_RTL;
    look->families[0] = '\0';
    add_family(pango_font_description_get_family(text->font), look->families,
               sizeof look->families);
    for (const GSList *run = line->runs; run; run = run->next) {
        const PangoGlyphItem *glyphs = run->data;
        PangoFontDescription *font = pango_font_describe(glyphs->item->analysis.font);
        add_family(pango_font_description_get_family(font), look->families, sizeof look->families);
        pango_font_description_free(font);
    }
}

/* Drawing -------------------------------------------------------------------------------------- */

void text_draw(struct text *text, cairo_t *cairo, const struct placed_text *placed)
{
    cairo_save(cairo);
    if (placed->line.clip) {
        cairo_rectangle(cairo, placed->box.x, placed->box.y, placed->box.width, placed->box.height);
        cairo_clip(cairo);
    }
    cairo_move_to(cairo, placed->x, placed->y);
    if (placed->upright)
        cairo_rotate(cairo, -G_PI / 2);
    pango_cairo_show_layout_line(cairo, set_line(text, placed->line.text, placed->size));
    cairo_restore(cairo);
}
