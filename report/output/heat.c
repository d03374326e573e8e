#include "report/output/heat.h"

#include <math.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "terminal/text/display.h"

enum { CELL = 2, NUMBER = 7, LABEL_MOST = 18, LABEL_TALLEST = 14 };

static const char *const shades[] = {" ", "░", "▒", "▓", "█"};
enum { DARKEST = 4 };

/* Returns the width of the widest row label, limited so that room is left for cells. */
static int label_width(const struct heat *heat, int width)
{
    int widest = 1, most = width / 3 < LABEL_MOST ? width / 3 : LABEL_MOST;
    for (int r = 0; r < heat->row_count; r++) {
        int columns = display_width(heat->rows[r]);
        widest = columns > widest ? columns : widest;
    }
    return widest < most ? widest : most;
}

static float greatest(const struct heat *heat, size_t *place)
{
    float most = 0;
    size_t cells = (size_t)heat->row_count * heat->column_count;
    *place = 0;
    for (size_t i = 0; i < cells; i++)
        if (fabsf(heat->values[i]) > most) {
            most = fabsf(heat->values[i]);
            *place = i;
        }
    return most;
}

static int shade(float value, float most)
{
    float share = most > 0 ? value / most : 0;
    if (!(share > 0))
        return 0;
    int level = (int)lroundf(share * DARKEST);
    return level > DARKEST ? DARKEST : level;
}

const char *heat_shade(float value, float most)
{
    return shades[shade(value, most)];
}

/* Returns the rows of the tallest label in the block. */
static int label_height(const struct heat *heat, int first, int last)
{
    int tallest = 1;
    for (int c = first; c < last; c++) {
        int height = display_rows(heat->columns[c], CELL);
        tallest = height > tallest ? height : tallest;
    }
    return tallest < LABEL_TALLEST ? tallest : LABEL_TALLEST;
}

/* Draws row `line` of a label, one cell wide; "⋮" in the last row of a label that continues. */
static void draw_label_cell(FILE *stream, const char *text, int line)
{
    int columns = 0;
    size_t length = display_grapheme_within(text, CELL, &columns);
    for (int i = 0; i < line && length; i++) {
        text += length;
        length = display_grapheme_within(text, CELL, &columns);
    }
    int after;
    if (line == LABEL_TALLEST - 1 && length && display_grapheme(text + length, &after)) {
        fputs("⋮ ", stream);
        return;
    }
    display_write_part(stream, text, length);
    fprintf(stream, "%*s", CELL - columns, "");
}

static void draw_column_labels(FILE *stream, const struct heat *heat, int first, int last,
                               int label)
{
    int height = label_height(heat, first, last);
    for (int line = 0; line < height; line++) {
        fprintf(stream, " %*s  ", label, "");
        for (int c = first; c < last; c++)
            draw_label_cell(stream, heat->columns[c], line);
        fputc('\n', stream);
    }
}

/* Draws a cell, two columns wide. */
typedef void draw_cell(FILE *stream, float value, float most);

static void draw_shade(FILE *stream, float value, float most)
{
    const char *cell = heat_shade(value, most);
    fprintf(stream, "%s%s", cell, cell);
}

static void draw_signed(FILE *stream, float value, float most)
{
    int level = shade(fabsf(value), most);
    fprintf(stream, "%c%s", level == 0 ? ' ' : value < 0 ? '-' : '+', shades[level]);
}

static void draw_row(FILE *stream, const struct heat *heat, int row, int first, int last, int label,
                     float most, draw_cell *draw)
{
    fputc(' ', stream);
    display_field(stream, heat->rows[row], label);
    fputs("  ", stream);
    for (int c = first; c < last; c++)
        draw(stream, heat->values[(size_t)row * heat->column_count + c], most);
    fputc('\n', stream);
}

static void draw_matrix(FILE *stream, const struct heat *heat, int width, draw_cell *draw)
{
    size_t place;
    float most = greatest(heat, &place);
    int label = label_width(heat, width);
    int step = (width - label - 4) / CELL;
    for (int first = 0; first < heat->column_count; first += step) {
        int last = first + step < heat->column_count ? first + step : heat->column_count;
        if (first)
            fputc('\n', stream);
        draw_column_labels(stream, heat, first, last, label);
        for (int row = 0; row < heat->row_count; row++)
            draw_row(stream, heat, row, first, last, label, most, draw);
    }
}

void heat_draw(FILE *stream, const struct heat *heat, int width)
{
    draw_matrix(stream, heat, width, draw_shade);
}

void difference_draw(FILE *stream, const struct heat *heat, int width)
{
    draw_matrix(stream, heat, width, draw_signed);
}

int heat_width(const struct heat *heat, int width)
{
    return label_width(heat, width) + 4 + CELL * heat->column_count;
}

double heat_entropy(const struct heat *heat)
{
    static const double rounding = 0.01;
    double sum = 0;
    int rows = 0;
    for (int r = 0; r < heat->row_count; r++) {
        const float *row = heat->values + (size_t)r * heat->column_count;
        double entropy = 0, mass = 0;
        for (int c = 0; c < heat->column_count; c++) {
            if (row[c] < 0)
                return NAN;
            mass += row[c];
            entropy -= row[c] > 0 ? row[c] * log2(row[c]) : 0;
        }
        if (mass != 0 && !(fabs(mass - 1) < rounding))
            return NAN;
        sum += entropy;
        rows += mass != 0;
    }
    return rows ? sum / rows : NAN;
}

void heat_legend(FILE *stream, const struct heat *heat, int width)
{
    size_t place, size;
    float most = greatest(heat, &place);
    char *text = NULL;
    FILE *out = display_have(open_memstream(&text, &size));
    if (!out)
        return;
    fprintf(out, " 0 ░░▒▒▓▓██ %.3f", most);
    if (most > 0)
        fprintf(out, "  at %s → %s", heat->rows[place / heat->column_count],
                heat->columns[place % heat->column_count]);
    const double entropy = heat_entropy(heat);
    if (!isnan(entropy))
        fprintf(out, "  mean entropy %.2f bits", entropy);
    if (fclose(out) == 0)
        display_wrapped(stream, text, "  ", 1, width);
    free(text);
}

void difference_legend(FILE *stream, const struct heat *heat, int width)
{
    size_t place, size;
    float most = greatest(heat, &place);
    char *text = NULL;
    FILE *out = display_have(open_memstream(&text, &size));
    if (!out)
        return;
    if (most > 0)
        fprintf(out, " %.3f -█-▓-▒-░ 0 +░+▒+▓+█ +%.3f  %+.3f at %s → %s", -most, most,
                heat->values[place], heat->rows[place / heat->column_count],
                heat->columns[place % heat->column_count]);
    else
        fputs(" 0 everywhere", out);
    if (fclose(out) == 0)
        display_wrapped(stream, text, "  ", 1, width);
    free(text);
}

/* Tables --------------------------------------------------------------------------------------- */

static void draw_number(FILE *stream, float value)
{
    if (isnan(value))
        fprintf(stream, "%*s", NUMBER, "-");
    else
        fprintf(stream, "%*.3f", NUMBER, value);
}

void table_draw(FILE *stream, const struct heat *heat, int width)
{
    int label = label_width(heat, width);
    int step = (width - label - 2) / NUMBER;
    for (int first = 0; first < heat->column_count; first += step) {
        int last = first + step < heat->column_count ? first + step : heat->column_count;
        if (first)
            fputc('\n', stream);
        fprintf(stream, " %*s ", label, "");
        for (int c = first; c < last; c++) {
            fprintf(stream, "%*s", int_max(NUMBER - display_width(heat->columns[c]), 0), "");
            display_write(stream, heat->columns[c]);
        }
        fputc('\n', stream);
        for (int row = 0; row < heat->row_count; row++) {
            fputc(' ', stream);
            display_field(stream, heat->rows[row], label);
            fputc(' ', stream);
            for (int c = first; c < last; c++)
                draw_number(stream, heat->values[(size_t)row * heat->column_count + c]);
            fputc('\n', stream);
        }
    }
}
