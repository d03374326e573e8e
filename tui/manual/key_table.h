/* The keys of the views, in one table. The manual, the help on the screen and the dispatch of keys
 * all read it.
 *
 * This table only names the actions; tui/screen/action carries them out.
 */
#ifndef ATTNSCOPE_KEY_TABLE_H
#define ATTNSCOPE_KEY_TABLE_H

#include <stdbool.h>
#include <stdio.h>

/* The kinds of view in which a key applies; combined with |. */
enum key_context {
    IN_MATRIX = 1 << 0, // a heatmap of one head, or of the mean or maximum of a layer
    IN_GRID = 1 << 1,   // all layers and heads
    IN_TOKEN = 1 << 2,  // all heads of one token
    IN_OTHER = 1 << 3,  // other pictures: importance, gates, two states
    IN_SHEET = 1 << 4,  // a table
    IN_PAGE = 1 << 5,   // text
    IN_PICTURES = IN_MATRIX | IN_GRID | IN_TOKEN | IN_OTHER,
    IN_ALL = IN_PICTURES | IN_SHEET | IN_PAGE,
    /* Priority in the line of keys at the bottom of the screen. Keys with neither flag come first,
     * then BRIEF_LATER, then BRIEF_LAST, while there is room. */
    BRIEF_LATER = 1 << 6,
    BRIEF_LAST = 1 << 7,
    /* While a command runs, the key waits for it: WAITS_FOR_MODEL always, WAITS_FOR_WEIGHTS unless
     * the weights that it shows are held. All other keys work. */
    WAITS_FOR_MODEL = 1 << 8,
    WAITS_FOR_WEIGHTS = 1 << 9
};

enum key_action {
    ACTION_PROMPT,
    ACTION_COMMAND,
    ACTION_HEAD,
    ACTION_LAYER,
    ACTION_TOKEN_STEP,
    ACTION_OTHER,
    ACTION_MODULE,
    ACTION_CELL,
    ACTION_ARROW_CELL,
    ACTION_PAGE,
    ACTION_LINE_END,
    ACTION_LAST_ROW,
    ACTION_OPEN,
    ACTION_OVERVIEW,
    ACTION_WORDS,
    ACTION_MERGED,
    ACTION_METHOD,
    ACTION_TOKEN,
    ACTION_IMPORTANCE,
    ACTION_GATES,
    ACTION_TOGGLE,
    ACTION_ENABLE_ALL,
    ACTION_UNDO,
    ACTION_REDO,
    ACTION_BESIDE,
    ACTION_STATES,
    ACTION_HYPOTHESES,
    ACTION_HYPOTHESIS,
    ACTION_SENTENCE,
    ACTION_INFO,
    ACTION_TABLE,
    ACTION_SIDE,
    ACTION_WHOLE,
    ACTION_SORT,
    ACTION_EXPORT,
    ACTION_COPY_VALUE,
    ACTION_COPY_MATRIX,
    ACTION_SEARCH,
    ACTION_SEARCH_AGAIN,
    ACTION_HELP,
    ACTION_BACK,
    ACTION_ESCAPE,
    ACTION_REFRESH,
    ACTION_QUIT,
    ACTION_COUNT
};

struct key_entry {
    int keys[3];            // codes from key_codes.h; 0: no further key
    const char *name;       // as the help shows it: "← →"
    const char *ascii;      // the same in ASCII
    unsigned contexts;      // combined values of enum key_context
    const char *brief;      // text for the line of keys at the bottom; NULL: not shown there
    const char *help;       // one line
    enum key_action action; // what it does
};

extern const struct key_entry key_table[]; // (key_count), in the order of the help
extern const int key_count;

/* True if it is a key in some view, or the first key of gg. */
bool key_anywhere(int key);

/* The entry of a key in a context; NULL: the key does nothing there. */
const struct key_entry *key_find(int key, unsigned context);

/* The flags of enum key_context whose keys wait while a command runs; `held`: the sentence's
 * weights are held. */
unsigned key_waiting(bool held);

enum { KEY_NAME_COLUMNS = 16 };

/* Writes contexts for readers: "one head, all heads"; "everywhere". */
void key_write_contexts(FILE *stream, unsigned contexts);

/* True if a key does something in a view, beyond its context. */
typedef bool key_test(const void *data, const struct key_entry *key);

struct key_view {
    unsigned context;
    key_test *works; // true for keys of the context that do something there; receives `data`
    const void *data;
    unsigned waiting; // flags of keys that wait for the running command
    bool ascii;
    int columns;
};

/* Writes the table as text: first the keys that do something in a view, waiting ones last, then all
 * other keys, then the text of `:help keys`. */
void key_table_write(FILE *stream, const struct key_view *view);

#endif
