/* Colour maps: numbers as colours, the same on paper and on the screen.
 *
 * A map is a table of COLORMAP_SIZE colours in 8-bit sRGB. A number t in [0, 1] has the colour
 *     colours[min(255, floor(256 t))]
 * computed in double; below 0 the first colour, above 1 the last. Other software that reads a pixel
 * can find the entry again, and with it t to 1/256.
 *
 * Constants; nothing is opened or freed, nothing fails.
 */
#ifndef ATTNSCOPE_COLORMAP_H
#define ATTNSCOPE_COLORMAP_H

#include <stdbool.h>
#include <stdint.h>

enum { COLORMAP_SIZE = 256 };

struct rgb {
    uint8_t red, green, blue;
};

struct colormap {
    const char *name;
    bool diverging;          // its middle colour stands for 0: for differences
    const uint32_t *colours; // (COLORMAP_SIZE), 0xRRGGBB
};

/* All maps; the first is the default, NULL names the end (a table of choices for a setting). */
extern const struct colormap colormap_table[];
extern const int colormap_count;

/* The map of that name, or NULL. Names: viridis, magma, cividis, blues, grey (0 is white), bluered
 * (diverging: blue below the middle, white, red above). */
const struct colormap *colormap_find(const char *name);

/* The colour of t; NaN has the first colour; callers mark missing values themselves. */
struct rgb colormap_colour(const struct colormap *map, double t);

/* t of a value on a scale from least to most (least < most): (value - least) / (most - least). */
double colormap_position(double value, double least, double most);

#endif
