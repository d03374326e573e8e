#include <cairo.h>

#include "render/draw.h"
#include "render/output.h"
#include "render/png_file.h"

/* Some rows of the page, drawn when the first of them is needed. They are few enough to stay in a
 * core's cache until they are packed: allocating a whole page takes longer than drawing it. */
struct band {
    const struct figure_output *output;
    cairo_surface_t *surface;
    int rows, begin; // begin: the first row
};

static double band_share(const struct band *band)
{
    return (double)band->begin / band->output->layout->height;
}

static bool band_proceed(void *context, const struct work_progress *unused)
{
    const struct band *band = context;
    struct status status;
    (void)unused;
    return output_proceed(band->output->style->watch, band_share(band), &status);
}

static bool draw_band(struct band *band, struct status *status)
{
    const struct figure_output *output = band->output;
    const struct figure_layout *layout = output->layout;
    if (!output_proceed(output->style->watch, band_share(band), status))
        return false;
    struct watch watch = {band_proceed, band};
    cairo_t *cairo = cairo_create(band->surface);
    cairo_translate(cairo, 0, -band->begin);
    bool whole = draw_figure(cairo, output->figure, layout, output->text,
                             output->style->watch ? &watch : NULL);
    cairo_status_t drawn = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_flush(band->surface);
    if (!whole)
        return status_fail(status, STATUS_CANCELLED, "interrupted");
    return drawn == CAIRO_STATUS_SUCCESS ||
           status_fail(status, STATUS_MEMORY, "cannot draw %d x %d pixels: %s", layout->width,
                       layout->height, cairo_status_to_string(drawn));
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

bool output_png(const struct figure_output *output, struct status *status)
{
    enum { BAND_PIXELS = 1 << 18 };
    const struct figure_layout *layout = output->layout;
    struct band band = {.output = output, .rows = BAND_PIXELS / layout->width};
    band.surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, layout->width, band.rows);
    struct png_page page = {layout->width, layout->height, output->style->dpi, band_row, &band};
    bool ok = png_file_write(&page, output->notes, output->note_count, output->file, status);
    cairo_surface_destroy(band.surface);
    return ok;
}
