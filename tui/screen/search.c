/* Searching: a token among the labels, a text in a table or page. */
#include <string.h>

#include "tui/screen/find.h"
#include "tui/screen/screen.h"

static bool label_has(const void *context, int index, const char *search)
{
    const char *const *labels = context;
    size_t length;
    return find_in(labels[index], search, &length) != NULL;
}

/* The next label that has the text, from behind the cursor on and round; -1: none. */
static int find_label(const struct screen *screen, const char *const *labels, int count, int from,
                      bool backward)
{
    int next = (from + (backward ? count - 1 : 1)) % count;
    return labels ? find_around(count, next, backward, label_has, labels, screen->search) : -1;
}

static const struct figure_matrix *first_with_rows(const struct figure *figure, int panel)
{
    while (panel > 0 && !figure->panels[panel].matrix.row_labels)
        panel--;
    return &figure->panels[panel].matrix;
}

/* Rows first: what looks; where no row has it, columns. */
static bool find_token(struct screen *screen, bool backward)
{
    const struct figure *figure = &screen->frame->drawing.figure;
    struct spot *spot = screen_spot(screen);
    const struct figure_matrix *matrix = &figure->panels[spot->panel].matrix;
    const struct figure_matrix *labelled = first_with_rows(figure, spot->panel);
    int row = find_label(screen, labelled->row_labels, matrix->rows, spot->row, backward);
    if (row >= 0) {
        spot->row = row;
        return true;
    }
    int column = find_label(screen, matrix->column_labels, matrix->columns, spot->column, backward);
    if (column >= 0)
        spot->column = column;
    return column >= 0;
}

static bool find_line(struct screen *screen, bool backward)
{
    const struct page *page = &screen->frame->page;
    struct places *places = &screen->places;
    int from = places->found ? places->found - 1 : places->page.top;
    int line = page_search(page, screen->search, backward ? from - 1 : from + 1, backward);
    if (line < 0)
        return false;
    places->page.top = line;
    places->found = line + 1;
    return true;
}

static bool find_row(struct screen *screen, bool backward)
{
    int *row = &screen->places.sheet.row;
    int found = sheet_search(&screen->frame->sheet, screen->search, backward ? *row - 1 : *row + 1,
                             backward);
    if (found >= 0)
        *row = found;
    return found >= 0;
}

void screen_look_for(struct screen *screen, bool backward)
{
    unsigned place = screen_place(screen);
    bool matrix = place & IN_PICTURES && screen_place(screen) != IN_GRID &&
                  screen->frame->drawing.figure.panels[0].kind == PANEL_MATRIX;
    bool found = matrix              ? find_token(screen, backward)
                 : place == IN_SHEET ? find_row(screen, backward)
                 : place == IN_PAGE  ? find_line(screen, backward)
                                     : false;
    if (!found)
        screen_say(screen, true, "\"%s\": not found", screen->search);
}
