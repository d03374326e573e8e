/* Writes tables of reports as text: aligned columns below their titles, or records of several
 * lines. */
#include <stdlib.h>
#include <string.h>

#include "report/blocks.h"
#include "report/output/report_forms.h"
#include "terminal/text/display.h"

enum {
    RECORD_NUMBER = 10, // columns of a number in front of a record's line
    RECORD_TITLE = 9,   // of a sentence's title
    RECORD_INDENT = 7,
    TEXT_LEAST = 12, // the least width of a text if a terminal is too narrow for all;
    TEXT_NARROW = 8  // texts that are still too wide continue in further blocks
};

static bool is_shown(const struct table *table, int column, unsigned audience)
{
    const struct column *one = &table->columns[column];
    return column_in(one, one->title, audience & EVERYWHERE);
}

/* Returns a cell as terminals may show it. NULL: out of memory. */
static char *clean_cell(const struct table *table, int row, int column)
{
    char *text = cell_text(&table->columns[column], &table_row_cells(table, row)[column]);
    char *clean = text ? display_clean(text) : NULL;
    free(text);
    return display_have(clean);
}

/* Aligned -------------------------------------------------------------------------------------- */

/* The cells' texts and the columns' widths. */
struct layout {
    const struct table *table;
    unsigned audience;
    char **texts;   // (rows, columns); NULL: not shown
    int *widths;    // (columns); 0: not shown or empty
    int last;       // the last column shown
    int lead;       // columns that every block begins with
    int first, end; // the other columns of the block being written
};

static bool layout_make(struct layout *layout)
{
    const struct table *table = layout->table;
    layout->texts =
        calloc((size_t)table->row_count * (size_t)table->column_count + 1, sizeof *layout->texts);
    layout->widths = calloc((size_t)table->column_count + 1, sizeof *layout->widths);
    if (!display_have(layout->texts) || !display_have(layout->widths))
        return false;
    for (int c = 0; c < table->column_count; c++) {
        if (!is_shown(table, c, layout->audience))
            continue;
        int title = display_width(table->columns[c].title), least = table->columns[c].least;
        layout->last = c;
        layout->widths[c] = title > least ? title : least;
        for (int r = 0; r < table->row_count; r++) {
            char *text = clean_cell(table, r, c);
            int width = text ? display_width(text) : 0;
            layout->texts[r * table->column_count + c] = text;
            layout->widths[c] = width > layout->widths[c] ? width : layout->widths[c];
        }
    }
    return true;
}

static void layout_free(struct layout *layout)
{
    int cells = layout->table->row_count * layout->table->column_count;
    for (int i = 0; layout->texts && i < cells; i++)
        free(layout->texts[i]);
    free(layout->texts);
    free(layout->widths);
}

/* Returns the columns that cells take, each with the blank before it. */
static int columns_of(const struct layout *layout, int first, int end)
{
    int total = 0;
    for (int c = first; c < end; c++)
        total += layout->widths[c] ? layout->widths[c] + 1 : 0;
    return total;
}

/* Leaves out the last parts of a text until the others fit; the first always stays. */
static void leave_out_parts(char *text, int width)
{
    char *end = NULL;
    while (display_width(text) > width) {
        end = NULL;
        for (char *at = strstr(text, "  "); at; at = strstr(at + 2, "  "))
            end = at;
        if (!end)
            return;
        *end = '\0';
    }
}

static void fit_parts(struct layout *layout, int column)
{
    const struct table *table = layout->table;
    for (int r = 0; r < table->row_count; r++) {
        char *text = layout->texts[r * table->column_count + column];
        if (text && table->columns[column].type == COLUMN_PARTS)
            leave_out_parts(text, layout->widths[column]);
    }
}

/* Cuts the widest texts down to `least`; never cuts numbers. */
static void cut_texts(struct layout *layout, int first, int end, int columns, int least)
{
    while (columns_of(layout, first, end) > columns) {
        int widest = -1;
        for (int c = first; c < end; c++)
            if (!column_of_numbers(&layout->table->columns[c]) && layout->widths[c] > least &&
                (widest < 0 || layout->widths[c] > layout->widths[widest]))
                widest = c;
        if (widest < 0)
            break;
        layout->widths[widest]--;
    }
    for (int c = first; c < end; c++)
        fit_parts(layout, c);
}

static void write_cell(FILE *stream, const struct layout *layout, int column, const char *text,
                       bool last)
{
    int width = layout->widths[column], own = display_width(text);
    fputc(' ', stream);
    if (column_of_numbers(&layout->table->columns[column]))
        fprintf(stream, "%*s%s", width > own ? width - own : 0, "", text);
    else if (last && own <= width)
        fputs(text, stream);
    else
        display_field(stream, text, width);
}

static bool is_written(const struct layout *layout, int column)
{
    return (column < layout->lead || column >= layout->first) && layout->widths[column];
}

/* Returns the text of a cell, or of a title (row -1). */
static const char *text_of(const struct layout *layout, int row, int column)
{
    const struct table *table = layout->table;
    const char *text =
        row < 0 ? table->columns[column].title : layout->texts[row * table->column_count + column];
    return text ? text : "";
}

/* Returns the last column with a text, so that lines do not end in blanks. */
static int last_of(const struct layout *layout, int row)
{
    int last = layout->end - 1;
    while (last > 0 && !(is_written(layout, last) && *text_of(layout, row, last)))
        last--;
    return last;
}

static void write_row(FILE *stream, const struct layout *layout, int row)
{
    int last = last_of(layout, row);
    for (int c = 0; c <= last; c++)
        if (is_written(layout, c))
            write_cell(stream, layout, c, text_of(layout, row, c), c == last);
    fputc('\n', stream);
}

static void write_rows(FILE *stream, const struct layout *layout)
{
    write_row(stream, layout, -1);
    for (int r = 0; r < layout->table->row_count; r++)
        if (row_in(layout->table, r, layout->audience))
            write_row(stream, layout, r);
}

/* Returns the least width of a column and the blank before it. */
static int needed(const struct layout *layout, int column)
{
    int width = layout->widths[column];
    if (!column_of_numbers(&layout->table->columns[column]) && width > TEXT_NARROW)
        width = TEXT_NARROW;
    return width ? width + 1 : 0;
}

/* Returns how many columns name a row: those before the first text, as many as leave room for any
 * other column. */
static int count_lead(const struct layout *layout, int columns)
{
    const struct table *table = layout->table;
    int lead = 0, used = 0, widest = 0;
    for (int c = 0; c < table->column_count; c++)
        widest = needed(layout, c) > widest ? needed(layout, c) : widest;
    while (lead < table->column_count && (lead == 0 || column_of_numbers(&table->columns[lead])) &&
           used + needed(layout, lead) + widest <= columns)
        used += needed(layout, lead++);
    return lead;
}

/* If not all columns fit, the others continue in blocks below. */
static void write_blocks(FILE *stream, struct layout *layout, int columns)
{
    int count = layout->table->column_count;
    layout->lead = count_lead(layout, columns);
    cut_texts(layout, 0, layout->lead, 0, TEXT_NARROW);
    int lead = columns_of(layout, 0, layout->lead);
    for (int c = layout->lead; c < count; c = layout->end) {
        int used = lead;
        layout->first = layout->end = c;
        while (layout->end < count &&
               (layout->end == c || used + needed(layout, layout->end) <= columns))
            used += needed(layout, layout->end++);
        if (used == lead)
            return; // nothing left to show
        cut_texts(layout, c, layout->end, columns - lead, 1);
        if (c > layout->lead)
            fputc('\n', stream);
        write_rows(stream, layout);
    }
}

static void write_aligned(FILE *stream, const struct table *table, unsigned audience)
{
    struct layout layout = {.table = table, .audience = audience, .end = table->column_count};
    if (!layout_make(&layout)) {
        layout_free(&layout);
        return;
    }
    bool fitted = table->style == TABLE_FITTED || display_obeys(stream);
    int columns = display_columns(stream);
    if (fitted)
        cut_texts(&layout, 0, layout.end, columns, TEXT_LEAST);
    if (fitted && columns_of(&layout, 0, layout.end) > columns)
        write_blocks(stream, &layout, columns);
    else
        write_rows(stream, &layout);
    layout_free(&layout);
}

/* Lists ---------------------------------------------------------------------------------------- */

enum { LIST_GAP = 2, LIST_NARROW = 6 };

/* Writes the cells before the last column. Returns the column where they end, with the gap; 0 if
 * the line has ended. */
static int write_terms(FILE *stream, const struct layout *layout, int row)
{
    int columns = layout->table->column_count, at = 0, end = 0, most = display_columns(stream);
    for (int c = 0; c < layout->last; c++) {
        const char *text = layout->texts[row * columns + c];
        if (!layout->widths[c] || !text)
            continue;
        fprintf(stream, "%*s", LIST_GAP + (end > at ? end - at : 0), "");
        at = (at > end ? at : end) + LIST_GAP;
        if (c + 1 == layout->last && at + display_width(text) > most) {
            display_filled(stream, text, at, most);
            return 0;
        }
        fputs(text, stream);
        at += display_width(text);
        end += LIST_GAP + layout->widths[c];
    }
    return at + LIST_GAP;
}

static void write_entry(FILE *stream, const struct layout *layout, int row, int indent)
{
    const char *text = layout->texts[row * layout->table->column_count + layout->last];
    int at = write_terms(stream, layout, row);
    if (at > indent)
        fputc('\n', stream);
    fprintf(stream, "%*s", at > 0 && at <= indent ? indent - at + LIST_GAP : indent, "");
    display_filled(stream, text ? text : "", indent, display_columns(stream));
}

/* Lists show no titles. */
static int term_width(const struct layout *layout, int column, int room)
{
    int columns = layout->table->column_count, widest = 1;
    for (int r = 0; r < layout->table->row_count; r++) {
        const char *text = layout->texts[r * columns + column];
        int width = text ? display_width(text) : 0;
        widest = width > widest ? width : widest;
    }
    const struct column *given = &layout->table->columns[column];
    if (given->grows && given->least < room / 4)
        return room / 4;
    return given->least ? given->least : widest;
}

static void write_list(FILE *stream, const struct table *table, unsigned audience)
{
    struct layout layout = {.table = table, .audience = audience};
    if (layout_make(&layout)) {
        int indent = LIST_GAP;
        for (int c = 0; c < layout.last; c++) {
            layout.widths[c] =
                layout.widths[c] ? term_width(&layout, c, display_columns(stream)) : 0;
            indent += layout.widths[c] ? layout.widths[c] + LIST_GAP : 0;
        }
        if (display_columns(stream) < 2 * indent)
            indent = LIST_NARROW;
        for (int r = 0; r < table->row_count; r++)
            if (row_in(table, r, audience))
                write_entry(stream, &layout, r, indent);
    }
    layout_free(&layout);
}

/* Records -------------------------------------------------------------------------------------- */

/* Pads texts before the sentence to the width of other rows'. */
static void write_part(FILE *stream, const char *text, int least)
{
    int own = display_width(text);
    least = least ? least : RECORD_TITLE;
    display_field(stream, text, own > least ? own : least);
}

static void write_inner_row(FILE *stream, const struct table *table, int row, unsigned audience)
{
    bool first = true;
    for (int c = 0; c < table->column_count; c++) {
        char *text = is_shown(table, c, audience) ? clean_cell(table, row, c) : NULL;
        if (!text)
            continue;
        fputs(first ? " " : "  ", stream);
        if (column_of_numbers(&table->columns[c]))
            fprintf(stream, "%*s", RECORD_NUMBER, text);
        else if (table->columns[c].type == COLUMN_SENTENCE)
            fputs(text, stream);
        else
            write_part(stream, text, table->columns[c].least);
        first = false;
        free(text);
    }
    fputc('\n', stream);
}

static void write_inner(FILE *stream, const struct table *table, unsigned audience)
{
    for (int r = 0; r < table->row_count; r++)
        if (row_in(table, r, audience))
            write_inner_row(stream, table, r, audience);
}

/* Writes " 12  length 9  BLEU 12.34": the first cell has no title. */
static void write_head(FILE *stream, const struct table *table, int row, unsigned audience)
{
    bool first = true;
    for (int c = 0; c < table->column_count; c++) {
        const struct column *column = &table->columns[c];
        const struct value *value = &table_row_cells(table, row)[c];
        if (!is_shown(table, c, audience) || column->type == COLUMN_SENTENCE ||
            value->kind == VALUE_TABLE || value_absent(value))
            continue;
        char *text = clean_cell(table, row, c);
        if (first)
            fprintf(stream, " %*s", column->least, text ? text : "");
        else
            fprintf(stream, "  %s%s%s", column->title, *column->title ? " " : "", text ? text : "");
        first = false;
        free(text);
    }
    fputc('\n', stream);
}

static void write_record(FILE *stream, const struct table *table, int row, unsigned audience)
{
    const struct value *cells = table_row_cells(table, row);
    write_head(stream, table, row, audience);
    for (int c = 0; c < table->column_count; c++) {
        if (!is_shown(table, c, audience) || value_absent(&cells[c]))
            continue;
        if (cells[c].kind == VALUE_TABLE) {
            write_inner(stream, cells[c].table, audience);
        } else if (table->columns[c].type == COLUMN_SENTENCE) {
            char *text = clean_cell(table, row, c);
            fprintf(stream, "%*s%-*s  %s\n", RECORD_INDENT, "", RECORD_TITLE,
                    table->columns[c].title, text ? text : "");
            free(text);
        }
    }
}

void text_table(FILE *stream, const struct table *table, unsigned audience)
{
    if (table->style == TABLE_LIST) {
        write_list(stream, table, audience);
        return;
    }
    if (table->style != TABLE_RECORDS) {
        write_aligned(stream, table, audience);
        return;
    }
    for (int r = 0; r < table->row_count; r++)
        if (row_in(table, r, audience))
            write_record(stream, table, r, audience);
}
