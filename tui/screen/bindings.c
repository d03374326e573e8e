#include "tui/screen/bindings.h"

#include <string.h>

#include "tui/display.h"
#include "tui/screen/act.h"

/* In the order of help. The first line of a key that means something in a place counts. */
const struct binding binding_table[] = {
    {{':'}, ":", ":", IN_ALL, ": command", "types a command", act_command},
    {{'i'},
     "i",
     "i",
     IN_ALL | BRIEF_LAST,
     "i sentence",
     "types a sentence to translate",
     act_command},
    {{KEY_ARROW_LEFT, KEY_ARROW_RIGHT},
     "\xe2\x86\x90 \xe2\x86\x92",
     "left right",
     IN_MATRIX,
     "\xe2\x86\x90\xe2\x86\x92 head",
     "the head before, the next one",
     act_head},
    {{KEY_ARROW_UP, KEY_ARROW_DOWN},
     "\xe2\x86\x91 \xe2\x86\x93",
     "up down",
     IN_MATRIX,
     "\xe2\x86\x91\xe2\x86\x93 layer",
     "the layer before, the next one",
     act_layer},
    {{KEY_ARROW_LEFT, KEY_ARROW_RIGHT},
     "\xe2\x86\x90 \xe2\x86\x92",
     "left right",
     IN_TOKEN,
     "\xe2\x86\x90\xe2\x86\x92 token",
     "the token before, the next one",
     act_token_step},
    {{KEY_ARROW_LEFT, KEY_ARROW_RIGHT},
     "\xe2\x86\x90 \xe2\x86\x92",
     "left right",
     IN_OTHER,
     NULL,
     "another head of two states beside each other; gates of queries or keys",
     act_other},
    {{KEY_ARROW_UP, KEY_ARROW_DOWN},
     "\xe2\x86\x91 \xe2\x86\x93",
     "up down",
     IN_OTHER,
     NULL,
     "another layer",
     act_other},
    {{'\t', KEY_TAB_BACK},
     "Tab",
     "Tab",
     IN_PICTURES,
     "Tab module",
     "encoder, decoder, cross-attention; with Shift the other way round",
     act_module},
    {{'h', 'l'},
     "h l",
     "h l",
     IN_ALL,
     "hjkl cell",
     "cell, head, column or text to the left, to the right",
     act_cell},
    {{'j', 'k'}, "j k", "j k", IN_ALL, NULL, "down, up", act_cell},
    {{KEY_ARROW_UP, KEY_ARROW_DOWN},
     "\xe2\x86\x91 \xe2\x86\x93",
     "up down",
     IN_GRID | IN_TOKEN | IN_SHEET | IN_PAGE,
     NULL,
     "the same as k and j",
     act_arrow_cell},
    {{KEY_ARROW_LEFT, KEY_ARROW_RIGHT},
     "\xe2\x86\x90 \xe2\x86\x92",
     "left right",
     IN_GRID | IN_SHEET | IN_PAGE,
     NULL,
     "the same as h and l",
     act_arrow_cell},
    {{KEY_PAGE_UP, CTRL('B')}, "PgUp ^B", "PgUp ^B", IN_ALL, NULL, "a page up", act_page},
    {{KEY_PAGE_DOWN, CTRL('F'), ' '},
     "PgDn ^F Space",
     "PgDn ^F Space",
     IN_ALL,
     NULL,
     "a page down",
     act_page},
    {{'0', '^', KEY_FIRST}, "0 ^ Home", "0 ^ Home", IN_ALL, NULL, "the first column", act_line_end},
    {{'$', KEY_LAST}, "$ End", "$ End", IN_ALL, NULL, "the last column", act_line_end},
    {{'G'},
     "gg G",
     "gg G",
     IN_ALL,
     NULL,
     "the first row, the last one; with a count that row",
     act_last},
    {{'\r'},
     "Enter",
     "Enter",
     IN_GRID | IN_TOKEN | IN_SHEET,
     "Enter opens",
     "opens what the cursor is on",
     act_open},
    {{'o'}, "o", "o", IN_PICTURES, "o heads", "all layers and heads, and back", act_overview},
    {{'w'},
     "w",
     "w",
     IN_MATRIX | IN_GRID | BRIEF_LATER,
     "w words",
     "words instead of tokens, and back",
     act_words},
    {{'a'},
     "a",
     "a",
     IN_MATRIX | BRIEF_LAST,
     "a mean",
     "mean over the layer's heads, maximum, one head",
     act_merged},
    {{'t', 'T'},
     "t T",
     "t T",
     IN_MATRIX | BRIEF_LAST,
     "t token",
     "the token of the cursor's row, or column, across all heads",
     act_token},
    {{'m'}, "m", "m", IN_PICTURES, NULL, "the token-to-head matrix of DHICM", act_importance},
    {{'L'}, "L", "L", IN_PICTURES, NULL, "gates \xce\xbb of layers and tokens", act_gates},
    {{'d'},
     "d",
     "d",
     IN_PICTURES,
     "d off/on",
     "switches this head off, and on again; with a count the head of that number",
     act_toggle},
    {{'D'}, "D", "D", IN_PICTURES, NULL, "switches all heads on", act_clear},
    {{'u'},
     "u",
     "u",
     IN_PICTURES | BRIEF_LAST,
     "u undo",
     "takes the last change of the state back",
     act_undo},
    {{CTRL('R')}, "^R", "^R", IN_PICTURES, NULL, "makes it again", act_redo},
    {{'b'},
     "b",
     "b",
     IN_PICTURES | BRIEF_LATER,
     "b beside",
     "this state beside the one before the last change, and back",
     act_beside},
    {{'S'}, "S", "S", IN_PICTURES, NULL, "all states; Enter goes to one", act_states},
    {{'H'},
     "H",
     "H",
     IN_PICTURES,
     NULL,
     "the hypotheses of the beam; Enter shows one",
     act_hypotheses},
    {{'+', '-'},
     "+ -",
     "+ -",
     IN_PICTURES,
     NULL,
     "the next hypothesis, the one before",
     act_hypothesis},
    {{']', '['},
     "] [",
     "] [",
     IN_PICTURES | IN_PAGE, // also where a sentence is blank
     NULL,
     "the next sentence of the test set, the one before; with a count that one",
     act_sentence},
    {{'I'}, "I", "I", IN_PICTURES, NULL, "about the model and the device", act_info},
    {{'v'},
     "v",
     "v",
     IN_TOKEN | IN_OTHER | IN_SHEET,
     NULL,
     "a table instead of the picture (a token's heads, averages of gates), and back",
     act_table},
    {{'s'},
     "s",
     "s",
     IN_SHEET,
     "s sort",
     "sorts by the cursor's column: up, down, as it was",
     act_sort},
    {{'e'},
     "e",
     "e",
     IN_ALL | BRIEF_LATER,
     "e export",
     "writes what is shown to a file",
     act_export},
    {{'y'},
     "y",
     "y",
     IN_PICTURES | IN_SHEET,
     NULL,
     "copies the value under the cursor",
     act_copy_value},
    {{'Y'}, "Y", "Y", IN_PICTURES, NULL, "copies the matrix, as TSV", act_copy_matrix},
    {{'/', '\\'},
     "/ \\",
     "/ \\",
     IN_ALL,
     NULL,
     "searches a token, or text; \\ backwards",
     act_search},
    {{'n', 'N'}, "n N", "n N", IN_ALL, NULL, "searches on, and back", act_search_again},
    {{'?'}, "?", "?", IN_ALL, "? help", "these keys", act_help},
    {{'q'}, "q", "q", IN_ALL | BRIEF_LATER, "q back", "back to what was shown before", act_back},
    {{27}, "Esc", "Esc", IN_ALL, NULL, "stops what runs; back", act_back},
    {{CTRL('L')}, "^L", "^L", IN_ALL, NULL, "draws the screen again", act_refresh},
    {{CTRL('D')}, "^D", "^D", IN_ALL, NULL, "ends the session, as :quit does", act_quit},
};
const int binding_count = sizeof binding_table / sizeof *binding_table;

const struct binding *binding_find(int key, unsigned place)
{
    for (int i = 0; i < binding_count; i++)
        for (int k = 0; k < 3; k++)
            if (key && binding_table[i].keys[k] == key && binding_table[i].places & place)
                return &binding_table[i];
    return NULL;
}

static void write_key(FILE *stream, const struct binding *key, bool ascii, int columns)
{
    const char *name = ascii ? key->ascii : key->name;
    fprintf(stream, "  %s%*s", name, BINDING_NAME_COLUMNS - display_width(name), "");
    display_filled(stream, key->help, BINDING_NAME_COLUMNS + 2, columns);
}

void bindings_write(FILE *stream, unsigned place, bool ascii, int columns)
{
    fputs("in this view\n", stream);
    for (int i = 0; i < binding_count; i++)
        if (binding_table[i].places & place)
            write_key(stream, &binding_table[i], ascii, columns);
    bool any = false;
    for (int i = 0; i < binding_count; i++) {
        if (binding_table[i].places & place)
            continue;
        if (!any)
            fputs("\nin other views\n", stream);
        any = true;
        write_key(stream, &binding_table[i], ascii, columns);
    }
    fputc('\n', stream);
    display_filled(stream, BINDINGS_RULES, 0, columns);
}

void bindings_write_places(FILE *stream, unsigned places)
{
    static const struct {
        unsigned places;
        const char *name;
    } parts[] = {{IN_ALL, "everywhere"}, {IN_PICTURES, "pictures"}, {IN_MATRIX, "one head"},
                 {IN_GRID, "all heads"}, {IN_TOKEN, "one token"},   {IN_OTHER, "other pictures"},
                 {IN_SHEET, "tables"},   {IN_PAGE, "text"}};
    const char *between = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if ((places & parts[i].places) != parts[i].places)
            continue;
        fprintf(stream, "%s%s", between, parts[i].name);
        between = ", ";
        places &= ~parts[i].places;
    }
}
