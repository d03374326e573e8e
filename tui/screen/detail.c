/* What stands at the cursor, as a line. */
#include <math.h>
#include <string.h>

#include "tui/display.h"
#include "tui/screen/screen.h"

enum { LABEL_COLUMNS = 40, LABEL_BYTES = 200 };

/* Whole graphemes, as many as there is room for. */
static void copy_cut(const char *label, int most, char *text, size_t size)
{
    static const char cut[] = "\xe2\x80\xa6";
    size_t used = 0, bytes;
    int columns = 0, width;
    while ((bytes = display_grapheme(label, &width)) > 0 && columns + width < most &&
           used + bytes + sizeof cut <= size) {
        memcpy(text + used, label, bytes);
        used += bytes;
        columns += width;
        label += bytes;
    }
    strcpy(text + used, *label ? cut : "");
}

/* A label, or its number where figures have none. */
static void write_label(const char *const *labels, const char *what, int index,
                        char text[LABEL_BYTES])
{
    if (labels)
        copy_cut(labels[index], LABEL_COLUMNS, text, LABEL_BYTES);
    else
        snprintf(text, LABEL_BYTES, "%s %d", what, index + 1);
}

/* Panels of one row of the grid share the labels of the first that has some. */
static const char *const *row_labels(const struct figure *figure, int panel)
{
    while (panel > 0 && !figure->panels[panel].matrix.row_labels)
        panel--;
    return figure->panels[panel].matrix.row_labels;
}

static void write_value(double value, char *text, size_t size)
{
    if (isnan(value))
        snprintf(text, size, "none");
    else
        snprintf(text, size, "%.4f", value);
}

/* Whether columns are numbers of something, which must be said. */
static bool of_numbers(const struct screen *screen)
{
    return screen->frame->result.kind == RESULT_IMPORTANCE ||
           screen->frame->result.kind == RESULT_GATES;
}

/* "shirt → blue 0.412", after the panel's name where there are several. */
static void describe_cell(const struct screen *screen, const struct spot *spot, char *text,
                          size_t size)
{
    const struct figure *figure = &screen->frame->drawing.figure;
    const struct figure_panel *panel = &figure->panels[spot->panel];
    char title[LABEL_BYTES] = "", row[LABEL_BYTES], column[LABEL_BYTES], value[40];
    bool unit = of_numbers(screen) && panel->matrix.column_labels;
    if (panel->title)
        copy_cut(panel->title, LABEL_COLUMNS, title, sizeof title);
    write_label(row_labels(figure, spot->panel), "row", spot->row, row);
    write_label(panel->matrix.column_labels, "column", spot->column, column);
    write_value(picture_value(&screen->frame->picture, spot), value, sizeof value);
    snprintf(text, size, "%s%s%s \xe2\x86\x92 %s%s%s  %s", title, *title ? ":  " : "", row,
             unit ? panel->matrix.column_title : "", unit ? " " : "", column, value);
}

static void describe_head_of(const struct screen *screen, const struct spot *spot, char *text,
                             size_t size)
{
    const struct head_grid *grid = &screen->frame->result.heads.grid;
    double most = screen->frame->picture.panels[spot->panel].most;
    snprintf(text, size, "layer %d  head %d  max %.4f%s",
             grid->layers[spot->panel / grid->head_count] + 1,
             grid->heads[spot->panel % grid->head_count] + 1, most,
             grid->off[spot->panel] ? "  off" : "");
}

/* The whole of a text, which the table may cut. */
static void describe_text(const struct screen *screen, char *text, size_t size)
{
    const struct sheet *sheet = &screen->frame->sheet;
    const struct sheet_spot *spot = &screen->places.sheet;
    const char *cell = sheet_text(sheet, spot);
    bool number = spot->row >= 0 && sheet->columns[spot->column].number;
    if (!cell || !*cell || number)
        return;
    if (spot->row >= 0 && *sheet->columns[spot->column].title)
        snprintf(text, size, "%s:  ", sheet->columns[spot->column].title);
    size_t used = strlen(text);
    copy_cut(cell, screen->canvas.columns, text + used, size - used);
}

void screen_describe(struct screen *screen, char *text, size_t size)
{
    const struct spot *spot = screen_spot(screen);
    *text = '\0';
    if (screen_place(screen) == IN_SHEET)
        describe_text(screen, text, size);
    if (!spot)
        return;
    picture_settle(&screen->frame->picture, screen->layout.view, screen_spot(screen));
    if (screen_place(screen) == IN_GRID)
        describe_head_of(screen, spot, text, size);
    else if (screen->frame->drawing.figure.panels[0].kind == PANEL_MATRIX)
        describe_cell(screen, spot, text, size);
}
