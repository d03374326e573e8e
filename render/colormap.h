/* Colour maps: numbers as colours, identical on paper and on screen.
 *
 * A map is a table of COLORMAP_SIZE colours in 8-bit sRGB. A number t in [0, 1] has the colour
 *     colours[min(255, floor(256 t))]
 * computed in double; t below 0 has the first colour, t above 1 the last. Software that reads a
 * pixel can recover the entry, and so t to within 1/256.
 *
 * The maps are constants; no function fails.
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
    bool diverging;          // its middle colour means 0: for differences
    const uint32_t *colours; // (COLORMAP_SIZE), 0xRRGGBB
};

/* All maps; the first is the default; a NULL name ends the table. */
extern const struct colormap colormap_table[];
extern const int colormap_count;

/* Finds a map by name, or returns NULL. Names: viridis, magma, cividis, blues, grey (0 is white),
 * bluered (diverging: blue below the middle, white, red above). */
const struct colormap *colormap_find(const char *name);

/* The colour of t. NaN has the first colour; callers mark missing values themselves. */
struct rgb colormap_colour(const struct colormap *map, double t);

/* t of a value on a scale from least to most (least < most): (value - least) / (most - least). */
double colormap_position(double value, double least, double most);

#endif
