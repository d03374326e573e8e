/* Ablations and prunings as tables. */
#include <math.h>

#include "tui/table_cells.h"

static void put_numbers(struct table *table, const int *numbers, int count, bool every)
{
    separate(table);
    if (!every)
        number_list_write(table->stream, numbers, count);
}

void put_ablation(struct table *table, const struct ablation *ablation)
{
    put_text(table, module_names[ablation->module]);
    put_numbers(table, ablation->layers, ablation->layer_count, ablation->every_layer);
    put_numbers(table, ablation->heads, ablation->head_count, ablation->every_head);
}

/* Row 0, of `columns` more, has the score alone. */
static void put_base(struct table *table, int columns, int column, double score)
{
    put_count(table, 0);
    for (int i = 0; i < columns; i++)
        put_value(table, i == column ? score : NAN);
    end_line(table);
}

static bool put_ablations(struct table *table, const struct ablate_result *ablate)
{
    put_header(table, (const char *const[]){"ablation", "module", "layer", "head", "score", "delta",
                                            "differing", "p", "p_adjusted", NULL});
    put_base(table, 8, 3, ablate->base);
    for (int i = 0; i < ablate->ablations.count; i++) {
        const struct ablation *one = &ablate->ablations.items[i];
        const struct ablation_score *score = &ablate->scores[i];
        if (!pace_step(table->pace, 1))
            return false;
        put_count(table, i + 1);
        put_ablation(table, one);
        put_value(table, score->score);
        put_value(table, score->delta);
        put_count(table, score->differing);
        put_value(table, score->p);
        put_value(table, score->p_adjusted);
        end_line(table);
    }
    return true;
}

bool table_ablate(struct table *table, const struct result *view, struct status *status)
{
    const struct ablate_result *ablate = &view->ablate;
    (void)status;
    return ablate->request.shown ? put_study_sentences(table, &ablate->shown)
                                 : put_ablations(table, ablate);
}

static bool put_steps(struct table *table, const struct prune_result *prune)
{
    put_header(table, (const char *const[]){"step", "module", "layer", "head", "left", "score",
                                            "delta", NULL});
    put_base(table, 6, 4, prune->base);
    for (int i = 0; i < prune->count; i++) {
        const struct prune_step *step = &prune->steps[i];
        if (!pace_step(table->pace, 1))
            return false;
        put_count(table, i + 1);
        put_text(table, module_names[step->module]);
        put_count(table, step->layer + 1);
        put_count(table, step->head + 1);
        put_count(table, step->left);
        put_value(table, step->score);
        put_value(table, step->delta);
        end_line(table);
    }
    return true;
}

bool table_prune(struct table *table, const struct result *view, struct status *status)
{
    const struct prune_result *prune = &view->prune;
    (void)status;
    return prune->request.shown ? put_study_sentences(table, &prune->shown)
                                : put_steps(table, prune);
}
