#include "render/figure.h"

#include <cairo.h>

#include "render/check.h"
#include "render/draw.h"
#include "render/layout.h"
#include "render/png_file.h"
#include "render/text.h"

struct figure_style figure_style_default(void)
{
    return (struct figure_style){
        .cell_mm = 4, .panel_mm = 18, .dpi = 300, .font = "DejaVu Sans", .font_pt = 8};
}

static bool proceed(const struct figure_watch *watch, double share, struct status *status)
{
    return !watch || watch->proceed(watch->context, share) ||
           status_fail(status, STATUS_CANCELLED, "interrupted");
}

/* Many labels take a while: someone is asked before each. */
struct watched_typesetter {
    struct typesetter inner;
    const struct figure_watch *watch;
};

static bool set_watched(void *context, const char *text, double size, double most,
                        struct text_line *line, struct status *status)
{
    const struct watched_typesetter *typesetter = context;
    return proceed(typesetter->watch, 0, status) &&
           typesetter->inner.set(typesetter->inner.context, text, size, most, line, status);
}

static struct typesetter watch_typesetter(struct watched_typesetter *typesetter)
{
    return (struct typesetter){typesetter, set_watched, typesetter->inner.ascent,
                               typesetter->inner.descent};
}

/* Some rows of the page, drawn when the first of them is asked for: few enough to stay in a core's cache
 * until they are packed. A whole page takes longer to get from the system than to draw. */
struct band {
    const struct figure *figure;
    const struct layout *layout;
    struct text *text;
    const struct figure_watch *watch;
    cairo_surface_t *surface;
    int rows, begin; // begin: the first of them
};

static double band_share(const struct band *band)
{
    return (double)band->begin / band->layout->height;
}

static bool band_proceed(void *context, double unused)
{
    const struct band *band = context;
    (void)unused;
    return band->watch->proceed(band->watch->context, band_share(band));
}

static bool draw_band(struct band *band, struct status *status)
{
    if (!proceed(band->watch, band_share(band), status))
        return false;
    struct figure_watch watch = {band_proceed, band};
    cairo_t *cairo = cairo_create(band->surface);
    cairo_translate(cairo, 0, -band->begin);
    bool whole =
        draw_figure(cairo, band->figure, band->layout, band->text, band->watch ? &watch : NULL);
    cairo_status_t drawn = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_flush(band->surface);
    if (!whole)
        return status_fail(status, STATUS_CANCELLED, "interrupted");
    return drawn == CAIRO_STATUS_SUCCESS ||
           status_fail(status, STATUS_MEMORY, "cannot draw %d x %d pixels: %s", band->layout->width,
                       band->layout->height, cairo_status_to_string(drawn));
}

static const uint32_t *band_row(void *context, int y, struct status *status)
{
    struct band *band = context;
    if (y % band->rows == 0) {
        band->begin = y;
        if (!draw_band(band, status))
            return NULL;
    }
    const unsigned char *pixels = cairo_image_surface_get_data(band->surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(band->surface);
    return (const uint32_t *)(pixels + (size_t)(y % band->rows) * stride);
}

static bool write_layout(const struct figure *figure, const struct layout *layout,
                         struct text *text, const struct figure_style *style,
                         const struct figure_note *notes, int note_count, FILE *file,
                         struct status *status)
{
    enum { BAND_PIXELS = 1 << 18 };
    struct band band = {figure, layout, text, style->watch, NULL, BAND_PIXELS / layout->width, 0};
    band.surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, layout->width, band.rows);
    struct page page = {layout->width, layout->height, style->dpi, band_row, &band};
    bool ok = png_file_write(&page, notes, note_count, file, status);
    cairo_surface_destroy(band.surface);
    return ok;
}

bool figure_write_png(const struct figure *figure, const struct figure_style *style,
                      const struct figure_note *notes, int note_count, FILE *file,
                      struct status *status)
{
    if (!figure_check(figure, style, status) || !notes_check(notes, note_count, status))
        return false;
    struct text *text = text_open(style->font, status);
    if (!text)
        return false;
    struct watched_typesetter watched = {text_typesetter(text), style->watch};
    struct typesetter typesetter = watch_typesetter(&watched);
    struct layout *layout = layout_open(figure, style, &typesetter, status);
    bool ok = layout && write_layout(figure, layout, text, style, notes, note_count, file, status);
    layout_close(layout);
    text_close(text);
    return ok;
}
