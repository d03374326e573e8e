/* A figure on its way into a file: checked, laid out, drawn in a format. */
#include "render/check.h"
#include "render/figure.h"
#include "render/output.h"

struct figure_style figure_style_default(void)
{
    return (struct figure_style){
        .cell_mm = 4, .panel_mm = 18, .dpi = 300, .font = "DejaVu Sans", .font_pt = 8};
}

/* Many labels take a while: someone is asked before each. */
struct watched_typesetter {
    struct typesetter inner;
    const struct watch *watch;
};

static bool set_watched(void *context, const char *text, double size, double most,
                        struct text_line *line, struct status *status)
{
    const struct watched_typesetter *typesetter = context;
    return output_proceed(typesetter->watch, 0, status) &&
           typesetter->inner.set(typesetter->inner.context, text, size, most, line, status);
}

static struct typesetter watch_typesetter(struct watched_typesetter *typesetter)
{
    return (struct typesetter){typesetter, set_watched, typesetter->inner.ascent,
                               typesetter->inner.descent};
}

static const struct {
    bool (*write)(const struct output *output, struct status *status);
    bool pixels;
} formats[] = {
    [FIGURE_PNG] = {output_png, true},
    [FIGURE_PDF] = {output_pdf, false},
    [FIGURE_SVG] = {output_svg, false},
};

bool figure_write(const struct figure *figure, const struct figure_style *given,
                  enum figure_format format, const struct figure_note *notes, int note_count,
                  FILE *file, struct status *status)
{
    bool pixels = formats[format].pixels;
    if (!figure_check(figure, given, status) || (!pixels && !figure_check_cells(figure, status)) ||
        !notes_check(notes, note_count, status))
        return false;
    struct figure_style style = *given;
    style.dpi = pixels ? style.dpi : VECTOR_DPI;
    struct text *text = text_open(style.font, status);
    if (!text)
        return false;
    text_note_missing(text, style.missing);
    struct watched_typesetter watched = {text_typesetter(text), style.watch};
    struct typesetter typesetter = watch_typesetter(&watched);
    struct layout *layout =
        layout_open(figure, &style, pixels ? &pixel_limits : &point_limits, &typesetter, status);
    struct output output = {figure, &style, layout, text, notes, note_count, file};
    bool ok = layout && formats[format].write(&output, status);
    layout_close(layout);
    text_close(text);
    return ok;
}
