#include "tui/screen/sheet/sheet_notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "tui/text/display.h"

enum {
    INDENT = 2,         // of what goes on below a line,
    LEAST_COLUMNS = 16, // in areas that are not narrower
    LEAST_FOLDING = 8   // rows of an area in which anything is gained by it
};

static int indent_of(const char *note, int columns)
{
    return columns < LEAST_COLUMNS ? 0 : int_min((int)strspn(note, " ") + INDENT, columns / 2);
}

/* The bytes of line `line` of a note, from *begin on; false: it has fewer lines. */
static bool find_part(const char *note, int columns, int line, size_t *begin, size_t *bytes)
{
    size_t next = 0;
    *begin = 0;
    *bytes = display_line(note, int_max(columns, 1), &next);
    while (line-- > 0) {
        *begin += next;
        if (!note[*begin])
            return false;
        *bytes = display_line(note + *begin, int_max(columns - indent_of(note, columns), 1), &next);
    }
    return true;
}

static int count_parts(const char *note, int columns)
{
    int count = 1;
    size_t begin, bytes;
    while (find_part(note, columns, count, &begin, &bytes))
        count++;
    return count;
}

int note_first_line(const struct sheet *sheet, int columns, int note)
{
    int line = 0;
    for (int i = 0; i < note; i++)
        line += count_parts(sheet->notes[i], columns);
    return line;
}

struct note_lines note_lines_find(const struct sheet *sheet, struct area area,
                                  const struct sheet_cursor *cursor)
{
    int all = note_first_line(sheet, area.columns, sheet->note_count);
    int below = 1 + int_min(sheet->row_count, area.rows / 2); // with the titles
    if (cursor->row < 0 || all + below <= area.rows || area.rows < LEAST_FOLDING)
        return (struct note_lines){all, 0};
    int shown = int_max(area.rows - below - 1, 0);
    return (struct note_lines){shown, all - shown};
}

void note_draw_line(const struct sheet *sheet, struct canvas *canvas, struct area area, int row,
                    int line, int chosen)
{
    int note = 0;
    while (note + 1 < sheet->note_count && line >= note_first_line(sheet, area.columns, note + 1))
        note++;
    const char *text = sheet->notes[note];
    int part = line - note_first_line(sheet, area.columns, note);
    int indent = part ? indent_of(text, area.columns) : 0;
    size_t begin, bytes;
    find_part(text, area.columns, part, &begin, &bytes);
    char *copy = strndup(text + begin, bytes);
    if (copy)
        canvas_put(canvas, row, area.column + indent, area.columns - indent, (struct style){0},
                   copy);
    free(copy);
    if (note == chosen)
        canvas_restyle(canvas, (struct area){row, area.column, 1, area.columns},
                       (struct style){.reverse = true});
}
