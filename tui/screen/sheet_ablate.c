/* Tables of ablations and prunings. */
#include <math.h>
#include <stdlib.h>

#include "tui/plain.h"
#include "tui/screen/sheet_results.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* What is off ------------------------------------------------------------------------------------ */

void sheet_ablation_columns(struct sheet_column columns[ABLATION_COLUMNS])
{
    columns[0] = (struct sheet_column){"module", false, 0};
    columns[1] = (struct sheet_column){"layer", true, 0};
    columns[2] = (struct sheet_column){"head", true, 0};
}

/* Sorted by the first of several; all come before. */
static bool put_numbers(struct sheet *sheet, int column, const int *numbers, int count, bool every,
                        struct status *status)
{
    struct text_stream stream;
    if (every)
        return sheet_put_named(sheet, column, 0, "all", status);
    if (!text_begin(&stream, status))
        return false;
    number_list_write(stream.out, numbers, count);
    return text_cell(&stream, sheet, column, numbers[0] + 1, status);
}

bool sheet_put_ablation(struct sheet *sheet, int column, const struct ablation *ablation,
                        struct status *status)
{
    return sheet_put_text(sheet, column, module_names[ablation->module], status) &&
           put_numbers(sheet, column + 1, ablation->layers, ablation->layer_count,
                       ablation->every_layer, status) &&
           put_numbers(sheet, column + 2, ablation->heads, ablation->head_count,
                       ablation->every_head, status);
}

bool sheet_put_p(struct sheet *sheet, int column, double p, struct status *status)
{
    char text[40];
    snprintf(text, sizeof text, "%.4g", p);
    return sheet_put_named(sheet, column, p, isnan(p) ? "" : text, status);
}

/* Ablations -------------------------------------------------------------------------------------- */

static bool put_listing(struct sheet *sheet, const struct result *result, int number,
                        struct status *status)
{
    struct result listed = *result; // borrows all
    listed.ablate.request.shown = number;
    return sheet_put_view(sheet, &listed, status);
}

static bool put_ablation(struct sheet *sheet, const struct result *result, int index,
                         struct status *status)
{
    const struct ablate_result *ablate = &result->ablate;
    const struct ablation_score *score = &ablate->scores[index];
    int column = 1 + ABLATION_COLUMNS;
    return sheet_row(sheet, status) && sheet_put_number(sheet, 0, index + 1, 0, status) &&
           sheet_put_ablation(sheet, 1, &ablate->ablations.items[index], status) &&
           sheet_put_number(sheet, column, score->score, 2, status) &&
           sheet_put_difference(sheet, column + 1, score->delta, 2, status) &&
           sheet_put_number(sheet, column + 2, score->differing, 0, status) &&
           sheet_put_p(sheet, column + 3, score->p, status) &&
           sheet_put_p(sheet, column + 4, score->p_adjusted, status) &&
           put_listing(sheet, result, index + 1, status);
}

static bool of_ablations(struct sheet *sheet, const struct result *result, struct status *status)
{
    struct sheet_column columns[] = {
        {"row", true, 0},       {"", false, 0},    {"", false, 0},
        {"", false, 0},         {"BLEU", true, 0}, {"delta", true, 0},
        {"differing", true, 0}, {"p", true, 0},    {"p adjusted", true, 0}};
    sheet_ablation_columns(columns + 1);
    bool ok = sheet_begin(sheet, columns, COUNT(columns), status);
    for (int i = 0; ok && i < result->ablate.ablations.count; i++)
        ok = put_ablation(sheet, result, i, status);
    return ok;
}

static bool note_ablate(struct sheet *sheet, const struct ablate_result *ablate,
                        struct status *status)
{
    struct text_stream stream;
    if (!text_begin(&stream, status))
        return false;
    plain_ablate_facts(stream.out, ablate);
    plain_ablate_shown(stream.out, ablate);
    return text_note(&stream, sheet, status);
}

bool sheet_of_ablate(struct sheet *sheet, const struct session *session,
                     const struct result *result, struct status *status)
{
    const struct ablate_result *ablate = &result->ablate;
    (void)session;
    bool made = ablate->request.shown
                    ? sheet_of_sentences(sheet, &ablate->shown, &ablate->request.files, status)
                    : of_ablations(sheet, result, status);
    return made && note_ablate(sheet, ablate, status);
}

/* Prunings --------------------------------------------------------------------------------------- */

/* Enter on the last row lists the sentences behind a step. */
static bool put_step_listing(struct sheet *sheet, const struct result *result, int number,
                             struct status *status)
{
    struct result listed = *result; // borrows all
    listed.prune.request.shown = number;
    return sheet_put_view(sheet, &listed, status);
}

static bool put_step(struct sheet *sheet, const struct result *result, int number,
                     struct status *status)
{
    const struct prune_step *step = &result->prune.steps[number - 1];
    return sheet_row(sheet, status) && sheet_put_number(sheet, 0, number, 0, status) &&
           sheet_put_text(sheet, 1, module_names[step->module], status) &&
           sheet_put_number(sheet, 2, step->layer + 1, 0, status) &&
           sheet_put_number(sheet, 3, step->head + 1, 0, status) &&
           sheet_put_number(sheet, 4, step->left, 0, status) &&
           sheet_put_number(sheet, 5, step->score, 2, status) &&
           sheet_put_difference(sheet, 6, step->delta, 2, status) &&
           put_step_listing(sheet, result, number, status);
}

static bool note_prune(struct sheet *sheet, const struct prune_result *prune, struct status *status)
{
    struct text_stream stream;
    if (!text_begin(&stream, status))
        return false;
    plain_prune_facts(stream.out, prune);
    plain_prune_end(stream.out, prune);
    plain_prune_shown(stream.out, prune);
    return text_note(&stream, sheet, status);
}

static bool of_steps(struct sheet *sheet, const struct result *result, struct status *status)
{
    struct sheet_column columns[] = {{"step", true, 0}, {"", false, 0},    {"", false, 0},
                                     {"", false, 0},    {"left", true, 0}, {"BLEU", true, 0},
                                     {"delta", true, 0}};
    sheet_ablation_columns(columns + 1);
    bool ok = sheet_begin(sheet, columns, COUNT(columns), status);
    for (int i = 0; ok && i < result->prune.count; i++)
        ok = put_step(sheet, result, i + 1, status);
    return ok;
}

bool sheet_of_prune(struct sheet *sheet, const struct session *session, const struct result *result,
                    struct status *status)
{
    const struct prune_result *prune = &result->prune;
    (void)session;
    bool made = prune->request.shown
                    ? sheet_of_sentences(sheet, &prune->shown, &prune->request.files, status)
                    : of_steps(sheet, result, status);
    return made && note_prune(sheet, prune, status);
}
