#include "tui/manual/key_table.h"

#include <stdlib.h>

#include "base/strings.h"
#include "terminal/key_codes.h"
#include "terminal/text/display.h"
#include "tui/command/commands.h"

/* In the order of the help. If a key has several entries that apply in a context, the first one
 * counts. */
const struct key_entry key_table[] = {
    {{'i'}, "i", "i", IN_ALL, "i prompt", "goes to the prompt", ACTION_PROMPT},
    {{':'},
     ":",
     ":",
     IN_ALL | BRIEF_LATER,
     ": command",
     "types a command; after Enter the prompt has the focus",
     ACTION_COMMAND},
    {{KEY_ARROW_LEFT, KEY_ARROW_RIGHT},
     "\xe2\x86\x90 \xe2\x86\x92",
     "left right",
     IN_MATRIX | WAITS_FOR_WEIGHTS,
     "\xe2\x86\x90\xe2\x86\x92 head",
     "the previous head, the next head",
     ACTION_HEAD},
    {{KEY_ARROW_UP, KEY_ARROW_DOWN},
     "\xe2\x86\x91 \xe2\x86\x93",
     "up down",
     IN_MATRIX | WAITS_FOR_WEIGHTS,
     "\xe2\x86\x91\xe2\x86\x93 layer",
     "the previous layer, the next layer",
     ACTION_LAYER},
    {{KEY_ARROW_LEFT, KEY_ARROW_RIGHT},
     "\xe2\x86\x90 \xe2\x86\x92",
     "left right",
     IN_TOKEN | WAITS_FOR_WEIGHTS,
     "\xe2\x86\x90\xe2\x86\x92 token",
     "the previous token, the next token",
     ACTION_TOKEN_STEP},
    {{KEY_ARROW_LEFT, KEY_ARROW_RIGHT},
     "\xe2\x86\x90 \xe2\x86\x92",
     "left right",
     IN_OTHER | WAITS_FOR_WEIGHTS,
     NULL,
     "another head, with two states side by side; gates of queries or keys",
     ACTION_OTHER},
    {{KEY_ARROW_UP, KEY_ARROW_DOWN},
     "\xe2\x86\x91 \xe2\x86\x93",
     "up down",
     IN_OTHER | WAITS_FOR_WEIGHTS,
     NULL,
     "another layer",
     ACTION_OTHER},
    {{'\t', KEY_TAB_BACK},
     "Tab",
     "Tab",
     IN_PICTURES | WAITS_FOR_WEIGHTS,
     "Tab module",
     "encoder, decoder, cross-attention; with Shift in reverse",
     ACTION_MODULE},
    {{'h', 'l'},
     "h l",
     "h l",
     IN_ALL | BRIEF_LATER,
     "hjkl cell",
     "the cell, head or column to the left, to the right; text scrolls",
     ACTION_CELL},
    {{'j', 'k'}, "j k", "j k", IN_ALL, NULL, "down, up", ACTION_CELL},
    {{KEY_ARROW_UP, KEY_ARROW_DOWN},
     "\xe2\x86\x91 \xe2\x86\x93",
     "up down",
     IN_GRID | IN_TOKEN | IN_SHEET | IN_PAGE,
     NULL,
     "the same as k and j",
     ACTION_ARROW_CELL},
    {{KEY_ARROW_LEFT, KEY_ARROW_RIGHT},
     "\xe2\x86\x90 \xe2\x86\x92",
     "left right",
     IN_GRID | IN_SHEET | IN_PAGE,
     NULL,
     "the same as h and l",
     ACTION_ARROW_CELL},
    {{KEY_PAGE_UP, CTRL('B')}, "PgUp ^B", "PgUp ^B", IN_ALL, NULL, "a page up", ACTION_PAGE},
    {{KEY_PAGE_DOWN, CTRL('F'), ' '},
     "PgDn ^F Space",
     "PgDn ^F Space",
     IN_ALL,
     NULL,
     "a page down",
     ACTION_PAGE},
    {{'0', '^', KEY_FIRST},
     "0 ^ Home",
     "0 ^ Home",
     IN_ALL,
     NULL,
     "the first column",
     ACTION_LINE_END},
    {{'$', KEY_LAST}, "$ End", "$ End", IN_ALL, NULL, "the last column", ACTION_LINE_END},
    {{'G'},
     "gg G",
     "gg G",
     IN_ALL,
     NULL,
     "the first row, the last row; with a number before it, that row",
     ACTION_LAST_ROW},
    {{'\r'},
     "Enter",
     "Enter",
     IN_GRID | IN_TOKEN | IN_SHEET | WAITS_FOR_WEIGHTS,
     "Enter opens",
     "opens the cell or row under the cursor",
     ACTION_OPEN},
    {{'\r'},
     "Enter",
     "Enter",
     IN_MATRIX | BRIEF_LAST | WAITS_FOR_MODEL,
     "Enter about it",
     "the head in full, as :head shows it",
     ACTION_OPEN},
    {{'o'},
     "o",
     "o",
     IN_PICTURES | WAITS_FOR_WEIGHTS,
     "o heads",
     "toggle overview of all layers and heads",
     ACTION_OVERVIEW},
    {{'w'},
     "w",
     "w",
     IN_MATRIX | IN_GRID | BRIEF_LATER | WAITS_FOR_WEIGHTS,
     "w words",
     "words instead of tokens, and back",
     ACTION_WORDS},
    {{'w'},
     "w",
     "w",
     IN_OTHER | IN_SHEET | WAITS_FOR_WEIGHTS,
     NULL,
     "words instead of tokens, and back, with two states or an alignment",
     ACTION_WORDS},
    {{'a'},
     "a",
     "a",
     IN_MATRIX | BRIEF_LAST | WAITS_FOR_WEIGHTS,
     "a mean",
     "the mean over the layer's heads, their maximum, one head",
     ACTION_MERGED},
    {{'A'},
     "A",
     "A",
     IN_MATRIX | WAITS_FOR_MODEL,
     NULL,
     "the next method: attention weights, norms of what they carry, rollout, flow, ALTI",
     ACTION_METHOD},
    {{'t', 'T'},
     "t T",
     "t T",
     IN_MATRIX | BRIEF_LAST | WAITS_FOR_WEIGHTS,
     "t token",
     "the token of the cursor's row, or of its column, across all heads",
     ACTION_TOKEN},
    {{'m'},
     "m",
     "m",
     IN_PICTURES | WAITS_FOR_WEIGHTS,
     NULL,
     "the token-to-head matrix of DHICM",
     ACTION_IMPORTANCE},
    {{'L'},
     "L",
     "L",
     IN_PICTURES | WAITS_FOR_WEIGHTS,
     NULL,
     "gates \xce\xbb by layers and tokens",
     ACTION_GATES},
    {{'d'},
     "d",
     "d",
     IN_PICTURES | WAITS_FOR_MODEL,
     "d off/on",
     "turns the current head off, and on again; with a number before it, that head",
     ACTION_TOGGLE},
    {{'D'}, "D", "D", IN_ALL | WAITS_FOR_MODEL, NULL, "enable all heads", ACTION_ENABLE_ALL},
    {{'u'},
     "u",
     "u",
     IN_ALL | BRIEF_LAST | WAITS_FOR_MODEL,
     "u undo",
     "undo the last change of the state",
     ACTION_UNDO},
    {{CTRL('R')}, "^R", "^R", IN_ALL | WAITS_FOR_MODEL, NULL, "redo it", ACTION_REDO},
    {{'b'},
     "b",
     "b",
     IN_PICTURES | BRIEF_LATER | WAITS_FOR_MODEL,
     "b beside",
     "the heads that the last change changed, and back; Enter shows one in both states",
     ACTION_BESIDE},
    {{'b'}, "b", "b", IN_SHEET, NULL, "back from the heads that changed", ACTION_BESIDE},
    {{'S'}, "S", "S", IN_ALL, NULL, "all states; Enter switches to one", ACTION_STATES},
    {{'H'},
     "H",
     "H",
     IN_PICTURES,
     NULL,
     "the hypotheses of the beam; Enter shows one",
     ACTION_HYPOTHESES},
    {{'+', '-'},
     "+ -",
     "+ -",
     IN_PICTURES | WAITS_FOR_MODEL,
     NULL,
     "the next hypothesis, the previous one",
     ACTION_HYPOTHESIS},
    {{']', '['},
     "] [",
     "] [",
     IN_PICTURES | IN_PAGE | WAITS_FOR_MODEL, // also on a blank line
     NULL,
     "the next sentence of the test set or of those typed, the previous one; with a number before "
     "it, that one",
     ACTION_SENTENCE},
    {{'I'},
     "I",
     "I",
     IN_ALL | WAITS_FOR_MODEL,
     NULL,
     "information about the model and the device",
     ACTION_INFO},
    {{'v'},
     "v",
     "v",
     IN_ALL,
     NULL,
     "a table instead of the picture (heads of a token, averages of gates), and back; elsewhere "
     "the sentence in full, after a change with the log-probability of each token before and after "
     "it, and back",
     ACTION_TABLE},
    {{'p'},
     "p",
     "p",
     IN_PICTURES,
     NULL,
     "hides the panel at the right, and shows it again",
     ACTION_SIDE},
    {{'z'},
     "z",
     "z",
     IN_MATRIX | IN_TOKEN | IN_OTHER | BRIEF_LAST,
     "z whole",
     "the whole of a long sentence's matrix, and back: labels are shortened, and neighbouring "
     "cells "
     "drawn as the strongest of them",
     ACTION_WHOLE},
    {{'s'},
     "s",
     "s",
     IN_SHEET,
     "s sort",
     "sorts by the cursor's column: ascending, descending, the original order",
     ACTION_SORT},
    {{'e'},
     "e",
     "e",
     IN_ALL | BRIEF_LATER | WAITS_FOR_MODEL,
     "e export",
     "writes the view to a file",
     ACTION_EXPORT},
    {{'y'},
     "y",
     "y",
     IN_PICTURES | IN_SHEET,
     NULL,
     "copies the value under the cursor",
     ACTION_COPY_VALUE},
    {{'Y'}, "Y", "Y", IN_PICTURES, NULL, "copies the matrix, as TSV", ACTION_COPY_MATRIX},
    {{'/', '\\'},
     "/ \\",
     "/ \\",
     IN_ALL,
     NULL,
     "searches for a token or text; \\ searches backwards",
     ACTION_SEARCH},
    {{'n', 'N'},
     "n N",
     "n N",
     IN_ALL,
     NULL,
     "the next match, the previous match",
     ACTION_SEARCH_AGAIN},
    {{'?'}, "?", "?", IN_ALL, "? help", "these keys", ACTION_HELP},
    {{'q'}, "q", "q", IN_ALL | BRIEF_LATER, "q back", "goes back to the view before", ACTION_BACK},
    {{27},
     "Esc",
     "Esc",
     IN_ALL,
     NULL,
     "drops the commands that wait; then stops the one that runs, as Ctrl-C does; then goes back",
     ACTION_ESCAPE},
    {{CTRL('L')}, "^L", "^L", IN_ALL, NULL, "redraws the screen", ACTION_REFRESH},
    {{CTRL('D'), 'Z'},
     "^D ZZ",
     "^D ZZ",
     IN_ALL,
     NULL,
     "ends the session, as :quit does: after the command that runs; twice, at once",
     ACTION_QUIT},
};
const int key_count = sizeof key_table / sizeof *key_table;

const struct key_entry *key_find(int key, unsigned context)
{
    for (int i = 0; i < key_count; i++)
        for (int k = 0; k < 3; k++)
            if (key && key_table[i].keys[k] == key && key_table[i].contexts & context)
                return &key_table[i];
    return NULL;
}

static void write_key(FILE *stream, const struct key_entry *key, bool ascii, int columns)
{
    const char *name = ascii ? key->ascii : key->name;
    fprintf(stream, "  %s%*s", name, KEY_NAME_COLUMNS - display_width(name), "");
    display_filled(stream, key->help, KEY_NAME_COLUMNS + 2, columns);
}

bool key_anywhere(int key)
{
    return key == 'g' || key_find(key, IN_ALL);
}

/* Writes a key with the views that it is for: "tables: sorts the rows". If memory runs out, the key
 * is left out. */
static void write_elsewhere(FILE *stream, const struct key_entry *key, bool ascii, int columns)
{
    struct key_entry named = *key;
    struct written written;
    FILE *text = written_open(&written);
    if (!text)
        return;
    key_write_contexts(text, key->contexts);
    fprintf(text, ": %s", key->help);
    char *help = written_close(&written);
    if (help) {
        named.help = help;
        write_key(stream, &named, ascii, columns);
    }
    free(help);
}

unsigned key_waiting(bool held)
{
    return held ? WAITS_FOR_MODEL : WAITS_FOR_MODEL | WAITS_FOR_WEIGHTS;
}

static bool works_in(const struct key_view *view, const struct key_entry *key)
{
    return key->contexts & view->context && view->works(view->data, key);
}

/* Writes the keys of a view: those that wait, or those that do not. */
static void write_keys(FILE *stream, const struct key_view *view, bool wait)
{
    bool any = false;
    for (int i = 0; i < key_count; i++) {
        if (!works_in(view, &key_table[i]) || !(key_table[i].contexts & view->waiting) == wait)
            continue;
        if (wait && !any)
            fputs("\nin this view, when the command is done\n", stream);
        any = true;
        write_key(stream, &key_table[i], view->ascii, view->columns);
    }
}

void key_table_write(FILE *stream, const struct key_view *view)
{
    fputs("in this view\n", stream);
    write_keys(stream, view, false);
    write_keys(stream, view, true);
    bool any = false;
    for (int i = 0; i < key_count; i++) {
        if (works_in(view, &key_table[i]))
            continue;
        if (!any)
            fputs("\nin other views\n", stream);
        any = true;
        write_elsewhere(stream, &key_table[i], view->ascii, view->columns);
    }
    for (const char *const *part = topic_find("keys")->parts; *part; part++) {
        fputc('\n', stream);
        display_filled(stream, *part, 0, view->columns);
    }
}

void key_write_contexts(FILE *stream, unsigned contexts)
{
    static const struct {
        unsigned contexts;
        const char *name;
    } parts[] = {{IN_ALL, "everywhere"},  {IN_PICTURES, "views of a sentence"},
                 {IN_MATRIX, "one head"}, {IN_GRID, "all heads"},
                 {IN_TOKEN, "one token"}, {IN_OTHER, "importance, gates, two states"},
                 {IN_SHEET, "tables"},    {IN_PAGE, "text"}};
    const char *between = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if ((contexts & parts[i].contexts) != parts[i].contexts)
            continue;
        fprintf(stream, "%s%s", between, parts[i].name);
        between = ", ";
        contexts &= ~parts[i].contexts;
    }
}
