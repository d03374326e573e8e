#include "tui/npz.h"

#include <stdlib.h>

#include "tui/gate_columns.h"
#include "tui/gate_points.h"
#include "tui/npy.h"
#include "tui/zip.h"

/* An archive that is being written. */
struct npz {
    struct zip zip;
    struct pace *pace;
    struct status *status;
};

/* Arrays ----------------------------------------------------------------------------------------- */

static bool add_floats(struct npz *npz, const char *name, const float *values, int dimensions,
                       const size_t *shape)
{
    FILE *entry;
    if (!zip_entry_open(&npz->zip, name, &entry, npz->status))
        return false;
    bool ok = npy_write(entry, values, dimensions, shape, npz->pace);
    return zip_entry_close(&npz->zip, entry, npz->status) && ok;
}

static bool add_integers(struct npz *npz, const char *name, const int64_t *values, int dimensions,
                         const size_t *shape)
{
    FILE *entry;
    if (!zip_entry_open(&npz->zip, name, &entry, npz->status))
        return false;
    npy_write_integers(entry, values, dimensions, shape);
    return zip_entry_close(&npz->zip, entry, npz->status);
}

static bool add_texts(struct npz *npz, const char *name, const char *const *texts, int count)
{
    FILE *entry;
    if (!zip_entry_open(&npz->zip, name, &entry, npz->status))
        return false;
    npy_write_texts(entry, texts, count);
    return zip_entry_close(&npz->zip, entry, npz->status);
}

static bool add_labels(struct npz *npz, const char *name, const struct labels *labels)
{
    return add_texts(npz, name, (const char *const *)labels->texts.text, labels->texts.count);
}

/* 0-based numbers, as people count. */
static bool add_numbers(struct npz *npz, const char *name, const int *numbers, int count)
{
    int64_t *from_one = memory_new((size_t)count, sizeof *from_one, npz->status);
    if (!from_one)
        return false;
    for (int i = 0; i < count; i++)
        from_one[i] = (int64_t)numbers[i] + 1;
    bool ok = add_integers(npz, name, from_one, 1, (size_t[]){(size_t)count});
    free(from_one);
    return ok;
}

static size_t length_of(const struct labels *labels)
{
    return (size_t)labels->texts.count;
}

/* Views ------------------------------------------------------------------------------------------ */

static bool add_attention(struct npz *npz, const struct result *view)
{
    const struct attention_result *attention = &view->attention;
    size_t shape[] = {length_of(&attention->rows), length_of(&attention->columns)};
    return add_floats(npz, "weights.npy", attention->weights, 2, shape) &&
           add_labels(npz, "rows.npy", &attention->rows) &&
           add_labels(npz, "columns.npy", &attention->columns);
}

static bool add_importance(struct npz *npz, const struct result *view)
{
    const struct importance_result *importance = &view->importance;
    size_t shape[] = {length_of(&importance->rows), (size_t)importance->heads};
    return add_floats(npz, "weights.npy", importance->weights, 2, shape) &&
           add_labels(npz, "rows.npy", &importance->rows);
}

static bool add_column_names(struct npz *npz, const struct gate_columns *columns)
{
    const char **names = memory_new((size_t)columns->count, sizeof *names, npz->status);
    if (!names)
        return false;
    for (int i = 0; i < columns->count; i++)
        names[i] = columns->names[i];
    bool ok = add_texts(npz, "columns.npy", names, columns->count);
    free(names);
    return ok;
}

static bool add_gates(struct npz *npz, const struct result *view)
{
    struct gate_columns columns;
    if (!gate_columns_make(&view->gates, &columns, npz->status))
        return false;
    size_t shape[] = {length_of(&view->gates.rows), (size_t)columns.count};
    bool ok = add_floats(npz, "gates.npy", columns.values, 2, shape) &&
              add_labels(npz, "rows.npy", &view->gates.rows) && add_column_names(npz, &columns);
    gate_columns_free(&columns);
    return ok;
}

static bool add_gate_groups(struct npz *npz, const struct result *view)
{
    struct gate_points points;
    if (!gate_points_make(&view->gate_groups, &points, npz->status))
        return false;
    const char *sides[SIDE_COUNT];
    for (int s = 0; s < points.sides; s++)
        sides[s] = gate_side_names[points.side[s]];
    // Of one side a row of its own would be in the way.
    size_t shape[] = {(size_t)points.sides, (size_t)points.count};
    int leave = points.sides == 1;
    bool ok = add_floats(npz, "means.npy", points.values, 2 - leave, shape + leave) &&
              add_integers(npz, "counts.npy", points.gates, 2 - leave, shape + leave) &&
              add_texts(npz, "groups.npy", points.names, points.count) &&
              add_texts(npz, "sides.npy", sides, points.sides);
    gate_points_free(&points);
    return ok;
}

static bool add_grid(struct npz *npz, const struct head_grid *grid)
{
    return add_numbers(npz, "layers.npy", grid->layers, grid->layer_count) &&
           add_numbers(npz, "heads.npy", grid->heads, grid->head_count);
}

static bool add_heads(struct npz *npz, const struct result *view)
{
    const struct heads_result *heads = &view->heads;
    size_t shape[] = {(size_t)heads->grid.layer_count, (size_t)heads->grid.head_count,
                      length_of(&heads->rows), length_of(&heads->columns)};
    return add_floats(npz, "weights.npy", heads->weights, 4, shape) &&
           add_grid(npz, &heads->grid) && add_labels(npz, "rows.npy", &heads->rows) &&
           add_labels(npz, "columns.npy", &heads->columns);
}

static bool add_direction(struct npz *npz, const char *name, const float *weights,
                          const struct head_grid *grid, const struct labels *labels)
{
    size_t shape[] = {(size_t)grid->layer_count, (size_t)grid->head_count, length_of(labels)};
    return !weights || add_floats(npz, name, weights, 3, shape);
}

static bool add_token(struct npz *npz, const struct result *view)
{
    const struct token_result *token = &view->token;
    int64_t *places = memory_new((size_t)token->count, sizeof *places, npz->status);
    if (!places)
        return false;
    for (int i = 0; i < token->count; i++)
        places[i] = (int64_t)token->first + i + 1;
    bool ok = add_direction(npz, "from.npy", token->from, &token->grid, &token->columns) &&
              add_direction(npz, "to.npy", token->to, &token->grid, &token->rows) &&
              add_grid(npz, &token->grid) && add_labels(npz, "rows.npy", &token->rows) &&
              add_labels(npz, "columns.npy", &token->columns) &&
              add_integers(npz, "places.npy", places, 1, (size_t[]){(size_t)token->count});
    free(places);
    return ok;
}

static bool add_beside(struct npz *npz, const struct result *view)
{
    static const char *const names[][3] = {
        {"a.npy", "a_rows.npy", "a_columns.npy"},
        {"b.npy", "b_rows.npy", "b_columns.npy"},
        {"difference.npy", "difference_rows.npy", "difference_columns.npy"}};
    const struct beside_result *beside = &view->beside;
    const struct attention_result *parts[] = {&beside->side[0].attention,
                                              &beside->side[1].attention, &beside->difference};
    bool ok = true;
    for (int i = 0; ok && i < 3 && parts[i]->weights; i++)
        ok = add_floats(npz, names[i][0], parts[i]->weights, 2,
                        (size_t[]){length_of(&parts[i]->rows), length_of(&parts[i]->columns)}) &&
             add_labels(npz, names[i][1], &parts[i]->rows) &&
             add_labels(npz, names[i][2], &parts[i]->columns);
    return ok;
}

/* Archives --------------------------------------------------------------------------------------- */

static bool add_notes(struct npz *npz, const struct provenance *provenance)
{
    FILE *entry;
    if (!zip_entry_open(&npz->zip, NPZ_PROVENANCE, &entry, npz->status))
        return false;
    struct json_writer json = {.stream = entry};
    put_provenance(&json, provenance);
    fputc('\n', entry);
    return zip_entry_close(&npz->zip, entry, npz->status);
}

bool npz_write(FILE *stream, const struct result *view, const struct provenance *provenance,
               struct pace *pace, struct status *status)
{
    static bool (*const writers[RESULT_KINDS])(struct npz *, const struct result *) = {
        [RESULT_ATTENTION] = add_attention,   [RESULT_ALIGNMENT] = add_attention,
        [RESULT_IMPORTANCE] = add_importance, [RESULT_GATES] = add_gates,
        [RESULT_HEADS] = add_heads,           [RESULT_GATE_GROUPS] = add_gate_groups,
        [RESULT_TOKEN] = add_token,           [RESULT_BESIDE] = add_beside,
    };
    struct npz npz = {zip_begin(stream), pace, status};
    return writers[view->kind](&npz, view) && add_notes(&npz, provenance) &&
           zip_end(&npz.zip, status);
}
