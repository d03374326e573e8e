#include "tests/render/picture_support.h"
#include "tests/support/test.h"

#include <math.h>
#include <unistd.h>

#include "tests/report/output/export_support.h"

char *output_of(const char *format, ...)
{
    char command[1000], *text = NULL;
    size_t size, count;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    FILE *pipe = popen(command, "r"), *out = open_memstream(&text, &size);
    char buffer[65536];
    while ((count = fread(buffer, 1, sizeof buffer, pipe)) > 0)
        fwrite(buffer, 1, count, out);
    fclose(out);
    if (pclose(pipe) != 0)
        fail_msg("\"%s\" failed", command);
    if (size && text[size - 1] == '\n')
        text[size - 1] = '\0';
    return text;
}

/* Pictures ------------------------------------------------------------------------------------- */

struct picture read_picture(const char *name)
{
    struct picture picture;
    char *size = output_of("identify -format '%%w %%h' %s", export_path(name));
    assert_int_equal(sscanf(size, "%d %d", &picture.width, &picture.height), 2);
    free(size);
    picture.pixels =
        (struct rgb *)output_of("convert %s -depth 8 rgb:- && echo", export_path(name));
    unlink(export_path(name));
    return picture;
}

struct rgb pixel_at(const struct picture *picture, int x, int y)
{
    return picture->pixels[(size_t)y * picture->width + x];
}

static bool is_black(struct rgb pixel)
{
    return pixel.red == 0 && pixel.green == 0 && pixel.blue == 0;
}

/* Returns the length of the black run that begins at a pixel, to the right or downwards. */
static int run_of(const struct picture *picture, int x, int y, int dx, int dy)
{
    int length = 0;
    while (x < picture->width && y < picture->height && is_black(pixel_at(picture, x, y))) {
        x += dx;
        y += dy;
        length++;
    }
    return length;
}

/* A frame is a rectangle of black lines longer than any letter, found by its top left corner. From
 * left to right, then downwards; colour bars have a frame too, but narrow. */
int find_frames(const struct picture *picture, int least, struct frame *frames, int most)
{
    int count = 0;
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++) {
            if (!is_black(pixel_at(picture, x, y)) ||
                (x > 0 && is_black(pixel_at(picture, x - 1, y))) ||
                (y > 0 && is_black(pixel_at(picture, x, y - 1))))
                continue;
            int across = run_of(picture, x, y, 1, 0), down = run_of(picture, x, y, 0, 1);
            if (across < least || down < least)
                continue;
            int line = 0;
            while (is_black(pixel_at(picture, x + line, y + line)))
                line++;
            assert_true(count < most);
            frames[count++] =
                (struct frame){x + line, y + line, x + across - line, y + down - line};
        }
    return count;
}

bool same_colour(struct rgb a, struct rgb b)
{
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

void check_cells(const struct picture *picture, const struct frame *frame, const char *map_name,
                 const float *values, int rows, int columns, double least, double most)
{
    const struct colormap *map = colormap_find(map_name);
    double width = (double)(frame->right - frame->left) / columns;
    double height = (double)(frame->bottom - frame->top) / rows;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            struct rgb is = pixel_at(picture, frame->left + (int)((c + 0.5) * width),
                                     frame->top + (int)((r + 0.5) * height));
            double t = (values[(size_t)r * columns + c] - least) / (most - least);
            // Rounding may put a weight between two colours on either side.
            if (!same_colour(is, colormap_colour(map, t - 1e-6)) &&
                !same_colour(is, colormap_colour(map, t + 1e-6)))
                fail_msg("%s: cell %d, %d of value %g is #%02x%02x%02x", map_name, r, c,
                         values[(size_t)r * columns + c], is.red, is.green, is.blue);
        }
}

/* Notes ---------------------------------------------------------------------------------------- */

/* Parses chunks by the PNG specification. */
char *note_of(const char *content, size_t bytes, const char *key)
{
    char *found = NULL;
    const unsigned char *chunk = (const unsigned char *)content + 8;
    while (!found && memcmp(chunk + 4, "IEND", 4) != 0) {
        size_t length = (size_t)chunk[0] << 24 | chunk[1] << 16 | chunk[2] << 8 | chunk[3];
        const char *data = (const char *)chunk + 8, *text = data + strlen(data) + 1;
        bool international = memcmp(chunk + 4, "iTXt", 4) == 0;
        if (international) {
            assert_true(text[0] == 0 && text[1] == 0); // not compressed
            text += 2;                                 // then come language and translated key
            text += strlen(text) + 1;
            text += strlen(text) + 1;
        }
        if ((international || memcmp(chunk + 4, "tEXt", 4) == 0) && strcmp(data, key) == 0)
            found = strndup(text, data + length - text);
        chunk += 12 + length;
        assert_true((size_t)((const char *)chunk - content) < bytes);
    }
    if (!found)
        fail_msg("no note \"%s\"", key);
    return found;
}
