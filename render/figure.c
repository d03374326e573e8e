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

/* Some rows of the page, drawn when the first of them is asked for: few enough to stay in a core's cache
 * until they are packed. A whole page takes longer to get from the system than to draw. */
struct band {
    const struct figure *figure;
    const struct layout *layout;
    struct text *text;
    cairo_surface_t *surface;
    int rows;
};

static bool draw_band(const struct band *band, int begin, struct status *status)
{
    cairo_t *cairo = cairo_create(band->surface);
    cairo_translate(cairo, 0, -begin);
    draw_figure(cairo, band->figure, band->layout, band->text);
    cairo_status_t drawn = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_flush(band->surface);
    return drawn == CAIRO_STATUS_SUCCESS ||
           status_fail(status, STATUS_MEMORY, "cannot draw %d x %d pixels: %s", band->layout->width,
                       band->layout->height, cairo_status_to_string(drawn));
}

static const uint32_t *band_row(void *context, int y, struct status *status)
{
    const struct band *band = context;
    if (y % band->rows == 0 && !draw_band(band, y, status))
        return NULL;
    const unsigned char *pixels = cairo_image_surface_get_data(band->surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(band->surface);
    return (const uint32_t *)(pixels + (size_t)(y % band->rows) * stride);
}

static bool write_layout(const struct figure *figure, const struct layout *layout,
                         struct text *text, int dpi, const struct figure_note *notes,
                         int note_count, FILE *file, struct status *status)
{
    enum { BAND_PIXELS = 1 << 18 };
    struct band band = {figure, layout, text, NULL, BAND_PIXELS / layout->width};
    band.surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, layout->width, band.rows);
    struct page page = {layout->width, layout->height, dpi, band_row, &band};
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
    struct typesetter typesetter = text_typesetter(text);
    struct layout *layout = layout_open(figure, style, &typesetter, status);
    bool ok =
        layout && write_layout(figure, layout, text, style->dpi, notes, note_count, file, status);
    layout_close(layout);
    text_close(text);
    return ok;
}
