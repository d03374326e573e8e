#include "render/colormap.h"

#include <string.h>

#include "render/colormap_tables.h"
#include "render/figure.h"

const struct rgb figure_colours[FIGURE_COLOURS] = {{0x21, 0x66, 0xac}, {0xb2, 0x18, 0x2b},
                                                   {0x1b, 0x78, 0x37}, {0xe0, 0x82, 0x14},
                                                   {0x76, 0x2a, 0x83}, {0x4d, 0x4d, 0x4d}};

const struct colormap colormap_table[] = {
    {"viridis", false, colormap_viridis},
    {"magma", false, colormap_magma},
    {"cividis", false, colormap_cividis},
    {"blues", false, colormap_blues},
    {"grey", false, colormap_grey},
    {"bluered", true, colormap_bluered},
    {0},
};
const int colormap_count = sizeof colormap_table / sizeof *colormap_table - 1;

const struct colormap *colormap_find(const char *name)
{
    for (int i = 0; i < colormap_count; i++)
        if (strcmp(colormap_table[i].name, name) == 0)
            return &colormap_table[i];
    return NULL;
}

struct rgb colormap_colour(const struct colormap *map, double t)
{
    int index = t >= 1 ? COLORMAP_SIZE - 1 : t > 0 ? (int)(t * COLORMAP_SIZE) : 0;
    uint32_t colour = map->colours[index];
    return (struct rgb){(uint8_t)(colour >> 16), (uint8_t)(colour >> 8), (uint8_t)colour};
}

double colormap_position(double value, double least, double most)
{
    return (value - least) / (most - least);
}
