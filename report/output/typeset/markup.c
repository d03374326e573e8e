#include "report/output/typeset/markup.h"

#include <stdlib.h>
#include <string.h>

#include "report/output/typeset/typeset.h"

/* LaTeX ---------------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns what a hyphen stands for: between blanks in a heading and before a digit in a cell of
 * numbers a minus, between two digits "to". NULL: itself. */
static const char *hyphen_of(const char *text, const char *at, bool heading)
{
    if (heading)
        return at > text && at[-1] == ' ' && at[1] == ' ' ? "$-$" : NULL;
    if (!is_digit(at[1]))
        return NULL;
    return at > text && is_digit(at[-1]) ? "--" : "$-$";
}

static void write_latex_cell(FILE *stream, const char *text, bool heading, bool number)
{
    const char *rest = text;
    for (const char *at = text; (heading || number) && (at = strchr(at, '-')); at++) {
        const char *hyphen = hyphen_of(text, at, heading);
        if (!hyphen)
            continue;
        latex_write(stream, rest, (size_t)(at - rest));
        fputs(hyphen, stream);
        rest = at + 1;
    }
    latex_write(stream, rest, strlen(rest));
}

static void write_latex_row(FILE *stream, const struct typeset *table, char *const *cells,
                            bool heading)
{
    fputs("    ", stream);
    for (int c = 0; c < table->columns; c++) {
        fputs(c ? " & " : "", stream);
        write_latex_cell(stream, cells[c], heading, table->numbers[c]);
    }
    fputs(" \\\\\n", stream);
}

static bool find_needs(struct latex_needs *needs, const struct typeset *table,
                       struct status *status)
{
    size_t cells = (size_t)table->rows * (size_t)table->columns;
    bool ok = !table->name || latex_needs_add(needs, table->name, status);
    for (int c = 0; ok && c < table->columns; c++)
        ok = latex_needs_add(needs, table->headings[c], status);
    for (size_t i = 0; ok && i < cells; i++)
        ok = latex_needs_add(needs, table->cells[i], status);
    return ok;
}

static void write_latex_tabular(FILE *stream, const struct typeset *table)
{
    if (table->name) {
        fputs("  ", stream);
        latex_write(stream, table->name, strlen(table->name));
        fputs("\n\n", stream);
    }
    fputs("  \\begin{tabular}{", stream);
    for (int c = 0; c < table->columns; c++)
        fputc(table->numbers[c] ? 'r' : 'l', stream);
    fputs("}\n    \\toprule\n", stream);
    write_latex_row(stream, table, table->headings, true);
    fputs("    \\midrule\n", stream);
    for (int r = 0; r < table->rows; r++)
        write_latex_row(stream, table, table->cells + (size_t)r * (size_t)table->columns, false);
    fputs("    \\bottomrule\n  \\end{tabular}\n", stream);
}

static void write_latex_body(FILE *stream, const struct typeset *tables, int count,
                             const char *title)
{
    fputs("\\begin{table}\n  \\centering\n", stream);
    if (title && *title) {
        fputs("  \\caption{", stream);
        latex_write(stream, title, strlen(title));
        fputs("}\n", stream);
    }
    for (int i = 0; i < count; i++) {
        fputs(i ? "\n  \\medskip\n" : "", stream);
        write_latex_tabular(stream, &tables[i]);
    }
    fputs("\\end{table}\n", stream);
}

static bool write_latex(FILE *stream, const struct typeset *tables, int count, const char *title,
                        struct status *status)
{
    struct latex_needs needs = {0};
    bool ok = !title || latex_needs_add(&needs, title, status);
    for (int i = 0; ok && i < count; i++)
        ok = find_needs(&needs, &tables[i], status);
    if (ok) {
        latex_needs_write(stream, &needs);
        write_latex_body(stream, tables, count, title);
    }
    latex_needs_free(&needs);
    return ok;
}

/* Markdown ------------------------------------------------------------------------------------- */

/* Any punctuation may be escaped. */
static void write_markdown(FILE *stream, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_{}[]<>#|~&$!", *text))
            fputc('\\', stream);
        fputc(*text, stream);
    }
}

static void write_markdown_row(FILE *stream, const struct typeset *table, char *const *cells)
{
    for (int c = 0; c < table->columns; c++) {
        fputs("| ", stream);
        write_markdown(stream, cells[c]);
        fputs(*cells[c] ? " " : "", stream);
    }
    fputs("|\n", stream);
}

static void write_markdown_line(FILE *stream, const char *text)
{
    if (!text || !*text)
        return;
    write_markdown(stream, text);
    fputs("\n\n", stream);
}

static void write_markdown_table(FILE *stream, const struct typeset *table)
{
    write_markdown_line(stream, table->name);
    write_markdown_row(stream, table, table->headings);
    for (int c = 0; c < table->columns; c++)
        fputs(table->numbers[c] ? "| ---: " : "| --- ", stream);
    fputs("|\n", stream);
    for (int r = 0; r < table->rows; r++)
        write_markdown_row(stream, table, table->cells + (size_t)r * (size_t)table->columns);
}

static void write_markdown_tables(FILE *stream, const struct typeset *tables, int count,
                                  const char *title)
{
    write_markdown_line(stream, title);
    for (int i = 0; i < count; i++) {
        fputs(i ? "\n" : "", stream);
        write_markdown_table(stream, &tables[i]);
    }
}

/* Comments ------------------------------------------------------------------------------------- */

/* A comment of HTML ends at "-->". */
static void write_comment_text(FILE *stream, enum markup markup, const char *text)
{
    for (; *text; text++)
        if (*text == '\n' || *text == '\r')
            fputc(' ', stream);
        else if (markup == MARKUP_MARKDOWN && (*text == '>' || *text == '&'))
            fputs(*text == '>' ? "&gt;" : "&amp;", stream);
        else
            fputc(*text, stream);
}

static void write_comments(FILE *stream, enum markup markup, const struct figure_note *notes,
                           int count)
{
    bool latex = markup == MARKUP_LATEX;
    for (int i = 0; i < count; i++) {
        fprintf(stream, "%s%s: ", latex ? "% " : "<!-- ", notes[i].key);
        write_comment_text(stream, markup, notes[i].text);
        fputs(latex ? "\n" : " -->\n", stream);
    }
    fputs(latex ? "" : "\n", stream);
}

/* Writes the lines that scripts print, without their indent. Those of a matrix only repeat its
 * head. */
static void write_lines(FILE *stream, enum markup markup, const struct report *report)
{
    const bool latex = markup == MARKUP_LATEX;
    if (report_find(report, BLOCK_MATRIX, IN_TEXT))
        return;
    for (int i = 0; i < report->blocks.count; i++) {
        const struct block *block = &report->blocks.blocks[i];
        if (block->kind != BLOCK_LINE || !(block->in & IN_TEXT) || (block->in & IF_WATCHED))
            continue;
        const char *text = block->remark.text + strspn(block->remark.text, " ");
        fputs(latex ? "% " : "\n", stream);
        if (latex)
            write_comment_text(stream, markup, text);
        else
            write_markdown(stream, text);
        fputc('\n', stream);
    }
}

/* All ------------------------------------------------------------------------------------------ */

static bool write_tables(FILE *stream, enum markup markup, const struct typeset *tables, int count,
                         const char *title, struct status *status)
{
    if (markup == MARKUP_LATEX)
        return write_latex(stream, tables, count, title, status);
    write_markdown_tables(stream, tables, count, title);
    return true;
}

bool markup_report(FILE *stream, enum markup markup, const struct report *report, const char *title,
                   const struct figure_note *notes, int note_count, struct pace *pace,
                   struct status *status)
{
    const int count = typeset_count(report);
    struct typeset *tables = memory_new((size_t)count, sizeof *tables, status);
    bool ok = tables;
    for (int i = 0; ok && i < count; i++)
        ok = typeset_make(&tables[i], report, i, pace, status);
    if (ok) {
        write_comments(stream, markup, notes, note_count);
        ok = write_tables(stream, markup, tables, count, title, status);
        write_lines(stream, markup, report);
    }
    for (int i = 0; tables && i < count; i++)
        typeset_free(&tables[i]);
    free(tables);
    return ok;
}
