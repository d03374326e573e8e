/* Writes two translations as text, one above the other. */
#include "report/comparison.h"
#include "report/output/report_forms.h"

#include "terminal/text/display.h"
#include "terminal/text/edit_script.h"

/* Changed words are in reverse video; dropped words are also struck out, inserted words underlined.
 * On terminals that lack these, marks and gaps tell them apart. */
static const char *const looks[EDIT_KINDS] = {"", "\033[7m", "\033[7;9m", "\033[7;4m"};
static const char *const ends[EDIT_KINDS] = {"", "\033[27m", "\033[27;29m", "\033[27;24m"};

struct line_writer {
    FILE *stream;
    int column;          // where the line ends so far
    bool terminal;       // obeys escape sequences
    enum edit_kind look; // the current one
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

/* Blanks between words of one kind have the look of the words. */
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

/* Begins a line with its title, in `room` columns. */
static struct line_writer begin_line(FILE *stream, const char *title, int room)
{
    display_write(stream, title);
    fprintf(stream, "%*s", room - display_width(title), "");
    return (struct line_writer){.stream = stream, .terminal = display_obeys(stream)};
}

static void end_line(struct line_writer *writer)
{
    change_look(writer, EDIT_KEPT);
    fputc('\n', writer->stream);
}

/* Returns the columns of the longer title and two blanks. */
static int title_room(const struct comparison *comparison)
{
    int before = display_width(comparison->titles[0]), after = display_width(comparison->titles[1]);
    return (before > after ? before : after) + 2;
}

void text_comparison(FILE *stream, const struct comparison *comparison, int columns)
{
    const char *const texts[2] = {comparison->texts[0], comparison->texts[1]};
    int room = title_room(comparison);
    int count = comparison->script.count, first = 0;
    do {
        struct edit_line line = edit_line_from(&comparison->script, texts, first, columns - room);
        for (int side = 0; side < 2; side++) {
            struct line_writer writer = begin_line(stream, comparison->titles[side], room);
            edit_line_put(&comparison->script, texts, line, side, put_word, &writer);
            end_line(&writer);
        }
        first = line.end;
    } while (first < count);
}

/* Tokens --------------------------------------------------------------------------------------- */

/* Tokens of one translation have its title beside them; tokens of both have none. */
static void write_tokens(FILE *stream, const struct comparison *comparison,
                         struct token_block block)
{
    const bool both = block.side == TOKENS_OF_BOTH;
    const int room = title_room(comparison);
    struct line_writer writer =
        begin_line(stream, both ? "" : comparison->titles[block.side], room);
    token_block_tokens(comparison, block, put_word, &writer);
    end_line(&writer);
    for (int side = both ? 0 : block.side; side <= (both ? 1 : block.side); side++) {
        writer = begin_line(stream, both ? comparison->titles[side] : "", room);
        token_block_numbers(comparison, block, side, put_word, &writer);
        end_line(&writer);
    }
}

void text_tokens(FILE *stream, const struct comparison *comparison, int columns)
{
    const bool same = comparison_same_tokens(comparison);
    for (int side = same ? TOKENS_OF_BOTH : 0; side <= (same ? TOKENS_OF_BOTH : 1); side++) {
        int count = comparison->tokens[same ? 0 : side].count;
        for (int first = 0; first < count;) {
            struct token_block block =
                token_block_from(comparison, side, first, columns - title_room(comparison));
            write_tokens(stream, comparison, block);
            first = block.end;
        }
    }
}
