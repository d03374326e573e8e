#include "model/study/sentences/gates.h"

#include <stdio.h>
#include <stdlib.h>

/* Sentences whose lengths share the same ten form a group. */
enum { LENGTH_STEP = 10 };

const char *const gate_grouping_names[] = {"layer", "position", "length", "pos", NULL};

int gate_columns(const struct config *config, enum module module, int layer, int side)
{
    const struct attention_config *attention = &config->attention[module][layer];
    const int learned = learned_heads(config, module, layer);
    if (!attention->context || attention->gate == GATE_NONE || !attention->sides[side] || !learned)
        return 0;
    return attention->gate == GATE_HEAD ? learned : 1;
}

/* A series is a side of a stack; the encoder's come first. */
static bool has_series(const struct gates_study *study, int series)
{
    const int side = series % SIDE_COUNT;
    const enum module module = series < SIDE_COUNT ? MODULE_ENCODER : MODULE_DECODER;
    return (study->side == GATES_BOTH || study->side == side) &&
           (study->both_stacks || study->module == module);
}

/* A field of a record: a layer of a series that has a gate. */
struct place {
    enum module module;
    int series, side, layer, columns;
};

/* Moves to the next place. `place` starts zeroed with `series` -1. Returns false if there is
 * none. */
static bool next_place(const struct gates_study *study, struct place *place)
{
    do {
        if (place->series < 0 || ++place->layer >= module_layers(study->config, place->module)) {
            place->layer = -1;
            while (++place->series < GATE_SERIES_MOST && !has_series(study, place->series))
                continue;
            if (place->series == GATE_SERIES_MOST)
                return false;
            place->module = place->series < SIDE_COUNT ? MODULE_ENCODER : MODULE_DECODER;
            place->side = place->series % SIDE_COUNT;
            continue;
        }
        place->columns = gate_columns(study->config, place->module, place->layer, place->side);
    } while (place->layer < 0 || !place->columns);
    return true;
}

static const struct place first_place = {.series = -1};

/* One sentence --------------------------------------------------------------------------------- */

static void identify(const void *of, struct identity *identity)
{
    const struct gates_study *study = of;
    identity_number(identity, study->by == BY_POS);
    for (int i = 0; i < GATE_SERIES_MOST; i++)
        identity_number(identity, has_series(study, i));
}

/* Rows are tokens of the source, or those that the decoder reads. */
static bool declare(const void *of, const struct walk_sentence *sentence,
                    struct record_shape *shape, struct status *status)
{
    const struct gates_study *study = of;
    struct place place = first_place;
    record_shape_dimension(shape, sentence->source.count, sentence->source.count);
    record_shape_dimension(shape, 0, study->walk.encoder ? 0 : RECORD_ROWS_MOST);
    while (next_place(study, &place)) {
        const struct record_field field = {
            .rows = place.module == MODULE_DECODER, .width = place.columns, .most = 1};
        if (!record_shape_add(shape, field, status))
            return false;
    }
    return study->by != BY_POS || pos_declare(&study->walk.conllu, 0, shape, status);
}

static bool measure(void *of, const struct walk_sentence *sentence, struct record *out,
                    struct status *status)
{
    const struct gates_study *study = of;
    const struct capture_request request = {.gates = true};
    struct place place = first_place;
    struct capture capture;
    if (!walk_capture(sentence, &request, &capture, status))
        return false;
    const int rows[] = {capture.source_count, study->walk.encoder ? 0 : capture.target_rows};
    bool ok = record_put(out, rows[0], status) && record_put(out, rows[1], status);
    while (ok && next_place(study, &place))
        ok = record_put_floats(out, capture.gates[place.module][place.side][place.layer],
                               rows[place.module == MODULE_DECODER] * place.columns, status);
    capture_free(&capture);
    return ok && (study->by != BY_POS || pos_put(&study->walk.conllu, sentence, out, status));
}

/* Groups --------------------------------------------------------------------------------------- */

/* Returns a group to add gates to, and creates the groups before it, empty. The series of a place
 * are adjacent. */
static struct gate_group *group_at(struct gates_study *study, int series, int place,
                                   struct status *status)
{
    const int index = place * GATE_SERIES_MOST + series;
    if (!memory_grow((void **)&study->groups, &study->capacity, (size_t)index + 1,
                     sizeof *study->groups, status))
        return NULL;
    study->count = study->count > index ? study->count : index + 1;
    return &study->groups[index];
}

/* places: of parts of speech; NULL: not by part of speech. */
static int group_of(const struct gates_study *study, const double *places, int layer, int row,
                    int rows)
{
    switch (study->by) {
    case BY_LAYER:
        return layer;
    case BY_POSITION:
        return row;
    case BY_POS:
        return (int)places[row];
    case BY_LENGTH:
        break;
    }
    return (rows - 1) / LENGTH_STEP;
}

static bool add_row(struct gates_study *study, const struct place *place, int at,
                    const double *gates, struct status *status)
{
    double sum = 0;
    struct gate_group *group = group_at(study, place->series, at, status);
    if (!group)
        return false;
    for (int c = 0; c < place->columns; c++)
        sum += gates[c];
    group->sum += sum;
    group->count += place->columns;
    if (study->by == BY_POS)
        snprintf(group->name, sizeof group->name, "%s", pos_name(&study->walk.conllu, at));
    return true;
}

static bool add(void *of, const struct walk_sentence *sentence, const struct record_shape *shape,
                const struct record *record, struct status *status)
{
    struct gates_study *study = of;
    struct place place = first_place;
    int rows;
    const double *places =
        study->by == BY_POS ? record_numbers(shape, record, shape->count - 1, &rows) : NULL;
    (void)sentence;
    for (int field = 0; next_place(study, &place); field++) {
        const double *gates = record_numbers(shape, record, field, &rows);
        for (int row = 0; row < rows; row++) {
            const int at = group_of(study, places, place.layer, row, rows);
            if (at >= 0 && !add_row(study, &place, at, gates + row * place.columns, status))
                return false;
        }
    }
    return true;
}

/* The result ----------------------------------------------------------------------------------- */

static void name_group(struct gate_group *group, enum gate_grouping by)
{
    if (by == BY_POS)
        return; // already named by the file
    if (by == BY_LENGTH)
        snprintf(group->name, sizeof group->name, "%d-%d", group->place * LENGTH_STEP + 1,
                 (group->place + 1) * LENGTH_STEP);
    else
        snprintf(group->name, sizeof group->name, "%d", group->place + 1);
}

/* Names the groups, drops those without a gate, and puts queries before keys. */
static bool name_groups(struct gates_study *study, struct status *status)
{
    struct gate_group *named = memory_new((size_t)study->count, sizeof *named, status);
    int kept = 0;
    for (int series = 0; named && series < GATE_SERIES_MOST; series++)
        for (int i = series; i < study->count; i += GATE_SERIES_MOST) {
            if (!study->groups[i].count)
                continue;
            struct gate_group *group = &named[kept++];
            *group = study->groups[i];
            group->module = series < SIDE_COUNT ? MODULE_ENCODER : MODULE_DECODER;
            group->side = series % SIDE_COUNT;
            group->place = i / GATE_SERIES_MOST;
            name_group(group, study->by);
        }
    if (!named)
        return false;
    free(study->groups);
    study->groups = named;
    study->count = kept;
    return true;
}

bool gates_run(const struct study_context *context, struct gates_study *study,
               struct status *status)
{
    static const struct study functions = {identify, declare, measure, add};
    struct status other;
    study->walk.kind = "averaging gates";
    study->walk.done = "averaged";
    study->walk.words_for = study->by == BY_POS ? "by pos" : NULL;
    study->walk.encoder = study->module == MODULE_ENCODER && !study->both_stacks;
    study->walk.study = &functions;
    study->walk.of = study;
    const bool ok = study_walk(context, &study->walk, status);
    return name_groups(study, ok ? status : &other) && ok;
}

void gates_free(struct gates_study *study)
{
    free(study->groups);
}
