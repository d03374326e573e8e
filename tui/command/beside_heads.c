#include "tui/command/beside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/view.h"

/* a's pair in a's state, and a pair with the same translation in b's. */
struct both {
    const struct session *session;
    const struct saved_state *states;
    struct sentence_pair *pairs[2];
    bool words;
};

/* Differences of two matrices ------------------------------------------------------------------ */

/* Returns the total variation distance of two rows: half the sum of the absolute differences. */
static double row_distance(const float *a, const float *b, int columns)
{
    double sum = 0;
    for (int c = 0; c < columns; c++)
        sum += fabs((double)b[c] - a[c]);
    return sum / 2;
}

static void measure(const float *a, const float *b, const struct axis *rows,
                    const struct axis *columns, struct head_change *out)
{
    double sum = 0;
    size_t width = (size_t)columns->count, place = 0;
    for (size_t r = 0; r < (size_t)rows->count; r++)
        sum += row_distance(a + r * width, b + r * width, columns->count);
    for (size_t i = 1; i < width * (size_t)rows->count; i++)
        if (fabsf(b[i] - a[i]) > fabsf(b[place] - a[place]))
            place = i;
    out->change = sum / rows->count;
    out->largest = b[place] - a[place];
    if (out->largest == 0 || !rows->labels || !columns->labels)
        return;
    out->row = rows->labels[place / width];
    out->column = columns->labels[place % width];
}

static bool is_off(const struct saved_state *state, const struct head_change *head)
{
    return *head_settings_gain(state->head_settings, head->module, head->layer, head->head) == 0;
}

/* Heads of a module ---------------------------------------------------------------------------- */

/* Keeps the heads that both models have. Numbers rise, so heads of only one model are at the
 * end. */
static void keep_common(struct head_grid *grid, const struct saved_state states[2])
{
    for (int i = 0; i < 2; i++) {
        const struct head_settings *settings = states[i].head_settings;
        int layers = settings->layers[grid->module], heads = settings->count[grid->module];
        while (grid->layer_count && grid->layers[grid->layer_count - 1] >= layers)
            grid->layer_count--;
        while (grid->head_count && grid->heads[grid->head_count - 1] >= heads)
            grid->head_count--;
    }
}

/* Captures the weights of layers `first` … `end`-1 of a grid in one of the states. */
static bool take_heads(const struct both *both, int side, const struct head_grid *grid, int first,
                       int end, struct heads_view *out, struct status *status)
{
    struct session other = session_under(both->session, &both->states[side], both->pairs[side]);
    int layers = end - first, heads = grid->head_count;
    out->grid.module = grid->module;
    out->grid.layers = memory_new((size_t)layers, sizeof *grid->layers, status);
    out->grid.heads = memory_new((size_t)heads, sizeof *grid->heads, status);
    if (!out->grid.layers || !out->grid.heads)
        return false;
    memcpy(out->grid.layers, grid->layers + first, (size_t)layers * sizeof *grid->layers);
    memcpy(out->grid.heads, grid->heads, (size_t)heads * sizeof *grid->heads);
    out->grid.layer_count = layers;
    out->grid.head_count = heads;
    return view_heads(&other, both->pairs[side], both->words, out, status);
}

static bool same_tokens(const struct heads_view *a, const struct heads_view *b)
{
    return labels_equal(&a->rows, &b->rows) && labels_equal(&a->columns, &b->columns);
}

static bool add_heads(const struct both *both, const struct heads_view views[2],
                      struct head_changes *changes, struct report *report, struct status *status)
{
    const struct head_grid *grid = &views[0].grid;
    const struct loaded *loaded = both->states[0].loaded;
    struct axis rows = report_axis(report, loaded, NULL, &views[0].rows, both->words),
                columns = report_axis(report, loaded, NULL, &views[0].columns, both->words);
    size_t cells = (size_t)rows.count * (size_t)columns.count;
    int count = grid->layer_count * grid->head_count;
    if (!memory_grow((void **)&changes->heads, &changes->capacity, (size_t)(changes->count + count),
                     sizeof *changes->heads, status))
        return false;
    for (int i = 0; i < count; i++) {
        struct head_change *out = &changes->heads[changes->count++];
        *out = (struct head_change){.module = grid->module,
                                    .layer = grid->layers[i / grid->head_count],
                                    .head = grid->heads[i % grid->head_count]};
        measure(views[0].weights + (size_t)i * cells, views[1].weights + (size_t)i * cells, &rows,
                &columns, out);
        for (int side = 0; side < 2; side++)
            out->off[side] = is_off(&both->states[side], out);
    }
    return true;
}

static bool compare_layers(const struct both *both, const struct head_grid *grid, int first,
                           int end, struct head_changes *changes, struct report *report,
                           struct status *status)
{
    struct heads_view views[2] = {{.words = both->words}, {.words = both->words}};
    bool ok = take_heads(both, 0, grid, first, end, &views[0], status) &&
              take_heads(both, 1, grid, first, end, &views[1], status);
    if (ok && !same_tokens(&views[0], &views[1]))
        changes->note = "left out: heads over other tokens in b";
    else if (ok)
        ok = add_heads(both, views, changes, report, status);
    heads_view_free(&views[0]);
    heads_view_free(&views[1]);
    return ok;
}

/* Limits the layers captured together: for long sentences all matrices would be in memory twice. */
static int layers_at_once(const struct both *both, const struct head_grid *grid)
{
    const size_t most = 8 << 20; // floats
    size_t longest =
        (size_t)both->pairs[0]->source.count + (size_t)pair_hypothesis(both->pairs[0])->count + 2;
    size_t layers = most / ((size_t)grid->head_count * longest * longest + 1);
    return layers < 1 ? 1 : layers > (size_t)grid->layer_count ? grid->layer_count : (int)layers;
}

static bool compare_module(const struct both *both, struct head_grid *grid,
                           struct head_changes *changes, struct report *report,
                           struct status *status)
{
    keep_common(grid, both->states);
    if (!grid->layer_count || !grid->head_count)
        return true;
    int step = layers_at_once(both, grid);
    for (int first = 0; first < grid->layer_count; first += step) {
        int end = first + step < grid->layer_count ? first + step : grid->layer_count;
        if (!compare_layers(both, grid, first, end, changes, report, status))
            return false;
    }
    return true;
}

/* All of them ---------------------------------------------------------------------------------- */

/* Compares the selected modules; without a module, all. A list may name layers and heads that only
 * some of them have. */
static bool compare_selected(const struct both *both, const struct selector *selector,
                             struct head_changes *changes, struct report *report,
                             struct status *status)
{
    struct session in_a = session_under(both->session, &both->states[0], both->pairs[0]);
    struct status why = {0};
    bool any = false, ok = true;
    for (int m = 0; ok && m < MODULE_COUNT; m++) {
        struct selector of_module = *selector;
        struct head_grid grid = {0};
        if (selector->module_given && selector->module != (enum module)m)
            continue;
        of_module.module_given = true;
        of_module.module = (enum module)m;
        if (!grid_choose(&in_a, &of_module, &grid, &why)) {
            ok = why.code == STATUS_INVALID;
        } else {
            any = true;
            ok = compare_module(both, &grid, changes, report, &why);
        }
        head_grid_free(&grid);
    }
    if (!ok || !any)
        *status = why;
    return ok && any;
}

static bool same_translation(const struct beside *beside)
{
    const struct sentence_pair *a = beside->side[0].pair, *b = beside->side[1].pair;
    int alike = pair_tokens_alike(a, b);
    return alike == pair_hypothesis(a)->count && alike == pair_hypothesis(b)->count;
}

/* Orders by change, the greatest first, then by position in the model. */
static int by_change(const void *left, const void *right)
{
    const struct head_change *a = left, *b = right;
    if (a->change != b->change)
        return a->change > b->change ? -1 : 1;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->layer != b->layer)
        return a->layer < b->layer ? -1 : 1;
    return a->head < b->head ? -1 : a->head > b->head;
}

/* Finds b's pair with a's translation: its own if both translate alike, else *forced. If b cannot
 * be forced to it, b's own pair remains: heads over the source can still be compared. */
static bool find_pair_of_b(const struct saved_state *b, const struct beside *beside,
                           struct head_changes *changes, struct sentence_pair **forced,
                           struct status *status)
{
    struct state parts = saved_state_parts(b);
    struct status why;
    if (same_translation(beside))
        return true;
    *forced = pair_force_like(&parts, beside->side[0].pair, &why);
    changes->forced = *forced != NULL;
    if (*forced || why.code == STATUS_INVALID)
        return true;
    *status = why;
    return false;
}

bool head_changes_find(const struct session *session, const struct saved_state states[2],
                       const struct beside *beside, const struct selector *selector,
                       struct head_changes *changes, struct report *report, struct status *status)
{
    struct sentence_pair *forced = NULL;
    if (!find_pair_of_b(&states[1], beside, changes, &forced, status))
        return false;
    struct both both = {.session = session,
                        .states = states,
                        .pairs = {beside->side[0].pair, forced ? forced : beside->side[1].pair},
                        .words = changes->words};
    bool ok = compare_selected(&both, selector, changes, report, status);
    if (changes->count)
        qsort(changes->heads, (size_t)changes->count, sizeof *changes->heads, by_change);
    pair_free(forced);
    return ok;
}
