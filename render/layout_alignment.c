/* Two rows of tokens, joined by curves. */
#include <math.h>
#include <stdlib.h>

#include "render/plan.h"

/* Shares of the font size, unless a comment says otherwise. */
#define TOKEN_SHARE 0.3 // of a given height, for turned tokens of a row
#define TOKEN_SPACE 0.8
#define BETWEEN 7 // the rows
#define BETWEEN_LEAST 2.5
#define SMALLEST 0.5
#define ROOM_LEAST 6  // of a row
#define ROOM_LEVEL 56 // longest row of level tokens where no width is given
#define STROKE_LEAST 0.04
#define STROKE_MOST 0.3
#define PALEST 0.15 // of the colour, in the curve of the least weight

struct row {
    const char *const *texts;
    int count;
    struct text_line *lines; // (count), at the size em
    double total, widest, ascent, descent;
    const char *title;
};

struct rows {
    struct row row[2]; // upper, lower
    double size;       // of the tokens, a share of em
    bool upright;
    double titles; // width
};

/* Setting -------------------------------------------------------------------------------------- */

static void free_rows(struct rows *rows)
{
    for (int r = 0; r < 2; r++) {
        for (int i = 0; rows->row[r].lines && i < rows->row[r].count; i++)
            free(rows->row[r].lines[i].text);
        free(rows->row[r].lines);
    }
}

static bool set_row(struct plan *plan, struct row *row, double most, struct status *status)
{
    const struct typesetter *typesetter = plan->typesetter;
    if (!(row->lines = memory_new((size_t)row->count, sizeof *row->lines, status)))
        return false;
    row->ascent = plan->ascent;
    row->descent = plan->descent;
    for (int i = 0; i < row->count; i++) {
        struct text_line *line = &row->lines[i];
        if (!typesetter->set(typesetter->context, row->texts[i], plan->em, most, line, status))
            return false;
        row->total += line->width;
        row->widest = fmax(row->widest, line->width);
        row->ascent = fmax(row->ascent, line->ascent);
        row->descent = fmax(row->descent, line->descent);
    }
    return true;
}

static bool measure_title(struct plan *plan, const char *text, double *width, struct status *status)
{
    struct text_line line;
    double most = LABEL_WIDTH * plan->em / 2;
    if (!plan->typesetter->set(plan->typesetter->context, text, plan->em, most, &line, status))
        return false;
    free(line.text);
    *width = fmax(*width, line.width > 0 ? line.width + 2 * plan->gap : 0);
    return true;
}

static bool set_rows(struct plan *plan, struct rows *rows, struct status *status)
{
    const struct figure_alignment *from = &plan->figure->panels->alignment;
    double height = plan->style->height_mm / 25.4 * plan->style->dpi, most = LABEL_WIDTH * plan->em;
    if (height > 0)
        most = fmin(most, TOKEN_SHARE * height);
    *rows = (struct rows){{{from->upper, from->upper_count, .title = from->upper_title},
                           {from->lower, from->lower_count, .title = from->lower_title}},
                          .size = 1};
    return set_row(plan, &rows->row[0], most, status) &&
           set_row(plan, &rows->row[1], most, status) &&
           measure_title(plan, from->upper_title, &rows->titles, status) &&
           measure_title(plan, from->lower_title, &rows->titles, status);
}

/* Sizes ---------------------------------------------------------------------------------------- */

/* Returns the width that the longer row's tokens take, unturned, at the size em. */
static double level_width(const struct plan *plan, const struct rows *rows)
{
    double width = 0;
    for (int r = 0; r < 2; r++)
        width = fmax(width, rows->row[r].total + TOKEN_SPACE * plan->em * rows->row[r].count);
    return width;
}

static double upright_width(const struct rows *rows)
{
    double width = 0;
    for (int r = 0; r < 2; r++)
        width = fmax(width, (rows->row[r].ascent + rows->row[r].descent) * rows->row[r].count);
    return width;
}

static double row_height(const struct rows *rows, int r)
{
    const struct row *row = &rows->row[r];
    return rows->size * (rows->upright ? row->widest : row->ascent + row->descent);
}

/* Shrinks level tokens a little, then turns them and shrinks them more. put_row then leaves some
 * out if they still do not fit. */
static bool fit_rows(struct plan *plan, struct rows *rows, double room, struct status *status)
{
    const double level_least = 0.8;
    double level = room / level_width(plan, rows), turned = room / upright_width(rows);
    rows->upright = level < level_least && turned > level;
    rows->size = fmin(1, fmax(SMALLEST, rows->upright ? turned : level));
    if (room >= ROOM_LEAST * plan->em)
        return true;
    double mm = 25.4 / plan->style->dpi, more = ROOM_LEAST * plan->em - room;
    return status_fail(status, STATUS_INVALID, "a width of %.0f mm, expected at least %.0f mm",
                       plan->layout->width * mm, ceil((plan->layout->width + more) * mm));
}

/* Returns the room for level tokens, unless that is more than a page is wide. */
static double natural_room(const struct plan *plan, const struct rows *rows)
{
    double level = level_width(plan, rows), longest = ROOM_LEVEL * plan->em;
    return fmax(level > longest ? fmax(longest, upright_width(rows)) : level,
                ROOM_LEAST * plan->em);
}

bool plan_alignment_size(struct plan *plan, double *width, double *height, struct status *status)
{
    struct rows rows;
    double given = plan->style->width_mm / 25.4 * plan->style->dpi;
    bool ok = set_rows(plan, &rows, status);
    if (ok) {
        double room =
            given > 0 ? given - 2 * plan->padding - rows.titles : natural_room(plan, &rows);
        *width = rows.titles + room;
        plan->layout->width = (int)round(given);
        ok = fit_rows(plan, &rows, room, status);
        *height = row_height(&rows, 0) + row_height(&rows, 1) + BETWEEN * plan->em;
    }
    free_rows(&rows);
    return ok;
}

/* Placing -------------------------------------------------------------------------------------- */

static struct text_line scale_line(struct text_line line, double size)
{
    line.left *= size;
    line.width *= size;
    line.ascent *= size;
    line.descent *= size;
    return line;
}

static bool put_token(struct plan *plan, struct rows *rows, int r, int i, struct box box,
                      double middle, struct status *status)
{
    struct row *row = &rows->row[r];
    double size = rows->size;
    struct text_line line = scale_line(row->lines[i], size);
    row->lines[i].text = NULL;
    if (!rows->upright)
        return plan_put(plan, ROLE_TOKEN, line, size * plan->em, false, middle,
                        box.y + row->ascent * size, 0.5, status);
    return plan_put(plan, ROLE_TOKEN, line, size * plan->em, true,
                    middle + (row->ascent - row->descent) * size / 2,
                    r ? box.y : box.y + box.height, r ? 1 : 0, status);
}

/* Places a row's tokens at an even distance from each other. *middles: their x. */
static bool put_row(struct plan *plan, struct rows *rows, int r, struct box box, double *middles,
                    struct status *status)
{
    struct row *row = &rows->row[r];
    double height = (row->ascent + row->descent) * rows->size;
    double used = rows->upright ? height * row->count : row->total * rows->size;
    double space = fmin((box.width - used) / row->count, 3 * TOKEN_SPACE * plan->em);
    double x = box.x + (box.width - used - space * row->count) / 2;
    // If even small turned tokens do not fit, only every step-th one is drawn; all take equal room.
    int step = (int)fmax(1, ceil(used / box.width - 1e-9));
    for (int i = 0; i < row->count; i++) {
        double width = rows->upright ? height : row->lines[i].width * rows->size;
        middles[i] = x + (width + space) / 2;
        if (i % step == step / 2 && !put_token(plan, rows, r, i, box, middles[i], status))
            return false;
        x += width + space;
    }
    return true;
}

static bool put_row_title(struct plan *plan, const struct rows *rows, int r, struct box box,
                          struct status *status)
{
    struct text_line line;
    double most = LABEL_WIDTH * plan->em / 2;
    if (!plan->typesetter->set(plan->typesetter->context, rows->row[r].title, plan->em, most, &line,
                               status))
        return false;
    return plan_put(plan, ROLE_AXIS_TITLE, line, plan->em, false, plan->padding,
                    box.y + (box.height + line.ascent - line.descent) / 2, 0, status);
}

/* Curves --------------------------------------------------------------------------------------- */

struct link {
    double weight;
    enum curve_kind kind;
    int upper, lower;
};

static uint8_t mix(uint8_t part, double share)
{
    return (uint8_t)lround(255 - (255 - part) * share);
}

static bool put_curve(struct plan *plan, const struct link *link, double x0, double y0, double x1,
                      double y1, struct status *status)
{
    static const int colours[] = {
        [CURVE_RIGHT] = 0, [CURVE_WRONG] = 1, [CURVE_MISSED] = FIGURE_COLOURS - 1};
    struct rgb full = figure_colours[colours[link->kind]];
    double weight = link->weight;
    double share = PALEST + (1 - PALEST) * weight, middle = (y0 + y1) / 2;
    if (link->kind == CURVE_MISSED)
        weight = 0;
    struct placed_shape shape = {
        .kind = SHAPE_CURVE,
        .colour = {mix(full.red, share), mix(full.green, share), mix(full.blue, share)},
        .width = (STROKE_LEAST + (STROKE_MOST - STROKE_LEAST) * weight) * plan->em,
        .x = {x0, x0, x1, x1},
        .y = {y0, middle, middle, y1}};
    return plan_shape(plan, &shape, status);
}

static int compare_links(const void *a, const void *b)
{
    const struct link *first = a, *second = b;
    if (first->weight != second->weight)
        return first->weight < second->weight ? -1 : 1;
    return first->lower != second->lower ? first->lower - second->lower
                                         : first->upper - second->upper;
}

/* Strong curves are drawn over weak ones. */
static bool put_curves(struct plan *plan, const double *upper, double top, const double *lower,
                       double bottom, struct status *status)
{
    const struct figure_alignment *from = &plan->figure->panels->alignment;
    size_t count = 0, most = (size_t)from->upper_count * from->lower_count;
    struct link *links = memory_new(most, sizeof *links, status);
    bool ok = links != NULL;
    for (size_t i = 0; ok && i < most; i++)
        if (from->weights[i] >= from->least && from->weights[i] > 0)
            links[count++] =
                (struct link){fmin(from->weights[i], 1),
                              from->kinds ? (enum curve_kind)from->kinds[i] : CURVE_RIGHT,
                              (int)(i % from->upper_count), (int)(i / from->upper_count)};
    if (ok)
        qsort(links, count, sizeof *links, compare_links);
    for (size_t i = 0; ok && i < count; i++)
        ok = put_curve(plan, &links[i], upper[links[i].upper], top, lower[links[i].lower], bottom,
                       status);
    free(links);
    return ok;
}

/* All ------------------------------------------------------------------------------------------ */

static bool fill_rows(struct plan *plan, struct rows *rows, struct box box, double *middles,
                      struct status *status)
{
    const double mm = 25.4 / plan->style->dpi;
    if (!fit_rows(plan, rows, box.width - rows->titles, status))
        return false;
    double first = row_height(rows, 0), second = row_height(rows, 1);
    double least = first + second + BETWEEN_LEAST * plan->em;
    if (box.height < least)
        return status_fail(status, STATUS_INVALID, "a height of %.0f mm, expected at least %.0f mm",
                           plan->layout->height * mm,
                           ceil((plan->layout->height + least - box.height) * mm));
    struct box upper = {box.x + rows->titles, box.y, box.width - rows->titles, first};
    struct box lower = {upper.x, box.y + box.height - second, upper.width, second};
    double *below = middles + rows->row[0].count, gap = plan->gap / 2;
    return put_row(plan, rows, 0, upper, middles, status) &&
           put_row(plan, rows, 1, lower, below, status) &&
           put_row_title(plan, rows, 0, upper, status) &&
           put_row_title(plan, rows, 1, lower, status) &&
           put_curves(plan, middles, upper.y + upper.height + gap, below, lower.y - gap, status);
}

bool plan_alignment(struct plan *plan, struct box box, struct status *status)
{
    struct rows rows;
    double *middles = NULL;
    bool ok = set_rows(plan, &rows, status) &&
              (middles = memory_new((size_t)rows.row[0].count + rows.row[1].count, sizeof *middles,
                                    status)) &&
              fill_rows(plan, &rows, box, middles, status);
    free(middles);
    free_rows(&rows);
    return ok;
}
