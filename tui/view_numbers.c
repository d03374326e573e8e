/* How long views are as data. */
#include "tui/tables.h"

static size_t matrix_numbers(const struct labels *rows, size_t columns)
{
    return rows->texts.count * columns;
}

static size_t attention_numbers(const struct attention_result *attention)
{
    return attention->weights ? matrix_numbers(&attention->rows, attention->columns.texts.count)
                              : 0;
}

static size_t grid_numbers(const struct head_grid *grid)
{
    return (size_t)grid->layer_count * grid->head_count;
}

static size_t beside_numbers(const struct beside_result *beside)
{
    return attention_numbers(&beside->side[0].attention) +
           attention_numbers(&beside->side[1].attention) + attention_numbers(&beside->difference);
}

static size_t token_numbers(const struct token_result *token)
{
    int places =
        (token->from ? token->columns.texts.count : 0) + (token->to ? token->rows.texts.count : 0);
    return grid_numbers(&token->grid) * places;
}

static size_t gate_numbers(const struct gates_result *gates)
{
    size_t numbers = 0;
    for (int i = 0; i < gates->layers; i++)
        numbers +=
            matrix_numbers(&gates->rows, gates->layer[i].values ? gates->layer[i].columns : 1);
    return numbers;
}

size_t view_numbers(const struct result *view)
{
    switch (view->kind) {
    case RESULT_ATTENTION:
    case RESULT_ALIGNMENT:
        return attention_numbers(&view->attention);
    case RESULT_IMPORTANCE:
        return matrix_numbers(&view->importance.rows, view->importance.heads);
    case RESULT_GATES:
        return gate_numbers(&view->gates);
    case RESULT_HEADS:
        return grid_numbers(&view->heads.grid) *
               matrix_numbers(&view->heads.rows, view->heads.columns.texts.count);
    case RESULT_GATE_GROUPS:
        return view->gate_groups.count;
    case RESULT_TOKEN:
        return token_numbers(&view->token);
    case RESULT_BLEU:
    case RESULT_COMPARE:
        return (size_t)view->study.row_count + 1 + (size_t)view->study.list_count;
    case RESULT_ABLATE:
        return (size_t)view->ablate.ablations.count + 1 + (size_t)view->ablate.shown.list_count;
    case RESULT_PRUNE:
        return (size_t)view->prune.count + 1 + (size_t)view->prune.shown.list_count;
    case RESULT_CONTRAST:
        return (size_t)view->contrast.run->suite.candidates;
    case RESULT_CONTRAST_ABLATE:
        return (size_t)(view->contrast_ablate.done + view->contrast_ablate.shown.lost +
                        view->contrast_ablate.shown.won);
    case RESULT_BLEU_ACROSS:
    case RESULT_CONTRAST_ACROSS:
        return (size_t)(across_groups(&view->across) + 1) * (size_t)view->across.done;
    case RESULT_FLIPS:
        return (size_t)(view->flips.lost + view->flips.won);
    case RESULT_BESIDE:
        return beside_numbers(&view->beside);
    default:
        return 0;
    }
}
