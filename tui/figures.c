#include "tui/figures.h"

#include <limits.h>
#include <stdlib.h>

#include "tui/eye.h"
#include "tui/figure_form.h"
#include "tui/figure_parts.h"
#include "tui/gate_columns.h"
#include "tui/gate_points.h"
#include "tui/titles.h"

/* Parts ------------------------------------------------------------------------------------------ */

typedef const char *const *texts;

/* Tokens or words as they are shown. */
static texts keep_labels(struct drawing *drawing, const struct session *session,
                         const struct labels *labels, bool words, struct status *status)
{
    return drawing_keep(drawing, eye_labels(session, labels, words), labels->texts.count, status);
}

static struct figure_panel matrix_panel(const float *values, int rows, int columns)
{
    return (struct figure_panel){.kind = PANEL_MATRIX,
                                 .matrix = {.values = values, .rows = rows, .columns = columns}};
}

static const char *side_title(const struct labels *labels)
{
    return labels->side == SIDE_SOURCE ? "source" : "target";
}

/* One matrix with labels on both sides. */
static bool draw_matrix(struct drawing *drawing, const float *values, texts rows, int row_count,
                        texts columns, int column_count, struct status *status)
{
    struct figure_panel *panel = drawing_panels(drawing, 1, 1, status);
    if (!panel || !rows || !columns)
        return false;
    *panel = matrix_panel(values, row_count, column_count);
    panel->matrix.row_labels = rows;
    panel->matrix.column_labels = columns;
    return true;
}

/* Views ------------------------------------------------------------------------------------------ */

static bool draw_attention(struct drawing *drawing, const struct session *session,
                           const struct result *view, struct status *status)
{
    const struct attention_result *attention = &view->attention;
    texts rows = keep_labels(drawing, session, &attention->rows, attention->words, status);
    texts columns =
        rows ? keep_labels(drawing, session, &attention->columns, attention->words, status) : NULL;
    if (!columns || !draw_matrix(drawing, attention->weights, rows, attention->rows.texts.count,
                                 columns, attention->columns.texts.count, status))
        return false;
    drawing->scales[0].title = "attention weight";
    drawing->panels->matrix.row_title = side_title(&attention->rows);
    drawing->panels->matrix.column_title = side_title(&attention->columns);
    return true;
}

/* Less than this would be a grey of thin lines behind those that matter. */
#define WEIGHT_LEAST 0.05

static bool draw_alignment(struct drawing *drawing, const struct session *session,
                           const struct result *view, struct status *status)
{
    const struct attention_result *attention = &view->attention;
    texts rows = keep_labels(drawing, session, &attention->rows, attention->words, status);
    texts columns =
        rows ? keep_labels(drawing, session, &attention->columns, attention->words, status) : NULL;
    struct figure_panel *panel = columns ? drawing_panels(drawing, 1, 1, status) : NULL;
    if (!panel)
        return false;
    panel->kind = PANEL_ALIGNMENT;
    panel->alignment = (struct figure_alignment){.upper = columns,
                                                 .lower = rows,
                                                 .upper_count = attention->columns.texts.count,
                                                 .lower_count = attention->rows.texts.count,
                                                 .weights = attention->weights,
                                                 .least = WEIGHT_LEAST,
                                                 .upper_title = side_title(&attention->columns),
                                                 .lower_title = side_title(&attention->rows)};
    drawing->figure.scale_count = 0;
    return true;
}

static void name_layer(const void *view, int i, char *text, size_t size)
{
    const struct head_grid *grid = view;
    snprintf(text, size, "layer %d", grid->layers[i] + 1);
}

static void name_head(const void *view, int i, char *text, size_t size)
{
    const struct head_grid *grid = view;
    snprintf(text, size, "head %d", grid->heads[i] + 1);
}

static bool draw_heads(struct drawing *drawing, const struct session *session,
                       const struct result *view, struct status *status)
{
    const struct heads_result *heads = &view->heads;
    const struct head_grid *grid = &heads->grid;
    int rows = heads->rows.texts.count, columns = heads->columns.texts.count;
    struct figure_panel *panels =
        drawing_panels(drawing, grid->layer_count, grid->head_count, status);
    (void)session;
    if (!panels)
        return false;
    for (int i = 0; i < grid->layer_count * grid->head_count; i++) {
        panels[i] = matrix_panel(heads->weights + (size_t)i * rows * columns, rows, columns);
        panels[i].title = grid->off[i] ? "off" : NULL;
    }
    drawing->scales[0].title = "attention weight";
    drawing->figure.row_titles =
        drawing_names(drawing, grid->layer_count, name_layer, grid, status);
    drawing->figure.column_titles =
        drawing->figure.row_titles
            ? drawing_names(drawing, grid->head_count, name_head, grid, status)
            : NULL;
    return drawing->figure.column_titles != NULL;
}

static void name_place(const void *view, int i, char *text, size_t size)
{
    const struct head_grid *grid = view;
    snprintf(text, size, "%d.%d%s", grid->layers[i / grid->head_count] + 1,
             grid->heads[i % grid->head_count] + 1, grid->off[i] ? " off" : "");
}

/* A line for every head: where it looks from the token, and beside it who looks at the token. */
static bool draw_token(struct drawing *drawing, const struct session *session,
                       const struct result *view, struct status *status)
{
    const struct token_result *token = &view->token;
    const struct {
        const float *values;
        const struct labels *labels;
        const char *title;
    } sides[] = {{token->from, &token->columns, "looks at"},
                 {token->to, &token->rows, "is looked at by"}};
    int lines = token->grid.layer_count * token->grid.head_count;
    texts names = drawing_names(drawing, lines, name_place, &token->grid, status);
    struct figure_panel *panel =
        names ? drawing_panels(drawing, 1, (token->from != NULL) + (token->to != NULL), status)
              : NULL;
    for (int s = 0; panel && s < 2; s++) {
        if (!sides[s].values)
            continue;
        *panel = matrix_panel(sides[s].values, lines, sides[s].labels->texts.count);
        panel->title = sides[s].title;
        panel->matrix.column_labels = keep_labels(drawing, session, sides[s].labels, false, status);
        if (!panel->matrix.column_labels)
            return false;
        if (panel == drawing->panels) {
            panel->matrix.row_labels = names;
            panel->matrix.row_title = "layer.head";
        }
        panel++;
    }
    drawing->scales[0].title = "attention weight";
    return panel != NULL;
}

static void name_number(const void *view, int i, char *text, size_t size)
{
    (void)view;
    snprintf(text, size, "%d", i + 1);
}

static bool draw_importance(struct drawing *drawing, const struct session *session,
                            const struct result *view, struct status *status)
{
    const struct importance_result *importance = &view->importance;
    texts rows = keep_labels(drawing, session, &importance->rows, false, status);
    texts columns =
        rows ? drawing_names(drawing, importance->heads, name_number, NULL, status) : NULL;
    if (!columns || !draw_matrix(drawing, importance->weights, rows, importance->rows.texts.count,
                                 columns, importance->heads, status))
        return false;
    drawing->scales[0].title = "importance";
    drawing->panels->matrix.row_title = side_title(&importance->rows);
    drawing->panels->matrix.column_title = "head";
    return true;
}

/* A gate is a share. */
static void scale_gates(struct drawing *drawing)
{
    drawing->scales[0].range = RANGE_GIVEN;
    drawing->scales[0].least = 0;
    drawing->scales[0].most = 1;
    drawing->scales[0].title = "gate";
}

static void name_gate(const void *view, int i, char *text, size_t size)
{
    const struct gate_columns *columns = view;
    snprintf(text, size, "%s", columns->names[i]);
}

static bool draw_gates(struct drawing *drawing, const struct session *session,
                       const struct result *view, struct status *status)
{
    const struct gates_result *gates = &view->gates;
    struct gate_columns columns;
    if (!gate_columns_make(gates, &columns, status))
        return false;
    texts rows = keep_labels(drawing, session, &gates->rows, false, status);
    texts names = rows ? drawing_names(drawing, columns.count, name_gate, &columns, status) : NULL;
    bool ok = names && draw_matrix(drawing, columns.values, rows, gates->rows.texts.count, names,
                                   columns.count, status);
    if (ok) {
        scale_gates(drawing);
        drawing->panels->matrix.row_title = side_title(&gates->rows);
        drawing->panels->matrix.column_title = columns.by_head ? "layer.learned head" : "layer";
    }
    drawing->values = columns.values;
    columns.values = NULL;
    gate_columns_free(&columns);
    return ok;
}

static void name_point(const void *view, int i, char *text, size_t size)
{
    const struct gate_points *points = view;
    snprintf(text, size, "%s", points->names[i]);
}

/* A line is interrupted where its side has no gate; the values are the drawing's. */
static void set_series(struct drawing *drawing, struct gate_points *points)
{
    static const char *const sides[] = {[SIDE_Q] = "queries", [SIDE_K] = "keys"};
    drawing->values = points->values;
    points->values = NULL;
    for (int s = 0; s < points->sides; s++) {
        int side = points->side[s];
        drawing->series[s] = (struct figure_series){sides[side], figure_colours[side],
                                                    drawing->values + s * points->count};
    }
}

/* What all groups are together. */
static double mean_gate(const struct gate_groups_result *groups)
{
    double sum = 0, gates = 0;
    for (int i = 0; i < groups->count; i++) {
        sum += groups->groups[i].sum;
        gates += (double)groups->groups[i].count;
    }
    return sum / gates;
}

/* Averages: lines over layers and positions; bars of lengths, of one side with what they are all together. */
static bool draw_gate_groups(struct drawing *drawing, const struct session *session,
                             const struct result *view, struct status *status)
{
    static const char *const titles[] = {"layer", "position", "length in tokens"};
    const struct gate_groups_result *groups = &view->gate_groups;
    struct gate_points points;
    (void)session;
    if (groups->count == 0)
        return status_fail(status, STATUS_INVALID, "nothing to draw: the file has no sentences");
    if (!gate_points_make(groups, &points, status))
        return false;
    texts names = drawing_names(drawing, points.count, name_point, &points, status);
    struct figure_panel *panel = names ? drawing_panels(drawing, 1, 1, status) : NULL;
    if (panel) {
        set_series(drawing, &points);
        panel->kind = groups->by == BY_LENGTH ? PANEL_BARS : PANEL_LINES;
        panel->plot =
            (struct figure_plot){.series = drawing->series,
                                 .series_count = points.sides,
                                 .points = points.count,
                                 .labels = names,
                                 .x_title = titles[groups->by],
                                 .y_title = "mean gate \xce\xbb",
                                 .most = 1,
                                 .mean = mean_gate(groups),
                                 .has_mean = groups->by == BY_LENGTH && points.sides == 1};
        drawing->figure.scale_count = 0;
    }
    gate_points_free(&points);
    return panel != NULL;
}

static void name_side(const void *view, int i, char *text, size_t size)
{
    const struct beside_result *beside = view;
    if (i < 2)
        snprintf(text, size, "%c: %s", "ab"[i], beside -> side[i].name);
    else
        snprintf(text, size, FIGURES_DIFFERENCE);
}

/* Two translations must be told apart. */
static const char *title_of_side(const struct labels *labels, int side, bool same)
{
    static const char *const targets[] = {"target of a", "target of b"};
    return labels->side == SIDE_SOURCE || same ? side_title(labels) : targets[side];
}

/* Labels hold for a panel's row of the grid: where all have the same, the first alone has them. */
static bool draw_side(struct drawing *drawing, const struct session *session,
                      const struct attention_result *attention, int place, bool same,
                      struct status *status)
{
    struct figure_panel *panel = &drawing->panels[place];
    struct figure_matrix *matrix = &panel->matrix;
    const char *title = panel->title;
    *panel = matrix_panel(attention->weights, attention->rows.texts.count,
                          attention->columns.texts.count);
    panel->title = title;
    matrix->column_labels = keep_labels(drawing, session, &attention->columns, false, status);
    matrix->column_title = title_of_side(&attention->columns, place == 1, same);
    if (place == 0 || !same) {
        matrix->row_labels = keep_labels(drawing, session, &attention->rows, false, status);
        matrix->row_title = title_of_side(&attention->rows, place == 1, same);
    }
    return matrix->column_labels && (matrix->row_labels || (place && same));
}

/* The two states on one scale, and their difference on its own. */
static bool draw_beside(struct drawing *drawing, const struct session *session,
                        const struct result *view, struct status *status)
{
    const struct beside_result *beside = &view->beside;
    const struct attention_result *parts[] = {&beside->side[0].attention,
                                              &beside->side[1].attention, &beside->difference};
    int count = beside->difference.weights ? 3 : 2;
    bool same = beside_same_rows(beside);
    texts names = drawing_names(drawing, count, name_side, beside, status);
    if (!names || !drawing_panels(drawing, 1, count, status))
        return false;
    for (int i = 0; i < count; i++) {
        // The difference is in the tokens of a.
        struct session other = beside_session(session, &beside->side[i == 1]);
        drawing->panels[i].title = names[i];
        if (!draw_side(drawing, &other, parts[i], i, same, status))
            return false;
    }
    drawing->scales[0].title = "attention weight";
    if (count == 3) {
        drawing->panels[2].matrix.scale = 1;
        drawing->scales[1] = (struct figure_scale){
            .map = colormap_find("bluered"), .range = RANGE_SYMMETRIC, .title = FIGURES_DIFFERENCE};
        drawing->figure.scale_count = 2;
    }
    return true;
}

/* All --------------------------------------------------------------------------------------------- */

bool drawing_make(struct drawing *drawing, const struct session *session, const struct result *view,
                  struct status *status)
{
    static bool (*const drawers[RESULT_KINDS])(struct drawing *, const struct session *,
                                               const struct result *, struct status *) = {
        [RESULT_ATTENTION] = draw_attention,
        [RESULT_ALIGNMENT] = draw_alignment,
        [RESULT_IMPORTANCE] = draw_importance,
        [RESULT_GATES] = draw_gates,
        [RESULT_HEADS] = draw_heads,
        [RESULT_GATE_GROUPS] = draw_gate_groups,
        [RESULT_TOKEN] = draw_token,
        [RESULT_BESIDE] = draw_beside,
        [RESULT_BLEU] = draw_study,
        [RESULT_COMPARE] = draw_study,
        [RESULT_ABLATE] = draw_ablate,
        [RESULT_PRUNE] = draw_prune,
        [RESULT_CONTRAST] = draw_contrast,
        [RESULT_CONTRAST_ABLATE] = draw_contrast_ablate,
        [RESULT_BLEU_ACROSS] = draw_across,
        [RESULT_CONTRAST_ACROSS] = draw_across,
    };
    *drawing = (struct drawing){0};
    drawing->scales[0].map = colormap_find(figure_colormaps[session->settings.figure.colormap]);
    drawing->figure.scales = drawing->scales;
    drawing->figure.scale_count = 1;
    drawing->title = view_title(session, view, status);
    drawing->figure.title = drawing->title;
    if (drawing->title && drawers[view->kind](drawing, session, view, status)) {
        figure_form_draw(drawing, &session->settings.figure);
        return true;
    }
    drawing_free(drawing);
    return false;
}

void drawing_free(struct drawing *drawing)
{
    for (int i = 0; i < drawing->text_count; i++)
        eye_free(drawing->texts[i].texts, drawing->texts[i].count);
    free(drawing->panels);
    free(drawing->title);
    free(drawing->values);
    *drawing = (struct drawing){0};
}
