/* The keys of the views: one table, from which dispatch, the screen's help and the manual come. */
#ifndef ATTNSCOPE_BINDINGS_H
#define ATTNSCOPE_BINDINGS_H

#include <stdbool.h>
#include <stdio.h>

struct screen;

/* Where a key means something; kinds of what is shown, joined. */
enum scene {
    IN_MATRIX = 1 << 0, // a heatmap of one head, or mean or maximum of a layer
    IN_GRID = 1 << 1,   // all layers and heads
    IN_TOKEN = 1 << 2,  // all heads of one token
    IN_OTHER = 1 << 3,  // other pictures: importance, gates, two states
    IN_SHEET = 1 << 4,  // a table
    IN_PAGE = 1 << 5,   // text
    IN_PICTURES = IN_MATRIX | IN_GRID | IN_TOKEN | IN_OTHER,
    IN_ALL = IN_PICTURES | IN_SHEET | IN_PAGE,
    /* Of the brief: it stands in the line of keys where there is still room for it, and for it last. */
    BRIEF_LATER = 1 << 6,
    BRIEF_LAST = 1 << 7
};

struct binding {
    int keys[3];       // event keys (surface.h); 0: no further one
    const char *name;  // as help shows it: "← →"
    const char *ascii; // the same in ASCII
    unsigned places;   // of enum scene, joined
    const char *brief; // for the line of keys at the bottom; NULL: not there
    const char *help;  // one line
    void (*run)(struct screen *screen, int key, int count); // count: 0 where none was typed
};

extern const struct binding binding_table[];
extern const int binding_count;

/* The key's line of the table where it means something; NULL: nothing. */
const struct binding *binding_find(int key, unsigned place);

enum { BINDING_NAME_COLUMNS = 16 };

/* What holds for all of them, and the mouse. */
#define BINDINGS_RULES                                                                             \
    "A number before a key repeats it, or says which. Click: the cell; in the map of heads: off "  \
    "or on; twice: opens."

/* Where a key means something: "one head, all heads"; "everywhere". */
void bindings_write_places(FILE *stream, unsigned places);

/* The table as text: keys of the place first, then the others. */
void bindings_write(FILE *stream, unsigned place, bool ascii, int columns);

#endif
