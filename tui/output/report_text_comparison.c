/* Two translations as text, one above the other. */
#include "tui/output/report_forms.h"

#include "tui/text/display.h"
#include "tui/text/edit_script.h"

/* Reverse video on, for dropped words struck out, for inserted ones underlined: what a terminal
 * lacks of these, marks and gaps tell. */
static const char *const looks[EDIT_KINDS] = {"", "\033[7m", "\033[7;9m", "\033[7;4m"};
static const char *const ends[EDIT_KINDS] = {"", "\033[27m", "\033[27;29m", "\033[27;24m"};

struct line_writer {
    FILE *stream;
    int column;          // of the line's end
    bool terminal;       // which obeys escape sequences
    enum edit_kind look; // now
};

static void change_look(struct line_writer *writer, enum edit_kind look)
{
    if (!writer->terminal || look == writer->look)
        return;
    fputs(ends[writer->look], writer->stream);
    fputs(looks[look], writer->stream);
    writer->look = look;
}

static int width_of(const char *text, size_t bytes)
{
    int sum = 0, columns;
    for (size_t at = 0; at < bytes; sum += columns)
        at += display_grapheme(text + at, &columns);
    return sum;
}

/* Blanks between words of one kind look as the words do. */
static void put_word(void *data, int column, enum edit_kind kind, const char *text, size_t bytes)
{
    struct line_writer *writer = data;
    if (kind != writer->look)
        change_look(writer, EDIT_KEPT);
    fprintf(writer->stream, "%*s", column - writer->column, "");
    change_look(writer, kind);
    display_write_part(writer->stream, text, bytes);
    writer->column = column + width_of(text, bytes);
}

void text_comparison(FILE *stream, const struct comparison *comparison, int columns)
{
    const char *const texts[2] = {comparison->texts[0], comparison->texts[1]};
    int before = display_width(comparison->titles[0]), after = display_width(comparison->titles[1]);
    int title = (before > after ? before : after) + 2;
    int count = comparison->script.count, first = 0;
    do {
        struct edit_line line = edit_line_from(&comparison->script, texts, first, columns - title);
        for (int side = 0; side < 2; side++) {
            struct line_writer writer = {.stream = stream, .terminal = display_obeys(stream)};
            display_write(stream, comparison->titles[side]);
            fprintf(stream, "%*s", title - (side ? after : before), "");
            edit_line_put(&comparison->script, texts, line, side, put_word, &writer);
            change_look(&writer, EDIT_KEPT);
            fputc('\n', stream);
        }
        first = line.end;
    } while (first < count);
}
