/* The tiles of an overview (see struct picture). */
#ifndef ATTNSCOPE_PICTURE_TILES_H
#define ATTNSCOPE_PICTURE_TILES_H

#include "tui/screen/picture/picture.h"

/* Fills in the panel's tiles, which picture_free frees. Fails with STATUS_MEMORY only. */
bool picture_tiles(const struct picture *picture, int panel, struct status *status);

#endif
