#include "tests/tui/screen/scene_support.h"
#include "tests/support/test.h"

#include <math.h>

const struct screen_style truecolor = {DEPTH_TRUE, false};
const struct screen_style plain = {DEPTH_NONE, false};
const struct screen_style ascii = {DEPTH_NONE, true};

/* Scenes --------------------------------------------------------------------------------------- */

unsigned dice;

int roll(int count)
{
    dice = dice * 1664525u + 1013904223u;
    return (int)((dice >> 8) % (unsigned)count);
}

/* Returns values in [0, 1), some of them missing. */
static float *new_values(int rows, int columns)
{
    float *values = malloc(sizeof *values * (size_t)rows * (size_t)columns);
    assert_non_null(values);
    for (int i = 0; i < rows * columns; i++)
        values[i] = roll(50) == 0 ? NAN : (float)roll(10000) / 10000;
    return values;
}

void drawn_scene_open(struct scene *scene, int panel_rows, int panel_columns, int rows, int columns)
{
    *scene = (struct scene){.figure = {.rows = panel_rows,
                                       .columns = panel_columns,
                                       .panels = scene->panels,
                                       .scales = scene->scales,
                                       .scale_count = 2}};
    scene->scales[0] = (struct figure_scale){.map = colormap_find("viridis")};
    scene->scales[1] =
        (struct figure_scale){.map = colormap_find("bluered"), .range = RANGE_SYMMETRIC};
    for (int i = 0; i < panel_rows * panel_columns; i++) {
        scene->values[i] = new_values(rows, columns);
        scene->panels[i].kind = PANEL_MATRIX;
        scene->panels[i].matrix =
            (struct figure_matrix){.values = scene->values[i], .rows = rows, .columns = columns};
    }
}

void scene_make(struct scene *scene)
{
    struct status status = {0};
    picture_free(&scene->picture);
    assert_true(picture_make(&scene->picture, &scene->figure, &status));
}

void scene_draw(struct scene *scene, const struct screen_style *screen_style, int rows, int columns,
                bool chosen)
{
    struct status status = {0};
    scene->canvas.ascii = screen_style->ascii;
    assert_true(canvas_resize(&scene->canvas, rows, columns, &status));
    picture_draw(&scene->picture, screen_style, &scene->canvas, (struct area){0, 0, rows, columns},
                 &scene->cursor, chosen);
}

void drawn_scene_close(struct scene *scene)
{
    for (int i = 0; i < PANELS_MOST; i++)
        free(scene->values[i]);
    picture_free(&scene->picture);
    canvas_free(&scene->canvas);
}

const char *scene_text(const struct scene *scene, int row, int column)
{
    const struct cell *cell = canvas_cell(&scene->canvas, row, column);
    assert_non_null(cell);
    return cell->text;
}

struct style scene_style(const struct scene *scene, int row, int column)
{
    return canvas_cell(&scene->canvas, row, column)->style;
}

void scene_row(const struct scene *scene, int row, char text[4096])
{
    *text = '\0';
    for (int c = 0; c < scene->canvas.columns; c++)
        strcat(text, scene_text(scene, row, c));
}

/* Finds ASCII text; returns false if it is nowhere. */
bool scene_find(const struct scene *scene, const char *wanted, int *row, int *column)
{
    for (int r = 0; r < scene->canvas.rows; r++)
        for (int c = 0; c + (int)strlen(wanted) <= scene->canvas.columns; c++) {
            size_t same = 0;
            while (wanted[same] && scene_text(scene, r, c + (int)same)[0] == wanted[same])
                same++;
            if (!wanted[same]) {
                *row = r;
                *column = c;
                return true;
            }
        }
    return false;
}

bool scene_has(const struct scene *scene, const char *wanted)
{
    char text[4096];
    for (int r = 0; r < scene->canvas.rows; r++) {
        scene_row(scene, r, text);
        if (strstr(text, wanted))
            return true;
    }
    return false;
}

/* Returns the map's map_entry of a share, by the rule in its header. */
uint32_t map_entry(const char *map, double share)
{
    int index = (int)floor(256 * share);
    index = index < 0 ? 0 : index > 255 ? 255 : index;
    return colormap_find(map)->colours[index];
}

uint32_t scene_fill(const struct scene *scene, int row, int column)
{
    struct style style = scene_style(scene, row, column);
    assert_true(style.filled);
    return (uint32_t)style.fill.red << 16 | (uint32_t)style.fill.green << 8 | style.fill.blue;
}

static char numbers[LABELS_MOST][16];
const char *number_labels[LABELS_MOST];

void number_labels_make(void)
{
    for (int i = 0; i < LABELS_MOST; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%c%d", 'a' + i % 26, i);
        number_labels[i] = numbers[i];
    }
}

const char *const small_rows[4] = {"ra", "rb", "rc", "rd"};
const char *const small_columns[4] = {"A", "B", "C", "D"};

void small_open(struct scene *scene, const float values[16])
{
    drawn_scene_open(scene, 1, 1, 4, 4);
    memcpy(scene->values[0], values, 16 * sizeof *values);
    scene->panels[0].matrix.row_labels = small_rows;
    scene->panels[0].matrix.column_labels = small_columns;
}

const float small_values[16] = {0.5f,  0.25f, 0.125f, 0,     0.75f, NAN, 0.375f, 1.5f,
                                0.01f, 0.02f, 0.04f,  0.08f, 0,     0,   0,      0};
