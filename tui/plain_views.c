/* Views of several heads as plain text. */
#include <stdlib.h>

#include "tui/display.h"
#include "tui/eye.h"
#include "tui/grid.h"
#include "tui/plain.h"

/* Heads ------------------------------------------------------------------------------------------ */

void plain_grid(FILE *stream, const struct heads_result *heads)
{
    const struct head_grid *from = &heads->grid;
    struct grid grid = {.layers = from->layers,
                        .heads = from->heads,
                        .layer_count = from->layer_count,
                        .head_count = from->head_count,
                        .off = from->off,
                        .rows = heads->rows.texts.count,
                        .columns = heads->columns.texts.count,
                        .values = heads->weights};
    grid_draw(stream, &grid, display_columns(stream));
}

/* Token ------------------------------------------------------------------------------------------ */

enum {
    LABEL_MOST = 12, // columns of a token
    MARGIN = 11,     // "layer head " and what they hold
    GAP = 2,
    NUMBER = 5,     // " 0.12"
    ROOMY = 14,     // columns for which two tables go side by side
    PLACES_MOST = 6 // tokens named for one head
};

/* What one side of a token's table shows. */
struct side {
    const float *weights; // (heads of all layers, count); NULL: this side is not there
    char **labels;        // (count)
    int count;
    int label, places; // columns of a token's label; tokens in a line
};

void plain_strongest(const float *weights, int count, int *places, int place_count)
{
    for (int p = 0; p < place_count; p++) {
        places[p] = -1;
        for (int i = 0; i < count; i++) {
            bool taken = false;
            for (int q = 0; q < p; q++)
                taken |= places[q] == i;
            if (!taken && (places[p] < 0 || weights[i] > weights[places[p]]))
                places[p] = i;
        }
    }
}

static int side_width(const struct side *side)
{
    return side->places * (GAP + side->label + NUMBER);
}

/* Weights that would read 0.00 are left out. Returns the columns used. */
static int print_side(FILE *stream, const struct side *side, int head)
{
    const float *weights = side->weights + (size_t)head * side->count;
    int places[PLACES_MOST], shown = 0;
    plain_strongest(weights, side->count, places, side->places);
    for (; shown < side->places && weights[places[shown]] >= 0.005f; shown++) {
        fprintf(stream, "%*s", GAP, "");
        display_field(stream, side->labels[places[shown]], side->label);
        fprintf(stream, " %.2f", weights[places[shown]]);
    }
    if (shown > 0)
        return shown * (GAP + side->label + NUMBER);
    return fprintf(stream, "%*s-", GAP, "");
}

/* Chooses how many tokens fit into `room` columns. */
static void fit_side(struct side *side, int room)
{
    int widest = 1;
    for (int i = 0; i < side->count; i++) {
        int columns = display_width(side->labels[i]);
        widest = columns > widest ? columns : widest;
    }
    int most = room - GAP - NUMBER;
    side->label = widest < LABEL_MOST ? widest : LABEL_MOST;
    if (side->label > most)
        side->label = most > 1 ? most : 1;
    side->places = room / (GAP + side->label + NUMBER);
    side->places = side->places < 1 ? 1 : side->places > PLACES_MOST ? PLACES_MOST : side->places;
    if (side->places > side->count)
        side->places = side->count;
}

static void print_token_header(FILE *stream, const struct side *sides, int width)
{
    char text[400];
    int used = snprintf(text, sizeof text, " layer head%*s", GAP, "");
    if (sides[0].weights)
        used += snprintf(text + used, sizeof text - used, "%-*s",
                         sides[1].weights ? side_width(&sides[0]) : 0, "looks at");
    if (sides[1].weights)
        snprintf(text + used, sizeof text - used, "is looked at by");
    char *cut = display_cut(text, width);
    fprintf(stream, "%s\n", cut ? cut : "");
    free(cut);
}

static void print_token_heads(FILE *stream, const struct head_grid *grid, const struct side *sides)
{
    for (int i = 0; i < grid->layer_count * grid->head_count; i++) {
        fprintf(stream, " %5d %3d%c", grid->layers[i / grid->head_count] + 1,
                grid->heads[i % grid->head_count] + 1, grid->off[i] ? '*' : ' ');
        int used = sides[0].weights ? print_side(stream, &sides[0], i) : 0;
        if (sides[0].weights && sides[1].weights)
            fprintf(stream, "%*s", side_width(&sides[0]) - used, "");
        if (sides[1].weights)
            print_side(stream, &sides[1], i);
        fputc('\n', stream);
    }
}

static void print_token_table(FILE *stream, const struct token_result *token,
                              const struct side *sides, int width)
{
    print_token_header(stream, sides, width);
    print_token_heads(stream, &token->grid, sides);
}

static bool any_off(const struct head_grid *grid)
{
    for (int i = 0; i < grid->layer_count * grid->head_count; i++)
        if (grid->off[i])
            return true;
    return false;
}

void plain_token(FILE *stream, const struct session *session, const struct token_result *token)
{
    int width = display_columns(stream), room = width - MARGIN;
    bool both = token->from && token->to;
    struct side sides[2] = {
        {token->from, eye_labels(session, &token->columns, false), token->columns.texts.count, 0,
         0},
        {token->to, eye_labels(session, &token->rows, false), token->rows.texts.count, 0, 0}};
    bool beside = both && room / 2 >= ROOMY;
    if (sides[0].labels && sides[1].labels) {
        fit_side(&sides[0], beside ? room / 2 : room);
        fit_side(&sides[1], beside ? room / 2 : room);
        if (beside || !both) {
            print_token_table(stream, token, sides, width);
        } else {
            print_token_table(stream, token, (struct side[]){sides[0], {0}}, width);
            print_token_table(stream, token, (struct side[]){{0}, sides[1]}, width);
        }
        if (any_off(&token->grid))
            fputs(" * off\n", stream);
    }
    for (int s = 0; s < 2; s++)
        eye_free(sides[s].labels, sides[s].count);
}
