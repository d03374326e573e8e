#include "tui/command/study/importance_pos.h"

#include <stdio.h>
#include <stdlib.h>

#include "tui/report/parts_of_speech.h"

static struct importance_part *part_at(struct importance_pos *parts, const struct conllu *conllu,
                                       int place, struct status *status)
{
    if (!memory_grow((void **)&parts->parts, &parts->capacity, (size_t)place + 1,
                     sizeof *parts->parts, status))
        return NULL;
    parts->count = parts->count > place ? parts->count : place + 1;
    struct importance_part *part = &parts->parts[place];
    if (!part->sums) {
        snprintf(part->name, sizeof part->name, "%s", part_of_speech_name(conllu, place));
        part->sums = memory_new((size_t)parts->heads, sizeof *part->sums, status);
    }
    return part->sums ? part : NULL;
}

bool importance_pos_add(struct importance_pos *parts, const struct conllu *conllu,
                        const double *importance, const double *places, int rows, int heads,
                        struct status *status)
{
    parts->heads = heads;
    for (int row = 0; row < rows; row++) {
        if (places[row] < 0)
            continue;
        struct importance_part *part = part_at(parts, conllu, (int)places[row], status);
        if (!part)
            return false;
        for (int h = 0; h < heads; h++)
            part->sums[h] += importance[(size_t)row * (size_t)heads + (size_t)h];
        part->tokens++;
    }
    return true;
}

void importance_pos_free(struct importance_pos *parts)
{
    for (int i = 0; i < parts->count; i++)
        free(parts->parts[i].sums);
    free(parts->parts);
    *parts = (struct importance_pos){0};
}

/* The report --------------------------------------------------------------------------------------- */

static const struct column columns[] = {
    {.key = "module", .name = "module", .title = "module", .type = COLUMN_TEXT, .least = 7},
    {.key = "layer", .name = "layer", .title = "layer", .type = COLUMN_INT},
    {.key = "head", .name = "head", .title = "head", .type = COLUMN_INT},
    {.key = "name", .name = "pos", .title = "part of speech", .type = COLUMN_TEXT, .least = 14},
    {.key = "count", .name = "count", .title = "tokens", .type = COLUMN_INT},
    {.key = "mean", .name = "mean", .title = "importance", .type = COLUMN_REAL, .digits = 4},
};

static double mean_of(const struct importance_part *part, int head)
{
    return part->sums[head] / (double)part->tokens;
}

static void put_layer(struct table *table, const struct importance_pos *parts, int layer)
{
    for (int h = 0; h < parts->heads; h++)
        for (int i = 0; i < parts->count; i++) {
            const struct importance_part *part = &parts->parts[i];
            if (!part->tokens)
                continue;
            const char *name = report_copy(table->report, part->name);
            table_row(table);
            table_enter(table, ":importance enc layer %d", layer + 1);
            table_put(table, value_text(module_names[MODULE_ENCODER]));
            table_put(table, value_int(layer + 1));
            table_put(table, value_int(h + 1));
            table_put_shown(table, value_text(name), name, i);
            table_put(table, value_int(part->tokens));
            table_put(table, value_real(mean_of(part, h)));
        }
}

/* Parts of speech by heads, as the importance of a sentence is tokens by heads. */
static void draw_layer(struct report *report, const struct importance_pos *parts, int layer)
{
    int rows = 0;
    size_t heads = (size_t)parts->heads;
    const char **names = report_new(report, (size_t)parts->count, sizeof *names);
    float *values = malloc((size_t)parts->count * heads * sizeof *values);
    if (!names || !values) {
        report->lacking = true;
        free(values);
        return;
    }
    for (int i = 0; i < parts->count; i++) {
        if (!parts->parts[i].tokens)
            continue;
        names[rows] = report_copy(report, parts->parts[i].name);
        for (size_t h = 0; h < heads; h++)
            values[(size_t)rows * heads + h] = (float)mean_of(&parts->parts[i], (int)h);
        rows++;
    }
    struct matrix *matrix = report_matrix(report, IN_FIGURE, values);
    matrix->rows =
        (struct axis){.title = "part of speech", .count = rows, .texts = names, .labels = names};
    matrix->columns = report_numbers_axis(report, "head", parts->heads);
    matrix->scale = "mean importance";
    matrix->range = RANGE_OF_SHARES;
    matrix->title = report_format(report, "layer %d", layer + 1);
}

void importance_pos_report(struct report *report, const struct importance_pos *parts, int layers)
{
    struct table *table =
        report_table(report, FOR_PEOPLE | FOR_PROGRAMS, "groups", columns, COUNT(columns));
    for (int i = 0; i < layers; i++)
        put_layer(table, &parts[i], i);
    for (int i = 0; i < layers; i++)
        if (parts[i].count)
            draw_layer(report, &parts[i], i);
}
