/* The page: its size, the figure's title, and what is below it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/layout.h"
#include "render/plan.h"

/* Shares of the font size. */
#define PADDING 0.8
#define GAP 0.4
#define GRID_GAP 0.9
#define FRAME 0.06
#define TICK 0.3
#define TITLE_SIZE 1.2
#define TITLE_WIDTH 36 // a page may widen to this for its title
enum { TITLE_LINES = 3, TITLE_BYTES = 1000 };

#define MM_PER_INCH 25.4

/* The figure's title --------------------------------------------------------------------------- */

/* Counts the bytes of the words at `text` that fit in a line: at least one word. */
static bool fitting_words(const struct plan *plan, const char *text, double size, double most,
                          size_t *length, struct status *status)
{
    char candidate[TITLE_BYTES];
    size_t end = *length = strcspn(text, " ");
    while (end < sizeof candidate) {
        memcpy(candidate, text, end);
        candidate[end] = '\0';
        struct text_line line;
        if (!plan->typesetter->set(plan->typesetter->context, candidate, size, INFINITY, &line,
                                   status))
            return false;
        free(line.text);
        if (line.width > most)
            break;
        *length = end;
        if (!text[end])
            break;
        end += 1 + strcspn(text + end + 1, " ");
    }
    return true;
}

/* Breaks the title into lines at most `most` wide and shortens the last one. The caller owns the
 * lines. */
static bool break_title(const struct plan *plan, double most, struct text_line *lines, int *count,
                        struct status *status)
{
    double size = TITLE_SIZE * plan->em;
    const char *rest = plan->figure->title ? plan->figure->title : "";
    for (*count = 0; *count < TITLE_LINES; ++*count) {
        rest += strspn(rest, " ");
        if (!*rest)
            return true;
        size_t length;
        if (!fitting_words(plan, rest, size, most, &length, status))
            return false;
        bool last = *count == TITLE_LINES - 1;
        char *words = last ? strdup(rest) : strndup(rest, length);
        if (!words)
            return status_no_memory(status);
        bool ok = plan->typesetter->set(plan->typesetter->context, words, size, most,
                                        &lines[*count], status);
        free(words);
        if (!ok)
            return false;
        rest += length;
    }
    return true;
}

static bool title_width(const struct plan *plan, double *width, struct status *status)
{
    struct text_line line;
    if (!plan->typesetter->set(plan->typesetter->context, plan->figure->title,
                               TITLE_SIZE * plan->em, INFINITY, &line, status))
        return false;
    free(line.text);
    *width = line.width;
    return true;
}

/* The page ------------------------------------------------------------------------------------- */

static double tracks_length(const struct track *tracks, int count, double gap)
{
    double length = gap * (count - 1);
    for (int i = 0; i < count; i++)
        length += plan_track_before(&tracks[i]) + tracks[i].core + tracks[i].bars;
    return length;
}

static double grid_width(const struct plan *plan)
{
    return tracks_length(plan->columns, plan->figure->columns, plan->column_gap);
}

static double grid_height(const struct plan *plan)
{
    return tracks_length(plan->rows, plan->figure->rows, plan->row_gap);
}

static bool put_title_lines(struct plan *plan, struct text_line *lines, int count,
                            struct status *status)
{
    double line = TITLE_SIZE * plan_line(plan), y = plan->padding;
    for (int i = 0; i < count; i++, y += line) {
        struct text_line taken = lines[i];
        lines[i].text = NULL;
        if (!plan_put(plan, ROLE_TITLE, taken, TITLE_SIZE * plan->em, false,
                      plan->layout->width / 2.0, y + TITLE_SIZE * plan->ascent, 0.5, status))
            return false;
    }
    return true;
}

/* Returns the height of `count` lines of title and the gap below them. */
static double title_height(const struct plan *plan, int count)
{
    return count ? count * TITLE_SIZE * plan_line(plan) + plan->gap * 1.5 : 0;
}

/* Sets the page's size, in whole pixels. */
static bool set_page(struct plan *plan, double width, double height, struct status *status)
{
    const struct page_limits *limits = plan->limits;
    if (!(width <= limits->side && height <= limits->side && width * height <= limits->area))
        return plan_fail_page(plan, width, height, status);
    plan->layout->width = (int)width;
    plan->layout->height = (int)ceil(height);
    return true;
}

/* Returns the given width, or what the grid and the title need. */
static bool page_width(const struct plan *plan, double *width, struct status *status)
{
    double title;
    *width = round(plan->style->width_mm / MM_PER_INCH * plan->style->dpi);
    if (plan->style->width_mm > 0)
        return true;
    if (!title_width(plan, &title, status))
        return false;
    *width =
        ceil(fmax(grid_width(plan), fmin(title + 1, TITLE_WIDTH * plan->em)) + 2 * plan->padding);
    return true;
}

static void free_lines(struct text_line lines[TITLE_LINES])
{
    for (int i = 0; i < TITLE_LINES; i++) {
        free(lines[i].text);
        lines[i] = (struct text_line){0};
    }
}

/* Sizes the cells and the lines of title above them. In a given height each takes room from the
 * other. */
static bool size_page(struct plan *plan, struct text_line *lines, int *count, double *width,
                      struct status *status)
{
    int reserved = 0;
    for (;;) {
        plan->title_height = title_height(plan, reserved);
        free_lines(lines);
        if (!plan_cells(plan, status) || !page_width(plan, width, status) ||
            !break_title(plan, *width - 2 * plan->padding, lines, count, status))
            return false;
        if (*count <= reserved)
            return true;
        reserved = *count;
    }
}

static bool check_bars(const struct plan *plan, struct status *status)
{
    double least = BAR_LINES * plan_line(plan);
    for (int s = 0; s < plan->figure->scale_count; s++) {
        const struct bar_plan *bar = &plan->bars[s];
        double height = plan->row_gap * (bar->last_row - bar->first_row);
        for (int r = bar->first_row; r <= bar->last_row; r++)
            height += plan->rows[r].core;
        if (bar->shown && plan->style->height_mm > 0 && height < least)
            return status_fail(
                status, STATUS_INVALID,
                "a height of %g mm, expected at least %.0f mm for the colour bars",
                plan->style->height_mm,
                ceil(plan->style->height_mm + (least - height) * MM_PER_INCH / plan->style->dpi));
    }
    return true;
}

static bool fill_page(struct plan *plan, struct text_line *lines, struct status *status)
{
    double width;
    int count;
    if (!size_page(plan, lines, &count, &width, status) || !check_bars(plan, status))
        return false;
    double height = grid_height(plan) + 2 * plan->padding + 1 + plan->title_height;
    if (plan->style->height_mm > 0)
        height = round(plan->style->height_mm / MM_PER_INCH * plan->style->dpi);
    double x = floor((width - grid_width(plan)) / 2);
    return set_page(plan, width, height, status) && put_title_lines(plan, lines, count, status) &&
           plan_place(plan, x, ceil(plan->padding + title_height(plan, count)), status);
}

/* The functions of a kind of panel that fills a figure alone. */
struct alone {
    bool (*size)(struct plan *plan, double *width, double *height, struct status *status);
    bool (*put)(struct plan *plan, struct box box, struct status *status);
};

static const struct alone *functions_of(const struct plan *plan)
{
    static const struct alone functions[] = {
        [PANEL_LINES] = {plan_plot_size, plan_plot},
        [PANEL_BARS] = {plan_plot_size, plan_plot},
        [PANEL_ALIGNMENT] = {plan_alignment_size, plan_alignment},
        [PANEL_TABLE] = {plan_table_size, plan_table}};
    return &functions[plan->figure->panels->kind];
}

/* Fills the page with the title and, below it, its only panel. */
static bool fill_alone(struct plan *plan, struct text_line *lines, struct status *status)
{
    const struct figure_style *style = plan->style;
    const struct alone *functions = functions_of(plan);
    double frame = 2 * plan->padding, width = 0, height = 0, pixels = style->dpi / MM_PER_INCH;
    int count;
    if (!functions->size(plan, &width, &height, status))
        return false;
    width = style->width_mm > 0 ? round(style->width_mm * pixels) : ceil(width + frame);
    if (!break_title(plan, width - frame, lines, &count, status))
        return false;
    double top = plan->padding + title_height(plan, count);
    height = style->height_mm > 0 ? round(style->height_mm * pixels)
                                  : ceil(top + height + plan->padding);
    struct box rest = {plan->padding, top, width - frame, height - top - plan->padding};
    return set_page(plan, width, height, status) && put_title_lines(plan, lines, count, status) &&
           functions->put(plan, rest, status);
}

static bool make_page(struct plan *plan, struct status *status)
{
    struct text_line lines[TITLE_LINES] = {0};
    bool alone = plan->figure->panels->kind > PANEL_MATRIX;
    bool ok = alone ? fill_alone(plan, lines, status) : fill_page(plan, lines, status);
    free_lines(lines);
    return ok;
}

/* Opening -------------------------------------------------------------------------------------- */

static void set_sizes(struct plan *plan)
{
    struct figure_layout *layout = plan->layout;
    plan->em = plan->style->font_pt / 72 * plan->style->dpi;
    plan->ascent = plan->typesetter->ascent * plan->em;
    plan->descent = plan->typesetter->descent * plan->em;
    layout->line = (int)fmax(1, round(FRAME * plan->em));
    layout->tick_length = (int)fmax(1, round(TICK * plan->em));
    plan->padding = ceil(PADDING * plan->em) + layout->line;
    plan->gap = ceil(GAP * plan->em) + layout->line;
    plan->column_gap = ceil(GRID_GAP * plan->em) + 2 * layout->line;
    plan->row_gap = plan->column_gap;
}

static bool allocate(struct plan *plan, struct status *status)
{
    const struct figure *figure = plan->figure;
    size_t panels = (size_t)figure->rows * figure->columns;
    struct figure_layout *layout = plan->layout;
    return (plan->labels = memory_new(panels, sizeof *plan->labels, status)) &&
           (plan->columns = memory_new(figure->columns, sizeof *plan->columns, status)) &&
           (plan->rows = memory_new(figure->rows, sizeof *plan->rows, status)) &&
           (plan->bars = memory_new(figure->scale_count, sizeof *plan->bars, status)) &&
           (layout->matrices = memory_new(panels, sizeof *layout->matrices, status)) &&
           (layout->bars = memory_new(figure->scale_count, sizeof *layout->bars, status)) &&
           (layout->ranges = memory_new(figure->scale_count, sizeof *layout->ranges, status));
}

static void free_plan(struct plan *plan)
{
    if (plan->labels)
        plan_labels_free(plan);
    free(plan->labels);
    free(plan->columns);
    free(plan->rows);
    free(plan->bars);
}

struct figure_layout *layout_open(const struct figure *figure, const struct figure_style *style,
                                  const struct page_limits *limits,
                                  const struct typesetter *typesetter, struct status *status)
{
    struct figure_layout *layout = memory_new(1, sizeof *layout, status);
    if (!layout)
        return NULL;
    struct plan plan = {.figure = figure,
                        .style = style,
                        .limits = limits,
                        .typesetter = typesetter,
                        .layout = layout};
    set_sizes(&plan);
    bool ok = allocate(&plan, status) && plan_labels(&plan, status) && plan_titles(&plan, status) &&
              plan_bars(&plan, status) && plan_values(&plan, status) && make_page(&plan, status);
    free_plan(&plan);
    if (ok)
        return layout;
    layout_close(layout);
    return NULL;
}
