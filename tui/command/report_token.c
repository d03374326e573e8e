#include "tui/command/report_token.h"

#include <stdlib.h>

#include "report/labels.h"
#include "report/view_report.h"
#include "terminal/text/arguments.h"

enum { PLACES = 6 }; // most tokens named for one head

/* The weights of all heads in one direction. */
struct direction {
    const char *key, *title;
    float *weights; // (heads of all layers, axis->count); NULL: this direction does not exist
    const struct axis *axis;
};

struct directions {
    struct axis rows, columns;
    struct direction list[2]; // from the token, to the token
};

/* Returns a number from 1 on, as the command counts: rows, then columns if they are other
 * tokens. */
static int token_number(const struct token_view *token)
{
    bool of_columns = token->grid.module == MODULE_CROSS && token->side == SIDE_SOURCE;
    return token->first + 1 + (of_columns ? token->rows.texts.count : 0);
}

static int line_count(const struct head_grid *grid)
{
    return grid->layer_count * grid->head_count;
}

static void add_title(struct report *report, const struct session *session,
                      const struct token_view *token, enum module module)
{
    const char *side = module != MODULE_CROSS       ? ""
                       : token->side == SIDE_SOURCE ? "source "
                                                    : "target ";
    const char *role = module != MODULE_CROSS || token->side == SIDE_SOURCE ? ""
                       : token->rows.role == TOKENS_READ                    ? "  input"
                                                                            : "  predicted";
    const char *text =
        report_take_text(report, display_label(session->loaded->checkpoint, token->side,
                                               token->count > 1, token->text));
    if (token->count > 1)
        report_title(report, "%s  %stokens %d-%d  \"%s\"%s", module_names[module], side,
                     token->first + 1, token->first + token->count, text, role);
    else
        report_title(report, "%s  %stoken %d  \"%s\"%s", module_names[module], side,
                     token->first + 1, text, role);
}

/* Words are named by their text, as they were found by it. */
static const char *write_command(struct report *report, const struct token_view *token,
                                 const struct head_grid *grid)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out && token->count > 1)
        arguments_quote(out, token->text);
    else if (out)
        fprintf(out, "%d", token_number(token));
    const char *before = report_format(report, "token %s ", report_written(&writer));
    return report_grid_text(report, before, grid, " ", "");
}

/* Data ----------------------------------------------------------------------------------------- */

static struct value direction_value(struct report *report, const struct head_grid *grid,
                                    const struct direction *direction)
{
    struct array *array = direction->weights ? report_new(report, 1, sizeof *array) : NULL;
    if (!array)
        return value_null();
    *array = (struct array){.values = direction->weights,
                            .dimensions = 3,
                            .shape = {(size_t)grid->layer_count, (size_t)grid->head_count,
                                      (size_t)direction->axis->count}};
    return value_array(array);
}

static struct value places_value(struct report *report, const struct token_view *token)
{
    int *places = report_new(report, (size_t)token->count, sizeof *places);
    for (int i = 0; places && i < token->count; i++)
        places[i] = token->first + i + 1;
    return value_ints(places, token->count);
}

static void add_fields(struct report *report, const struct token_view *token,
                       const struct head_grid *grid, const struct directions *directions)
{
    const struct axis *rows = &directions->rows, *columns = &directions->columns;
    struct value places = places_value(report, token);
    report_grid_fields(report, grid);
    report_cross_rows(report, grid->module, &token->rows);
    report_json(report, "token", value_text(report_copy(report, token->text)));
    report_json(report, "side", value_text(token->side == SIDE_SOURCE ? "source" : "target"));
    report_json(report, "places", places);
    report_json(report, "rows", value_texts(rows->texts, rows->count));
    report_json(report, "columns", value_texts(columns->texts, columns->count));
    for (int d = 0; d < 2; d++)
        report_field(report, IN_JSON | IN_ARRAYS, directions->list[d].key, NULL,
                     direction_value(report, grid, &directions->list[d]));
    report_grid_arrays(report, grid);
    report_field(report, IN_ARRAYS, "rows", NULL, value_texts(rows->texts, rows->count));
    report_field(report, IN_ARRAYS, "columns", NULL, value_texts(columns->texts, columns->count));
    report_field(report, IN_ARRAYS, "places", NULL, places);
}

/* Makes the rows of the long table; lives as long as the report. */
struct places {
    const struct head_grid *grid;
    struct directions directions;
};

static int place_count(const struct places *places, int direction)
{
    const struct direction *one = &places->directions.list[direction];
    return one->weights ? line_count(places->grid) * one->axis->count : 0;
}

static void fill_place(void *data, int row, struct value *cells)
{
    const struct places *places = data;
    const struct head_grid *grid = places->grid;
    int from = place_count(places, 0), at = row < from ? row : row - from;
    const struct direction *direction = &places->directions.list[row >= from];
    int line = at / direction->axis->count, place = at % direction->axis->count;
    cells[0] = value_text(direction->key);
    cells[1] = value_int(grid->layers[line / grid->head_count] + 1);
    cells[2] = value_int(grid->heads[line % grid->head_count] + 1);
    cells[3] = value_int(place + 1);
    cells[4] = value_real(direction->weights[at]);
    cells[5] = value_text(direction->axis->texts[place]);
}

static void add_long(struct report *report, const struct head_grid *grid,
                     const struct directions *directions)
{
    static const struct column columns[] = {{.name = "direction"}, {.name = "layer"},
                                            {.name = "head"},      {.name = "place"},
                                            {.name = "weight"},    {.name = "text"}};
    struct table *table = report_table(report, IN_TABLE, NULL, columns, COUNT(columns));
    struct places *places = report_new(report, 1, sizeof *places);
    if (!places)
        return;
    *places = (struct places){grid, *directions};
    places->directions.list[0].axis = &places->directions.columns;
    places->directions.list[1].axis = &places->directions.rows;
    table_rows_from(table, place_count(places, 0) + place_count(places, 1), fill_place, places);
}

/* People --------------------------------------------------------------------------------------- */

/* Weights that would be shown as 0.00 are left out. */
static const char *write_next(struct report *report, const struct direction *direction,
                              const float *weights, const int *places, int count)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    for (int p = 1; out && p < count && weights[places[p]] >= 0.005f; p++)
        fprintf(out, "%s%s %.2f", p > 1 ? "  " : "", direction->axis->labels[places[p]],
                weights[places[p]]);
    return report_written(&writer);
}

static void put_direction(struct table *table, const struct direction *direction, int line)
{
    int all = direction->axis->count, places[PLACES], count = all < PLACES ? all : PLACES;
    if (table->report->lacking)
        return;
    const float *weights = direction->weights + (size_t)line * (size_t)all;
    strongest_places(weights, all, places, count);
    bool any = count > 0 && weights[places[0]] > 0;
    table_put(table, value_text(any ? direction->axis->labels[places[0]] : "-"),
              any ? value_real(weights[places[0]]) : value_null(),
              any ? value_text(write_next(table->report, direction, weights, places, count))
                  : value_null());
}

/* Adds a line for every head: what the token attends to, and what attends to it. */
static void add_table(struct report *report, const struct head_grid *grid,
                      const struct directions *directions)
{
    struct column columns[9] = {{.title = "layer", .type = COLUMN_INT},
                                {.title = "head", .type = COLUMN_INT},
                                {.title = "", .type = COLUMN_TEXT}};
    int count = 3;
    for (int d = 0; d < 2; d++) {
        if (!directions->list[d].weights)
            continue;
        columns[count++] = (struct column){.title = directions->list[d].title};
        columns[count++] = (struct column){.title = "weight", .type = COLUMN_REAL, .digits = 4};
        columns[count++] = (struct column){.title = "then", .type = COLUMN_PARTS};
    }
    struct table *table = report_table(report, FOR_PEOPLE | IN_TYPESET, NULL, columns, count);
    table->style = TABLE_FITTED;
    for (int line = 0; !report->lacking && line < line_count(grid); line++) {
        int layer = grid->layers[line / grid->head_count] + 1,
            head = grid->heads[line % grid->head_count] + 1;
        table_row(table);
        table_enter(table, ":attn %s layer %d head %d", module_names[grid->module], layer, head);
        table_put(table, value_int(layer), value_int(head),
                  value_text(grid->off[line] ? "off" : ""));
        for (int d = 0; d < 2; d++)
            if (directions->list[d].weights)
                put_direction(table, &directions->list[d], line);
    }
}

/* Makes an axis of heads: "1.1", or "1.1 off". */
static struct axis heads_axis(struct report *report, const struct head_grid *grid)
{
    int count = line_count(grid);
    const char **names = report_new(report, (size_t)count, sizeof *names);
    for (int i = 0; names && i < count; i++)
        names[i] = report_format(report, "%d.%d%s", grid->layers[i / grid->head_count] + 1,
                                 grid->heads[i % grid->head_count] + 1, grid->off[i] ? " off" : "");
    return axis_of_names(NULL, "layer.head", names, count);
}

static void add_matrices(struct report *report, const struct head_grid *grid,
                         const struct directions *directions)
{
    struct axis heads = heads_axis(report, grid);
    for (int d = 0; d < 2; d++) {
        const struct direction *direction = &directions->list[d];
        if (!direction->weights)
            continue;
        struct matrix *matrix = report_matrix(report, IN_FIGURE | IN_SCREEN, NULL);
        matrix->rows = heads;
        matrix->columns = *direction->axis;
        if (grid->module != MODULE_CROSS)
            matrix->columns.title = NULL; // the rows are the same tokens
        matrix->values = direction->weights;
        matrix->title = direction->title;
        matrix->scale = "attention weight";
    }
}

static const struct axis *keep_axis(struct report *report, const struct axis *axis)
{
    struct axis *kept = report_new(report, 1, sizeof *kept);
    if (kept)
        *kept = *axis;
    return kept;
}

static struct navigation navigation_of(struct report *report, const struct token_view *token,
                                       const struct head_grid *grid,
                                       const struct directions *directions)
{
    return (struct navigation){.kind = VIEW_TOKEN,
                               .view = {.module = grid->module},
                               .side = token->side,
                               .first = token->first,
                               .count = token->count,
                               .rows = directions->rows.count,
                               .grid = grid,
                               .row_axis = keep_axis(report, &directions->rows),
                               .column_axis = keep_axis(report, &directions->columns)};
}

bool report_token(struct report *report, const struct session *session,
                  const struct sentence_pair *pair, struct token_view *token, struct status *status)
{
    struct directions directions = {
        .rows = report_axis(report, session->loaded, NULL, &token->rows, false),
        .columns = report_axis(report, session->loaded, NULL, &token->columns, false)};
    directions.list[0] = (struct direction){"from", "attends to", token->from, &directions.columns};
    directions.list[1] = (struct direction){"to", "attended by", token->to, &directions.rows};
    const enum module module = token->grid.module;
    add_title(report, session, token, module);
    report->command = write_command(report, token, &token->grid);
    report_origin(report, session, pair);
    const struct head_grid *grid = report_take_grid(report, &token->grid);
    report->navigation = navigation_of(report, token, grid, &directions);
    report->stacked = true;
    add_fields(report, token, grid, &directions);
    add_long(report, grid, &directions);
    add_table(report, grid, &directions);
    add_matrices(report, grid, &directions);
    report_keep(report, token->from, free);
    report_keep(report, token->to, free);
    token->from = token->to = NULL;
    return report_end(report, status);
}
