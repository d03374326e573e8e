/* The colours of the maps in render/colormap.h, which is what others include. */
#ifndef ATTNSCOPE_COLORMAP_TABLES_H
#define ATTNSCOPE_COLORMAP_TABLES_H

#include <stdint.h>

#include "render/colormap.h"

extern const uint32_t colormap_viridis[COLORMAP_SIZE], colormap_magma[COLORMAP_SIZE],
    colormap_cividis[COLORMAP_SIZE], colormap_blues[COLORMAP_SIZE], colormap_grey[COLORMAP_SIZE],
    colormap_bluered[COLORMAP_SIZE];

#endif
