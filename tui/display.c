#include "tui/display.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>

#define REPLACEMENT 0xFFFD
#define ELLIPSIS "\xE2\x80\xA6"
enum { LEAST_COLUMNS = 20, MOST_COLUMNS = 10000, USUAL_COLUMNS = 80 };

/* The screen draws while the other thread prints. */
static _Thread_local bool lacking;

void *display_have(void *text)
{
    lacking |= !text;
    return text;
}

bool display_lacks(void)
{
    bool was = lacking;
    lacking = false;
    return was;
}

/* The next character and its bytes; an invalid byte is one U+FFFD. 0 at the end. */
static size_t next_character(const char *text, utf8proc_int32_t *character)
{
    if (!*text)
        return 0;
    // Four bytes are enough for any character; strnlen keeps the look-ahead inside the string.
    utf8proc_ssize_t count = utf8proc_iterate((const utf8proc_uint8_t *)text,
                                              (utf8proc_ssize_t)strnlen(text, 4), character);
    if (count > 0)
        return count;
    *character = REPLACEMENT;
    return 1;
}

static utf8proc_int32_t visible(utf8proc_int32_t character)
{
    if (character < 0x20)
        return 0x2400 + character;
    if (character == 0x7F)
        return 0x2421;
    if ((character >= 0x80 && character <= 0x9F) || character == 0x2028 || character == 0x2029)
        return REPLACEMENT;
    return character;
}

bool display_is_clean(const char *text)
{
    utf8proc_int32_t character;
    size_t count;
    for (; (count = next_character(text, &character)) > 0; text += count)
        if (visible(character) != character || (count == 1 && character == REPLACEMENT))
            return false;
    return true;
}

void display_write(FILE *stream, const char *text)
{
    utf8proc_int32_t character;
    size_t count;
    for (; (count = next_character(text, &character)) > 0; text += count) {
        utf8proc_uint8_t bytes[4];
        utf8proc_ssize_t written = utf8proc_encode_char(visible(character), bytes);
        fwrite(bytes, 1, written, stream);
    }
}

char *display_clean(const char *text)
{
    char *clean = NULL;
    size_t size;
    FILE *stream = display_have(open_memstream(&clean, &size));
    if (!stream)
        return NULL;
    display_write(stream, text);
    if (fclose(stream) == 0)
        return clean;
    free(clean);
    return display_have(NULL);
}

static int character_width(utf8proc_int32_t character)
{
    int width = utf8proc_charwidth(visible(character));
    return width < 0 ? 0 : width;
}

/* A terminal draws a cluster of several wide characters (joined emoji) in the place of one. */
size_t display_grapheme(const char *text, int *columns)
{
    utf8proc_int32_t before, character, state = 0;
    size_t length = next_character(text, &before);
    *columns = length ? character_width(before) : 0;
    while (length) {
        size_t count = next_character(text + length, &character);
        if (!count || utf8proc_grapheme_break_stateful(before, character, &state))
            break;
        *columns += character_width(character);
        length += count;
        before = character;
    }
    if (*columns > 2)
        *columns = 2;
    return length;
}

int display_width_within(const char *text, int most)
{
    int width = 0, columns;
    size_t length;
    for (; width <= most && (length = display_grapheme(text, &columns)) > 0; text += length)
        width += columns;
    return width;
}

int display_width(const char *text)
{
    return display_width_within(text, INT_MAX);
}

char *display_cut(const char *text, int columns)
{
    if (display_width_within(text, columns) <= columns)
        return display_have(strdup(text));
    size_t kept = 0, length;
    int width = 0, next;
    while ((length = display_grapheme(text + kept, &next)) > 0 && width + next < columns) {
        width += next;
        kept += length;
    }
    char *cut = display_have(malloc(kept + sizeof ELLIPSIS));
    if (!cut)
        return NULL;
    memcpy(cut, text, kept);
    memcpy(cut + kept, columns > 0 ? ELLIPSIS : "", columns > 0 ? sizeof ELLIPSIS : 1);
    return cut;
}

void display_field(FILE *stream, const char *text, int columns)
{
    char *cut = display_cut(text, columns);
    if (!cut)
        return;
    display_write(stream, cut);
    fprintf(stream, "%*s", columns - display_width(cut), "");
    free(cut);
}

/* Writes what stands between two gaps; `used` columns of the line are taken. Returns how many are then. */
static int put_part(FILE *stream, const char *part, const char *gap, int indent, int columns,
                    int used)
{
    int gap_width = used > 0 ? (int)strlen(gap) : 0;
    if (used > 0 && used + gap_width + display_width(part) > columns) {
        fprintf(stream, "\n%*s", indent, "");
        used = indent;
    } else if (used > 0) {
        fputs(gap, stream);
        used += gap_width;
    }
    char *cut = display_cut(part, columns - used);
    if (!cut)
        return used;
    display_write(stream, cut);
    used += display_width(cut);
    free(cut);
    return used;
}

void display_wrapped(FILE *stream, const char *text, const char *gap, int indent, int columns)
{
    const char *end;
    int used = 0;
    do {
        end = strstr(text, gap);
        char *part = display_have(end ? strndup(text, end - text) : strdup(text));
        if (part)
            used = put_part(stream, part, gap, indent, columns, used);
        free(part);
        text = end ? end + strlen(gap) : NULL;
    } while (text);
    fputc('\n', stream);
}

void display_filled(FILE *stream, const char *text, int indent, int columns)
{
    int used = indent;
    while (*text) {
        int length = (int)strcspn(text, " ");
        char *word = display_have(strndup(text, length));
        int width = word ? display_width(word) : length;
        free(word);
        if (used > indent && used + 1 + width > columns) {
            fprintf(stream, "\n%*s", indent, "");
            used = indent;
        } else if (used > indent) {
            fputc(' ', stream);
            used++;
        }
        fprintf(stream, "%.*s", length, text);
        used += width;
        text += length + (text[length] == ' ');
    }
    fputc('\n', stream);
}

static int sensible(long columns)
{
    return columns < LEAST_COLUMNS  ? LEAST_COLUMNS
           : columns > MOST_COLUMNS ? MOST_COLUMNS
                                    : (int)columns;
}

static int followed = -1, assumed;

void display_assume(int columns)
{
    assumed = columns;
}

void display_follow(FILE *stream)
{
    followed = stream ? fileno(stream) : -1;
}

static int file_of(FILE *stream)
{
    return fileno(stream) >= 0 ? fileno(stream) : followed;
}

bool display_obeys(FILE *stream)
{
    const char *name = getenv("TERM");
    int file = file_of(stream);
    return !assumed && file >= 0 && isatty(file) && name && *name && strcmp(name, "dumb") != 0;
}

int display_columns(FILE *stream)
{
    struct winsize window;
    int file = file_of(stream);
    if (assumed)
        return sensible(assumed);
    if (ioctl(file, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        return sensible(window.ws_col);
    const char *columns = getenv("COLUMNS");
    long value = columns ? strtol(columns, NULL, 10) : 0;
    return value > 0 ? sensible(value) : USUAL_COLUMNS;
}
