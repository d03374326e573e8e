#include "report/output/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "report/output/npy.h"
#include "report/output/zip_archive.h"

enum { NAME_BYTES = 64 };

/* An archive being written. */
struct archive {
    struct zip_writer zip;
    const char *prefix; // of the group being written; NULL: none
    struct status *status;
};

/* Arrays --------------------------------------------------------------------------------------- */

/* Ends the array. It holds what was written to the member, then `values`, which are borrowed until
 * the archive is closed. */
static bool end_array(struct archive *archive, const char *name, const void *values, size_t bytes)
{
    char full[NAME_BYTES];
    snprintf(full, sizeof full, "%s%s%s.npy", archive->prefix ? archive->prefix : "",
             archive->prefix ? "_" : "", name);
    return zip_member_close(&archive->zip, full, values, bytes, archive->status);
}

/* Values are written as they lie in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian");

static bool add_array(struct archive *archive, const char *name, const struct array *array)
{
    FILE *member = zip_member_open(&archive->zip, archive->status);
    size_t count = npy_count(array->dimensions, array->shape);
    if (!member)
        return false;
    if (array->integers) {
        npy_write_integers(member, array->integers, array->dimensions, array->shape);
        return end_array(archive, name, NULL, 0);
    }
    npy_write_header(member, NPY_FLOAT32, array->dimensions, array->shape);
    return end_array(archive, name, array->values, count * sizeof *array->values);
}

static bool add_texts(struct archive *archive, const char *name, const char *const *texts,
                      int count)
{
    FILE *member = zip_member_open(&archive->zip, archive->status);
    if (!member)
        return false;
    npy_write_texts(member, texts, count);
    return end_array(archive, name, NULL, 0);
}

/* Adds `offset`: 0-based numbers become numbers that count from 1. */
static bool add_ints(struct archive *archive, const char *name, const int *ints, int count,
                     int offset)
{
    int64_t *wide = memory_new((size_t)count, sizeof *wide, archive->status);
    if (!wide)
        return false;
    for (int i = 0; i < count; i++)
        wide[i] = (int64_t)ints[i] + offset;
    const struct array array = {.dimensions = 1, .shape = {(size_t)count}, .integers = wide};
    bool ok = add_array(archive, name, &array);
    free(wide);
    return ok;
}

static bool add_axis(struct archive *archive, const struct axis *axis)
{
    return !axis->key || add_texts(archive, axis->key, axis->texts, axis->count);
}

/* In a group, the matrix has the group's name, and the names of its axes begin with it. */
static bool add_matrix(struct archive *archive, const struct matrix *matrix)
{
    const struct head_grid *grid = matrix->grid;
    const struct array array = matrix_array(matrix);
    const char *prefix = archive->prefix;
    archive->prefix = NULL;
    bool ok = add_array(archive, prefix ? prefix : matrix->name, &array);
    archive->prefix = prefix;
    return ok &&
           (!grid || (add_ints(archive, "layers", grid->layers, grid->layer_count, 1) &&
                      add_ints(archive, "heads", grid->heads, grid->head_count, 1))) &&
           add_axis(archive, &matrix->rows) && add_axis(archive, &matrix->columns);
}

static bool add_field(struct archive *archive, const struct field *field)
{
    const struct value *value = &field->value;
    switch (value->kind) {
    case VALUE_ARRAY:
        return add_array(archive, field->key, value->array);
    case VALUE_TEXTS:
        return add_texts(archive, field->key, value->texts, value->count);
    case VALUE_INTS:
        return add_ints(archive, field->key, value->ints, value->count, 0);
    default:
        return true;
    }
}

/* Columns of tables ---------------------------------------------------------------------------- */

static int rows_in_arrays(const struct table *table)
{
    int count = 0;
    for (int r = 0; r < table->row_count; r++)
        count += row_in(table, r, IN_ARRAYS);
    return count;
}

static bool add_text_column(struct archive *archive, const struct table *table, int column,
                            int count)
{
    const char **texts = memory_new((size_t)count, sizeof *texts, archive->status);
    if (!texts)
        return false;
    for (int r = 0, i = 0; r < table->row_count; r++) {
        const struct value *value = value_plain(&table_row_cells(table, r)[column]);
        if (row_in(table, r, IN_ARRAYS))
            texts[i++] = value->kind == VALUE_TEXT ? value->text : "";
    }
    bool ok = add_texts(archive, table->columns[column].name, texts, count);
    free(texts);
    return ok;
}

static double number_of(const struct value *value)
{
    const struct value *plain = value_plain(value);
    return plain->kind == VALUE_BOOL ? plain->truth : value_order(plain);
}

static bool add_number_column(struct archive *archive, const struct table *table, int column,
                              int count)
{
    double *numbers = memory_new((size_t)count, sizeof *numbers, archive->status);
    if (!numbers)
        return false;
    for (int r = 0, i = 0; r < table->row_count; r++)
        if (row_in(table, r, IN_ARRAYS))
            numbers[i++] = number_of(&table_row_cells(table, r)[column]);
    FILE *member = zip_member_open(&archive->zip, archive->status);
    if (member)
        npy_write_reals(member, numbers, count);
    free(numbers);
    return member && end_array(archive, table->columns[column].name, NULL, 0);
}

static bool is_text(const struct table *table, int column)
{
    for (int r = 0; r < table->row_count; r++)
        if (value_plain(&table_row_cells(table, r)[column])->kind == VALUE_TEXT)
            return true;
    return false;
}

static bool add_table(struct archive *archive, const struct table *table)
{
    int count = rows_in_arrays(table);
    bool ok = true;
    for (int c = 0; ok && c < table->column_count; c++)
        if (column_in(&table->columns[c], table->columns[c].name, IN_ARRAYS))
            ok = is_text(table, c) ? add_text_column(archive, table, c, count)
                                   : add_number_column(archive, table, c, count);
    return ok;
}

/* Blocks --------------------------------------------------------------------------------------- */

static bool add_blocks(struct archive *archive, const struct blocks *blocks);

static bool add_block(struct archive *archive, const struct block *block)
{
    switch (block->kind) {
    case BLOCK_FIELD:
        return add_field(archive, &block->field);
    case BLOCK_MATRIX:
        return add_matrix(archive, block->matrix);
    case BLOCK_TABLE:
        return add_table(archive, block->table);
    case BLOCK_GROUP:
        archive->prefix = block->group->key;
        bool ok = add_blocks(archive, &block->group->blocks);
        archive->prefix = NULL;
        return ok;
    default:
        return true;
    }
}

static bool add_blocks(struct archive *archive, const struct blocks *blocks)
{
    bool ok = true;
    for (int i = 0; ok && i < blocks->count; i++)
        if (blocks->blocks[i].in & IN_ARRAYS)
            ok = add_block(archive, &blocks->blocks[i]);
    return ok;
}

static bool add_provenance(struct archive *archive, const struct provenance *provenance)
{
    struct written written;
    struct json_writer json = {.stream = written_open(&written)};
    if (!json.stream)
        return status_no_memory(archive->status);
    put_provenance(&json, provenance);
    char *text = written_close(&written);
    FILE *out = text ? zip_member_open(&archive->zip, archive->status) : NULL;
    if (out)
        npy_write_text(out, text);
    free(text);
    if (!out)
        return text ? false : status_no_memory(archive->status);
    return zip_member_close(&archive->zip, NPZ_PROVENANCE, NULL, 0, archive->status);
}

bool npz_report(FILE *stream, const struct report *report, const struct provenance *provenance,
                struct pace *pace, struct status *status)
{
    struct archive archive = {.status = status};
    if (!zip_writer_open(&archive.zip, stream, pace, status))
        return false;
    bool ok = add_blocks(&archive, &report->blocks) && add_provenance(&archive, provenance);
    return zip_writer_close(&archive.zip, ok, status);
}

/* One array ------------------------------------------------------------------------------------ */

enum { ARRAYS_MOST = 4 };

/* Finds the arrays of weights, in order. */
static int find_arrays(const struct blocks *blocks, struct array *out, int count)
{
    for (int i = 0; i < blocks->count && count < ARRAYS_MOST; i++) {
        const struct block *block = &blocks->blocks[i];
        if (!(block->in & IN_ARRAYS))
            continue;
        if (block->kind == BLOCK_MATRIX)
            out[count++] = matrix_array(block->matrix);
        else if (block->kind == BLOCK_GROUP)
            count = find_arrays(&block->group->blocks, out, count);
        else if (block->kind == BLOCK_FIELD && block->field.value.kind == VALUE_ARRAY &&
                 !block->field.value.array->integers)
            out[count++] = *block->field.value.array;
    }
    return count;
}

bool report_has_array(const struct report *report)
{
    struct array arrays[ARRAYS_MOST];
    return find_arrays(&report->blocks, arrays, 0) > 0;
}

bool report_has_arrays(const struct report *report)
{
    return report_has_array(report) || report_find(report, BLOCK_TABLE, IN_ARRAYS);
}

bool npy_report(FILE *stream, const struct report *report, struct pace *pace, struct status *status)
{
    struct array arrays[ARRAYS_MOST];
    const float *parts[ARRAYS_MOST];
    int count = find_arrays(&report->blocks, arrays, 0);
    if (report->no_npy)
        return status_fail(status, STATUS_INVALID, "%s", report->no_npy);
    for (int i = 0; i < count; i++)
        parts[i] = arrays[i].values;
    return npy_write_stack(stream, parts, report->stacked ? count : 0, arrays[0].dimensions,
                           arrays[0].shape, pace);
}
