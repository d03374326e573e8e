#include "tui/text/edit_lines.h"

#include <string.h>

#include "tui/text/display.h"

static const struct {
    const char *begin, *end;
} marks[EDIT_KINDS] = {{"", ""}, {"[", "]"}, {"[-", "-]"}, {"{+", "+}"}};

/* Columns of a mark; both marks of a kind have as many. */
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

/* Columns of an edit without marks: those of its wider word. */
static int edit_columns(const struct edit *edit, const char *const texts[2])
{
    int before = word_columns(texts[0], edit->words[0]),
        after = word_columns(texts[1], edit->words[1]);
    return before > after ? before : after;
}

/* True if an edit begins words that stand between marks in a line from edit `first` on. */
static bool opens(const struct edit_script *script, int first, int index)
{
    return index == first || script->edits[index - 1].kind != script->edits[index].kind;
}

/* Columns between what stands before an edit and its word: a blank, and marks that end and begin
 * there. */
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
