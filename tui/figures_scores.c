/* Scores as figures: bars of groups and of what is off; lines over what has an order, lengths, distances or
 * heads that are left. */
#include <math.h>
#include <stdlib.h>

#include "tui/figure_parts.h"

_Static_assert((int)ACROSS_MOST == (int)FIGURE_COLOURS, "a colour for each state");

#define MINUS "\xe2\x88\x92" // U+2212

bool drawing_can(const struct result *view)
{
    switch (view->kind) {
    case RESULT_BLEU:
    case RESULT_COMPARE:
        return view->study.request.listed == LISTED_NONE;
    case RESULT_ABLATE:
        return !view->ablate.request.shown;
    case RESULT_PRUNE:
        return !view->prune.request.shown;
    case RESULT_CONTRAST:
        return view->contrast.request.listed == LISTED_NONE;
    case RESULT_CONTRAST_ABLATE:
        return !view->contrast_ablate.ablate.shown;
    case RESULT_FLIPS:
        return false;
    default:
        return true;
    }
}

/* An empty plot: its values, (series, points), are drawing->values. NULL is a failure. */
static struct figure_plot *begin_plot(struct drawing *drawing, enum panel_kind kind, int series,
                                      int points, struct status *status)
{
    struct figure_panel *panel = drawing_panels(drawing, 1, 1, status);
    drawing->values = memory_new((size_t)series * (size_t)points, sizeof *drawing->values, status);
    drawing->figure.scale_count = 0;
    if (!panel || !drawing->values)
        return NULL;
    for (int s = 0; s < series; s++)
        drawing->series[s] = (struct figure_series){
            .colour = figure_colours[s], .values = drawing->values + (size_t)s * (size_t)points};
    panel->kind = kind;
    panel->plot =
        (struct figure_plot){.series = drawing->series, .series_count = series, .points = points};
    return &panel->plot;
}

static void add_mean(struct figure_plot *plot, double value, const char *name)
{
    plot->mean = value;
    plot->mean_name = name;
    plot->has_mean = true;
}

static const char *length_title(const struct study_result *study)
{
    return study->request.of_source ? "length of the source in tokens"
                                    : "length of the reference in tokens";
}

/* BLEU ------------------------------------------------------------------------------------------- */

static void name_length(const void *view, int i, char *text, size_t size)
{
    const struct study_result *study = view;
    snprintf(text, size, "%s", study->rows[i].name);
}

/* Of two systems the gain of the second. */
static double study_value(const struct study_result *study, const struct study_row *row)
{
    double first = row->score[0].bleu.score;
    return study->request.systems > 1 ? row->score[1].bleu.score - first : first;
}

bool draw_study(struct drawing *drawing, const struct session *session, const struct result *view,
                struct status *status)
{
    const struct study_result *study = &view->study;
    struct figure_plot *plot = begin_plot(drawing, PANEL_BARS, 1, study->row_count, status);
    (void)session;
    if (!plot ||
        !(plot->labels = drawing_names(drawing, study->row_count, name_length, study, status)))
        return false;
    for (int i = 0; i < study->row_count; i++)
        drawing->values[i] =
            study->rows[i].sentences ? (float)study_value(study, &study->rows[i]) : NAN;
    drawing->series[0].name = study->request.systems > 1 ? "b " MINUS " a" : "BLEU";
    plot->x_title = length_title(study);
    plot->y_title = study->request.systems > 1 ? "BLEU, b " MINUS " a" : "BLEU";
    add_mean(plot, study_value(study, &study->all), "all sentences");
    return true;
}

/* What is off ------------------------------------------------------------------------------------ */

struct off {
    const struct ablation_list *list;
    enum ablate_by by;
};

static bool same_module(const struct ablation_list *list)
{
    for (int i = 1; i < list->count; i++)
        if (list->items[i].module != list->items[0].module)
            return false;
    return true;
}

/* "8", "2.8"; "decoder 2.8" where modules differ; selectors are what they say. */
static void name_off(const void *view, int i, char *text, size_t size)
{
    const struct off *off = view;
    const struct ablation *one = &off->list->items[i];
    const char *module = same_module(off->list) ? "" : module_names[one->module];
    const char *gap = *module ? " " : "";
    if (off->by == ABLATE_HEAD)
        snprintf(text, size, "%s%s%d", module, gap, one->heads[0] + 1);
    else if (off->by == ABLATE_LAYER)
        snprintf(text, size, "%s%s%d", module, gap, one->layers[0] + 1);
    else if (off->by == ABLATE_LAYER_HEAD)
        snprintf(text, size, "%s%s%d.%d", module, gap, one->layers[0] + 1, one->heads[0] + 1);
    else {
        char *words = ablation_text(one);
        snprintf(text, size, "%s", words ? words : "");
        free(words);
    }
}

/* Bars of what each of the first `count` ablations changes. */
static struct figure_plot *begin_off(struct drawing *drawing, const struct ablation_list *list,
                                     int count, enum ablate_by by, struct status *status)
{
    static const char *const titles[] = {"heads that are off", "head that is off, in every layer",
                                         "layer that is off", "layer.head that is off"};
    struct off off = {list, by};
    struct figure_plot *plot = begin_plot(drawing, PANEL_BARS, 1, count, status);
    if (!plot || !(plot->labels = drawing_names(drawing, count, name_off, &off, status)))
        return NULL;
    plot->x_title = titles[by];
    return plot;
}

bool draw_ablate(struct drawing *drawing, const struct session *session, const struct result *view,
                 struct status *status)
{
    const struct ablate_result *ablate = &view->ablate;
    struct figure_plot *plot =
        begin_off(drawing, &ablate->ablations, ablate->ablations.count, ablate->request.by, status);
    (void)session;
    if (!plot)
        return false;
    for (int i = 0; i < ablate->ablations.count; i++)
        drawing->values[i] = (float)ablate->scores[i].delta;
    plot->y_title = "change of BLEU";
    return true;
}

bool draw_contrast_ablate(struct drawing *drawing, const struct session *session,
                          const struct result *view, struct status *status)
{
    const struct contrast_ablate_result *ablate = &view->contrast_ablate;
    struct figure_plot *plot =
        begin_off(drawing, &ablate->ablations, ablate->done, ablate->ablate.by, status);
    (void)session;
    if (!plot)
        return false;
    for (int i = 0; i < ablate->done; i++)
        drawing->values[i] =
            (float)((double)(ablate->rows[i].correct - ablate->correct) / ablate->decisions);
    plot->y_title = "change of accuracy";
    return true;
}

static void name_left(const void *view, int i, char *text, size_t size)
{
    const struct prune_result *prune = view;
    snprintf(text, size, "%d", i ? prune->steps[i - 1].left : prune->heads);
}

/* The last step may be the one that fell too far: below the line. */
bool draw_prune(struct drawing *drawing, const struct session *session, const struct result *view,
                struct status *status)
{
    const struct prune_result *prune = &view->prune;
    struct figure_plot *plot = begin_plot(drawing, PANEL_LINES, 1, prune->count + 1, status);
    (void)session;
    if (!plot ||
        !(plot->labels = drawing_names(drawing, prune->count + 1, name_left, prune, status)))
        return false;
    for (int i = 0; i <= prune->count; i++)
        drawing->values[i] = (float)(i ? prune->steps[i - 1].score : prune->base);
    drawing->series[0].name = "BLEU";
    plot->x_title = "heads left";
    plot->y_title = "BLEU";
    add_mean(plot, prune->base - prune->request.until, "limit");
    return true;
}

/* Decisions -------------------------------------------------------------------------------------- */

/* Groups of one kind, which stand one after the other; by CONTRAST_BYS: there are none. */
struct kind {
    const struct contrast_groups *groups;
    enum contrast_by by;
    int first, count;
};

/* Of several kinds the one that says most: what has an order, before what is only named. */
static struct kind choose_kind(const struct contrast_groups *groups)
{
    static const enum contrast_by order[] = {BY_DISTANCE, BY_FREQUENCY, BY_SENSE, BY_TYPE};
    struct kind kind = {groups, CONTRAST_BYS, 0, 0};
    for (int o = 0; o < CONTRAST_BYS && kind.count == 0; o++)
        for (int i = groups->count - 1; i >= 0; i--)
            if (groups->groups[i].by == order[o]) {
                kind.by = order[o];
                kind.first = i;
                kind.count++;
            }
    return kind;
}

static void name_kind(const void *view, int i, char *text, size_t size)
{
    const struct kind *kind = view;
    snprintf(text, size, "%s", kind->count ? kind->groups->groups[kind->first + i].name : "all");
}

/* A plot of the kind's accuracies, or of that of all. */
static struct figure_plot *begin_kind(struct drawing *drawing, const struct kind *kind, int series,
                                      struct status *status)
{
    static const char *const titles[] = {[BY_TYPE] = "type of error",
                                         [BY_SENSE] = "sense",
                                         [BY_DISTANCE] = "distance",
                                         [BY_FREQUENCY] = "frequency",
                                         [CONTRAST_BYS] = "decisions"};
    bool ordered = kind->by == BY_DISTANCE || kind->by == BY_FREQUENCY;
    int points = kind->count ? kind->count : 1;
    struct figure_plot *plot =
        begin_plot(drawing, ordered ? PANEL_LINES : PANEL_BARS, series, points, status);
    if (!plot || !(plot->labels = drawing_names(drawing, points, name_kind, kind, status)))
        return NULL;
    plot->x_title = titles[kind->by];
    plot->y_title = "accuracy";
    plot->most = 1;
    return plot;
}

bool draw_contrast(struct drawing *drawing, const struct session *session,
                   const struct result *view, struct status *status)
{
    const struct contrast_result *contrast = &view->contrast;
    struct kind kind = choose_kind(&contrast->groups);
    struct figure_plot *plot = begin_kind(drawing, &kind, 1, status);
    double all = (double)contrast->correct / contrast->decisions;
    (void)session;
    if (!plot)
        return false;
    drawing->values[0] = (float)all;
    for (int i = 0; i < kind.count; i++) {
        const struct contrast_group *group = &contrast->groups.groups[kind.first + i];
        drawing->values[i] = (float)((double)group->correct / group->decisions);
    }
    drawing->series[0].name = "accuracy";
    add_mean(plot, all, "all decisions");
    return true;
}

/* Several states --------------------------------------------------------------------------------- */

/* Names are the legend. */
static void name_states(struct drawing *drawing, const struct across_result *across)
{
    for (int s = 0; s < across->done; s++)
        drawing->series[s].name = across->names.text[s];
}

static void fill_across(struct drawing *drawing, const struct across_result *across, int first,
                        int count)
{
    for (int i = 0; i < count; i++) {
        struct across_row row = across_row(across, first + i);
        for (int s = 0; s < across->done; s++)
            drawing->values[(size_t)s * (size_t)count + (size_t)i] = (float)row.values[s];
    }
}

static bool draw_studies(struct drawing *drawing, const struct across_result *across,
                         struct status *status)
{
    const struct study_result *first = &across->studies[0];
    int points = first->row_count;
    struct figure_plot *plot =
        begin_plot(drawing, points > 1 ? PANEL_LINES : PANEL_BARS, across->done, points, status);
    if (!plot || !(plot->labels = drawing_names(drawing, points, name_length, first, status)))
        return false;
    fill_across(drawing, across, 0, points);
    plot->x_title = length_title(first);
    plot->y_title = across_measure(across);
    name_states(drawing, across);
    return true;
}

static bool draw_contrasts(struct drawing *drawing, const struct across_result *across,
                           struct status *status)
{
    struct kind kind = choose_kind(&across->contrasts[0].groups);
    if (!begin_kind(drawing, &kind, across->done, status))
        return false;
    // After the groups stands what all are together.
    if (kind.count)
        fill_across(drawing, across, kind.first, kind.count);
    else
        fill_across(drawing, across, across_groups(across), 1);
    name_states(drawing, across);
    return true;
}

bool draw_across(struct drawing *drawing, const struct session *session, const struct result *view,
                 struct status *status)
{
    (void)session;
    return view->across.studies ? draw_studies(drawing, &view->across, status)
                                : draw_contrasts(drawing, &view->across, status);
}
