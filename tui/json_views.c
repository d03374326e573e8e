/* Views as JSON. */
#include "tui/json.h"

#include "tui/plain.h"

void json_head_number(struct json_writer *json, int head)
{
    put_key(json, "head");
    if (head == VIEW_MEAN || head == VIEW_MAX)
        put_string(json, head == VIEW_MEAN ? "mean" : "max");
    else
        put_int(json, head + 1);
}

void json_attention(struct json_writer *json, const struct session *session,
                    const struct result *result)
{
    const struct attention_result *attention = &result->attention;
    (void)session;
    put_member_string(json, "module", module_names[attention->view.module]);
    put_member_int(json, "layer", attention->view.layer + 1);
    json_head_number(json, attention->view.head);
    put_member_string(json, "unit", attention->words ? "word" : "token");
    json_texts(json, "rows", &attention->rows.texts);
    json_texts(json, "columns", &attention->columns.texts);
    put_key(json, "weights");
    put_matrix(json, attention->weights, attention->rows.texts.count,
               attention->columns.texts.count);
}

void json_alignment(struct json_writer *json, const struct session *session,
                    const struct result *result)
{
    const struct attention_result *attention = &result->attention;
    int columns = attention->columns.texts.count;
    json_attention(json, session, result);
    put_key(json, "links");
    put_array(json);
    for (int r = 0; r < attention->rows.texts.count; r++) {
        const float *weights = attention->weights + (size_t)r * columns;
        int best;
        plain_strongest(weights, columns, &best, 1);
        if (best < 0 || !(weights[best] > 0))
            continue;
        put_object(json);
        put_member_int(json, "row", r + 1);
        put_member_int(json, "column", best + 1);
        put_member_number(json, "weight", weights[best]);
        put_object_end(json);
    }
    put_array_end(json);
}

void json_importance(struct json_writer *json, const struct session *session,
                     const struct result *result)
{
    const struct importance_result *importance = &result->importance;
    (void)session;
    put_member_string(json, "module", module_names[importance->module]);
    put_member_int(json, "layer", importance->layer + 1);
    json_texts(json, "rows", &importance->rows.texts);
    put_key(json, "weights");
    put_matrix(json, importance->weights, importance->rows.texts.count, importance->heads);
}

void json_gates(struct json_writer *json, const struct session *session,
                const struct result *result)
{
    const struct gates_result *gates = &result->gates;
    int rows = gates->rows.texts.count;
    (void)session;
    put_member_string(json, "module", module_names[gates->module]);
    put_member_string(json, "side", gate_side_names[gates->side]);
    json_texts(json, "rows", &gates->rows.texts);
    put_key(json, "gates");
    put_array(json);
    for (int i = 0; i < gates->layers; i++) {
        const struct gate_layer *layer = &gates->layer[i];
        if (!layer->values)
            put_null(json);
        else if (layer->by_head)
            put_matrix(json, layer->values, rows, layer->columns);
        else
            put_floats(json, layer->values, rows);
    }
    put_array_end(json);
}

void json_gate_groups(struct json_writer *json, const struct session *session,
                      const struct result *result)
{
    const struct gate_groups_result *groups = &result->gate_groups;
    (void)session;
    put_member_string(json, "module", module_names[groups->module]);
    put_member_string(json, "side", gates_side_name(groups->side));
    put_member_string(json, "file", groups->path);
    put_member_string(json, "by", gate_grouping_names[groups->by]);
    put_member_int(json, "sentences", groups->sentences);
    put_member_bool(json, "partial", gate_groups_partial(groups));
    put_key(json, "groups");
    put_array(json);
    for (int i = 0; i < groups->count; i++) {
        put_object(json);
        if (groups->side == GATES_BOTH)
            put_member_string(json, "side", gate_side_names[groups->groups[i].side]);
        put_member_string(json, "name", groups->groups[i].name);
        put_member_int(json, "count", groups->groups[i].count);
        put_member_number(json, "mean", groups->groups[i].sum / (double)groups->groups[i].count);
        put_object_end(json);
    }
    put_array_end(json);
}

/* Several heads -------------------------------------------------------------------------------- */

static void put_numbers(struct json_writer *json, const char *key, const int *numbers, int count)
{
    put_key(json, key);
    put_array(json);
    for (int i = 0; i < count; i++)
        put_int(json, numbers[i] + 1);
    put_array_end(json);
}

/* Module, layers and heads, and which of them are off: [layer][head]. */
static void put_grid(struct json_writer *json, const struct head_grid *grid)
{
    put_member_string(json, "module", module_names[grid->module]);
    put_numbers(json, "layers", grid->layers, grid->layer_count);
    put_numbers(json, "heads", grid->heads, grid->head_count);
    put_key(json, "off");
    put_array(json);
    for (int l = 0; l < grid->layer_count; l++) {
        put_array(json);
        for (int h = 0; h < grid->head_count; h++)
            put_bool(json, grid->off[l * grid->head_count + h]);
        put_array_end(json);
    }
    put_array_end(json);
}

void json_heads(struct json_writer *json, const struct session *session,
                const struct result *result)
{
    const struct heads_result *heads = &result->heads;
    (void)session;
    int rows = heads->rows.texts.count, columns = heads->columns.texts.count;
    const float *matrix = heads->weights;
    put_grid(json, &heads->grid);
    put_member_string(json, "unit", heads->words ? "word" : "token");
    json_texts(json, "rows", &heads->rows.texts);
    json_texts(json, "columns", &heads->columns.texts);
    put_key(json, "weights");
    put_array(json);
    for (int l = 0; l < heads->grid.layer_count; l++) {
        put_array(json);
        for (int h = 0; h < heads->grid.head_count; h++, matrix += (size_t)rows * columns)
            put_matrix(json, matrix, rows, columns);
        put_array_end(json);
    }
    put_array_end(json);
}

/* [layer][head][place], null where there are none. */
static void put_places(struct json_writer *json, const char *key, const struct head_grid *grid,
                       const float *weights, int count)
{
    put_key(json, key);
    if (!weights) {
        put_null(json);
        return;
    }
    put_array(json);
    for (int l = 0; l < grid->layer_count; l++)
        put_matrix(json, weights + (size_t)l * grid->head_count * count, grid->head_count, count);
    put_array_end(json);
}

void json_token(struct json_writer *json, const struct session *session,
                const struct result *result)
{
    const struct token_result *token = &result->token;
    (void)session;
    put_grid(json, &token->grid);
    put_member_string(json, "token", token->text);
    put_member_string(json, "side", token->side == SIDE_SOURCE ? "source" : "target");
    put_key(json, "places");
    put_array(json);
    for (int i = 0; i < token->count; i++)
        put_int(json, token->first + i + 1);
    put_array_end(json);
    json_texts(json, "rows", &token->rows.texts);
    json_texts(json, "columns", &token->columns.texts);
    put_places(json, "from", &token->grid, token->from, token->columns.texts.count);
    put_places(json, "to", &token->grid, token->to, token->rows.texts.count);
}
