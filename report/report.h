/* The result of a command, described once as ordered blocks (blocks.h), which every presentation
 * walks.
 *
 *     report_title(report, "translations of %s", path);
 *     report_field(report, IN_JSON, "sentences", NULL, value_int(count));
 *     struct table *table = report_table(report, EVERYWHERE, "groups", columns, COUNT(columns));
 *     for (...) {
 *         table_add(table, value_int(i + 1), value_text(name));
 *         table_enter(table, ":bleu %s group %d", path, i + 1);
 *     }
 *     return report_end(report, status);
 *
 * The caller zero-initialises a report and frees it with report_free. After a failed allocation the
 * functions that fill it do nothing and return dummies that may be filled; report_end reports the
 * failure. Texts and arrays given to a report are borrowed, unless a function copies or takes them;
 * report_keep transfers the memory they live in.
 */
#ifndef ATTNSCOPE_REPORT_H
#define ATTNSCOPE_REPORT_H

#include <stdio.h>

#include "report/blocks.h"
#include "report/labels.h"
#include "session/session.h"

/* The views that keys walk through when a report is shown on the screen. */
enum view_kind {
    VIEW_NONE,
    VIEW_HEAD, // one head's attention
    VIEW_ALIGNMENT,
    VIEW_HEADS, // all heads of `grid`
    VIEW_TOKEN, // heads of `grid` at one token
    VIEW_IMPORTANCE,
    VIEW_GATES,
    VIEW_BESIDE,       // two states
    VIEW_BESIDE_HEADS, // differences between two states, a row for each head
    VIEW_FILE          // of a file, not of the current sentence
};

struct navigation {
    enum view_kind kind;
    struct view view; // module, layer and head
    bool words;       // over words, not tokens
    int side;         // of a token: SIDE_SOURCE or SIDE_TARGET; of gates: SIDE_Q or SIDE_K
    int first, count; // of a token: its positions, 0-based
    int rows;         // of a token and a head: the number of rows, in tokens
    const struct head_grid *grid;
    const struct axis *row_axis, *column_axis; // of a head
};

/* True for a view of the current sentence: the next sentence can be shown in the same way. */
static inline bool navigation_is_of_sentence(const struct navigation *at)
{
    return at->kind != VIEW_NONE && at->kind != VIEW_FILE;
}

/* The command's effect on the session, for the code that shows it. */
enum effect {
    EFFECT_NONE,
    EFFECT_SENTENCE, // another sentence, hypothesis or state: redraw what shows it
    EFFECT_SESSION   // anything may have changed, as after a script
};

/* A picture for the terminal (graphics.h), written there by the code that shows the report. */
struct terminal_picture {
    const char *png; // a file's bytes, owned by the report; NULL: no picture
    size_t bytes;
    int graphics; // an enum graphics: the setting
};

enum { ORIGINS_MOST = 6, WARNINGS_MOST = 4 };

/* A state in which a report is made; borrowed from the session until the session changes. */
struct origin_state {
    const char *name;
    struct saved_state state;
    const struct sentence_pair *pair; // the sentence in it; NULL: none
};

/* What a report depends on, for the provenance of exported files. */
struct origin {
    const struct sentence_pair *pair;         // its sentence; NULL: none
    struct saved_state state;                 // the only state, if count is 0; loaded NULL: none
    struct origin_state states[ORIGINS_MOST]; // (count): several states
    int count;
    const char *cross_rows;      // which tokens name the rows of cross-attention; NULL: no such
                                 // rows
    bool study;                  // settings of studies matter
    const char *view;            // for two states: the command that shows the head in one of them
    const struct strings *suite; // the suite's files, if the command does not name them
    const char *before;          // a command whose result is shown, too; NULL: none
    const char **files;          // (file_count): paths of what is studied
    int file_count;
};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

struct chunk;
struct release;

struct report {
    const char *name;    // of its command: "attn"; a constant
    const char *title;   // "encoder  layer 3/4  head 8/8"; NULL: none
    const char *command; // that shows the same again, without its colon; NULL: not a view
    struct blocks blocks;
    struct navigation navigation;
    struct origin origin;
    const struct blocks *provenance; // members of JSON (report_provenance.h); NULL: none
    const char *computed_with; // model and state in words, for a view of files in one state; or
                               // NULL
    const char *named_with;    // the same with the model's name instead of its path
    enum effect effect;
    struct sentence_pair
        *before;     // the current sentence before that effect; owned; NULL: none, or the same
    bool of_testset; // its table stays below sentences opened from it
    struct terminal_picture picture;
    bool of_part;       // it covers only a part of a study and shows no result
    bool bare;          // no title in text for scripts: other programs read its lines
    bool only_says;     // it says what has changed and has no result: not among those of scripts
    bool stacked;       // .npy: its arrays become one with an additional dimension
    const char *no_npy; // why it cannot be written as .npy; NULL: it may be
    const char *warnings[WARNINGS_MOST]; // (warning_count): report_warn
    int warning_count;

    /* Private to report.c. */
    struct group *open;      // the group being filled
    struct chunk *chunks;    // of copied texts and arrays
    struct release *release; // what it keeps
    bool lacking;            // memory was short
    struct {
        struct table table;
        struct matrix matrix;
        struct plot plot;
        struct group group;
        struct alignments alignments;
    } spare; // filled instead of blocks whose allocation failed
};

/* Frees everything it keeps; leaves it empty. */
void report_free(struct report *report);
/* True if the report is complete; otherwise STATUS_MEMORY, and it is empty. */
bool report_end(struct report *report, struct status *status);

/* Memory --------------------------------------------------------------------------------------- */

/* Calls `release(data)` when the report is freed. Until then, the data may be read, even if memory
 * is short. */
void report_keep(struct report *report, void *data, void (*release)(void *data));
/* Returns zeroed memory of the report for an object that `release` empties. NULL: out of memory. */
void *report_hold(struct report *report, size_t size, void (*release)(void *data));
/* report_keep for pairs of sentences. */
void pair_release(void *pair);
/* Returns zeroed memory of the report. NULL: out of memory. */
void *report_new(struct report *report, size_t count, size_t size);
/* Copy into the report; report_copy of NULL is NULL. report_format formats like printf. Both return
 * "" if out of memory. */
const char *report_copy(struct report *report, const char *text);
const char *report_format(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Formats a number as usual (%.9g), or exactly if that would read as another number. */
const char *report_exactly(struct report *report, double number);
/* The text as a word of a command line, quoted if necessary. */
const char *report_quoted(struct report *report, const char *text);
/* Copies a text and frees the original. NULL marks the report as out of memory. */
const char *report_take_text(struct report *report, char *text);
/* Collects text that functions write to a stream: FILE *out = report_write(&writer, report); … text
 * = report_written(&writer). Out of memory: `out` is NULL, the text "". A final line break is
 * dropped. */
struct report_writer {
    struct report *report;
    FILE *out;
    char *text;
    size_t size;
};
FILE *report_write(struct report_writer *writer, struct report *report);
const char *report_written(struct report_writer *writer);

/* Filling -------------------------------------------------------------------------------------- */

void report_title(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void report_command(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void report_field(struct report *report, unsigned in, const char *key, const char *title,
                  struct value value);
/* A one-dimensional array of numbers as a value; borrowed. */
struct value report_floats(struct report *report, const float *values, int count);
/* A field only for JSON. */
void report_json(struct report *report, const char *key, struct value value);
/* A sentence for people. */
void report_line(struct report *report, unsigned in, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Says how far a stopped study got: "partial: the first 3 of 9 sentences"; of 0: total unknown; "":
 * complete. report_partial adds it as a line; report_sentences adds it for people, with `sentences`
 * and `partial` in JSON. */
const char *report_partial_words(struct report *report, int done, int of, const char *unit);
void report_partial(struct report *report, unsigned in, int done, int of, const char *unit);
void report_sentences(struct report *report, int done, int of);
/* Adds a reason to doubt a finished result, in one line: on standard error, on the screen
 * beneath the result, in the list `warnings` of JSON. Drops all after the first WARNINGS_MOST. */
void report_warn(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds those of a view that became part of the report, such as an exported one. */
void report_warnings(struct report *report, const struct report *view);
/* Adds two translations, one above the other, each after its title; texts are copied. NULL: out of
 * memory. */
const struct comparison *report_comparison(struct report *report, unsigned in,
                                           const char *const titles[2],
                                           const struct sentence_pair *const pairs[2]);
/* Adds what became of each of their tokens. */
void report_token_changes(struct report *report, unsigned in, const struct comparison *comparison);
/* Adds a text of several sentences, filled to lines of readable length; copied. */
void report_paragraph(struct report *report, unsigned in, const char *text);

/* Opens a group for the following blocks, until report_group_end. `key` NULL: JSON gets no member
 * for the group. */
struct group *report_group(struct report *report, unsigned in, const char *key);
/* The same for a group that is not a block: a JSON object for a list or a cell (value_object). */
struct group *report_object(struct report *report);
void report_group_end(struct report *report);

/* Adds a matrix for the caller to fill in; takes its values (allocated with malloc). */
struct matrix *report_matrix(struct report *report, unsigned in, float *values);
/* Tokens as an axis: copies texts and makes labels for people (words: the labels are words
 * already). */
struct axis report_axis(struct report *report, const struct loaded *loaded, const char *key,
                        const struct labels *labels, bool words);
/* An axis whose names are shown unchanged; borrowed. */
struct axis axis_of_names(const char *key, const char *title, const char *const *names, int count);
/* The short name of a head, 0-based: "2.8", or with a module (not NULL) "cross 2.8"; of a layer, if
 * `head` is negative: "2". */
const char *report_head_name(struct report *report, const char *module, int layer, int head);
/* 1-based numbers as an axis, such as heads; without a key. */
struct axis report_numbers_axis(struct report *report, const char *title, int count);

/* Adds an empty plot. The report owns its values, (series, points), initially NaN; NULL if out of
 * memory. */
struct plot *report_plot(struct report *report, unsigned in, enum plot_kind kind, int series,
                         int points);

/* Adds empty alignments for the caller to fill in. */
struct alignments *report_alignments(struct report *report, unsigned in, const char *key);

/* Tables --------------------------------------------------------------------------------------- */

/* `columns` are copied. A table from report_inner_table is not a block; it goes into a cell. */
struct table *report_table(struct report *report, unsigned in, const char *key,
                           const struct column *columns, int count);
struct table *report_inner_table(struct report *report, const struct column *columns, int count);
/* Adds a row for some of the table's presentations, or for all. */
void table_row_in(struct table *table, unsigned in);
#define table_row(table) table_row_in(table, EVERYWHERE)
/* Sets the next cells of the last row: table_put(table, value_int(1), value_text("a")). Cells never
 * set are absent. */
void table_put_cells(struct table *table, const struct value *cells, int count);
#define table_put(table, ...)                                                                      \
    table_put_cells(table, (const struct value[]){__VA_ARGS__},                                    \
                    COUNT(((const struct value[]){__VA_ARGS__})))
/* Adds a row with these cells. */
#define table_add_in(table, in, ...)                                                               \
    do {                                                                                           \
        table_row_in(table, in);                                                                   \
        table_put(table, __VA_ARGS__);                                                             \
    } while (0)
#define table_add(table, ...) table_add_in(table, EVERYWHERE, __VA_ARGS__)
/* A cell shown to people as `text` and sorted by `order`. */
struct value value_shown(struct report *report, struct value value, const char *text, double order);
/* Sets the command that Enter on the last row runs. */
void table_enter(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Lets Enter on the cells of the last row that name its head (0-based) show it over these files,
 * which are words of a command line; "": over what is open. */
void table_enter_head(struct table *table, const char *module, int layer, int head,
                      const char *files);

/* Gives an empty table `count` rows generated on demand (struct row_source); `data` belongs to the
 * report. */
void table_rows_from(struct table *table, int count,
                     void (*fill)(void *data, int row, struct value *cells), void *data);
/* Sets the function that writes the commands that Enter runs on them. */
void table_enter_from(struct table *table, void (*enter)(void *data, int row, FILE *out));
/* For a table in a cell of such rows: replaces its rows by `count` others. */
void table_rows_change(struct table *table, int count);

/* Plots columns of a table as bars or lines; column `label` gives the labels of the points. */
struct plot *report_plot_table(struct report *report, unsigned in, enum plot_kind kind,
                               const struct table *table, int label, const int *columns, int count);

/* For overviews of long sentences: frees the values of matrices once they have been turned into
 * tiles. */
void report_drop_values(struct report *report);

/* Rewrites the labels of matrices for people in place, and so everything drawn from them. `other`
 * returns a replacement, which lives as long as the report (report_format), or the same label. */
typedef const char *label_change(struct report *report, const char *label);
bool report_relabel(struct report *report, label_change *other, struct status *status);

/* The first block of that kind in a presentation; NULL: none. */
const struct block *report_find(const struct report *report, enum block_kind kind, unsigned in);
/* True if the screen shows it as a picture. */
bool report_pictured(const struct report *report);
/* The table that the screen shows: the last one in IN_SCREEN; tables before it are notes. NULL:
 * none. */
const struct table *report_sheet(const struct report *report);
/* Returns how many numbers would be written as data, for progress. */
size_t report_numbers(const struct report *report);

#endif
