#include "tui/screen/draw/describe.h"

#include <math.h>
#include <string.h>

#include "tui/manual/key_table.h"
#include "tui/text/display.h"

enum { LABEL_COLUMNS = 40, LABEL_BYTES = 200 };

/* Copies whole graphemes, as many as fit, and "…" where the label is longer. */
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

/* A label, or where the figure has no labels its number. */
static void write_label(const char *const *labels, const char *what, int index,
                        char text[LABEL_BYTES])
{
    if (labels)
        copy_cut(labels[index], LABEL_COLUMNS, text, LABEL_BYTES);
    else
        snprintf(text, LABEL_BYTES, "%s %d", what, index + 1);
}

/* The panels of a grid row share the labels of the nearest one to the left that has labels. */
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

/* Whether column labels are bare numbers, so that the text must say of what. */
static bool of_numbers(const struct screen *screen)
{
    enum view_kind kind = frame_navigation(screen->frame)->kind;
    return kind == VIEW_IMPORTANCE || kind == VIEW_GATES;
}

/* "shirt → blue 0.412", after the panel's name where there are several. */
static void describe_cell(const struct screen *screen, const struct picture_cursor *cursor,
                          char *text, size_t size)
{
    const struct figure *figure = &screen->frame->drawing.figure;
    const struct figure_panel *panel = &figure->panels[cursor->panel];
    char title[LABEL_BYTES] = "", row[LABEL_BYTES], column[LABEL_BYTES], value[40];
    bool unit = of_numbers(screen) && panel->matrix.column_labels;
    if (panel->title)
        copy_cut(panel->title, LABEL_COLUMNS, title, sizeof title);
    write_label(row_labels(figure, cursor->panel), "row", cursor->row, row);
    write_label(panel->matrix.column_labels, "column", cursor->column, column);
    write_value(picture_value(&screen->frame->picture, cursor), value, sizeof value);
    snprintf(text, size, "%s%s%s \xe2\x86\x92 %s%s%s  %s", title, *title ? ":  " : "", row,
             unit ? panel->matrix.column_title : "", unit ? " " : "", column, value);
}

static void describe_head_of(const struct screen *screen, const struct picture_cursor *cursor,
                             char *text, size_t size)
{
    const struct head_grid *grid = frame_navigation(screen->frame)->grid;
    double most = screen->frame->picture.panels[cursor->panel].most;
    snprintf(text, size, "layer %d  head %d  max %.4f%s",
             grid->layers[cursor->panel / grid->head_count] + 1,
             grid->heads[cursor->panel % grid->head_count] + 1, most,
             grid->off[cursor->panel] ? "  off" : "");
}

/* The table's view is one column narrower than the screen. */
static int described_column(const struct screen *screen)
{
    return sheet_described(&screen->frame->sheet, &screen->cursors.sheet,
                           screen->canvas.columns - 1);
}

/* The whole text of the cursor's row, which the table may cut. */
static void describe_text(const struct screen *screen, char *text, size_t size)
{
    const struct sheet *sheet = &screen->frame->sheet;
    struct sheet_cursor cursor = screen->cursors.sheet;
    if (cursor.row >= 0)
        cursor.column = described_column(screen);
    const char *cell = sheet_text(sheet, &cursor);
    if (!cell || !*cell || cursor.row < 0) // notes are whole
        return;
    if (*sheet->columns[cursor.column].title)
        snprintf(text, size, "%s:  ", sheet->columns[cursor.column].title);
    size_t used = strlen(text);
    copy_cut(cell, (int)size, text + used, size - used);
}

int describe_rows(const struct screen *screen)
{
    const struct sheet *sheet = &screen->frame->sheet;
    int columns = screen->canvas.columns - 2, most = screen->canvas.rows / 3;
    if (screen->frame->kind != FRAME_SHEET || columns < 1)
        return 1;
    int column = described_column(screen);
    if (column < 0 || sheet_whole(sheet, screen->canvas.columns - 1))
        return 1;
    // Lines that end at words are not full.
    int width = display_width(sheet->columns[column].title) + 3 + sheet->columns[column].width;
    int rows = width <= columns ? 1 : 1 + (width + columns / 8) / columns;
    return rows < most ? rows : most > 1 ? most : 1;
}

void describe_cursor(struct screen *screen, char *text, size_t size)
{
    const struct picture_cursor *cursor = screen_cursor(screen);
    *text = '\0';
    if (screen_context(screen) == IN_SHEET)
        describe_text(screen, text, size);
    if (!cursor)
        return;
    picture_settle(&screen->frame->picture, screen->layout.view, screen_cursor(screen));
    if (screen_context(screen) == IN_GRID)
        describe_head_of(screen, cursor, text, size);
    else if (screen->frame->drawing.figure.panels[0].kind == PANEL_MATRIX)
        describe_cell(screen, cursor, text, size);
}
