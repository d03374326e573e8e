/* What the files of picture.h share: a table of what each kind of picture does, and values on their scales. */
#ifndef ATTNSCOPE_PICTURE_PARTS_H
#define ATTNSCOPE_PICTURE_PARTS_H

#include "tui/screen/picture.h"

/* Called with a spot whose panel, row and column are inside the figure, and a panel that is no free place. */
struct picture_parts {
    void (*settle)(const struct picture *picture, struct area area, struct spot *spot); // top, left
    void (*draw)(const struct picture *picture, const struct look *look, struct canvas *canvas,
                 struct area area, const struct spot *spot, bool chosen); // spot is settled
    bool (*find)(const struct picture *picture, struct area area, const struct spot *spot, int row,
                 int column, struct spot *found);
};
extern const struct picture_parts picture_matrix, picture_grid, picture_plot;

/* `value` moved into least ... most; least where that is empty. */
int picture_clamp(int value, int least, int most);

/* The first that is seen of `count`, `seen` at once, so that `cursor` is among them: as near to `first`
 * as can be. */
int picture_scroll(int first, int cursor, int seen, int count);

const struct figure_matrix *picture_matrix_of(const struct picture *picture, int panel);
const struct colormap *picture_map(const struct picture *picture, int panel);
struct scale_range picture_range(const struct picture *picture, int panel);

/* Where a cell's value lies on its scale; NaN: no value. */
double picture_position(const struct picture *picture, int panel, int row, int column);

/* Whether `position` stands out more than `other` does; NaN does least. */
bool picture_stronger(const struct colormap *map, double position, double other);

/* Fills in the panel's tiles. */
bool picture_tiles(const struct picture *picture, int panel, struct status *status);

/* Rewrites the minus of scale.h where only ASCII may be shown. */
void picture_plain(const struct look *look, char *text);

/* A number of that scale: decimals as in figures, or two digits where they would hide it. */
void picture_number(const struct look *look, struct scale_range range, double value, char *text,
                    size_t size);

#endif
