#include "terminal/text/aligned.h"

#include <stdlib.h>
#include <string.h>

#include "terminal/text/display.h"

#define STYLE "\033["

/* Returns the bytes of a sequence that sets colours or attributes at `text`; 0: none. */
static size_t style_length(const char *text)
{
    size_t begin = sizeof STYLE - 1;
    if (strncmp(text, STYLE, begin) != 0)
        return 0;
    size_t length = begin + strspn(text + begin, "0123456789;:");
    return text[length] == 'm' ? length + 1 : 0;
}

static bool is_even(const char *text, size_t bytes)
{
    char *grapheme = bytes > 1 ? strndup(text, bytes) : NULL;
    bool even = !grapheme || display_is_even(grapheme);
    free(grapheme);
    return even;
}

struct place {
    int column, columns;
    bool open; // behind a grapheme that is
};

/* Writes what the line continues with; returns its bytes. */
static size_t write_next(FILE *stream, const char *text, struct place *place)
{
    int width = 0;
    size_t bytes = style_length(text);
    bool even = bytes > 0;
    if (bytes == 0) {
        bytes = display_grapheme(text, &width);
        even = is_even(text, bytes) && !place->open;
        place->open = display_is_open(text, bytes);
    }
    fwrite(text, 1, bytes, stream);
    place->column += width;
    if (!even && text[bytes] && text[bytes] != '\n' && place->column < place->columns)
        fprintf(stream, "\033[%dG", place->column + 1);
    return bytes;
}

void aligned_write(FILE *stream, const char *text)
{
    struct place place = {.columns = display_columns(stream)};
    if (!display_obeys(stream)) {
        fputs(text, stream);
        return;
    }
    while (*text) {
        if (*text == '\n') {
            fputc(*text++, stream);
            place.column = 0;
            place.open = false;
        } else {
            text += write_next(stream, text, &place);
        }
    }
}
