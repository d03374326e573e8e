/* Values of a picture on their scales, and the arithmetic of scrolling: what all kinds of picture
 * use.
 *
 * Pure functions of a picture that picture_make has filled in.
 */
#ifndef ATTNSCOPE_PICTURE_VALUES_H
#define ATTNSCOPE_PICTURE_VALUES_H

#include "tui/screen/picture/picture.h"

/* `value` moved into [least, most]; least where most is smaller. */
int picture_clamp(int value, int least, int most);

/* The first visible of `count` items, of which `seen` fit at once: as near to `first` as keeps
 * `cursor` visible. */
int picture_scroll(int first, int cursor, int seen, int count);

const struct figure_matrix *picture_matrix_of(const struct picture *picture, int panel);
const struct colormap *picture_map(const struct picture *picture, int panel);
struct scale_range picture_range(const struct picture *picture, int panel);

/* Returns the position of a cell's value on its scale, in [0, 1]; NaN: no value. */
double picture_position(const struct picture *picture, int panel, int row, int column);

/* True if `position` stands out more than `other` on that map: it is greater, or on a diverging map
 * further from zero. NaN never does. */
bool picture_stronger(const struct colormap *map, double position, double other);

/* Replaces the minus sign of scale.h by "-" where the terminal takes ASCII only. */
void picture_plain(const struct screen_style *screen_style, char *text);

/* Writes a number of that scale: with the decimals of figures, or with two significant digits where
 * those decimals would show zeros only. */
void picture_number(const struct screen_style *screen_style, struct scale_range range, double value,
                    char *text, size_t size);

#endif
