#include "tui/screen/action/key_line.h"

#include <stdio.h>
#include <string.h>

#include "tui/screen/canvas/surface.h"

/* What terminals send for the keys that the line names, also with --ascii. */
static const struct {
    const char *name, *bytes;
} named_keys[] =
    {
        {"Esc", "\033"},     {"Enter", "\r"},     {"Tab", "\t"},
        {"PgUp", "\033[5~"}, {"PgDn", "\033[6~"}, {":help", ":help\r"},
},
  arrows[] = {
      {"\xe2\x86\x90", "\033[D"}, // ←
      {"\xe2\x86\x92", "\033[C"}, // →
      {"\xe2\x86\x91", "\033[A"}, // ↑
      {"\xe2\x86\x93", "\033[B"}, // ↓
      {"<", "\033[D"},
      {">", "\033[C"},
      {"^", "\033[A"},
      {"v", "\033[B"},
};

static const char *arrow_named(const char *name)
{
    for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
        if (strcmp(name, arrows[i].name) == 0)
            return arrows[i].bytes;
    return NULL;
}

static const char *text_at(const struct canvas *canvas, int row, int column)
{
    const struct cell *cell = canvas_cell(canvas, row, column);
    return cell && *cell->text ? cell->text : " ";
}

static bool is_blank_at(const struct canvas *canvas, int row, int column)
{
    return strcmp(text_at(canvas, row, column), " ") == 0;
}

/* A word of the line: columns begin … end-1. */
struct key_word {
    int begin, end;
    char text[64];
};

static struct key_word word_at(const struct canvas *canvas, int row, int column)
{
    struct key_word word = {column, column, ""};
    while (!is_blank_at(canvas, row, word.begin - 1))
        word.begin--;
    size_t used = 0;
    for (word.end = word.begin; !is_blank_at(canvas, row, word.end); word.end++) {
        const char *text = text_at(canvas, row, word.end);
        if (used + strlen(text) < sizeof word.text)
            used += (size_t)sprintf(word.text + used, "%s", text);
    }
    return word;
}

static bool is_arrows(const struct canvas *canvas, int row, const struct key_word *word)
{
    bool ascii_v = strcmp(word->text, "v") == 0; // the character is a key of its own
    for (int column = word->begin; column < word->end; column++)
        if (!arrow_named(text_at(canvas, row, column)))
            return false;
    return !ascii_v;
}

/* In words of several keys, "hjkl" and arrows, each character is a key. */
static const char *key_of_word(const struct canvas *canvas, int row, const struct key_word *word,
                               int column)
{
    const char *text = text_at(canvas, row, column);
    if (is_arrows(canvas, row, word))
        return arrow_named(text);
    for (size_t i = 0; i < sizeof named_keys / sizeof *named_keys; i++)
        if (strcmp(word->text, named_keys[i].name) == 0)
            return named_keys[i].bytes;
    return word->text[1] == '\0' || strcmp(word->text, "hjkl") == 0 ? text : NULL;
}

const char *key_line_find(const struct canvas *canvas, int row, int column)
{
    if (is_blank_at(canvas, row, column))
        return NULL;
    struct key_word word = word_at(canvas, row, column);
    const char *key = key_of_word(canvas, row, &word, column);
    if (key)
        return key;
    while (!is_blank_at(canvas, row, word.begin - 2)) // an item's words are one blank apart
        word = word_at(canvas, row, word.begin - 2);
    return key_of_word(canvas, row, &word, word.end - 1);
}

bool key_line_click(const struct screen *screen, const struct event *event)
{
    const struct area *line = &screen->layout.keys;
    if (!line->rows || event->row != line->row)
        return false;
    const char *key = key_line_find(&screen->canvas, event->row, event->column);
    struct event typed = {.count = key ? (int)strlen(key) : 0};
    memcpy(typed.bytes, key ? key : "", (size_t)typed.count);
    surface_give_back(&typed, typed.count);
    return true;
}
