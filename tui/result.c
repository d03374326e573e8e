#include "tui/result.h"

#include <stdlib.h>

const char *const gate_grouping_names[] = {"layer", "pos", "length", NULL};

static void free_file(struct file_result *file)
{
    for (int i = 0; file->translations && i < file->sentences; i++)
        free(file->translations[i]);
    free(file->translations);
    free(file->path);
}

static void free_gates(struct gates_result *gates)
{
    for (int i = 0; gates->layer && i < gates->layers; i++)
        free(gates->layer[i].values);
    free(gates->layer);
    pieces_free(&gates->rows.texts);
}

static void free_attention(struct attention_result *attention)
{
    pieces_free(&attention->rows.texts);
    pieces_free(&attention->columns.texts);
    free(attention->weights);
}

static void free_importance(struct importance_result *importance)
{
    pieces_free(&importance->rows.texts);
    free(importance->weights);
}

static void free_gate_groups(struct gate_groups_result *groups)
{
    free(groups->groups);
    free(groups->path);
}

static void free_score(struct score_result *score)
{
    free(score->ids);
    free(score->tokens);
    free(score->logprobs);
}

static void free_grid(struct head_grid *grid)
{
    free(grid->layers);
    free(grid->heads);
    free(grid->off);
}

static void free_heads(struct heads_result *heads)
{
    free_grid(&heads->grid);
    pieces_free(&heads->rows.texts);
    pieces_free(&heads->columns.texts);
    free(heads->weights);
}

static void free_token(struct token_result *token)
{
    free_grid(&token->grid);
    pieces_free(&token->rows.texts);
    pieces_free(&token->columns.texts);
    free(token->text);
    free(token->from);
    free(token->to);
}

static void free_dials(struct dials_result *dials)
{
    free(dials->changed);
    subject_free(dials->before);
}

void result_free(struct result *result)
{
    switch (result->kind) {
    case RESULT_FILE:
        free_file(&result->file);
        break;
    case RESULT_ATTENTION:
        free_attention(&result->attention);
        break;
    case RESULT_IMPORTANCE:
        free_importance(&result->importance);
        break;
    case RESULT_GATES:
        free_gates(&result->gates);
        break;
    case RESULT_GATE_GROUPS:
        free_gate_groups(&result->gate_groups);
        break;
    case RESULT_SCORE:
        free_score(&result->score);
        break;
    case RESULT_DIALS:
        free_dials(&result->dials);
        break;
    case RESULT_EXPORT:
        free(result->exported.path);
        free(result->exported.view);
        break;
    case RESULT_HEADS:
        free_heads(&result->heads);
        break;
    case RESULT_TOKEN:
        free_token(&result->token);
        break;
    default:
        break;
    }
    *result = (struct result){.kind = RESULT_NONE};
}
