#include "tui/screen/sheet/page.h"

#include <stdlib.h>
#include <string.h>

#include "terminal/text/display.h"
#include "tui/screen/canvas/find.h"

/* Counts lines; a text need not end in a line break. */
static int count_lines(const char *text)
{
    int count = 0;
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        count++;
    }
    return count;
}

static void cut_lines(struct page *page)
{
    char *text = page->text;
    for (int i = 0; i < page->count; i++) {
        char *end = text + strcspn(text, "\n");
        char *next = *end ? end + 1 : end;
        *end = '\0';
        page->lines[i] = text;
        int width = display_width(text);
        page->width = width > page->width ? width : page->width;
        text = next;
    }
}

bool page_make(struct page *page, char *text, struct status *status)
{
    *page = (struct page){.text = text, .count = count_lines(text)};
    page->lines = memory_new((size_t)page->count, sizeof *page->lines, status);
    if (!page->lines) {
        page_free(page);
        return false;
    }
    cut_lines(page);
    return true;
}

void page_free(struct page *page)
{
    free(page->text);
    free(page->lines);
    *page = (struct page){0};
}

/* Clamps to [0, most - shown], and to 0 if everything fits. */
static int keep_inside(int first, int most, int shown)
{
    first = first > most - shown ? most - shown : first;
    return first < 0 ? 0 : first;
}

/* Returns the rest of a line from column `left` on; *column: where its first grapheme begins. */
static const char *skip_columns(const char *line, int left, int *column)
{
    int width;
    size_t bytes;
    *column = 0;
    while (*column < left && (bytes = display_grapheme(line, &width)) > 0) {
        *column += width;
        line += bytes;
    }
    return line;
}

static void draw_line(const char *line, struct canvas *canvas, struct area area, int row, int left,
                      const char *search)
{
    int column;
    const char *rest = skip_columns(line, left, &column);
    canvas_put(canvas, row, area.column + column - left, area.columns - (column - left),
               (struct style){0}, rest);
    find_mark(canvas, (struct area){row, area.column, 1, area.columns}, line, left, search,
              (struct style){.reverse = true});
}

void page_draw(const struct page *page, const struct screen_style *screen_style,
               struct canvas *canvas, struct area area, struct page_scroll *scroll,
               const char *search)
{
    (void)screen_style;
    scroll->top = keep_inside(scroll->top, page->count, area.rows);
    scroll->left = keep_inside(scroll->left, page->width, area.columns);
    for (int i = 0; i < area.rows && scroll->top + i < page->count; i++)
        draw_line(page->lines[scroll->top + i], canvas, area, area.row + i, scroll->left, search);
}

static bool line_has(const void *page, int index, const char *search)
{
    size_t length;
    return find_in(((const struct page *)page)->lines[index], search, &length) != NULL;
}

int page_search(const struct page *page, const char *search, int from, bool backward)
{
    return find_around(page->count, from, backward, line_has, page, search);
}
