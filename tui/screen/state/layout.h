/* Where the parts of the screen are: computed from its size and from what is shown. */
#ifndef ATTNSCOPE_SCREEN_LAYOUT_H
#define ATTNSCOPE_SCREEN_LAYOUT_H

#include "tui/screen/canvas/canvas.h"
#include "tui/screen/frame/frame.h"

/* Parts of the screen; a part with 0 rows is not shown. */
struct layout {
    struct area header, source, target, reference, line[2], title, view, side, detail, keys, bottom;
    int compared; // of how many translations `target` has rows in turns: 2, 1 (the second); 0: no comparison
    struct area map; // the cells of the map of heads, inside `side`; set when the map is drawn
    int map_layer;   // the first layer in the map, 0-based
};

/* Column where the sentences' texts begin, after "source". */
enum { LAYOUT_TEXT_COLUMN = 9 };

/* Columns kept at the right of the texts for the score and the position in a test set, on screens that are wide
 * enough. */
enum { LAYOUT_ASIDE = 17, LAYOUT_LEAST_WITH_ASIDE = 60 };

/* The panel at the right of pictures. */
enum side_wish {
    SIDE_AUTO, // on wide screens; on others only beside a picture that is whole without its columns
    SIDE_SHOWN,
    SIDE_HIDDEN
};
enum { LAYOUT_LEAST_WITH_SIDE = 68 }; // columns of the screen

struct layout_wishes {
    int bottom_rows, detail_rows; // at least 1
    enum side_wish side;
};

/* Divides the canvas among the parts. Keeps map_layer; the map is empty until it is drawn. */
void layout_make(const struct frame *frame, const struct canvas *canvas,
                 const struct layout_wishes *wishes, struct layout *layout);

/* Lines of two translations one above the other, in that many columns. */
int layout_comparison_lines(const struct comparison *comparison, int columns);

/* Columns from one head to the next in a map of that width. */
int layout_head_columns(const struct area *area, const struct head_map *map);

/* The head of the map at (row, column) of the screen; false: there is none. */
bool layout_find_head(const struct layout *layout, const struct head_map *map, int row, int column,
                      int *layer, int *head);

#endif
