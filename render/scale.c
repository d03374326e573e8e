#include "render/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ranges ---------------------------------------------------------------------------------------- */

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

struct scale_range scale_find_range(const struct figure *figure, int scale)
{
    const struct figure_scale *given = &figure->scales[scale];
    if (given->range == RANGE_GIVEN)
        return (struct scale_range){given->least, given->most};
    struct extremes extremes = find_extremes(figure, scale);
    struct scale_range range = {extremes.least, extremes.most};
    if (given->range == RANGE_MAXIMUM)
        range.least = 0;
    if (given->range == RANGE_SYMMETRIC) {
        double magnitude = fmax(fabs(extremes.least), fabs(extremes.most));
        range = (struct scale_range){-magnitude, magnitude > 0 ? magnitude : 1};
        if (!(magnitude > 0))
            range.least = -1;
    }
    if (!(range.most > range.least))
        range.most =
            range.least + fmax(1, fabs(range.least)); // 1 may be lost beside a large number
    return range;
}

/* Ticks ----------------------------------------------------------------------------------------- */

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

/* The least step that gives at most `most` ticks. */
static double find_step(struct scale_range range, int most)
{
    int power = (int)floor(log10(range.most - range.least)) - 2;
    for (int i = 0;; i++) {
        double step = multiples[i % MULTIPLES] * pow(10, power + i / MULTIPLES);
        double count = last_multiple(range.most, step) - first_multiple(range.least, step) + 1;
        if (count <= most)
            return step;
    }
}

/* A minus as long as the digits are wide, which a hyphen is not. */
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

int scale_ticks(struct scale_range range, int most, struct tick *ticks)
{
    double step = find_step(range, most);
    double first = first_multiple(range.least, step), last = last_multiple(range.most, step);
    int count = 0;
    for (double k = first; k <= last && count < most; k++, count++) {
        ticks[count].value = fmin(fmax(k * step + 0.0, range.least), range.most);
        write_number(k == 0 ? 0 : k * step, step, ticks[count].text, sizeof ticks[count].text);
    }
    if (count == 0) { // between two multiples
        ticks[0].value = range.least;
        write_number(range.least, (range.most - range.least) / 10, ticks[0].text,
                     sizeof ticks[0].text);
        count = 1;
    }
    return count;
}
