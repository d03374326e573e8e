/* Small heatmaps of all heads on the screen. */
#include <math.h>

#include "tests/support/test.h"
#include "tests/tui/screen/screen_cells.h"

enum { WRONG_BYTES = 400 };

/* Where a small heatmap is drawn: its name at row, column; its cells below. */
struct place {
    bool seen;
    int row, column;
};

struct overview {
    const struct stage *stage;
    struct matrix *heads; // (count)
    int layers, per_layer;
    double most;
    char *wrong;
};

static struct place find_place(const struct tmux_screen *screen, int layer, int head)
{
    char name[48];
    struct place place = {.row = 4};
    snprintf(name, sizeof name, " %d.%d ", layer + 1, head + 1);
    place.seen = tmux_find(screen, name, &place.row, &place.column);
    place.column++;
    return place;
}

/* Returns the rows until the next line of heads, or as many as there can be. */
static int cells_down(const struct overview *overview, const struct tmux_screen *screen,
                      struct place place)
{
    // Below the view: what was typed, the value, the keys, a line, as far as there is room for
    // them.
    int lines = overview->stage->rows >= 16 ? 4 : overview->stage->rows >= 13 ? 3 : 2;
    int end = overview->stage->rows - lines;
    for (int i = 0; i < overview->layers * overview->per_layer; i++) {
        struct place other = find_place(screen, i / overview->per_layer, i % overview->per_layer);
        if (other.seen && other.row > place.row && other.row < end)
            end = other.row;
    }
    return end - place.row - 1;
}

/* Returns the columns until the next head on the same line, or until the panel at the right, which
 * overviews have only on wide screens. */
static int columns_across(const struct overview *overview, const struct tmux_screen *screen,
                          struct place place)
{
    int end = overview->stage->columns - (overview->stage->columns >= 100 ? 30 : 0);
    for (int i = 0; i < overview->layers * overview->per_layer; i++) {
        struct place other = find_place(screen, i / overview->per_layer, i % overview->per_layer);
        if (other.seen && other.row == place.row && other.column > place.column &&
            other.column - 1 < end)
            end = other.column - 1;
    }
    return end - place.column;
}

/* Every cell is where its share of the filled rows and columns begins. */
static bool shows_cells(const struct overview *overview, const struct tmux_screen *screen,
                        const struct matrix *matrix, struct place place, int down, int across)
{
    int rows = 0, columns = 0;
    while (rows < down &&
           stage_strength(overview->stage, screen, place.row + 1 + rows, place.column) >= 0)
        rows++;
    while (columns < across &&
           stage_strength(overview->stage, screen, place.row + 1, place.column + columns) >= 0)
        columns++;
    if (rows < matrix->rows || columns < matrix->columns)
        return false;
    for (int r = 0; r < matrix->rows; r++)
        for (int c = 0; c < matrix->columns; c++) {
            double value = matrix->values[r * matrix->columns + c];
            int row = (r * rows + matrix->rows - 1) / matrix->rows;
            int column = (c * columns + matrix->columns - 1) / matrix->columns;
            if (stage_strength(overview->stage, screen, place.row + 1 + row,
                               place.column + column) !=
                stage_strength_of(overview->stage, value / overview->most))
                return false;
        }
    return true;
}

/* Checks all cells if there is room for them; otherwise a single strong one must still be
 * visible. */
static bool shows_head(const struct overview *overview, const struct tmux_screen *screen, int layer,
                       int head, struct place place)
{
    const struct matrix *matrix = &overview->heads[layer * overview->per_layer + head];
    const struct stage *stage = overview->stage;
    int down = cells_down(overview, screen, place);
    int across = columns_across(overview, screen, place), strongest = -1;
    int wanted = stage_strength_of(stage, matrix->most / overview->most);
    bool found = false;
    for (int r = 0; r < down; r++)
        for (int c = 0; c < across; c++) {
            int is = stage_strength(stage, screen, place.row + 1 + r, place.column + c);
            strongest = is > strongest ? is : strongest;
            found |= is == wanted;
        }
    snprintf(overview->wrong, WRONG_BYTES, "head %d.%d: strength %d in %d by %d, strongest %d",
             layer + 1, head + 1, wanted, down, across, strongest);
    if (!found || (stage->depth != SCREEN_256 && strongest != wanted))
        return false;
    snprintf(overview->wrong, WRONG_BYTES, "the cells of head %d.%d", layer + 1, head + 1);
    return stage->depth != SCREEN_TRUE || down < matrix->rows || across < matrix->columns ||
           shows_cells(overview, screen, matrix, place, down, across);
}

static bool shows_overview(const struct tmux_screen *screen, const void *context)
{
    const struct overview *overview = context;
    for (int layer = 0; layer < overview->layers; layer++)
        for (int head = 0; head < overview->per_layer; head++) {
            const struct matrix *matrix = &overview->heads[layer * overview->per_layer + head];
            struct place place = find_place(screen, layer, head);
            char title[48];
            snprintf(title, sizeof title, "%d.%d %.2f", layer + 1, head + 1, matrix->most);
            snprintf(overview->wrong, WRONG_BYTES, "%s", title);
            if (!place.seen || strncmp(tmux_row(screen, place.row, place.column, screen->columns),
                                       title, strlen(title)) != 0)
                return false;
            if (!shows_head(overview, screen, layer, head, place))
                return false;
        }
    return true;
}

void stage_check_overview(const struct stage *stage, const json_t *object)
{
    const json_t *layers = json_object_get(object, "weights");
    char wrong[WRONG_BYTES] = "";
    struct overview overview = {.stage = stage, .wrong = wrong};
    overview.layers = (int)json_array_size(layers);
    overview.per_layer = (int)json_array_size(json_array_get(layers, 0));
    int count = overview.layers * overview.per_layer;
    overview.heads = calloc((size_t)count, sizeof *overview.heads);
    assert_non_null(overview.heads);
    for (int i = 0; i < count; i++) {
        overview.heads[i] = matrix_make(
            json_array_get(json_array_get(layers, i / overview.per_layer), i % overview.per_layer),
            json_object_get(object, "rows"), json_object_get(object, "columns"));
        overview.most = fmax(overview.most, overview.heads[i].most);
    }
    tmux_expect_that(&stage->tmux, shows_overview, &overview, wrong);
    for (int i = 0; i < count; i++)
        matrix_free(&overview.heads[i]);
    free(overview.heads);
}
