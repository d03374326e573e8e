/* Views of several heads as JSON. */
#include "tui/json.h"

static void put_labels(struct json_writer *json, const char *key, const struct labels *labels)
{
    put_key(json, key);
    put_strings(json, (const char *const *)labels->texts.text, labels->texts.count);
}

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

void json_heads(struct json_writer *json, const struct heads_result *heads)
{
    int rows = heads->rows.texts.count, columns = heads->columns.texts.count;
    const float *matrix = heads->weights;
    put_grid(json, &heads->grid);
    put_member_string(json, "unit", heads->words ? "word" : "token");
    put_labels(json, "rows", &heads->rows);
    put_labels(json, "columns", &heads->columns);
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

void json_token(struct json_writer *json, const struct token_result *token)
{
    put_grid(json, &token->grid);
    put_member_string(json, "token", token->text);
    put_member_string(json, "side", token->side == SIDE_SOURCE ? "source" : "target");
    put_key(json, "places");
    put_array(json);
    for (int i = 0; i < token->count; i++)
        put_int(json, token->first + i + 1);
    put_array_end(json);
    put_labels(json, "rows", &token->rows);
    put_labels(json, "columns", &token->columns);
    put_places(json, "from", &token->grid, token->from, token->columns.texts.count);
    put_places(json, "to", &token->grid, token->to, token->rows.texts.count);
}
