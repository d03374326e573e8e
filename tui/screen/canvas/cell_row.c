#include "tui/screen/canvas/cell_row.h"

#include <string.h>
#include <utf8proc.h>
#include <wchar.h>

#define NCURSES_NOMACROS
#include <ncurses.h>

#include "tui/screen/canvas/colours.h"

/* ncurses takes one character and combining marks per cell. JOINER joins emoji into one; SELECTOR makes a character
 * wide in some terminals only. */
enum { MOST_CELLS = 2000, REPLACEMENT = 0xFFFD, JOINER = 0x200D, SELECTOR = 0xFE0F };

/* A grapheme as its first character with its marks, and a second character that takes a column of its own (the second
 * letter of a flag; 0: none). Of joined emoji only the first is kept: terminals disagree about their width, and the
 * cells behind them must not move. */
struct parts {
    wchar_t first[CCHARW_MAX + 1];
    wchar_t second;
};

static void split(const char *text, struct parts *parts)
{
    utf8proc_int32_t character;
    utf8proc_ssize_t length;
    int count = 0;
    *parts = (struct parts){0};
    for (; *text && (length = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &character)) > 0;
         text += length) {
        if (character == SELECTOR)
            continue;
        if (character == JOINER || parts->second)
            return;
        int width = wcwidth(character);
        if (count > 0 && width == 1)
            parts->second = character;
        else if (count > 0 && width != 0)
            return;
        else if (count < CCHARW_MAX)
            parts->first[count++] = character;
    }
}

static void set(cchar_t *cell, const wchar_t *text, unsigned attributes, int pair)
{
    if (setcchar(cell, text, attributes, (short)pair, NULL) == ERR)
        setcchar(cell, L"?", attributes, (short)pair, NULL);
}

/* Fills exactly `columns` columns, whatever width the C library gives the character; returns how many cells that
 * takes. */
static int set_grapheme(cchar_t *cells, const char *text, int columns, unsigned attributes,
                        int pair)
{
    struct parts parts;
    split(text, &parts);
    int width = wcwidth(parts.first[0]);
    if (width < 1 || width > columns) {
        parts = (struct parts){.first = {REPLACEMENT}};
        width = 1;
    }
    set(&cells[0], parts.first, attributes, pair);
    if (width == columns)
        return 1;
    const wchar_t second[] = {parts.second ? parts.second : L' ', 0};
    set(&cells[1], second, attributes, pair);
    return 2;
}

bool cell_row_show(int row, const struct cell *cells, int columns)
{
    static cchar_t line[MOST_CELLS + 1]; // one thread draws
    int count = 0;
    columns = columns < MOST_CELLS ? columns : MOST_CELLS;
    for (int i = 0; i < columns; i++) {
        bool wide = i + 1 < columns && !*cells[i + 1].text && *cells[i].text;
        unsigned attributes;
        int pair;
        if (!colours_find(&cells[i].style, &attributes, &pair))
            return false;
        count += set_grapheme(&line[count], *cells[i].text ? cells[i].text : " ", wide ? 2 : 1,
                              attributes, pair);
        i += wide;
    }
    mvwadd_wchnstr(stdscr, row, 0, line, count);
    return true;
}
