#include "tests/support/commands_support.h"
#include "tests/support/test.h"

#include <math.h>
#include <unistd.h>

struct bench bench_open_model(const char *path)
{
    struct bench bench = {0};
    struct status status;
    struct session_spec spec = {.paths = (const char *const[]){path},
                                .count = 1,
                                .device = {.kind = DEVICE_CPU},
                                .threads = 1};
    bench.session = session_open(&spec, &status);
    if (!bench.session)
        fail_msg("%s", status.message);
    return bench;
}

struct bench bench_open(const char *name)
{
    struct status status;
    char path[256];
    snprintf(path, sizeof path, "tests/golden/%s.bin", name);
    struct bench bench = bench_open_model(path);
    snprintf(path, sizeof path, "tests/golden/%s.expected", name);
    bench.expected = safetensors_open(path, &status);
    if (!bench.expected)
        fail_msg("%s", status.message);
    bench.cases = json_loads(safetensors_metadata(bench.expected, "cases"), 0, NULL);
    assert_non_null(bench.cases);
    return bench;
}

void bench_connect(struct bench *bench)
{
    bench->sink.stream = open_memstream(&bench->output, &bench->output_size);
    bench->sink.kind = &plain_sink;
    bench->program = (struct program){.session = bench->session, .sink = bench->sink};
    program_connect(&bench->program);
}

void bench_close(struct bench *bench)
{
    session_close(bench->session);
    safetensors_close(bench->expected);
    json_decref(bench->cases);
    if (bench->sink.stream)
        fclose(bench->sink.stream);
    free(bench->output);
}

struct report bench_run(struct bench *bench, const char *line)
{
    struct report result;
    struct status status;
    if (!command_run(bench->session, line, &result, &status))
        fail_msg("\"%s\": %s", line, status.message);
    return result;
}

void bench_run_quietly(struct bench *bench, const char *line)
{
    struct report result = bench_run(bench, line);
    report_free(&result);
}

/* Reports -------------------------------------------------------------------------------------- */

static const struct blocks *blocks_of(const struct report *result, const char *group)
{
    const struct blocks *all = &result->blocks;
    for (int i = 0; group && i < all->count; i++)
        if (all->blocks[i].kind == BLOCK_GROUP && strcmp(all->blocks[i].group->key, group) == 0)
            return &all->blocks[i].group->blocks;
    return group ? NULL : all;
}

const struct matrix *bench_matrix_of(const struct report *result, const char *group)
{
    const struct blocks *blocks = blocks_of(result, group);
    for (int i = 0; blocks && i < blocks->count; i++)
        if (blocks->blocks[i].kind == BLOCK_MATRIX)
            return blocks->blocks[i].matrix;
    return NULL;
}

const struct matrix *bench_matrix(const struct report *result)
{
    const struct matrix *matrix = bench_matrix_of(result, NULL);
    assert_non_null(matrix);
    return matrix;
}

const struct value *bench_value(const struct report *result, const char *group, const char *key)
{
    const struct blocks *blocks = blocks_of(result, group);
    for (int i = 0; blocks && i < blocks->count; i++) {
        const struct block *block = &blocks->blocks[i];
        if (block->kind == BLOCK_FIELD && (block->in & IN_JSON) &&
            strcmp(block->field.key, key) == 0)
            return &block->field.value;
    }
    fail_msg("no member \"%s\"", key);
    return NULL;
}

const struct table *bench_table(const struct report *result, const char *key)
{
    const struct blocks *blocks = &result->blocks;
    for (int i = 0; i < blocks->count; i++) {
        const struct block *block = &blocks->blocks[i];
        if (block->kind == BLOCK_TABLE && block->table->key && strcmp(block->table->key, key) == 0)
            return block->table;
    }
    fail_msg("no table \"%s\"", key);
    return NULL;
}

const struct value *bench_cell(const struct table *table, int row, const char *key)
{
    assert_in_range(row, 0, table->row_count - 1);
    for (int c = 0; c < table->column_count; c++)
        if (table->columns[c].key && strcmp(table->columns[c].key, key) == 0)
            return value_plain(&table_row_cells(table, row)[c]);
    fail_msg("no column \"%s\"", key);
    return NULL;
}

int bench_groups(const struct report *result)
{
    return bench_table(result, "groups")->row_count;
}

static const struct value *group_cell(const struct report *result, int group, const char *key)
{
    return bench_cell(bench_table(result, "groups"), group, key);
}

const char *bench_group_name(const struct report *result, int group)
{
    return group_cell(result, group, "name")->text;
}

const char *bench_group_side(const struct report *result, int group)
{
    return group_cell(result, group, "side")->text;
}

int64_t bench_group_count(const struct report *result, int group)
{
    return group_cell(result, group, "count")->integer;
}

double bench_group_mean(const struct report *result, int group)
{
    return group_cell(result, group, "mean")->real;
}

void bench_refuse(struct bench *bench, const char *line, const char *says)
{
    struct report result;
    struct status status;
    if (command_run(bench->session, line, &result, &status))
        fail_msg("\"%s\" is accepted", line);
    if (!strstr(status.message, says))
        fail_msg("\"%s\": \"%s\" does not say \"%s\"", line, status.message, says);
    report_free(&result);
}

const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

int number_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

const float *bench_expected(const struct bench *bench, size_t k, const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "case%zu.%s", k, name);
    const struct stored_tensor *tensor = safetensors_find(bench->expected, full);
    return tensor ? tensor->data : NULL;
}

const char *bench_source(const struct bench *bench, size_t tokens)
{
    size_t k;
    const json_t *given;
    json_array_foreach(bench->cases, k, given)
    {
        if (json_array_size(json_object_get(given, "source_ids")) >= tokens)
            return text_of(given, "source");
    }
    fail_msg("no source of %zu tokens", tokens);
    return NULL;
}

void assert_close(const float *is, const float *wanted, size_t count, double bound,
                  const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)is[i] - (double)wanted[i]) <= bound))
            fail_msg("%s[%zu] is %.9g, expected %.9g", what, i, is[i], wanted[i]);
}

bool bench_set_head_settings(struct bench *bench, const json_t *given)
{
    char line[256];
    size_t i;
    const json_t *change;
    bench_run_quietly(bench, ":reset");
    json_array_foreach(json_object_get(given, "gains"), i, change)
    {
        if (json_number_value(json_object_get(change, "gain")) != 0)
            return false;
        snprintf(line, sizeof line, ":disable %s layer %d head %d", text_of(change, "module"),
                 number_of(change, "layer") + 1, number_of(change, "head") + 1);
        bench_run_quietly(bench, line);
    }
    json_array_foreach(json_object_get(given, "masks"), i, change)
    {
        const json_t *mask = json_object_get(change, "mask");
        char local[32];
        snprintf(local, sizeof local, "local %d", number_of(mask, "local"));
        snprintf(line, sizeof line, ":mask %s layer %d head %d %s", text_of(change, "module"),
                 number_of(change, "layer") + 1, number_of(change, "head") + 1,
                 json_is_string(mask) ? json_string_value(mask) : local);
        bench_run_quietly(bench, line);
    }
    json_array_foreach(json_object_get(given, "patterns"), i, change)
    {
        snprintf(line, sizeof line, ":pattern %s layer %d head %d %s %s", text_of(change, "module"),
                 number_of(change, "layer") + 1, number_of(change, "head") + 1,
                 text_of(change, "pattern"),
                 strcmp(text_of(change, "unit"), "word") == 0 ? "word" : "");
        bench_run_quietly(bench, line);
    }
    return true;
}

char *write_lines(const char *text, char path[64])
{
    strcpy(path, "/tmp/attnscope-test-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    return path;
}

bool bench_force_case(struct bench *bench, const json_t *given)
{
    char line[4096];
    if (!bench_set_head_settings(bench, given))
        return false;
    snprintf(line, sizeof line, " %s", text_of(given, "source"));
    bench_run_quietly(bench, line);
    snprintf(line, sizeof line, ":force %s", text_of(given, "target"));
    bench_run_quietly(bench, line);
    return true;
}
