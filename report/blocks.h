/* The blocks of reports. Every presentation is one walk over the blocks and is independent of
 * commands.
 *
 *     block    text           screen       JSON              csv, tsv     npy, npz      figure
 *     field    "title value"  note         member            -            an array      -
 *     line     the line       note         -                 -            -             -
 *     compar.  aligned texts  above them   counts            -            -             -
 *     tokens   numbers below  above them   -                 -            -             -
 *     table    aligned        sheet        array of objects  the table    one a column  -
 *     matrix   heatmap        picture      labels, values    with labels  with labels   heatmap
 *     plot     -              picture      -                 -            -             bars, lines
 *     group    its blocks     its blocks   object            one table    its arrays    panels
 *     alignm.  a line each    -            array of texts    -            -             -
 *
 * Alignments have their own files: .pharaoh, .marian and .nematus (IN_ALIGNMENTS). .tex, .md and
 * pictures of tables have the same table as csv, formatted as in text (output/typeset/typeset.h).
 * `in` lists the presentations that include a block, a column or a row.
 */
#ifndef ATTNSCOPE_BLOCKS_H
#define ATTNSCOPE_BLOCKS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/study/alignment/align_files.h"
#include "report/comparison.h"

/* One value of a report, as every presentation reads it. Plain data: what values point to is
 * borrowed and lives as long as the report (report.h). */

enum value_kind {
    VALUE_NULL, // absent: null in JSON, an empty cell elsewhere
    VALUE_TEXT,
    VALUE_INT,
    VALUE_REAL, // NaN is absent
    VALUE_BOOL,
    VALUE_TEXTS, // (count)
    VALUE_INTS,  // (count)
    VALUE_LIST,  // (count) values of any kind
    VALUE_ARRAY, // floats of one to four dimensions
    VALUE_SHOWN, // a value shown to people in another form
    VALUE_TABLE, // a table within a cell: in JSON an array of objects
    VALUE_GROUP  // blocks: in JSON an object
};

/* Numbers in C order. */
struct array {
    const float *values;
    int dimensions;
    size_t shape[4];
    const int64_t *integers; // instead of values, only for arrays
};

struct shown;
struct table;
struct blocks;

struct value {
    enum value_kind kind;
    int count;
    union {
        const char *text;
        int64_t integer;
        double real;
        bool truth;
        const char *const *texts;
        const int *ints;
        const struct value *list;
        const struct array *array;
        const struct shown *shown;
        const struct table *table;
        const struct blocks *blocks;
    };
};

/* Programs read `value`; people read `text`, and sort by `order` (NaN: last). */
struct shown {
    struct value value;
    const char *text;
    double order;
};

/* NULL makes an absent value. */
struct value value_text(const char *text);
struct value value_int(int64_t integer);
struct value value_real(double real);
struct value value_bool(bool truth);
struct value value_null(void);
struct value value_texts(const char *const *texts, int count);
struct value value_ints(const int *ints, int count);
struct value value_list(const struct value *list, int count);
struct value value_array(const struct array *array);
struct value value_table(const struct table *table);
struct value value_object(const struct blocks *blocks);

/* Returns the value that programs read: for VALUE_SHOWN, the inner value. */
const struct value *value_plain(const struct value *value);
/* True if it is VALUE_NULL, or a NaN. */
bool value_absent(const struct value *value);
/* Returns the number to sort by for people; NaN: none. */
double value_order(const struct value *value);

enum audience {
    IN_TEXT = 1 << 0,   // the printed text
    IN_SCREEN = 1 << 1, // the full-screen session
    IN_JSON = 1 << 2,   // --json and .json
    IN_TABLE = 1 << 3,  // .csv and .tsv
    IN_ARRAYS = 1 << 4, // .npy and .npz
    IN_FIGURE = 1 << 5, // .png, .pdf and .svg; on the screen a picture
    FOR_PEOPLE = IN_TEXT | IN_SCREEN,
    FOR_PROGRAMS = IN_JSON | IN_TABLE | IN_ARRAYS,
    EVERYWHERE = FOR_PEOPLE | FOR_PROGRAMS | IN_FIGURE,
    IF_WATCHED =
        1 << 6, // with IN_TEXT: only for interactive readers; scripts would have to skip it
    IN_ALIGNMENTS = 1 << 8, // .pharaoh, .marian and .nematus
    IN_TYPESET =
        1 << 9, // .tex, .md and pictures of tables: a table instead of csv's, rows besides text's
    IF_UNWATCHED = 1 << 7 // with IN_TEXT: only in scripts, which omit explanations
};

/* Tables --------------------------------------------------------------------------------------- */

/* How a column is formatted for people; programs get the values. */
enum column_type {
    COLUMN_TEXT,
    COLUMN_PARTS,    // text in parts separated by two blanks; shortening drops whole parts
    COLUMN_SENTENCE, // text that may be long: in records it has its own line, on the screen also
                     // below the table
    COLUMN_INT,
    COLUMN_REAL,    // `digits` decimals
    COLUMN_SIGNED,  // the same, always with a sign: differences
    COLUMN_PERCENT, // a share, as 100 times itself (PERCENT_DIGITS)
    COLUMN_P        // a p-value (p_text)
};

/* Shares and p-values in the style of papers, in tables and lines: "83.4", "0.008", "<0.001";
 * "p = 0.008", "p < 0.001". Data have all digits. */
enum { PERCENT_DIGITS = 1, P_BYTES = 16 };
const char *p_text(double p, char text[P_BYTES]);
const char *p_equation(double p, char text[P_BYTES]);

/* Names are constants, or texts of the report. If a name is NULL and `all` is too, the column is
 * omitted from the presentations that use that name. */
struct column {
    const char *all;   // replaces key, name and title where these are NULL
    const char *key;   // in JSON; "a.score": the member `score` of the object `a`
    const char *name;  // in csv, tsv and arrays
    const char *title; // for people; "": without a title
    const char
        *heading; // in .tex, .md and pictures of tables, which have more room; NULL: the title
    enum column_type type;
    int digits;
    int least;  // minimum width in characters, in text
    bool grows; // in a TABLE_LIST: takes a quarter of wide screens, so that more cells have their
                // text beside them
    bool compared;     // with the next column, which sets this too; marks words that differ
    bool optional;     // in JSON: rows omit the member if absent, instead of null
    unsigned in;       // 0: wherever it has a name
    const char *enter; // Enter on a cell appends this to the row's command; NULL: nothing
    bool names_head;   // Enter on a cell shows the row's head instead, if it has one
};

struct table_row {
    unsigned in;
    const char *command; // run by Enter; NULL: nothing
    const char *head;    // the same on cells of columns with names_head; NULL: no such cells
};

enum table_style {
    TABLE_ALIGNED, // rows below titles
    TABLE_FITTED,  // the same, an excerpt: as wide as the output, interactive or not
    TABLE_RECORDS, // in text each row is a line of "title value", with its sentences below it
    TABLE_LIST // only text, no sheet: terms, with the last column filled beside them. Columns are
               // as wide as `least`, or with 0 as their widest cell; beside longer cells the last
               // column begins below
};

/* Rows generated on demand, for large tables of which most rows are never read. Cells are valid
 * until another row is read. */
struct row_source {
    void (*fill)(void *data, int row, struct value *cells); // (column_count), absent before
    void (*enter)(void *data, int row, FILE *out);          // writes what Enter runs; NULL: nothing
    void *data;
    int read; // the row that `cells` holds; -1: none
};

struct table {
    const char *key; // in JSON; NULL: omitted
    enum table_style style;
    const struct column *columns; // (column_count)
    struct value *cells;          // (row_count, column_count)
    struct table_row *rows;       // (row_count)
    struct row_source
        *source; // NULL: `cells` holds all rows. Else it holds one row, and `rows` is unused
    int column_count, row_count;
    size_t cell_count, cell_capacity, row_capacity; // while filling it (report.h)
    struct report *report;                          // the report it belongs to
};

/* Matrices ------------------------------------------------------------------------------------- */

/* The rows or the columns of a matrix. */
struct axis {
    const char *key;   // of `texts` in JSON and arrays; NULL: omitted
    const char *title; // in figures: "source"
    int count;
    const char *const *texts;  // (count): as in the vocabulary
    const char *const *labels; // (count): as shown to people
};

enum matrix_style {
    MATRIX_HEAT,       // shaded by the share of the greatest weight
    MATRIX_NUMBERS,    // a table of numbers in text
    MATRIX_DIFFERENCE, // values of either sign
    MATRIX_CURVES      // an alignment: in figures two rows of tokens joined by curves; no picture
};

enum matrix_range {
    RANGE_OF_WEIGHTS, // up to the greatest value
    RANGE_OF_SHARES,  // from 0 to 1
    RANGE_OF_CHANGES  // symmetric around 0
};

/* Heads of several layers of a module. */

struct head_grid {
    enum module module;
    int *layers, *heads; // (layer_count), (head_count): 0-based, rising
    int layer_count, head_count;
    bool *off;           // (layer_count, head_count)
    const char **titles; // (head_count): "head 2", "2 previous"; NULL: numbers alone
};

/* One matrix, or (layers, heads) matrices over the same tokens. */
struct matrix {
    const char *key;              // of the values in JSON; NULL: omitted
    const char *name;             // of the values in arrays
    const struct head_grid *grid; // NULL: one matrix
    struct axis rows, columns;
    float *values; // (layers, heads, rows, columns); NULL after report_drop_values
    const unsigned char
        *kinds;        // of MATRIX_CURVES: (rows, columns), of enum curve_kind; NULL: alike
    const char *title; // above it in a figure; NULL: none
    const char *said;  // the same in text
    const char *scale; // the measure: "attention weight"
    enum matrix_style style;
    enum matrix_range range;
};

/* Plots ---------------------------------------------------------------------------------------- */

enum plot_kind {
    PLOT_BARS,
    PLOT_LINES,
    PLOT_TABLE // no plot: the picture is the report's table
};
enum { PLOT_SERIES_MOST = 6 };

struct plot {
    enum plot_kind kind;
    const char *title; // of the figure; NULL: the report's
    int series_count, points;
    const char *series[PLOT_SERIES_MOST]; // names; NULL: none
    int colours[PLOT_SERIES_MOST];        // of figure_colours
    float *values;                        // (series_count, points); NaN: none
    const char *const *labels;            // (points)
    const char *x_title, *y_title;
    double most;       // end of the axis; 0: the greatest value
    bool without_zero; // for lines: the axis need not begin at 0
    double mean;       // a line across, labelled mean_name; NaN: none
    const char *mean_name;
    const char *const *marks; // (points): of the first series' bars, "*"; NULL: none
    const char *note;         // the meaning of marks; NULL: none
};

/* Word alignments ------------------------------------------------------------------------------ */

/* Sentences and their translations, line by line. */
struct alignments {
    const char *key; // in JSON
    int count;
    const char *const *links; // (count): "0-0 1-2", words of the source and of the target from 0
    /* Computes weights token by token, on demand; the caller frees them with align_soft_free. */
    bool (*soft)(void *data, int i, struct align_soft *out, struct status *status);
    void *data;
};

/* Blocks --------------------------------------------------------------------------------------- */

enum block_kind {
    BLOCK_FIELD,
    BLOCK_LINE,
    BLOCK_COMPARISON,
    BLOCK_TOKENS, // the log-probabilities of a comparison's tokens
    BLOCK_TABLE,
    BLOCK_MATRIX,
    BLOCK_PLOT,
    BLOCK_GROUP,
    BLOCK_ALIGNMENTS
};

struct field {
    const char *key;   // in JSON and arrays
    const char *title; // for people
    struct value value;
};

struct remark {
    const char *text;
    bool filled; // may be long: filled to lines of readable length
};

struct blocks {
    struct block *blocks; // (count)
    int count;
    size_t capacity;
};

struct group {
    const char *key; // in JSON; NULL: its blocks become members of the enclosing object
    struct blocks blocks;
    struct group *around; // while filling it: the enclosing group
};

struct block {
    enum block_kind kind;
    unsigned in;
    union {
        struct field field;
        struct remark remark;
        const struct comparison *comparison;
        struct table *table;
        struct matrix *matrix;
        struct plot *plot;
        struct group *group;
        struct alignments *alignments;
    };
};

/* The number of values in a matrix, and their shape: two dimensions, or four for a grid. */
size_t matrix_count(const struct matrix *matrix);
struct array matrix_array(const struct matrix *matrix);

/* The cells of a row. Cells of rows generated on demand are valid until a call for another row. */
const struct value *table_row_cells(const struct table *table, int row);
/* Returns the command that Enter on a row runs; "": none. The caller frees it. NULL: out of
 * memory. */
char *table_row_enter(const struct table *table, int row);

/* True if that presentation includes a row. */
static inline bool row_in(const struct table *table, int row, unsigned audience)
{
    return table->source || (table->rows[row].in & audience);
}

/* True if that presentation, in which the column is called `name` (key, name or title), includes
 * it. */
static inline bool column_in(const struct column *column, const char *name, unsigned audience)
{
    return name && (!column->in || (column->in & audience));
}

/* Formats a cell for people; "" if absent. The caller frees it. NULL: out of memory. */
char *cell_text(const struct column *column, const struct value *value);

/* True if a column holds numbers: right-aligned, sorted by value. */
bool column_of_numbers(const struct column *column);

#endif
