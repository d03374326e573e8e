#include "tui/screen/canvas/find.h"

#include <string.h>
#include <utf8proc.h>

#include "terminal/text/display.h"

/* Reads the characters of a text, case-folded or as they are. One character may fold to several. */
struct reader {
    const char *text; // the rest of the text
    bool fold;
    utf8proc_int32_t folded[8];
    int count, next;
};

static utf8proc_int32_t take_character(const char **text)
{
    utf8proc_int32_t character;
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)*text,
                                              (utf8proc_ssize_t)strnlen(*text, 4), &character);
    *text += bytes > 0 ? bytes : 1;
    return bytes > 0 ? character : 0xFFFD;
}

/* Returns 0 at the end. */
static utf8proc_int32_t read_character(struct reader *reader)
{
    enum { MOST = sizeof reader->folded / sizeof *reader->folded };
    if (reader->next < reader->count)
        return reader->folded[reader->next++];
    if (!*reader->text)
        return 0;
    utf8proc_int32_t character = take_character(&reader->text);
    if (!reader->fold)
        return character;
    int unused = UTF8PROC_BOUNDCLASS_START;
    utf8proc_ssize_t count =
        utf8proc_decompose_char(character, reader->folded, MOST, UTF8PROC_CASEFOLD, &unused);
    if (count < 1 || count > MOST)
        return character;
    reader->count = (int)count;
    reader->next = 1;
    return reader->folded[0];
}

static bool has_capitals(const char *text)
{
    while (*text) {
        utf8proc_category_t category = utf8proc_category(take_character(&text));
        if (category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT)
            return true;
    }
    return false;
}

/* Returns the bytes that `search` matches at the beginning of `text`; 0: no match. */
static size_t match(const char *text, const char *search, bool fold)
{
    struct reader here = {.text = text, .fold = fold}, wanted = {.text = search, .fold = fold};
    utf8proc_int32_t character;
    while ((character = read_character(&wanted)))
        if (read_character(&here) != character)
            return 0;
    return (size_t)(here.text - text);
}

const char *find_in(const char *text, const char *search, size_t *length)
{
    bool fold = !has_capitals(search);
    while (*text) {
        *length = match(text, search, fold);
        if (*length > 0)
            return text;
        take_character(&text);
    }
    return NULL;
}

int find_around(int count, int from, bool backward,
                bool (*holds)(const void *context, int index, const char *search),
                const void *context, const char *search)
{
    if (count <= 0)
        return -1;
    from = ((from % count) + count) % count;
    for (int step = 0; step < count; step++) {
        int index = backward ? (from - step + count) % count : (int)(((long)from + step) % count);
        if (holds(context, index, search))
            return index;
    }
    return -1;
}

/* Marks ---------------------------------------------------------------------------------------- */

/* Advances to the grapheme that contains byte `to`, or (`over`) past the one that contains the byte
 * before it. */
static void walk(const char **at, int *column, const char *to, bool over)
{
    int width;
    size_t bytes;
    while (*at < to && (bytes = display_grapheme(*at, &width)) > 0 && (over || *at + bytes <= to)) {
        *column += width;
        *at += bytes;
    }
}

/* Marks columns from … to (exclusive) of the text. */
static void mark(struct canvas *canvas, struct area area, int left, int from, int to,
                 struct style style)
{
    from = from > left ? from - left : 0;
    to = to - left < area.columns ? to - left : area.columns;
    canvas_restyle(canvas, (struct area){area.row, area.column + from, 1, to - from}, style);
}

void find_mark(struct canvas *canvas, struct area area, const char *text, int left,
               const char *search, struct style style)
{
    size_t length;
    int column = 0;
    const char *walked = text, *at = text;
    if (!search || !*search)
        return;
    for (; (at = find_in(at, search, &length)) && column < left + area.columns; at += length) {
        walk(&walked, &column, at, false);
        int from = column;
        walk(&walked, &column, at + length, true);
        mark(canvas, area, left, from, column, style);
    }
}
