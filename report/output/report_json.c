#include "report/output/json_writer.h"

#include <string.h>

static void put_value(struct json_writer *json, const struct value *value);
static void put_blocks(struct json_writer *json, const struct blocks *blocks);

/* Writes nested arrays, the last dimension innermost. */
static void put_numbers(struct json_writer *json, const float *values, int dimensions,
                        const size_t *shape)
{
    if (dimensions == 1) {
        put_floats(json, values, (int)shape[0]);
        return;
    }
    size_t each = 1;
    for (int d = 1; d < dimensions; d++)
        each *= shape[d];
    put_array(json);
    for (size_t i = 0; i < shape[0]; i++)
        put_numbers(json, values + i * each, dimensions - 1, shape + 1);
    put_array_end(json);
}

/* Tables --------------------------------------------------------------------------------------- */

/* Returns the bytes of `key` before its point, which name the object it is a member of; 0: none. */
static size_t object_of(const char *key)
{
    const char *point = strchr(key, '.');
    return point ? (size_t)(point - key) : 0;
}

static void open_object(struct json_writer *json, const char *key, size_t length)
{
    char name[40];
    snprintf(name, sizeof name, "%.*s", (int)length, key);
    put_key(json, name);
    put_object(json);
}

static void put_row(struct json_writer *json, const struct table *table, int row)
{
    const struct value *cells = table_row_cells(table, row);
    const char *open = NULL; // the key whose object is open
    put_object(json);
    for (int c = 0; c < table->column_count; c++) {
        const char *key = table->columns[c].key;
        if (!column_in(&table->columns[c], key, IN_JSON) ||
            (table->columns[c].optional && value_absent(&cells[c])))
            continue;
        size_t length = object_of(key);
        bool same = open && length == object_of(open) && strncmp(open, key, length) == 0;
        if (open && !same)
            put_object_end(json);
        if (length && !same)
            open_object(json, key, length);
        open = length ? key : NULL;
        put_key(json, length ? key + length + 1 : key);
        put_value(json, &cells[c]);
    }
    if (open)
        put_object_end(json);
    put_object_end(json);
}

static void put_table(struct json_writer *json, const struct table *table)
{
    put_array(json);
    for (int r = 0; r < table->row_count; r++)
        if (row_in(table, r, IN_JSON))
            put_row(json, table, r);
    put_array_end(json);
}

/* Values --------------------------------------------------------------------------------------- */

static void put_list(struct json_writer *json, const struct value *list)
{
    put_array(json);
    for (int i = 0; i < list->count; i++)
        put_value(json, &list->list[i]);
    put_array_end(json);
}

static void put_members(struct json_writer *json, const struct blocks *blocks)
{
    put_object(json);
    put_blocks(json, blocks);
    put_object_end(json);
}

static void put_value(struct json_writer *json, const struct value *value)
{
    switch (value->kind) {
    case VALUE_NULL:
        put_null(json);
        break;
    case VALUE_TEXT:
        put_string(json, value->text);
        break;
    case VALUE_INT:
        put_int(json, value->integer);
        break;
    case VALUE_REAL:
        put_number(json, value->real);
        break;
    case VALUE_BOOL:
        put_bool(json, value->truth);
        break;
    case VALUE_TEXTS:
        put_strings(json, value->texts, value->count);
        break;
    case VALUE_INTS:
        put_ints(json, value->ints, value->count);
        break;
    case VALUE_LIST:
        put_list(json, value);
        break;
    case VALUE_ARRAY:
        put_numbers(json, value->array->values, value->array->dimensions, value->array->shape);
        break;
    case VALUE_SHOWN:
        put_value(json, &value->shown->value);
        break;
    case VALUE_TABLE:
        put_table(json, value->table);
        break;
    case VALUE_GROUP:
        put_members(json, value->blocks);
    }
}

/* Blocks --------------------------------------------------------------------------------------- */

static void put_axis(struct json_writer *json, const struct axis *axis)
{
    if (!axis->key)
        return;
    put_key(json, axis->key);
    put_strings(json, axis->texts, axis->count);
}

static void put_matrix_block(struct json_writer *json, const struct matrix *matrix)
{
    const struct array array = matrix_array(matrix);
    put_axis(json, &matrix->rows);
    put_axis(json, &matrix->columns);
    put_key(json, matrix->key);
    put_numbers(json, array.values, array.dimensions, array.shape);
}

static void put_group(struct json_writer *json, const struct group *group)
{
    if (group->key) {
        put_key(json, group->key);
        put_object(json);
    }
    put_blocks(json, &group->blocks);
    if (group->key)
        put_object_end(json);
}

static void put_edits(struct json_writer *json, const struct edit_script *script)
{
    put_key(json, "edits");
    put_object(json);
    for (int kind = 0; kind < EDIT_KINDS; kind++) {
        put_key(json, edit_names[kind]);
        put_int(json, script->counts[kind]);
    }
    put_object_end(json);
}

static void put_block(struct json_writer *json, const struct block *block)
{
    switch (block->kind) {
    case BLOCK_FIELD:
        put_key(json, block->field.key);
        put_value(json, &block->field.value);
        break;
    case BLOCK_TABLE:
        put_key(json, block->table->key);
        put_table(json, block->table);
        break;
    case BLOCK_MATRIX:
        put_matrix_block(json, block->matrix);
        break;
    case BLOCK_GROUP:
        put_group(json, block->group);
        break;
    case BLOCK_COMPARISON:
        put_edits(json, &block->comparison->script);
        break;
    case BLOCK_ALIGNMENTS:
        put_key(json, block->alignments->key);
        put_strings(json, block->alignments->links, block->alignments->count);
        break;
    case BLOCK_LINE:
    case BLOCK_PLOT:
    case BLOCK_TOKENS:
        break;
    }
}

static bool has_key(const struct block *block)
{
    return (block->kind != BLOCK_TABLE || block->table->key) &&
           (block->kind != BLOCK_MATRIX || block->matrix->key);
}

static void put_blocks(struct json_writer *json, const struct blocks *blocks)
{
    for (int i = 0; i < blocks->count; i++)
        if ((blocks->blocks[i].in & IN_JSON) && has_key(&blocks->blocks[i]))
            put_block(json, &blocks->blocks[i]);
}

void json_report(struct json_writer *json, const struct report *report)
{
    if (report->provenance) {
        put_blocks(json, report->provenance);
    } else {
        // There is no model to attribute this to, but programs expect the members in every object.
        put_key(json, "model");
        put_null(json);
        put_key(json, "state");
        put_null(json);
    }
    put_blocks(json, &report->blocks);
    if (report->warning_count) {
        put_key(json, "warnings");
        put_strings(json, report->warnings, report->warning_count);
    }
}

void json_value(struct json_writer *json, const struct value *value)
{
    put_value(json, value);
}
