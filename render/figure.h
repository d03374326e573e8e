/* Figures of matrices, plots, alignments and tables, written as PNG, PDF or SVG.
 *
 * Fill a `struct figure` (zeroed fields are a valid "none"), take `figure_style_default()` and
 * change what should differ, then figure_write. figure_write keeps nothing: every pointer is
 * borrowed only for the call. The same description gives the same bytes on the same machine (glyphs
 * depend on its fonts).
 *
 * A figure is a title over a grid of panels, row by row, each with its own title, and the colour
 * bars of its scales at the right. One heatmap is a 1 x 1 grid; layers x heads is a grid with row
 * and column titles; two states and their difference are a 1 x 3 grid with two scales:
 *
 *     struct figure_scale scales[] = {{.map = viridis, .range = RANGE_GIVEN, .most = 1},
 *                                     {.map = bluered, .range = RANGE_SYMMETRIC,
 *                                      .title = "B - A"}};
 *     struct figure_panel panels[] = {{.kind = PANEL_MATRIX, .title = "A", .matrix = a},
 *                                     {.kind = PANEL_MATRIX, .title = "B", .matrix = b},
 *                                     {.kind = PANEL_MATRIX, .title = "B - A",
 *                                      .matrix = difference}};
 *     struct figure figure = {.title = "...", .rows = 1, .columns = 3, .panels = panels,
 *                             .scales = scales, .scale_count = 2};
 *
 * with difference.scale = 1, and row labels in `a` only: panels in a grid row have the same cell
 * height, so the labels of the first apply to all.
 *
 * Texts are UTF-8; invalid UTF-8 and control characters show as U+FFFD (newline and tab as a
 * blank). A text that is NULL or empty takes no space. Titles wider than their panel are cut at a
 * grapheme and end in an ellipsis; so are cell labels wider than 14 times the font size and, if the
 * page width is given, row labels that together would take more than 0.3 of it. Grid titles are
 * first set smaller, down to half the size. The figure's title is broken into lines.
 */
#ifndef ATTNSCOPE_FIGURE_H
#define ATTNSCOPE_FIGURE_H

#include <stdio.h>

#include "base/status.h"
#include "base/watch.h"
#include "render/colormap.h"

/* Scales --------------------------------------------------------------------------------------- */

enum figure_range {
    RANGE_MAXIMUM,   // 0 to the greatest value of the scale's panels (0 to 1 if none is above 0)
    RANGE_DATA,      // their least to their greatest value
    RANGE_SYMMETRIC, // -m to m, where m is the greatest magnitude: for differences
    RANGE_GIVEN,     // `least` to `most`, finite, least < most
    RANGE_LOG, // logarithmic, up to the greatest value, down to the least above 0 or to 1e-4 of the
               // greatest (1e-4 to 1 if none is above 0); smaller values have the first colour
    RANGE_EACH, // 0 to 1, each matrix divided by its greatest value if above 0
    RANGE_ROW   // the same for each row
};

/* The mapping from numbers to colours (render/colormap.h). Panels with the same scale share one
 * colour bar, to the right of the last grid column that uses it and as high as the grid rows that
 * use it. */
struct figure_scale {
    const struct colormap *map; // required
    enum figure_range range;
    double least, most; // of RANGE_GIVEN
    const char *title;  // along the bar: the measure, "attention weight"
    bool no_bar;
};

/* Colours of series: blue (queries), red (keys), green, orange, purple, grey. Most people with
 * colour vision deficiency can distinguish them; lines have patterns as well. */
enum { FIGURE_COLOURS = 6 };
extern const struct rgb figure_colours[FIGURE_COLOURS];

/* Panels --------------------------------------------------------------------------------------- */

/* A heatmap. Row 0 is at the top. */
struct figure_matrix {
    const float *values; // (rows, columns); NaN: no value, an empty cell; infinite: the scale's end
    int rows, columns;   // >= 1
    int scale;           // index into the figure's scales
    const char *const *row_labels, *const *column_labels; // (rows), (columns); NULL: none
    const char *row_title, *column_title; // of the row and column axes: "target", "head"
};

/* Lines or bars over points: layers, positions, lengths, groups. */
struct figure_series {
    const char *name;    // in the legend, drawn for two series, or one and a mean
    struct rgb colour;   // figure_colours
    const float *values; // (points); NaN: none, interrupts a line; infinite values are not drawn
    int pattern;         // of dashes and markers of a line, 0 to FIGURE_COLOURS-1
};
struct figure_plot {
    const struct figure_series *series; // (series_count), series_count >= 1
    int series_count, points;           // points: >= 1, at most PLOT_POINTS_MOST of all series
    const char *const *labels;          // (points), below the axis; NULL: none
    const char *x_title, *y_title;
    double least, most; // of the y axis if least < most; else the values decide
    bool without_zero;  // lines may omit 0 from the axis
    double mean;        // a grey line at this height, if `has_mean`
    bool has_mean;
    const char *mean_name;    // in the legend; NULL: "mean"
    const char *const *marks; // (points): beyond the ends of the bars of one series; NULL: none
    const char *note;         // below the plot: what marks mean
};
enum { PLOT_POINTS_MOST = 20000 };

/* Kinds of curves, if distinguished: they differ in colour, and missed ones are thin. */
enum curve_kind { CURVE_RIGHT, CURVE_WRONG, CURVE_MISSED };

/* Two rows of tokens, joined by curves: the greater the weight, the thicker and the darker. */
struct figure_alignment {
    const char *const *upper, *const *lower; // (upper_count), (lower_count), at least 1 each
    int upper_count, lower_count;
    const float *weights;                  // (lower_count, upper_count), in [0, 1]; NaN: none
    double least;                          // weights below it are not drawn
    const char *upper_title, *lower_title; // left of the rows
    const unsigned char *kinds;            // enum curve_kind, shaped like weights; NULL: all alike
};

/* Rows of texts below headings, with the rules of a printed table. */
struct figure_table {
    int rows, columns;           // >= 0, >= 1
    const char *const *headings; // (columns)
    const char *const *cells;    // (rows, columns)
    const bool *numbers;         // (columns): aligned at the right
};
enum { TABLE_CELLS_MOST = 5000 };

enum panel_kind {
    PANEL_EMPTY, // an empty place in the grid
    PANEL_MATRIX,
    PANEL_LINES, // this kind and those below need a 1 x 1 grid and have no scale
    PANEL_BARS,
    PANEL_ALIGNMENT,
    PANEL_TABLE
};

struct figure_panel {
    enum panel_kind kind;
    const char *title;
    struct figure_matrix matrix;       // of PANEL_MATRIX
    struct figure_plot plot;           // of PANEL_LINES and PANEL_BARS
    struct figure_alignment alignment; // of PANEL_ALIGNMENT
    struct figure_table table;         // of PANEL_TABLE
};

struct figure {
    const char *title;
    int rows, columns;                                    // of the grid, >= 1
    const struct figure_panel *panels;                    // (rows, columns)
    const char *const *row_titles, *const *column_titles; // of the grid, (rows), (columns), or NULL
    const struct figure_scale *scales;                    // (scale_count)
    int scale_count;
};

/* Style ---------------------------------------------------------------------------------------- */

enum { DPI_LEAST = 30, DPI_MOST = 2400 };

/* Characters that no system font has; boxes with their numbers replace them. */
enum { FIGURE_MISSING_MOST = 8 };
struct figure_missing {
    unsigned characters[FIGURE_MISSING_MOST]; // (count), Unicode, in order of first occurrence
    int count;
    bool more; // there are others
};

struct figure_style {
    double width_mm;  // of the page; 0: as wide as the cells need
    double height_mm; // of the page; 0: as high as the cells need
    double cell_mm;   // least side of a labelled cell, if width_mm is 0; never less than the
                      // labels' line height or the size that numbers in cells need
    double panel_mm;  // approximate side of panels without cell labels (whole pixels per cell), if
                      // width_mm is 0
    int dpi;          // DPI_LEAST to DPI_MOST; for PNG, the other formats have no pixels
    const char *font; // family; missing characters come from other system fonts
    double font_pt;   // of labels and titles; the figure's title is a little larger
    bool values;      // numbers in the cells of matrices
    struct figure_missing *missing; // to which figure_write adds; NULL: not recorded
    const struct watch
        *watch; // receives the share of the page drawn, at least every 50 ms; the caller reports
                // the end. NULL: none
};

/* Call before the first figure and before other threads start: otherwise Pango and fontconfig
 * choose glyphs and fonts by the environment's languages. False: out of memory. */
bool figure_language_settle(struct status *status);

/* True if a font family is installed; the message names it. */
bool figure_font_check(const char *family, struct status *status);

/* Width and height as needed, 4 mm cells, 18 mm small panels, 300 dpi, DejaVu Sans 8 pt. */
struct figure_style figure_style_default(void);

/* Output --------------------------------------------------------------------------------------- */

/* PNG: 8-bit sRGB.
 * PDF: one page of the figure's size, text as text with its fonts embedded, cells as rectangles;
 * each but the last extends slightly under its neighbours, so that viewers show no seams.
 * SVG: <text> with the names of the fonts used for the layout, as wide as laid out (textLength);
 * <rect> for cells. XML 1.0: other characters become U+FFFD. */
enum figure_format { FIGURE_PNG, FIGURE_PDF, FIGURE_SVG };

/* Provenance kept in the file.
 * PNG: a text chunk for each note, tEXt if the text is ASCII, else iTXt; both uncompressed.
 * PDF: all notes as one JSON object, in Keywords; the notes "title" (default: the figure's title),
 * "author", "program" and "date" (ISO 8601) also as Title, Author, Creator and CreationDate.
 * SVG: a <note key="KEY">TEXT</note> for each note in <metadata>, in the namespace
 * urn:attnscope. */
struct figure_note {
    const char *key;  // 1 to 79 printable ASCII characters, no blank at an end or after a blank
    const char *text; // UTF-8, any length
};

/* Limits of a page: pixels a side and bytes of pixels; without pixels, points a side (PDF's limit)
 * and cells in all. */
enum {
    PAGE_SIDE_MOST = 20000,
    PAGE_BYTES_MOST = 200 << 20,
    PAGE_POINTS_MOST = 14400,
    PAGE_CELLS_MOST = 500000
};

/* Writes the figure and flushes `file`, which stays open and belongs to the caller. With a given
 * width or height, labels taller than the cells shrink, down to half their size; after that only
 * every second, third, ... is drawn. Numbers in cells shrink too, but none is omitted.
 * STATUS_INVALID: a count, scale, style or note is not as described, the width or height cannot
 * hold the figure or the numbers in its cells, or the page exceeds the limits (the message names
 * the numbers); STATUS_IO: the file could not be written; STATUS_MEMORY; STATUS_CANCELLED: `watch`
 * stopped it. On failure the file may hold a part. */
bool figure_write(const struct figure *figure, const struct figure_style *style,
                  enum figure_format format, const struct figure_note *notes, int note_count,
                  FILE *file, struct status *status);

#endif
