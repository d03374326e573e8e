#include "terminal/text/edit_script.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "terminal/text/arguments.h"
#include "terminal/text/display.h"

const char *const edit_names[EDIT_KINDS] = {"kept", "changed", "dropped", "inserted"};

/* Splitting texts into words ------------------------------------------------------------------- */

struct words {
    const char *text;
    struct span *spans; // (count)
    int count;
    size_t capacity;
};

/* True if a character belongs to a script without blanks between its words, or to its
 * punctuation. */
static bool stands_alone(utf8proc_int32_t c)
{
    static const utf8proc_int32_t ranges[][2] = {
        {0x0E00, 0x0EFF},   // Thai, Lao
        {0x1000, 0x109F},   // Burmese
        {0x1780, 0x17FF},   // Khmer
        {0x2E80, 0x312F},   // radicals, CJK punctuation, kana, Bopomofo; 3130-318F is Hangul
        {0x3190, 0xA4CF},   // Han, Yi
        {0xF900, 0xFAFF},   // Han for compatibility
        {0xFF00, 0xFF9F},   // full and half width forms before those of Hangul
        {0x20000, 0x3FFFF}, // more Han
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

static bool begins_alone(const char *text)
{
    utf8proc_int32_t character;
    return utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)strnlen(text, 4),
                            &character) > 0 &&
           stands_alone(character);
}

/* Returns the bytes of the word at the start of `text`. */
static size_t word_length(const char *text)
{
    int columns;
    size_t length = display_grapheme(text, &columns);
    if (begins_alone(text))
        return length;
    while (text[length] && !is_blank(text[length]) && !begins_alone(text + length))
        length += display_grapheme(text + length, &columns);
    return length;
}

static bool cut_words(const char *text, struct words *words, struct status *status)
{
    *words = (struct words){.text = text};
    for (const char *at = text; *at;) {
        if (is_blank(*at)) {
            at++;
            continue;
        }
        if (!memory_grow((void **)&words->spans, &words->capacity, (size_t)words->count + 1,
                         sizeof *words->spans, status))
            return false;
        size_t length = word_length(at), begin = (size_t)(at - text);
        words->spans[words->count++] = (struct span){begin, begin + length};
        at += length;
    }
    return true;
}

static bool same_word(const struct words *a, int i, const struct words *b, int j)
{
    size_t length = a->spans[i].end - a->spans[i].begin;
    return length == b->spans[j].end - b->spans[j].begin &&
           memcmp(a->text + a->spans[i].begin, b->text + b->spans[j].begin, length) == 0;
}

/* The shortest script -------------------------------------------------------------------------- */

enum { PAIRS_MOST = 16 << 20 };

/* Two texts without their common beginning and end: words first … last[side]-1 of each. Keeping
 * common ends costs nothing, so some shortest script keeps them. */
struct middle {
    struct words words[2];
    int first, last[2];
};

static bool same_pair(const struct middle *middle, int i, int j)
{
    return same_word(&middle->words[0], i, &middle->words[1], j);
}

static void find_middle(struct middle *middle)
{
    int first = 0, i = middle->words[0].count, j = middle->words[1].count;
    while (first < i && first < j && same_pair(middle, first, first))
        first++;
    while (i > first && j > first && same_pair(middle, i - 1, j - 1)) {
        i--;
        j--;
    }
    middle->first = first;
    middle->last[0] = i;
    middle->last[1] = j;
}

/* Any edit costs more than any number of kept words can save. */
enum { KEEPS_SHIFT = 32 };
static int64_t cost_of(enum edit_kind kind)
{
    return kind == EDIT_KEPT ? -1 : (int64_t)1 << KEEPS_SHIFT;
}

/* Returns the first edit of the best script from two words on; *cost: of that script. `below`,
 * `beside` and `across`: the costs after the word of the first text, of the second, and of both;
 * INT64_MAX: there is no such word. */
static enum edit_kind best_edit(bool same, int64_t across, int64_t below, int64_t beside,
                                int64_t *cost)
{
    enum edit_kind kind = same ? EDIT_KEPT : EDIT_CHANGED;
    *cost = across == INT64_MAX ? INT64_MAX : across + cost_of(kind);
    if (below != INT64_MAX && below + cost_of(EDIT_DROPPED) < *cost) {
        kind = EDIT_DROPPED;
        *cost = below + cost_of(kind);
    }
    if (beside != INT64_MAX && beside + cost_of(EDIT_INSERTED) < *cost) {
        kind = EDIT_INSERTED;
        *cost = beside + cost_of(kind);
    }
    return kind;
}

/* choices (rows + 1, columns + 1): the first edit of the best script from a row and a column of the
 * middles on. costs (2, columns + 1): work space for two rows. */
static void fill_choices(const struct middle *middle, int rows, int columns, unsigned char *choices,
                         int64_t *costs)
{
    size_t width = (size_t)columns + 1;
    for (int i = rows; i >= 0; i--) {
        int64_t *row = costs + (i & 1 ? width : 0), *next = costs + (i & 1 ? 0 : width);
        for (int j = columns; j >= 0; j--) {
            bool down = i < rows, right = j < columns;
            if (!down && !right) {
                row[j] = 0;
                continue;
            }
            bool same = down && right && same_pair(middle, middle->first + i, middle->first + j);
            choices[(size_t)i * width + j] = (unsigned char)best_edit(
                same, down && right ? next[j + 1] : INT64_MAX, down ? next[j] : INT64_MAX,
                right ? row[j + 1] : INT64_MAX, &row[j]);
        }
    }
}

/* Compares word by word: for texts too long for a table of choices. */
static enum edit_kind edit_in_place(const struct middle *middle, int i, int j)
{
    if (i == middle->last[0])
        return EDIT_INSERTED;
    if (j == middle->last[1])
        return EDIT_DROPPED;
    return same_pair(middle, i, j) ? EDIT_KEPT : EDIT_CHANGED;
}

/* Writing it ----------------------------------------------------------------------------------- */

static bool has_blank_before(const struct words *words, int index)
{
    return index > 0 && words->spans[index].begin > words->spans[index - 1].end;
}

/* Adds the edit of the words at `at` and moves past them. */
static void add_edit(struct edit_script *script, const struct middle *middle, enum edit_kind kind,
                     int at[2])
{
    struct edit edit = {.kind = kind};
    for (int side = 0; side < 2; side++) {
        const struct words *words = &middle->words[side];
        if (kind == (side ? EDIT_DROPPED : EDIT_INSERTED))
            continue;
        edit.spaced |= has_blank_before(words, at[side]);
        edit.words[side] = words->spans[at[side]++];
    }
    script->edits[script->count++] = edit;
    script->counts[kind]++;
}

static void write_script(const struct middle *middle, const unsigned char *choices,
                         struct edit_script *script)
{
    int at[2] = {0, 0}, first = middle->first;
    size_t width = (size_t)(middle->last[1] - first) + 1;
    while (at[0] < first)
        add_edit(script, middle, EDIT_KEPT, at);
    while (at[0] < middle->last[0] || at[1] < middle->last[1])
        add_edit(
            script, middle,
            choices
                ? (enum edit_kind)choices[(size_t)(at[0] - first) * width + (size_t)(at[1] - first)]
                : edit_in_place(middle, at[0], at[1]),
            at);
    while (at[0] < middle->words[0].count)
        add_edit(script, middle, EDIT_KEPT, at);
}

static bool find_script(struct middle *middle, struct edit_script *script, struct status *status)
{
    find_middle(middle);
    int rows = middle->last[0] - middle->first, columns = middle->last[1] - middle->first;
    size_t width = (size_t)columns + 1, cells = ((size_t)rows + 1) * width;
    if (!memory_grow((void **)&script->edits, &script->capacity,
                     (size_t)middle->words[0].count + (size_t)middle->words[1].count,
                     sizeof *script->edits, status))
        return false;
    if (cells > PAIRS_MOST) {
        write_script(middle, NULL, script);
        return true;
    }
    unsigned char *choices = memory_new(cells, 1, status);
    int64_t *costs = choices ? memory_new(2 * width, sizeof *costs, status) : NULL;
    if (costs) {
        fill_choices(middle, rows, columns, choices, costs);
        write_script(middle, choices, script);
    }
    bool ok = costs != NULL;
    free(choices);
    free(costs);
    return ok;
}

bool edit_script_make(const char *before, const char *after, struct edit_script *script,
                      struct status *status)
{
    struct middle middle = {0};
    *script = (struct edit_script){0};
    bool ok = cut_words(before, &middle.words[0], status) &&
              cut_words(after, &middle.words[1], status) && find_script(&middle, script, status);
    free(middle.words[0].spans);
    free(middle.words[1].spans);
    return ok;
}

bool edit_script_copy(const struct edit_script *from, struct edit_script *to, struct status *status)
{
    *to = *from;
    to->capacity = 0;
    to->edits = NULL;
    if (!memory_grow((void **)&to->edits, &to->capacity, (size_t)from->count, sizeof *to->edits,
                     status)) {
        *to = (struct edit_script){0};
        return false;
    }
    if (from->count)
        memcpy(to->edits, from->edits, (size_t)from->count * sizeof *to->edits);
    return true;
}

void edit_script_free(struct edit_script *script)
{
    free(script->edits);
    *script = (struct edit_script){0};
}

void edit_script_describe(const struct edit_script *script, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int kind = EDIT_CHANGED; kind < EDIT_KINDS; kind++) {
        int count = script->counts[kind];
        if (!count)
            continue;
        const char *unit = used ? "" : count == 1 ? " word" : " words";
        int length = snprintf(text + used, size - used, "%s%d%s %s", used ? ", " : "", count, unit,
                              edit_names[kind]);
        used += (size_t)length < size - used ? (size_t)length : size - used - 1;
    }
}

/* Lines of two texts --------------------------------------------------------------------------- */

static const struct {
    const char *begin, *end;
} marks[EDIT_KINDS] = {{"", ""}, {"[", "]"}, {"[-", "-]"}, {"{+", "+}"}};

/* Returns the columns of a mark; the opening and the closing mark have the same. */
static int mark_columns(enum edit_kind kind)
{
    return (int)strlen(marks[kind].begin);
}

static bool has_word(enum edit_kind kind, int side)
{
    return kind != (side ? EDIT_DROPPED : EDIT_INSERTED);
}

static int word_columns(const char *text, struct span word)
{
    int sum = 0, columns;
    for (size_t at = word.begin; at < word.end; sum += columns)
        at += display_grapheme(text + at, &columns);
    return sum;
}

/* Returns the columns of an edit without marks: those of its wider word. */
static int edit_columns(const struct edit *edit, const char *const texts[2])
{
    int before = word_columns(texts[0], edit->words[0]),
        after = word_columns(texts[1], edit->words[1]);
    return before > after ? before : after;
}

/* True if an edit opens a group of marked words in a line that starts at edit `first`. */
static bool opens(const struct edit_script *script, int first, int index)
{
    return index == first || script->edits[index - 1].kind != script->edits[index].kind;
}

/* Returns the columns between the text before an edit and its word: a blank, and marks that end and
 * begin there. */
static int columns_before(const struct edit_script *script, int first, int index)
{
    const struct edit *edit = &script->edits[index];
    int columns = index > first && edit->spaced;
    if (opens(script, first, index))
        columns += mark_columns(edit->kind) +
                   (index > first ? mark_columns(script->edits[index - 1].kind) : 0);
    return columns;
}

struct edit_line edit_line_from(const struct edit_script *script, const char *const texts[2],
                                int first, int columns)
{
    struct edit_line line = {first, first};
    for (int used = 0; line.end < script->count; line.end++) {
        const struct edit *edit = &script->edits[line.end];
        used += columns_before(script, first, line.end) + edit_columns(edit, texts);
        if (line.end > first && used + mark_columns(edit->kind) > columns)
            break;
    }
    return line;
}

void edit_line_put(const struct edit_script *script, const char *const texts[2],
                   struct edit_line line, int side, edit_put *put, void *data)
{
    int column = 0;
    for (int i = line.first; i < line.end; i++) {
        const struct edit *edit = &script->edits[i];
        struct span word = edit->words[side];
        enum edit_kind kind = edit->kind;
        int mark = mark_columns(kind);
        column += columns_before(script, line.first, i);
        if (has_word(kind, side)) {
            int end = column + word_columns(texts[side], word);
            if (mark && opens(script, line.first, i))
                put(data, column - mark, kind, marks[kind].begin, (size_t)mark);
            put(data, column, kind, texts[side] + word.begin, word.end - word.begin);
            if (mark && (i + 1 == line.end || opens(script, line.first, i + 1)))
                put(data, end, kind, marks[kind].end, (size_t)mark);
        }
        column += edit_columns(edit, texts);
    }
}
