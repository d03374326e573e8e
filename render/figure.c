#include "render/figure.h"

const struct rgb figure_colours[FIGURE_COLOURS] = {{0x21, 0x66, 0xac}, {0xb2, 0x18, 0x2b},
                                                   {0x1b, 0x78, 0x37}, {0xe0, 0x82, 0x14},
                                                   {0x76, 0x2a, 0x83}, {0x4d, 0x4d, 0x4d}};

struct figure_style figure_style_default(void)
{
    return (struct figure_style){
        .cell_mm = 4, .panel_mm = 18, .dpi = 300, .font = "DejaVu Sans", .font_pt = 8};
}
