#include "tests/support/tmux_screen.h"
#include "tests/support/test.h"

#include <locale.h>
#include <wchar.h>

#include <utf8proc.h>

enum { MOST_NUMBERS = 32 };

static const struct tmux_cell blank = {.text = " ", .ink = TMUX_DEFAULT, .fill = TMUX_DEFAULT};

/* The numbers of a sequence. Parts of a number, after a colon ("38:2::1:2:3", "4:3"), are
 * marked. */
struct numbers {
    int value[MOST_NUMBERS];
    bool part[MOST_NUMBERS];
    int count;
};

/* Reads the numbers of ESC [ … letter, from after the bracket; returns the text after the
 * letter. */
static const char *read_numbers(const char *text, struct numbers *numbers)
{
    const char *begin = text;
    bool part = false;
    numbers->count = 0;
    while (strchr("0123456789;:", *text) && *text) {
        assert_true(numbers->count < MOST_NUMBERS);
        char *end;
        numbers->value[numbers->count] = (int)strtol(text, &end, 10);
        numbers->part[numbers->count++] = part;
        part = *end == ':';
        text = *end == ':' || *end == ';' ? end + 1 : end;
    }
    if (numbers->count == 0)
        numbers->value[numbers->count++] = 0;
    if (*text != 'm')
        fail_msg("not a change of style: ESC [ %.20s", begin);
    return text + 1;
}

/* Reads 38, 48 or 58 with its parameters from *at on, and moves *at to the last of them. */
static int read_colour(const struct numbers *numbers, int *at)
{
    const int *value = numbers->value + *at;
    int left = numbers->count - *at;
    if (left >= 3 && value[1] == 5) {
        *at += 2;
        return value[2];
    }
    // With colons, a colour space, mostly empty, comes before red.
    int space = left >= 6 && numbers->part[*at + 1] && numbers->part[*at + 5] ? 1 : 0;
    if (left < 5 + space || value[1] != 2)
        fail_msg("a colour of kind %d with %d numbers", left > 1 ? value[1] : -1, left);
    *at += 4 + space;
    return TMUX_RGB | value[2 + space] << 16 | value[3 + space] << 8 | value[4 + space];
}

static bool set_colour(struct tmux_cell *style, const struct numbers *numbers, int *at)
{
    int value = numbers->value[*at];
    if (value == 38 || value == 48 || value == 58) {
        int colour = read_colour(numbers, at);
        if (value != 58) // 58 colours the underline
            *(value == 38 ? &style->ink : &style->fill) = colour;
    } else if ((value >= 30 && value <= 37) || (value >= 90 && value <= 97)) {
        style->ink = value < 90 ? value - 30 : value - 90 + 8;
    } else if ((value >= 40 && value <= 47) || (value >= 100 && value <= 107)) {
        style->fill = value < 100 ? value - 40 : value - 100 + 8;
    } else if (value == 39) {
        style->ink = TMUX_DEFAULT;
    } else if (value == 49) {
        style->fill = TMUX_DEFAULT;
    } else {
        return value == 59;
    }
    return true;
}

static void set_attribute(struct tmux_cell *style, const struct numbers *numbers, int *at)
{
    int value = numbers->value[*at];
    int detail = *at + 1 < numbers->count && numbers->part[*at + 1] ? numbers->value[++*at] : 1;
    if (value == 0)
        *style = blank;
    else if (value == 1)
        style->bold = true;
    else if (value == 2)
        style->faint = true;
    else if (value == 3 || value == 23)
        style->italic = value == 3;
    else if (value == 4 || value == 24)
        style->underline = value == 4 && detail != 0;
    else if (value == 7 || value == 27)
        style->reverse = value == 7;
    else if (value == 22)
        style->bold = style->faint = false;
    else
        fail_msg("a style %d that is not known here", value);
}

static const char *read_style(const char *text, struct tmux_cell *style)
{
    struct numbers numbers;
    text = read_numbers(text, &numbers);
    for (int i = 0; i < numbers.count; i++)
        if (!set_colour(style, &numbers, &i))
            set_attribute(style, &numbers, &i);
    return text;
}

/* Returns the width in columns by the C library's UTF-8 locale, whatever the test's own locale
 * is. */
static int character_width(wchar_t character)
{
    static locale_t utf8;
    if (!utf8)
        utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
    locale_t own = uselocale(utf8);
    int width = wcwidth(character);
    uselocale(own);
    return width;
}

/* Half of a flag. */
static bool is_regional(utf8proc_int32_t character)
{
    return character >= 0x1F1E6 && character <= 0x1F1FF;
}

/* True if a character widens its cell when it follows `bytes` bytes: U+FE0F; skin tones and halves
 * of flags, but not after ASCII. */
static bool widens(utf8proc_int32_t character, size_t bytes)
{
    const bool tone = character >= 0x1F3FB && character <= 0x1F3FF;
    return bytes > 0 && (character == 0xFE0F || (bytes > 1 && (tone || is_regional(character))));
}

/* Returns the bytes of a cell as tmux fills it: a character with a width, those without one, and
 * whatever follows U+200D. */
static size_t cell_bytes(const char *text, bool joins, int *columns)
{
    utf8proc_int32_t character, before = 0;
    size_t bytes = 0;
    utf8proc_ssize_t count;
    *columns = 0;
    while ((unsigned char)text[bytes] >= ' ' &&
           (count = utf8proc_iterate((const utf8proc_uint8_t *)text + bytes, -1, &character)) > 0) {
        int width = character_width(character);
        if (joins && widens(character, bytes)) {
            *columns = 2;
            width = 0;
        } else if (joins && is_regional(character)) {
            width = 2;
        }
        if (bytes > 0 && width > 0 && before != 0x200D)
            break;
        if (before != 0x200D)
            *columns += width > 0 ? width : 0;
        before = character;
        bytes += (size_t)count;
    }
    if (bytes == 0)
        fail_msg("a capture has what is not UTF-8: \"%.8s\"", text);
    return bytes;
}

/* Writes one cell at a column; returns the next column. */
static int put_cell(struct tmux_screen *screen, int row, int column, const struct tmux_cell *style,
                    const char *text, size_t bytes, int width)
{
    if (column + width > screen->columns)
        fail_msg("row %d is wider than %d columns at \"%.*s\"", row, screen->columns, (int)bytes,
                 text);
    for (int half = 0; half < width; half++) {
        struct tmux_cell *cell = &screen->cells[row * screen->columns + column + half];
        *cell = *style;
        snprintf(cell->text, sizeof cell->text, "%.*s", half == 0 ? (int)bytes : 0, text);
    }
    return column + width;
}

/* Reads a row; styles continue from row to row, as tmux writes them. Returns the next line. */
static const char *read_row(struct tmux_screen *screen, int row, struct tmux_cell *style,
                            const char *text)
{
    int column = 0, width;
    while (*text && *text != '\n') {
        if (strncmp(text, "\033[", 2) == 0) {
            text = read_style(text + 2, style);
            continue;
        }
        if ((unsigned char)*text < 0x20)
            fail_msg("row %d: control character %02x in a capture", row, *text);
        size_t bytes = cell_bytes(text, screen->joins, &width);
        column = put_cell(screen, row, column, style, text, bytes, width);
        text += bytes;
    }
    return *text == '\n' ? text + 1 : text;
}

static char *row_texts(const struct tmux_screen *screen)
{
    char *text =
             malloc((size_t)screen->rows * (screen->columns * sizeof screen->cells->text + 1) + 1),
         *end = text;
    assert_non_null(text);
    for (int row = 0; row < screen->rows; row++) {
        char *last = end;
        for (int column = 0; column < screen->columns; column++) {
            const char *cell = screen->cells[row * screen->columns + column].text;
            end = stpcpy(end, cell);
            if (strcmp(cell, " ") != 0)
                last = end;
        }
        end = last;
        *end++ = '\n';
    }
    *end = '\0';
    return text;
}

struct tmux_screen tmux_screen_parse(const char *capture, bool joins, int rows, int columns)
{
    struct tmux_screen screen = {.joins = joins, .rows = rows, .columns = columns};
    struct tmux_cell style = blank;
    screen.cells = malloc((size_t)rows * columns * sizeof *screen.cells);
    assert_non_null(screen.cells);
    for (int i = 0; i < rows * columns; i++)
        screen.cells[i] = blank;
    for (int row = 0; row < rows; row++)
        capture = read_row(&screen, row, &style, capture);
    assert_string_equal(capture, "");
    screen.text = row_texts(&screen);
    return screen;
}

void tmux_screen_free(struct tmux_screen *screen)
{
    free(screen->cells);
    free(screen->text);
    *screen = (struct tmux_screen){0};
}

const struct tmux_cell *tmux_cell(const struct tmux_screen *screen, int row, int column)
{
    if (row < 0 || row >= screen->rows || column < 0 || column >= screen->columns)
        fail_msg("row %d, column %d of %d by %d", row, column, screen->rows, screen->columns);
    return &screen->cells[row * screen->columns + column];
}

struct rgb tmux_rgb(int colour)
{
    if (colour < TMUX_RGB)
        fail_msg("colour %d is not red, green and blue", colour);
    return (struct rgb){colour >> 16 & 255, colour >> 8 & 255, colour & 255};
}

const char *tmux_row(const struct tmux_screen *screen, int row, int from, int to)
{
    static char text[65536];
    char *end = text;
    *end = '\0';
    for (int column = from; column < to; column++) {
        assert_true(end + sizeof screen->cells->text < text + sizeof text);
        end = stpcpy(end, tmux_cell(screen, row, column)->text);
    }
    return text;
}

bool tmux_find(const struct tmux_screen *screen, const char *text, int *row, int *column)
{
    for (int i = *row; i < screen->rows; i++) {
        const char *line = tmux_row(screen, i, 0, screen->columns), *at = strstr(line, text);
        if (!at)
            continue;
        *row = i;
        *column = 0;
        for (const char *here = line; here < at; (*column)++)
            here += strlen(tmux_cell(screen, i, *column)->text);
        while (!*tmux_cell(screen, i, *column)->text)
            ++*column; // the right half of the wide character before
        return true;
    }
    return false;
}
