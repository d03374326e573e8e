#include "tui/result.h"

#include <stdlib.h>
#include <string.h>

const char *const gate_grouping_names[] = {"layer", "pos", "length", NULL};

const char *gates_side_name(int side)
{
    return side == GATES_BOTH ? "qk" : gate_side_names[side];
}

bool gate_groups_partial(const struct gate_groups_result *groups)
{
    return groups->sentences < groups->lines;
}

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

void attention_result_free(struct attention_result *attention)
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

static void free_state(struct state_result *state)
{
    free(state->name);
    subject_free(state->before);
}

static void free_beside(struct beside_result *beside)
{
    for (int i = 0; i < 2; i++) {
        free(beside->side[i].name);
        subject_free(beside->side[i].subject);
        attention_result_free(&beside->side[i].attention);
    }
    attention_result_free(&beside->difference);
    free(beside->note);
}

bool labels_equal(const struct labels *a, const struct labels *b)
{
    if (a->texts.count != b->texts.count)
        return false;
    for (int i = 0; i < a->texts.count; i++)
        if (strcmp(a->texts.text[i], b->texts.text[i]) != 0)
            return false;
    return true;
}

bool beside_same_rows(const struct beside_result *beside)
{
    return labels_equal(&beside->side[0].attention.rows, &beside->side[1].attention.rows);
}

struct session beside_session(const struct session *session, const struct beside_side *side)
{
    struct saved_state state = {side->name, side->loaded, side->subject->dials,
                                side->subject->search};
    return session_under(session, &state, side->subject);
}

bool result_is_study(const struct result *result)
{
    return result->kind == RESULT_BLEU || result->kind == RESULT_COMPARE;
}

bool result_is_across(const struct result *result)
{
    return result->kind == RESULT_BLEU_ACROSS || result->kind == RESULT_CONTRAST_ACROSS;
}

bool result_is_scores(const struct result *result)
{
    return result_is_study(result) || result_is_across(result) || result->kind == RESULT_ABLATE ||
           result->kind == RESULT_PRUNE || result->kind == RESULT_CONTRAST ||
           result->kind == RESULT_FLIPS || result->kind == RESULT_CONTRAST_ABLATE;
}

/* Of one sentence. */
static void free_view(struct result *result)
{
    switch (result->kind) {
    case RESULT_ATTENTION:
    case RESULT_ALIGNMENT:
        attention_result_free(&result->attention);
        break;
    case RESULT_IMPORTANCE:
        free_importance(&result->importance);
        break;
    case RESULT_GATES:
        free_gates(&result->gates);
        break;
    case RESULT_SCORE:
        free_score(&result->score);
        break;
    case RESULT_BESIDE:
        free_beside(&result->beside);
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
}

/* Of a change, or of files that were read or written. */
static void free_deed(struct result *result)
{
    switch (result->kind) {
    case RESULT_FILE:
        free_file(&result->file);
        break;
    case RESULT_DIALS:
        free_dials(&result->dials);
        break;
    case RESULT_SETTINGS:
        subject_free(result->settings.before);
        break;
    case RESULT_STATE:
        free_state(&result->state);
        break;
    case RESULT_EXPORT:
        free(result->exported.path);
        free(result->exported.view);
        break;
    case RESULT_SOURCE:
        free(result->source.path);
        break;
    case RESULT_REPLAY:
        free(result->replay.path);
        free(result->replay.redrawn);
        free(result->replay.differences);
        break;
    case RESULT_SAVE:
        free(result->save.path);
        break;
    default:
        break;
    }
}

/* Of a test set. */
static void free_study(struct result *result)
{
    switch (result->kind) {
    case RESULT_GATE_GROUPS:
        free_gate_groups(&result->gate_groups);
        break;
    case RESULT_BLEU:
    case RESULT_COMPARE:
        study_free(&result->study);
        break;
    case RESULT_ABLATE:
        ablate_result_free(&result->ablate);
        break;
    case RESULT_PRUNE:
        prune_result_free(&result->prune);
        break;
    case RESULT_CONTRAST:
        contrast_free(&result->contrast);
        break;
    case RESULT_FLIPS:
        flips_free(&result->flips);
        break;
    case RESULT_CONTRAST_ABLATE:
        contrast_ablate_free(&result->contrast_ablate);
        break;
    case RESULT_BLEU_ACROSS:
    case RESULT_CONTRAST_ACROSS:
        across_free(&result->across);
        break;
    default:
        break;
    }
}

void result_free(struct result *result)
{
    free_view(result);
    free_deed(result);
    free_study(result);
    *result = (struct result){.kind = RESULT_NONE};
}
