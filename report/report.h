/* The finding of a command, described once: blocks in order (blocks.h), which every presentation
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
 * functions that fill it do nothing, and return something that may be filled; report_end reports
 * the failure. Texts and arrays that a report is given are borrowed, unless a function says that it
 * copies or takes them; report_keep hands over the memory that they live in.
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
    int side;         // of a token SIDE_SOURCE or SIDE_TARGET, of gates SIDE_Q or SIDE_K
    int first, count; // of a token: its places, 0-based
    int rows;         // of a token and a head: how many tokens the rows are
    const struct head_grid *grid;
    const struct axis *row_axis, *column_axis; // of a head
};

/* The effect of the command on the session, for whoever shows it. */
enum effect {
    EFFECT_NONE,
    EFFECT_SENTENCE, // another sentence, hypothesis or state: what is shown of it is to be shown anew
    EFFECT_SESSION   // anything may have changed, as after a script
};

/* A picture for the terminal (graphics.h), which whoever shows the report writes there. */
struct terminal_picture {
    const char *png; // a file; the report's; NULL: there is no picture
    size_t bytes;
    int graphics; // an enum graphics: the setting
};

enum { ORIGINS_MOST = 6, WARNINGS_MOST = 4 };

/* A state that a report is made in; borrowed from the session, until it changes. */
struct origin_state {
    const char *name;
    struct saved_state state;
    const struct sentence_pair *pair; // the sentence in it; NULL: none
};

/* The things a report depends on, for the provenance of exported files. */
struct origin {
    const struct sentence_pair *pair; // the sentence it is of; NULL: none
    struct saved_state state; // the one state it is made in, where count is 0; loaded NULL: none
    struct origin_state states[ORIGINS_MOST]; // (count): several states
    int count;
    const char *cross_rows;      // which tokens name the rows of cross-attention; NULL: it has none
    bool study;                  // settings of studies matter
    const char *view;            // of two states: the command that shows the head in one of them
    const struct strings *suite; // the suite's files, where the command does not name them
    const char **files;          // (file_count): paths of what is studied
    int file_count;
};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

struct chunk;
struct release;

struct report {
    const char *name;    // of its command: "attn"; a constant
    const char *title;   // "encoder  layer 3/4  head 8/8"; NULL: none
    const char *command; // that shows the same again, without its colon; NULL: it is no view
    struct blocks blocks;
    struct navigation navigation;
    struct origin origin;
    const struct blocks *provenance; // members of JSON (report_provenance.h); NULL: none
    const char *computed_with; // model and state in words, of a view of files in one state; or NULL
    enum effect effect;
    struct sentence_pair
        *before;     // the current sentence before that effect; owned; NULL: none, or the same
    bool of_testset; // its table stays below the sentences that are opened from it
    struct terminal_picture picture;
    bool of_part;       // it tells of a part of a study alone, and shows no result
    bool bare;          // if nobody watches its text has no title: other programs read its lines
    bool stacked;       // .npy: its arrays are one, with a dimension more
    const char *no_npy; // why there is no .npy of it; NULL: there may be
    const char *warnings[WARNINGS_MOST]; // (warning_count): report_warn
    int warning_count;

    /* Inside report.c. */
    struct group *open;      // the group that is filled
    struct chunk *chunks;    // of copied texts and arrays
    struct release *release; // what it keeps
    bool lacking;            // memory was short
    struct {
        struct table table;
        struct matrix matrix;
        struct plot plot;
        struct group group;
        struct alignments alignments;
    } spare; // filled in place of blocks that there was no memory for
};

/* Frees all that it keeps; leaves it empty. */
void report_free(struct report *report);
/* True if everything could be put into it; otherwise STATUS_MEMORY, and it is empty. */
bool report_end(struct report *report, struct status *status);

/* Memory --------------------------------------------------------------------------------------- */

/* `release(data)` is called when the report is freed, at once where memory is short. */
void report_keep(struct report *report, void *data, void (*release)(void *data));
/* Zeroed memory of the report for something that `release` empties. NULL: it lacks memory. */
void *report_hold(struct report *report, size_t size, void (*release)(void *data));
/* report_keep for pairs of sentences. */
void pair_release(void *pair);
/* Zeroed memory of the report. NULL: it lacks memory. */
void *report_new(struct report *report, size_t count, size_t size);
/* Copies into the report; of NULL NULL. report_format formats as printf does. All return "" where
 * memory is short. */
const char *report_copy(struct report *report, const char *text);
const char *report_format(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The number as it is shown (%.9g), unless that reads as another one: then exactly. */
const char *report_exactly(struct report *report, double number);
/* The text as a word of a command line, quoted where it has to be. */
const char *report_quoted(struct report *report, const char *text);
/* Copies a text that is freed; NULL: there was no memory for it. */
const char *report_take_text(struct report *report, char *text);
/* A text that functions write: FILE *out = report_write(&writer, report); … text =
 * report_written(&writer). Without memory `out` is NULL, the text "". A line break at its end is
 * left out. */
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
/* Numbers in one dimension as a value; borrowed. */
struct value report_floats(struct report *report, const float *values, int count);
/* A field for programs that read JSON alone. */
void report_json(struct report *report, const char *key, struct value value);
/* A sentence for people. */
void report_line(struct report *report, unsigned in, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Tells how far a study was when it was stopped: "partial: the first 3 of 9 sentences"; of 0: it is
 * not known of how many. "": all are done. The same as a line; and, for people, with `sentences`
 * and `partial` in JSON. */
const char *report_partial_words(struct report *report, int done, int of, const char *unit);
void report_partial(struct report *report, unsigned in, int done, int of, const char *unit);
void report_sentences(struct report *report, int done, int of);
/* Adds a reason to doubt a finished result, in one line: on standard error, above the result on
 * the screen, in the list `warnings` of JSON. At most WARNINGS_MOST; further ones are left out. */
void report_warn(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Two translations, one above the other, each after its title; texts are copied. NULL: it lacks
 * memory. */
const struct comparison *report_comparison(struct report *report, unsigned in,
                                           const char *const titles[2],
                                           const struct sentence_pair *const pairs[2]);
/* What became of each token of them. */
void report_token_changes(struct report *report, unsigned in, const struct comparison *comparison);
/* A text of several sentences, filled to lines that can be read; copied. */
void report_paragraph(struct report *report, unsigned in, const char *text);

/* Blocks that follow are inside the group, until report_group_end. `key` NULL: not a member of its
 * own in JSON. */
struct group *report_group(struct report *report, unsigned in, const char *key);
/* The same for a group that is no block: an object of JSON that goes into a list or a cell
 * (value_object). */
struct group *report_object(struct report *report);
void report_group_end(struct report *report);

/* A matrix to be filled in; its values (allocated with malloc) are taken. */
struct matrix *report_matrix(struct report *report, unsigned in, float *values);
/* Tokens as an axis: copies texts, and makes labels that people read (words: they are words
 * already). */
struct axis report_axis(struct report *report, const struct loaded *loaded, const char *key,
                        const struct labels *labels, bool words);
/* Names that people read as they are as an axis; borrowed. */
struct axis axis_of_names(const char *key, const char *title, const char *const *names, int count);
/* The name of a head, 0-based, among names of many: "2.8", or of a module that is not NULL "cross
 * 2.8"; of a layer, where `head` is below 0, "2". */
const char *report_head_name(struct report *report, const char *module, int layer, int head);
/* 1-based numbers as an axis, such as heads; without a key. */
struct axis report_numbers_axis(struct report *report, const char *title, int count);

/* An empty plot: its values are the report's, (series, points), at first NaN; NULL where memory is
 * short. */
struct plot *report_plot(struct report *report, unsigned in, enum plot_kind kind, int series,
                         int points);

/* Empty ones, to be filled in. */
struct alignments *report_alignments(struct report *report, unsigned in, const char *key);

/* Tables --------------------------------------------------------------------------------------- */

/* `columns` are copied. A table of report_inner_table is no block; it goes into a cell. */
struct table *report_table(struct report *report, unsigned in, const char *key,
                           const struct column *columns, int count);
struct table *report_inner_table(struct report *report, const struct column *columns, int count);
/* A row that is part of some of what the table is part of; or of all. */
void table_row_in(struct table *table, unsigned in);
#define table_row(table) table_row_in(table, EVERYWHERE)
/* The next cells of the last row: table_put(table, value_int(1), value_text("a")). Cells that are
 * not put are absent. */
void table_put_cells(struct table *table, const struct value *cells, int count);
#define table_put(table, ...)                                                                      \
    table_put_cells(table, (const struct value[]){__VA_ARGS__},                                    \
                    COUNT(((const struct value[]){__VA_ARGS__})))
/* A row with these cells. */
#define table_add_in(table, in, ...)                                                               \
    do {                                                                                           \
        table_row_in(table, in);                                                                   \
        table_put(table, __VA_ARGS__);                                                             \
    } while (0)
#define table_add(table, ...) table_add_in(table, EVERYWHERE, __VA_ARGS__)
/* A cell that people read as `text`, and sort by `order`. */
struct value value_shown(struct report *report, struct value value, const char *text, double order);
/* Sets the command that Enter on the last row runs. */
void table_enter(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Enter on the cells of the last row that name its head, 0-based, shows it over these files, which
 * are words of a command line; "": over what is open. */
void table_enter_head(struct table *table, const char *module, int layer, int head,
                      const char *files);

/* Makes the rows of a table that has none when they are read (struct row_source), with `data` of
 * the report: so many. */
void table_rows_from(struct table *table, int count,
                     void (*fill)(void *data, int row, struct value *cells), void *data);
/* Sets the function that writes the commands of Enter on them. */
void table_enter_from(struct table *table, void (*enter)(void *data, int row, FILE *out));
/* For a table in a cell of such rows: it has other rows from now on. */
void table_rows_change(struct table *table, int count);

/* Plots columns of a table as bars or lines; column `label` gives the labels of the points. */
struct plot *report_plot_table(struct report *report, unsigned in, enum plot_kind kind,
                               const struct table *table, int label, const int *columns, int count);

/* Overviews of long sentences: frees the values of matrices, once tiles have been made of them. */
void report_drop_values(struct report *report);

/* Rewrites the labels that people read along matrices, in place: what is drawn from them follows.
 * `other` gives the text instead of one, which lives as long as the report (report_format), or the
 * same. */
typedef const char *label_change(struct report *report, const char *label);
bool report_relabel(struct report *report, label_change *other, struct status *status);

/* The one block of that kind that is part of a presentation; NULL: there is none. */
const struct block *report_find(const struct report *report, enum block_kind kind, unsigned in);
/* True if the screen shows it as a picture. */
bool report_pictured(const struct report *report);
/* The table that the screen shows: the last one that is part of it; those before it are notes.
 * NULL: there is none. */
const struct table *report_sheet(const struct report *report);
/* Returns how many numbers there are to write as data, for the progress of that. */
size_t report_numbers(const struct report *report);

#endif
