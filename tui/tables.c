#include "tui/tables.h"

#include <math.h>

#include "tui/gate_columns.h"
#include "tui/table_cells.h"

/* Tables ----------------------------------------------------------------------------------------- */

/* A row with its label. */
static void put_row(struct table *table, const char *label, const float *values, int count)
{
    put_text(table, label);
    for (int i = 0; i < count; i++)
        put_value(table, values[i]);
    end_line(table);
}

static bool put_rows(struct table *table, const struct labels *rows, const float *values,
                     int columns)
{
    for (int r = 0; r < rows->texts.count; r++) {
        if (!pace_step(table->pace, columns))
            return false;
        put_row(table, rows->texts.text[r], values + (size_t)r * columns, columns);
    }
    return true;
}

static bool table_attention(struct table *table, const struct result *view, struct status *status)
{
    const struct attention_result *attention = &view->attention;
    (void)status;
    put_text(table, "");
    for (int c = 0; c < attention->columns.texts.count; c++)
        put_text(table, attention->columns.texts.text[c]);
    end_line(table);
    return put_rows(table, &attention->rows, attention->weights, attention->columns.texts.count);
}

static bool table_importance(struct table *table, const struct result *view, struct status *status)
{
    const struct importance_result *importance = &view->importance;
    (void)status;
    put_text(table, "");
    for (int h = 0; h < importance->heads; h++)
        put_count(table, h + 1);
    end_line(table);
    return put_rows(table, &importance->rows, importance->weights, importance->heads);
}

static bool table_gates(struct table *table, const struct result *view, struct status *status)
{
    struct gate_columns columns;
    if (!gate_columns_make(&view->gates, &columns, status))
        return false;
    put_text(table, "");
    for (int c = 0; c < columns.count; c++)
        put_text(table, columns.names[c]);
    end_line(table);
    bool ok = put_rows(table, &view->gates.rows, columns.values, columns.count);
    gate_columns_free(&columns);
    return ok;
}

static bool table_gate_groups(struct table *table, const struct result *view, struct status *status)
{
    const struct gate_groups_result *groups = &view->gate_groups;
    (void)status;
    bool both = groups->side == GATES_BOTH;
    const char *const titles[] = {"side", gate_grouping_names[groups->by], "count", "mean", NULL};
    put_header(table, titles + !both);
    for (int i = 0; i < groups->count; i++) {
        if (both)
            put_text(table, gate_side_names[groups->groups[i].side]);
        put_text(table, groups->groups[i].name);
        put_count(table, groups->groups[i].count);
        put_value(table, groups->groups[i].sum / (double)groups->groups[i].count);
        end_line(table);
    }
    return true;
}

static void put_head(struct table *table, const struct head_grid *grid, int place)
{
    put_count(table, grid->layers[place / grid->head_count] + 1);
    put_count(table, grid->heads[place % grid->head_count] + 1);
}

/* Numbers tell apart what reads the same. */
static bool table_heads(struct table *table, const struct result *view, struct status *status)
{
    const struct heads_result *heads = &view->heads;
    int rows = heads->rows.texts.count, columns = heads->columns.texts.count;
    const float *weight = heads->weights;
    (void)status;
    put_header(table, (const char *const[]){"layer", "head", "row", "column", "weight", "row_text",
                                            "column_text", NULL});
    for (int i = 0; i < heads->grid.layer_count * heads->grid.head_count; i++)
        for (int r = 0; r < rows; r++) {
            if (!pace_step(table->pace, columns))
                return false;
            for (int c = 0; c < columns; c++) {
                put_head(table, &heads->grid, i);
                put_count(table, r + 1);
                put_count(table, c + 1);
                put_value(table, *weight++);
                put_text(table, heads->rows.texts.text[r]);
                put_text(table, heads->columns.texts.text[c]);
                end_line(table);
            }
        }
    return true;
}

static bool put_places(struct table *table, const struct head_grid *grid, const char *direction,
                       const float *weight, const struct labels *labels)
{
    for (int i = 0; weight && i < grid->layer_count * grid->head_count; i++) {
        if (!pace_step(table->pace, labels->texts.count))
            return false;
        for (int place = 0; place < labels->texts.count; place++) {
            put_text(table, direction);
            put_head(table, grid, i);
            put_count(table, place + 1);
            put_value(table, *weight++);
            put_text(table, labels->texts.text[place]);
            end_line(table);
        }
    }
    return true;
}

static bool table_token(struct table *table, const struct result *view, struct status *status)
{
    const struct token_result *token = &view->token;
    (void)status;
    put_header(table, (const char *const[]){"direction", "layer", "head", "place", "weight", "text",
                                            NULL});
    return put_places(table, &token->grid, "from", token->from, &token->columns) &&
           put_places(table, &token->grid, "to", token->to, &token->rows);
}

static bool put_matrix(struct table *table, const char *name,
                       const struct attention_result *attention)
{
    int rows = attention->rows.texts.count, columns = attention->columns.texts.count;
    const float *weight = attention->weights;
    for (int r = 0; weight && r < rows; r++) {
        if (!pace_step(table->pace, columns))
            return false;
        for (int c = 0; c < columns; c++) {
            put_text(table, name);
            put_count(table, r + 1);
            put_count(table, c + 1);
            put_value(table, *weight++);
            put_text(table, attention->rows.texts.text[r]);
            put_text(table, attention->columns.texts.text[c]);
            end_line(table);
        }
    }
    return true;
}

/* The matrices may be of different sizes. */
static bool table_beside(struct table *table, const struct result *view, struct status *status)
{
    const struct beside_result *beside = &view->beside;
    (void)status;
    put_header(table, (const char *const[]){"matrix", "row", "column", "weight", "row_text",
                                            "column_text", NULL});
    return put_matrix(table, "a", &beside->side[0].attention) &&
           put_matrix(table, "b", &beside->side[1].attention) &&
           put_matrix(table, "difference", &beside->difference);
}

static void put_scores(struct table *table, int systems, bool any,
                       const struct corpus_score score[STUDY_SYSTEMS])
{
    for (int m = 0; m < STUDY_METRICS; m++)
        for (int s = 0; s < systems; s++)
            put_value(table, any ? study_score(&score[s], m) : NAN);
}

static void put_study_row(struct table *table, int systems, int number, const struct study_row *row)
{
    separate(table);
    if (number)
        fprintf(table->stream, "%d", number);
    put_text(table, row->name);
    put_count(table, row->sentences);
    put_scores(table, systems, row->sentences > 0, row->score);
    end_line(table);
}

/* All sentences are the last row, without a number. */
static bool put_study_groups(struct table *table, const struct study_result *study)
{
    int systems = study->request.systems;
    if (systems == 1)
        put_header(table,
                   (const char *const[]){"group", "length", "sentences", "bleu", "chrf", NULL});
    else
        put_header(table, (const char *const[]){"group", "length", "sentences", "bleu_a", "bleu_b",
                                                "chrf_a", "chrf_b", NULL});
    if (!pace_step(table->pace, (size_t)study->row_count + 1))
        return false;
    for (int i = 0; i < study->row_count; i++)
        put_study_row(table, systems, i + 1, &study->rows[i]);
    put_study_row(table, systems, 0, &study->all);
    return true;
}

bool put_study_sentences(struct table *table, const struct study_result *study)
{
    int systems = study->request.systems;
    if (systems == 1)
        put_header(table, (const char *const[]){"number", "group", "length", "bleu", "chrf",
                                                "output", "reference", NULL});
    else
        put_header(table, (const char *const[]){"number", "group", "length", "bleu_a", "bleu_b",
                                                "chrf_a", "chrf_b", "a", "b", "reference", NULL});
    for (int i = 0; i < study->list_count; i++) {
        const struct study_sentence *sentence = &study->list[i];
        if (!pace_step(table->pace, 1))
            return false;
        put_count(table, sentence->number);
        put_count(table, sentence->group);
        put_count(table, sentence->length);
        put_scores(table, systems, true, sentence->score);
        for (int s = 0; s < systems; s++)
            put_text(table, sentence->text[s]);
        put_text(table, sentence->reference);
        end_line(table);
    }
    return true;
}

static bool table_study(struct table *table, const struct result *view, struct status *status)
{
    const struct study_result *study = &view->study;
    (void)status;
    return study->request.listed == LISTED_NONE ? put_study_groups(table, study)
                                                : put_study_sentences(table, study);
}

bool table_write(FILE *stream, enum table_format format, const struct result *view,
                 struct pace *pace, struct status *status)
{
    static bool (*const writers[RESULT_KINDS])(struct table *, const struct result *,
                                               struct status *) = {
        [RESULT_ATTENTION] = table_attention,
        [RESULT_ALIGNMENT] = table_attention,
        [RESULT_IMPORTANCE] = table_importance,
        [RESULT_GATES] = table_gates,
        [RESULT_HEADS] = table_heads,
        [RESULT_GATE_GROUPS] = table_gate_groups,
        [RESULT_TOKEN] = table_token,
        [RESULT_BESIDE] = table_beside,
        [RESULT_BLEU] = table_study,
        [RESULT_COMPARE] = table_study,
        [RESULT_ABLATE] = table_ablate,
        [RESULT_PRUNE] = table_prune,
        [RESULT_CONTRAST] = table_contrast,
        [RESULT_FLIPS] = table_flips,
        [RESULT_CONTRAST_ABLATE] = table_contrast_ablate,
        [RESULT_BLEU_ACROSS] = table_across,
        [RESULT_CONTRAST_ACROSS] = table_across,
    };
    struct table table = {.stream = stream, .format = format, .pace = pace};
    return writers[view->kind](&table, view, status);
}
