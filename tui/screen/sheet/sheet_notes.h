/* The notes of a table as lines of a screen: wrapped to its width, and folded where rows would have too little room.
 *
 * Pure functions of a sheet (sheet.h) whose notes are all added.
 */
#ifndef ATTNSCOPE_SHEET_NOTES_H
#define ATTNSCOPE_SHEET_NOTES_H

#include "tui/screen/sheet/sheet.h"

/* What stands above the titles of the columns. */
struct note_lines {
    int shown; // lines of notes, from the first one on
    int more;  // lines that one line below them stands for; 0: none, and there is no such line
};

/* All lines while the cursor is on a note; else so many that rows have half of the area or all that they need,
 * but in very low areas. */
struct note_lines note_lines_find(const struct sheet *sheet, struct area area,
                                  const struct sheet_cursor *cursor);

/* The first line of a note at that width; of the number of notes, how many lines there are. */
int note_first_line(const struct sheet *sheet, int columns, int note);

/* Draws a line of the notes, in reverse if it is of the note `chosen`. */
void note_draw_line(const struct sheet *sheet, struct canvas *canvas, struct area area, int row,
                    int line, int chosen);

#endif
