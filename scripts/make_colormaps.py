#!/usr/bin/env python3
"""Prints render/colormap_tables.c from the maps of matplotlib (pip install matplotlib)."""
import matplotlib
import numpy

HEADER = """/* Made by scripts/make_colormaps.py from matplotlib; 256 colours each, 0xRRGGBB, channels rounded.
 *
 * viridis, magma: Nathaniel J. Smith, Stefan van der Walt and (viridis) Eric Firing, CC0.
 * cividis: Jamie R. Nunez, Christopher R. Anderton and Ryan S. Renslow, PLoS ONE 13(7), 2018.
 * blues, bluered: matplotlib's Blues and RdBu_r. This product includes color specifications and
 * designs developed by Cynthia Brewer (http://colorbrewer.org/), Apache License 2.0.
 * grey: 255 - i.
 */
#include "render/colormap_tables.h"
"""
MAPS = [("viridis", "viridis"), ("magma", "magma"), ("cividis", "cividis"),
        ("blues", "Blues"), ("grey", "gray_r"), ("bluered", "RdBu_r")]
SIZE, PER_LINE = 256, 9


def table(name):
    """Returns the map's colours as integers."""
    colours = matplotlib.colormaps[name](numpy.arange(SIZE))[:, :3]
    red, green, blue = numpy.rint(colours * 255).astype(int).T
    return red << 16 | green << 8 | blue


print(HEADER)
for index, (ours, theirs) in enumerate(MAPS):
    print(f"const uint32_t colormap_{ours}[COLORMAP_SIZE] = {{")
    colours = [f"0x{colour:06x}" for colour in table(theirs)]
    for first in range(0, SIZE, PER_LINE):
        print("    " + ", ".join(colours[first:first + PER_LINE]) + ",")
    print("};" + ("\n" if index + 1 < len(MAPS) else ""))
