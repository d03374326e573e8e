#include "render/scale.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ranges --------------------------------------------------------------------------------------- */

#define LOG_SPAN 1e-4 // a logarithmic scale reaches down to this share of its greatest value

struct extremes {
    double least, most;
    bool any;
};

static void take_values(const struct figure_matrix *matrix, struct extremes *extremes)
{
    size_t cells = (size_t)matrix->rows * matrix->columns;
    for (size_t i = 0; i < cells; i++) {
        double value = matrix->values[i];
        if (!isfinite(value))
            continue;
        if (!extremes->any || value < extremes->least)
            extremes->least = value;
        if (!extremes->any || value > extremes->most)
            extremes->most = value;
        extremes->any = true;
    }
}

static struct extremes find_extremes(const struct figure *figure, int scale)
{
    struct extremes extremes = {0};
    int count = figure->rows * figure->columns;
    for (int i = 0; i < count; i++) {
        const struct figure_panel *panel = &figure->panels[i];
        if (panel->kind == PANEL_MATRIX && panel->matrix.scale == scale)
            take_values(&panel->matrix, &extremes);
    }
    return extremes;
}

/* Returns the least value of a scale above 0, but not less than a bound above 0. */
static double least_above(const struct figure *figure, int scale, double bound)
{
    double least = 0;
    for (int i = 0; i < figure->rows * figure->columns; i++) {
        const struct figure_matrix *matrix = &figure->panels[i].matrix;
        if (figure->panels[i].kind != PANEL_MATRIX || matrix->scale != scale)
            continue;
        for (size_t c = 0; c < (size_t)matrix->rows * matrix->columns; c++) {
            double value = matrix->values[c];
            if (isfinite(value) && value > 0 && (least == 0 || value < least))
                least = value;
        }
    }
    return fmax(least, bound);
}

/* A quantity divided by its greatest value is a share. */
static bool is_share(enum figure_range range)
{
    return range == RANGE_EACH || range == RANGE_ROW;
}

static struct scale_range log_range(const struct figure *figure, int scale, double greatest)
{
    struct scale_range range = {LOG_SPAN, 1, true};
    if (!(greatest > 0))
        return range;
    range.most = greatest;
    range.least = fmax(least_above(figure, scale, LOG_SPAN * greatest), DBL_MIN);
    if (!(range.most > range.least))
        range.least = fmax(LOG_SPAN * greatest, DBL_MIN);
    return range;
}

/* Extends an empty range upwards: adding 1 to a large number may not change it. */
static struct scale_range widen(struct scale_range range)
{
    if (!(range.most > range.least))
        range.most = range.least + fmax(1, fabs(range.least));
    return range;
}

struct scale_range scale_find_range(const struct figure *figure, int scale)
{
    const struct figure_scale *given = &figure->scales[scale];
    if (given->range == RANGE_GIVEN)
        return (struct scale_range){given->least, given->most, false};
    if (is_share(given->range))
        return (struct scale_range){0, 1, false};
    struct extremes extremes = find_extremes(figure, scale);
    struct scale_range range = {extremes.least, extremes.most, false};
    if (given->range == RANGE_LOG)
        return log_range(figure, scale, extremes.most);
    if (given->range == RANGE_MAXIMUM)
        range.least = 0;
    if (given->range == RANGE_SYMMETRIC) {
        double magnitude = fmax(fabs(extremes.least), fabs(extremes.most));
        magnitude = magnitude > 0 ? magnitude : 1;
        range = (struct scale_range){-magnitude, magnitude, false};
    }
    return widen(range);
}

double scale_position(struct scale_range range, double value)
{
    if (range.logarithmic)
        return value > 0 ? log(value / range.least) / log(range.most / range.least)
                         : (isnan(value) ? NAN : 0);
    return colormap_position(value, range.least, range.most);
}

/* Returns the greatest finite value of a row, its divisor; 1 if no value is above 0. */
static double divisor_of(const float *values, size_t count)
{
    double greatest = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]) && values[i] > greatest)
            greatest = values[i];
    return greatest > 0 ? greatest : 1;
}

double scale_divisor(const struct figure *figure, const struct figure_matrix *matrix)
{
    if (figure->scales[matrix->scale].range != RANGE_EACH)
        return 1;
    return divisor_of(matrix->values, (size_t)matrix->rows * matrix->columns);
}

double scale_row_divisor(const struct figure *figure, const struct figure_matrix *matrix, int row,
                         double divisor)
{
    if (figure->scales[matrix->scale].range != RANGE_ROW)
        return divisor;
    return divisor_of(matrix->values + (size_t)row * matrix->columns, (size_t)matrix->columns);
}

struct scale_range scale_plot_range(const struct figure_plot *plot)
{
    double seen = plot->has_mean ? plot->mean : 0;
    struct scale_range range = {fmin(0, seen), fmax(0, seen), false};
    if (plot->without_zero)
        range = plot->has_mean ? (struct scale_range){seen, seen, false}
                               : (struct scale_range){INFINITY, -INFINITY, false};
    if (plot->least < plot->most)
        return (struct scale_range){plot->least, plot->most, false};
    for (int s = 0; s < plot->series_count; s++)
        for (int i = 0; i < plot->points; i++) {
            double value = plot->series[s].values[i];
            range.least = isfinite(value) ? fmin(range.least, value) : range.least;
            range.most = isfinite(value) ? fmax(range.most, value) : range.most;
        }
    if (!isfinite(range.least)) // no values
        range.least = 0;
    if (!(range.most > range.least))
        range.most = range.least + 1;
    return range;
}

/* Ticks ---------------------------------------------------------------------------------------- */

static const double multiples[] = {1, 2, 5};
enum { MULTIPLES = sizeof multiples / sizeof *multiples };

static double first_multiple(double least, double step)
{
    return ceil(least / step - 1e-9);
}

static double last_multiple(double most, double step)
{
    return floor(most / step + 1e-9);
}

double scale_step(struct scale_range range, int most)
{
    int power = (int)floor(log10(range.most - range.least)) - 2;
    for (int i = 0;; i++) {
        double step = multiples[i % MULTIPLES] * pow(10, power + i / MULTIPLES);
        double count = last_multiple(range.most, step) - first_multiple(range.least, step) + 1;
        if (count <= most)
            return step;
    }
}

/* Writes a minus, which is as wide as the digits, unlike a hyphen. */
static void put_minus(char *text, size_t size)
{
    static const char minus[] = "\xe2\x88\x92";
    char plain[32];
    snprintf(plain, sizeof plain, "%s", text);
    size_t used = 0;
    for (const char *from = plain; *from && used + sizeof minus < size; from++) {
        size_t length = *from == '-' ? sizeof minus - 1 : 1;
        memcpy(text + used, *from == '-' ? minus : from, length);
        used += length;
    }
    text[used] = '\0';
}

static void write_number(double value, double step, char *text, size_t size)
{
    int decimals = (int)fmax(0, -floor(log10(step) + 1e-9));
    if (decimals > 5 || fabs(value) >= 1e6)
        snprintf(text, size, "%.6g", value);
    else
        snprintf(text, size, "%.*f", decimals, value);
    put_minus(text, size);
}

int scale_decimals(struct scale_range range)
{
    double magnitude = fmax(fabs(range.least), fabs(range.most));
    return magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : 2;
}

void scale_write(double value, int decimals, char *text, size_t size)
{
    if (fabs(value) >= 1e6)
        snprintf(text, size, "%.3g", value);
    else
        snprintf(text, size, "%.*f", decimals, value);
    if (strspn(text, "-0.") == strlen(text) && text[0] == '-') // rounded to 0: no sign
        memmove(text, text + 1, strlen(text));
    put_minus(text, size);
}

static void put_tick(struct tick *tick, double value)
{
    tick->value = value;
    snprintf(tick->text, sizeof tick->text, "%.3g", value);
    put_minus(tick->text, sizeof tick->text);
}

/* Lists multiples of powers of ten within the range, most significant first. */
static int take_multiples(struct scale_range range, int kinds, int step, int most,
                          struct tick *ticks)
{
    int first = (int)floor(log10(range.least)), last = (int)floor(log10(range.most) + 1e-9);
    int count = 0;
    for (int power = last; power >= first; power -= step)
        for (int i = kinds - 1; i >= 0; i--) {
            double value = multiples[i] * pow(10, power);
            if (value < range.least * (1 - 1e-9) || value > range.most * (1 + 1e-9))
                continue;
            if (count == most)
                return most + 1;
            put_tick(&ticks[count++], fmin(fmax(value, range.least), range.most));
        }
    return count;
}

/* Marks 1, 2 and 5 times powers of ten; if those are too many, only the powers, then every second,
 * third, ... power. */
static int log_ticks(struct scale_range range, int most, struct tick *ticks)
{
    int count = take_multiples(range, MULTIPLES, 1, most, ticks);
    for (int step = 1; count > most; step++)
        count = take_multiples(range, 1, step, most, ticks);
    if (count < 2) {
        put_tick(&ticks[0], range.least);
        put_tick(&ticks[1], range.most);
        count = most < 2 ? 1 : 2;
    }
    return count;
}

/* Marks the ends of a range that has at most one multiple. */
static int end_ticks(struct scale_range range, int most, struct tick *ticks)
{
    const double ends[2] = {range.least, range.most};
    const int count = most < 2 ? 1 : 2;
    for (int i = 0; i < count; i++) {
        ticks[i].value = ends[i];
        write_number(ends[i], (range.most - range.least) / 10, ticks[i].text, sizeof ticks[i].text);
    }
    return count;
}

int scale_ticks(struct scale_range range, int most, struct tick *ticks)
{
    if (range.logarithmic)
        return log_ticks(range, most, ticks);
    double step = scale_step(range, most);
    double first = first_multiple(range.least, step), last = last_multiple(range.most, step);
    int count = 0;
    for (double k = first; k <= last && count < most; k++, count++) {
        ticks[count].value = fmin(fmax(k * step + 0.0, range.least), range.most);
        write_number(k == 0 ? 0 : k * step, step, ticks[count].text, sizeof ticks[count].text);
    }
    return count < 2 ? end_ticks(range, most, ticks) : count;
}
