#include "terminal/text/display.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>

#include "base/outlet.h"

#define REPLACEMENT 0xFFFD
#define JOINER 0x200D
#define EMOJI_SELECTOR 0xFE0F
#define FIRST_EMOJI 0x1F000
#define ELLIPSIS "\xE2\x80\xA6"
enum { LEAST_COLUMNS = 20, MOST_COLUMNS = 10000, USUAL_COLUMNS = 80 };

/* Per thread, as the screen draws while the other thread prints. */
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

/* Decodes the next character and returns its bytes; an invalid byte is one U+FFFD. Returns 0 at the
 * end. */
static size_t next_character(const char *text, utf8proc_int32_t *character)
{
    *character = 0;
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

bool display_is_clean(const char *text)
{
    utf8proc_int32_t character;
    size_t count;
    for (; (count = next_character(text, &character)) > 0; text += count)
        if (outlet_bars(OUTLET_SHOWN, (uint32_t)character) ||
            (count == 1 && character == REPLACEMENT))
            return false;
    return true;
}

size_t display_write_character(FILE *stream, enum outlet outlet, const char *text)
{
    utf8proc_int32_t character;
    utf8proc_uint8_t encoded[4];
    const size_t count = next_character(text, &character);
    character = (utf8proc_int32_t)outlet_character(outlet, (uint32_t)character);
    const size_t length = (size_t)utf8proc_encode_char(character, encoded);
    if (count)
        fwrite(encoded, 1, length, stream);
    return count;
}

void display_write_part(FILE *stream, const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;)
        at += display_write_character(stream, OUTLET_SHOWN, text + at);
}

void display_write(FILE *stream, const char *text)
{
    display_write_part(stream, text, strlen(text));
}

char *display_clean_for(enum outlet outlet, const char *text)
{
    char *clean = NULL;
    size_t size;
    FILE *stream = display_have(open_memstream(&clean, &size));
    if (!stream)
        return NULL;
    while (*text)
        text += display_write_character(stream, outlet, text);
    if (fclose(stream) == 0)
        return clean;
    free(clean);
    return display_have(NULL);
}

char *display_clean(const char *text)
{
    return display_clean_for(OUTLET_SHOWN, text);
}

static utf8proc_int32_t grapheme_class(utf8proc_int32_t character)
{
    return utf8proc_get_property(character)->boundclass;
}

/* Returns the greater width of characters that are wider in some C libraries than in others: those
 * that are wide since Unicode 16, or left to fonts, Hangul fillers, and format characters. 0: any
 * other character. */
static int disputed_width(utf8proc_int32_t character)
{
    static const struct {
        utf8proc_int32_t first, last;
        int columns;
    } ranges[] = {{0x2630, 0x2637, 2},   {0x268A, 0x268F, 2},   {0x3164, 0x3164, 2},
                  {0x3248, 0x324F, 2},   {0x4DC0, 0x4DFF, 2},   {0xFFA0, 0xFFA0, 1},
                  {0xFFF9, 0xFFFB, 1},   {0x1171E, 0x1171E, 1}, {0x13430, 0x1343F, 1},
                  {0x1D300, 0x1D356, 2}, {0x1D360, 0x1D376, 2}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (character >= ranges[i].first && character <= ranges[i].last)
            return ranges[i].columns;
    return 0;
}

/* Returns the columns of a single character, as the C library and terminals count them. utf8proc
 * gives 0 for spacing marks and for signs that stand before numbers, and 1 for vowels and finals of
 * Hangul, which are drawn into the syllable's first letter. */
static int character_width(utf8proc_int32_t character)
{
    utf8proc_int32_t shown = (utf8proc_int32_t)outlet_character(OUTLET_SHOWN, (uint32_t)character);
    int class = grapheme_class(shown), disputed = disputed_width(shown);
    if (disputed)
        return disputed;
    if (class == UTF8PROC_BOUNDCLASS_V || class == UTF8PROC_BOUNDCLASS_T)
        return 0;
    if (class == UTF8PROC_BOUNDCLASS_PREPEND)
        return 1;
    int width = utf8proc_charwidth(shown);
    return width < 1 ? utf8proc_category(shown) == UTF8PROC_CATEGORY_MC : width;
}

/* True if terminals disagree on this character followed by EMOJI_SELECTOR: some draw it as wide as
 * an emoji. */
static bool is_selectable(utf8proc_int32_t character)
{
    return (character >= '0' && character <= '9') || character == '#' || character == '*' ||
           grapheme_class(character) == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

/* Returns the columns that a character adds to the grapheme of the character before it. */
static int added_width(utf8proc_int32_t before, utf8proc_int32_t character)
{
    bool emoji = grapheme_class(character) == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
    if (before == JOINER && emoji)
        return 0;
    if (character == EMOJI_SELECTOR)
        return is_selectable(before) && character_width(before) == 1;
    return character_width(character);
}

static bool is_printable_ascii(char byte)
{
    return byte >= ' ' && byte < 0x7F;
}

/* No two ASCII characters join, and most texts consist of them. */
static bool stands_alone(const char *text)
{
    return is_printable_ascii(text[0]) && (!text[1] || is_printable_ascii(text[1]));
}

size_t display_grapheme_within(const char *text, int most, int *columns)
{
    utf8proc_int32_t before, character, state = 0;
    *columns = 1;
    if (stands_alone(text))
        return 1;
    size_t length = next_character(text, &before);
    *columns = length ? character_width(before) : 0;
    while (length) {
        size_t count = next_character(text + length, &character);
        if (!count)
            break;
        bool begins = utf8proc_grapheme_break_stateful(before, character, &state) &&
                      !(before == JOINER && character >= 0x80); // a conjunct, rule GB9c
        int width = begins ? character_width(character) : added_width(before, character);
        bool joins = width == 0 || *columns == 0 || (!begins && *columns + width <= most);
        if (!joins || (begins && character == '\n'))
            break;
        *columns += width;
        length += count;
        before = character;
    }
    return length;
}

size_t display_grapheme(const char *text, int *columns)
{
    return display_grapheme_within(text, INT_MAX, columns);
}

int display_rows(const char *text, int most)
{
    int rows = 0, columns;
    for (size_t length; (length = display_grapheme_within(text, most, &columns)) > 0;
         text += length)
        rows += columns > 0;
    return rows;
}

bool display_is_even(const char *text)
{
    utf8proc_int32_t character;
    size_t length = next_character(text, &character);
    if (text[length] || character >= FIRST_EMOJI || disputed_width(character))
        return false;
    switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return false;
    default:
        return true;
    }
}

bool display_is_open(const char *text, size_t bytes)
{
    static const char joiner[] = "\xE2\x80\x8D";
    return bytes >= 3 && memcmp(text + bytes - 3, joiner, 3) == 0;
}

/* True for Chinese, Japanese and emoji: a line may end after them. */
static bool is_wide(const char *text)
{
    utf8proc_int32_t character;
    return next_character(text, &character) > 0 && character_width(character) == 2;
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

/* Returns the columns of the first `bytes` bytes. Stops soon after `most`, so that long texts cost
 * little. */
static int width_of(const char *text, size_t bytes, int most)
{
    int width = 0, columns;
    for (size_t at = 0, length; at < bytes && width <= most; at += length) {
        length = display_grapheme(text + at, &columns);
        width += columns;
    }
    return width;
}

/* Returns how many bytes fit in `columns`: all, or as many as leave room for an ellipsis. *width:
 * the columns they take. */
static size_t fitting(const char *text, size_t bytes, int columns, int *width)
{
    size_t kept = 0, length;
    int next;
    *width = width_of(text, bytes, columns);
    if (*width <= columns)
        return bytes;
    *width = 0;
    while (kept < bytes && (length = display_grapheme(text + kept, &next)) > 0 &&
           *width + next < columns) {
        *width += next;
        kept += length;
    }
    return kept;
}

char *display_cut(const char *text, int columns)
{
    int width;
    size_t bytes = strlen(text), kept = fitting(text, bytes, columns, &width);
    const char *end = kept < bytes && columns > 0 ? ELLIPSIS : "";
    char *cut = display_have(malloc(kept + sizeof ELLIPSIS));
    if (!cut)
        return NULL;
    memcpy(cut, text, kept);
    strcpy(cut + kept, end);
    return cut;
}

/* Writes the first bytes of a text, cut to `columns`. Returns the columns it took. */
static int write_fitting(FILE *stream, const char *text, size_t bytes, int columns)
{
    int width;
    size_t kept = fitting(text, bytes, columns, &width);
    display_write_part(stream, text, kept);
    if (kept == bytes || columns <= 0)
        return width;
    fputs(ELLIPSIS, stream);
    return width + 1;
}

void display_field(FILE *stream, const char *text, int columns)
{
    int width = write_fitting(stream, text, strlen(text), columns);
    fprintf(stream, "%*s", columns - width, "");
}

/* Writes a part between two gaps, if need be on a new line. `used`: columns taken so far. Returns
 * the columns taken afterwards. */
static int put_part(FILE *stream, const char *part, size_t bytes, const char *gap, int indent,
                    int columns, int used)
{
    int gap_width = used > 0 ? (int)strlen(gap) : 0;
    if (used > 0 && used + gap_width + width_of(part, bytes, columns) > columns) {
        fprintf(stream, "\n%*s", indent, "");
        used = indent;
    } else if (used > 0) {
        fputs(gap, stream);
        used += gap_width;
    }
    return used + write_fitting(stream, part, bytes, columns - used);
}

void display_wrapped(FILE *stream, const char *text, const char *gap, int indent, int columns)
{
    const char *end;
    int used = 0;
    do {
        end = strstr(text, gap);
        size_t bytes = end ? (size_t)(end - text) : strlen(text);
        used = put_part(stream, text, bytes, gap, indent, columns, used);
        text = end ? end + strlen(gap) : NULL;
    } while (text);
    fputc('\n', stream);
}

void display_filled(FILE *stream, const char *text, int indent, int columns)
{
    int used = indent;
    while (*text) {
        size_t length = strcspn(text, " ");
        int width = width_of(text, length, INT_MAX - 1);
        if (used > indent && used + 1 + width > columns) {
            fprintf(stream, "\n%*s", indent, "");
            used = indent;
        } else if (used > indent) {
            fputc(' ', stream);
            used++;
        }
        display_write_part(stream, text, length);
        used += width;
        text += length + (text[length] == ' ');
    }
    fputc('\n', stream);
}

size_t display_line(const char *text, int columns, size_t *next)
{
    size_t at = 0, bytes, end = 0;
    int used = 0, width;
    bool begun = false; // blanks at the start of a line are its indent
    for (; (bytes = display_grapheme(text + at, &width)) > 0; at += bytes, used += width) {
        bool blank = text[at] == ' ';
        if (blank && begun)
            end = at;
        if (used + width > columns)
            break;
        begun |= !blank;
        if (is_wide(text + at) || text[at] == '|')
            end = at + bytes;
    }
    if (bytes == 0)
        end = at;
    else if (end == 0)
        end = at > 0 ? at : bytes;
    *next = end + (bytes == 0 ? 0 : strspn(text + end, " "));
    return end;
}

int display_lines(const char *text, int columns, int most)
{
    int count = 0;
    size_t next;
    do {
        display_line(text, columns, &next);
        text += next;
    } while (++count < most && *text);
    return count;
}

static int sensible(long columns)
{
    return columns < LEAST_COLUMNS  ? LEAST_COLUMNS
           : columns > MOST_COLUMNS ? MOST_COLUMNS
                                    : (int)columns;
}

static int followed = -1;
static _Thread_local int assumed;

int display_assume(int columns)
{
    int before = assumed;
    assumed = columns;
    return before;
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

/* The encoding --------------------------------------------------------------------------------- */

void encoding_choose(void)
{
    const char *all = getenv("LC_ALL");
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
        return;
    setenv(all && *all ? "LC_ALL" : "LC_CTYPE", "C.UTF-8", 1);
    setlocale(LC_CTYPE, "");
}
