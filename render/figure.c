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

static bool write_surface(cairo_surface_t *surface, int dpi, const struct figure_note *notes,
                          int note_count, FILE *file, struct status *status)
{
    cairo_surface_flush(surface);
    struct page page = {.width = cairo_image_surface_get_width(surface),
                        .height = cairo_image_surface_get_height(surface),
                        .dpi = dpi,
                        .pixels = cairo_image_surface_get_data(surface),
                        .stride = cairo_image_surface_get_stride(surface)};
    return png_file_write(&page, notes, note_count, file, status);
}

static bool write_layout(const struct figure *figure, const struct layout *layout,
                         struct text *text, int dpi, const struct figure_note *notes,
                         int note_count, FILE *file, struct status *status)
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, layout->width, layout->height);
    cairo_t *cairo = cairo_create(surface);
    draw_figure(cairo, figure, layout, text);
    cairo_status_t drawn = cairo_status(cairo);
    cairo_destroy(cairo);
    bool ok = drawn == CAIRO_STATUS_SUCCESS
                  ? write_surface(surface, dpi, notes, note_count, file, status)
                  : status_fail(status, STATUS_MEMORY, "cannot draw %d x %d pixels: %s",
                                layout->width, layout->height, cairo_status_to_string(drawn));
    cairo_surface_destroy(surface);
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
