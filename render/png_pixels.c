#include "render/png_file.h"

#include <stdlib.h>

#include <png.h>

enum { MOST_PIXELS = 1 << 26 };

static bool begin(png_image *image, const void *png, size_t bytes, struct status *status)
{
    *image = (png_image){.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(image, png, bytes))
        return status_fail(status, STATUS_INVALID, "the picture: %s", image->message);
    if ((uint64_t)image->width * image->height <= MOST_PIXELS)
        return true;
    status_fail(status, STATUS_INVALID,
                "the picture has %u x %u pixels, too many to be shown: try a smaller figure.dpi",
                image->width, image->height);
    png_image_free(image);
    return false;
}

bool pixels_size(struct pixels *pixels, const void *png, size_t bytes, struct status *status)
{
    png_image image;
    if (!begin(&image, png, bytes, status))
        return false;
    *pixels = (struct pixels){.width = (int)image.width, .height = (int)image.height};
    png_image_free(&image);
    return true;
}

bool pixels_read(struct pixels *pixels, const void *png, size_t bytes, struct status *status)
{
    png_image image;
    if (!begin(&image, png, bytes, status))
        return false;
    *pixels = (struct pixels){.width = (int)image.width, .height = (int)image.height};
    image.format = PNG_FORMAT_RGBA;
    pixels->values = malloc(PNG_IMAGE_SIZE(image));
    bool ok = pixels->values || status_no_memory(status);
    if (ok && !png_image_finish_read(&image, NULL, pixels->values, 0, NULL))
        ok = status_fail(status, STATUS_INVALID, "the picture: %s", image.message);
    png_image_free(&image);
    if (!ok)
        pixels_free(pixels);
    return ok;
}

void pixels_free(struct pixels *pixels)
{
    free(pixels->values);
    *pixels = (struct pixels){0};
}
