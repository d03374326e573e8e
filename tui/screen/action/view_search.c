#include "tui/screen/action/view_search.h"

#include "tui/manual/key_table.h"
#include "tui/screen/canvas/find.h"

static bool label_has(const void *context, int index, const char *search)
{
    const char *const *labels = context;
    size_t length;
    return find_in(labels[index], search, &length) != NULL;
}

/* The next label after the cursor that has the text, going on at the other end; -1: none. */
static int find_label(const struct screen *screen, const char *const *labels, int count, int from,
                      bool backward)
{
    int next = (from + (backward ? count - 1 : 1)) % count;
    return labels ? find_around(count, next, backward, label_has, labels, screen->search.text) : -1;
}

static const struct figure_matrix *first_with_rows(const struct figure *figure, int panel)
{
    while (panel > 0 && !figure->panels[panel].matrix.row_labels)
        panel--;
    return &figure->panels[panel].matrix;
}

/* Row labels first (the tokens that attend), then column labels. */
static bool find_token(struct screen *screen, bool backward)
{
    const struct figure *figure = &screen->frame->drawing.figure;
    struct picture_cursor *cursor = screen_cursor(screen);
    const struct figure_matrix *matrix = &figure->panels[cursor->panel].matrix;
    const struct figure_matrix *labelled = first_with_rows(figure, cursor->panel);
    int row = find_label(screen, labelled->row_labels, matrix->rows, cursor->row, backward);
    if (row >= 0) {
        cursor->row = row;
        return true;
    }
    int column =
        find_label(screen, matrix->column_labels, matrix->columns, cursor->column, backward);
    if (column >= 0)
        cursor->column = column;
    return column >= 0;
}

static bool find_line(struct screen *screen, bool backward)
{
    const struct page *page = &screen->frame->page;
    struct cursors *cursors = &screen->cursors;
    int from = cursors->found ? cursors->found - 1 : cursors->page.top;
    int line = page_search(page, screen->search.text, backward ? from - 1 : from + 1, backward);
    if (line < 0)
        return false;
    cursors->page.top = line;
    cursors->found = line + 1;
    return true;
}

static bool find_row(struct screen *screen, bool backward)
{
    int *row = &screen->cursors.sheet.row;
    int found = sheet_search(&screen->frame->sheet, screen->search.text,
                             backward ? *row - 1 : *row + 1, backward);
    if (found >= 0)
        *row = found;
    return found >= 0;
}

void view_search(struct screen *screen, bool backward)
{
    unsigned context = screen_context(screen);
    bool matrix = context & IN_PICTURES && context != IN_GRID &&
                  screen->frame->drawing.figure.panels[0].kind == PANEL_MATRIX;
    bool found = matrix                ? find_token(screen, backward)
                 : context == IN_SHEET ? find_row(screen, backward)
                 : context == IN_PAGE  ? find_line(screen, backward)
                                       : false;
    if (!found)
        screen_say(screen, true, "\"%s\": not found", screen->search.text);
}
