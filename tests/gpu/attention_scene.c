#include "tests/gpu/attention_scene.h"
#include "tests/support/test.h"

#include <math.h>

#include "base/minmax.h"
#include "tests/gpu/ops_support.h"

#define PUT(ops, array) ops_put(ops, array, sizeof(array))

/* Heads 1, 4 and 6 have queries and keys; they may still attend by a pattern. Heads 2 and 7
 * are not stored. */
const int scene_learned[HEADS] = {-1, 0, -1, -1, 2, -1, 1, -1};
const int scene_captured[HEADS] = {0, 1, -1, 2, 3, 4, 5, -1};

static const struct head table[VARIANTS][HEADS] = {
    {{ENERGY_FIXED, MASK_GLOBAL, PATTERN_PREVIOUS, UNIT_TOKEN, 0, 0, {0}},
     {ENERGY_LEARNED, MASK_GLOBAL, 0, UNIT_TOKEN, 0, 0, {0}},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_LEFT_CONTEXT, UNIT_WORD, 0, 0, {0}},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_SENTENCE_START, UNIT_TOKEN, 0, 0, {0}},
     {ENERGY_LEARNED, MASK_LOCAL, 0, UNIT_TOKEN, 2, 0, {0}},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_GAUSSIAN, UNIT_WORD, 0, 1, {0.75f}},
     {ENERGY_LEARNED, MASK_FORWARD, 0, UNIT_TOKEN, 0, 0, {0}},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_RIGHT_CONTEXT, UNIT_TOKEN, 0, 0, {0}}},
    {{ENERGY_FIXED, MASK_GLOBAL, PATTERN_LAST, UNIT_WORD, 0, 0, {0}},
     {ENERGY_LEARNED, MASK_BACKWARD, 0, UNIT_TOKEN, 0, 0, {0}},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_NEXT, UNIT_WORD, 0, 0, {0}},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_SENTENCE_END, UNIT_WORD, 0, 0, {0}},
     {ENERGY_LEARNED, MASK_LOCAL, 0, UNIT_TOKEN, 0, 0, {0}},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_RIGHT_CONTEXT, UNIT_WORD, 0, 0, {0}},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_GAUSSIAN, UNIT_TOKEN, 0, -2, {2.5f}},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_NEXT, UNIT_TOKEN, 0, 0, {0}}}};

const float scene_gains[VARIANTS][HEADS] = {{1, 1, 0.5f, 1, 0, 1, 2, 1}, {1, 0, 1, 1, 1, -1, 1, 1}};

/* How many more elements than needed a row of queries, keys and values takes. */
struct gaps {
    int q, k, v;
};

static void open_scene(struct scene *scene, enum keys keys, int head_dim, struct gaps gaps)
{
    memset(scene, 0, sizeof *scene);
    scene->keys = keys;
    scene->head_dim = head_dim;
    scene->ldq = LEARNED * head_dim + gaps.q;
    scene->ldk = LEARNED * head_dim + gaps.k;
    scene->ldv = HEADS * head_dim + gaps.v;
    size_t q = (size_t)(ROWS * scene->ldq), k = (size_t)(SLOTS * scene->ldk);
    size_t v = (size_t)(SLOTS * scene->ldv);
    scene->q = malloc((q + k + v) * sizeof *scene->q);
    assert_non_null(scene->q);
    scene->k = scene->q + q;
    scene->v = scene->k + k;
    ops_random_fill(scene->q, q, 2, 11);
    ops_random_fill(scene->k, k, 2, 12);
    ops_random_fill(scene->v, v, 1, 13);
    memcpy(scene->heads, table, sizeof table);
}

void scene_open(struct scene *scene, enum keys keys, int head_dim)
{
    open_scene(scene, keys, head_dim, (struct gaps){3, 1, 5});
}

void scene_open_aligned(struct scene *scene, enum keys keys, int head_dim)
{
    open_scene(scene, keys, head_dim, (struct gaps){4, 8, 4});
}

void scene_bias(struct scene *scene, int distance)
{
    scene->distance = distance;
    ops_random_fill(scene->bias[0], sizeof scene->bias / sizeof(float), 2, 14);
}

void scene_entmax(struct scene *scene)
{
    static const float entmax[] = {0.5f, 1, 0.05f, 0, 0.3f};
    for (int v = 0, i = 0; v < VARIANTS; v++)
        for (int h = 0; h < HEADS; h++)
            if (scene->heads[v][h].energy == ENERGY_LEARNED)
                scene->heads[v][h].entmax = entmax[i++];
}

void scene_close(struct scene *scene)
{
    free(scene->q);
}

void scene_ranges(struct scene *scene, const int *lengths, int sentences, int extra)
{
    int start = 0;
    for (int s = 0; s < sentences; s++) {
        for (int j = 0, word = 0; j < lengths[s]; j++) {
            scene->word[start + j] = word;
            word += (start + j) % 3 != 1;
        }
        for (int i = 0; i < lengths[s] + extra && scene->rows < ROWS; i++) {
            int m = scene->rows++;
            scene->begin[m] = start;
            scene->end[m] = start + lengths[s];
            scene->position[m] = i;
            scene->row_word[m] = i < lengths[s] ? scene->word[start + i] : i;
            scene->variant[m] = m % 3 == 2;
        }
        start += lengths[s];
    }
}

void scene_paths(struct scene *scene)
{
    const int length[3] = {20, 3, 21};
    for (int lane = 0; lane < 3; lane++) {
        for (int p = 0; p < length[lane]; p++) {
            int from = lane == 2 && p <= 4 ? 0 : lane;
            scene->path[lane][p] = from * POSITIONS + p;
            scene->word[from * POSITIONS + p] = (p + from) / 2;
        }
        for (int p = lane == 2 ? 5 : 0; p < length[lane]; p++) {
            int m = scene->rows++;
            scene->lane[m] = lane;
            scene->pos[m] = scene->position[m] = p;
            scene->slot[m] = lane * POSITIONS + p;
            scene->row_word[m] = scene->word[scene->slot[m]];
            scene->variant[m] = m % 3 == 2;
        }
    }
    scene->lane[5] = scene->slot[5] = -1;
}

/* Returns the slot of key j of row m. */
static int scene_key(const struct scene *scene, int m, int j)
{
    return scene->keys == KEYS_RANGE ? scene->begin[m] + j : scene->path[scene->lane[m]][j];
}

static int scene_keys(const struct scene *scene, int m)
{
    if (scene->keys == KEYS_RANGE)
        return scene->end[m] - scene->begin[m];
    return scene->lane[m] < 0 ? 0 : scene->pos[m] + 1;
}

static bool allowed(const struct head *head, int64_t i, int64_t j)
{
    switch (head->mask) {
    case MASK_LOCAL:
        return i - j <= head->window && j - i <= head->window;
    case MASK_FORWARD:
        return j >= i;
    case MASK_BACKWARD:
        return j <= i;
    default:
        return true;
    }
}

/* Replaces the energies in `weights` by their entmax, found by bisection. */
static void expect_entmax(double *weights, int n, double highest, double a)
{
    double low = -1, high = 0;
    for (int i = 0; i < 80; i++) {
        const double middle = (low + high) / 2;
        double total = 0;
        for (int j = 0; j < n; j++)
            total += pow(fmax(0, a * (weights[j] - highest) - middle), 1 / a);
        *(total >= 1 ? &low : &high) = middle;
    }
    for (int j = 0; j < n; j++)
        weights[j] =
            highest == -INFINITY ? 0 : pow(fmax(0, a * (weights[j] - highest) - low), 1 / a);
}

static void expect_learned(const struct scene *scene, int m, int h, double *weights)
{
    const struct head *head = &scene->heads[scene->variant[m]][h];
    const int n = scene_keys(scene, m), hd = scene->head_dim;
    const double scale = scene->scale != 0 ? scene->scale : 1 / sqrt(hd);
    double total = 0, highest = -INFINITY;
    for (int j = 0; j < n; j++) {
        const float *q = scene->q + m * scene->ldq + scene_learned[h] * hd;
        const float *k = scene->k + scene_key(scene, m, j) * scene->ldk + scene_learned[h] * hd;
        weights[j] = 0;
        for (int c = 0; c < hd; c++)
            weights[j] += scale * q[c] * k[c];
        const int most = scene->distance;
        if (most > 0)
            weights[j] +=
                scene->bias[h][most + int_max(-most, int_min(j - scene->position[m], most))];
        if (scene->cap > 0)
            weights[j] = scene->cap * tanh(weights[j] / scene->cap);
        if (!allowed(head, scene->position[m], j))
            weights[j] = -INFINITY;
        highest = fmax(highest, weights[j]);
    }
    if (head->entmax > 0) {
        expect_entmax(weights, n, highest, head->entmax);
        return;
    }
    for (int j = 0; j < n; j++)
        total += weights[j] = highest == -INFINITY ? 0 : exp(weights[j] - highest);
    for (int j = 0; j < n && total > 0; j++)
        weights[j] /= total;
}

/* The unnormalised weight of position j in row i over n positions, by the formulas in
 * gpu/operations.h. */
static double pattern_value(const struct head *head, int i, int j, int n)
{
    switch (head->pattern) {
    case PATTERN_GAUSSIAN:
        return exp(-pow((j - i - head->offset) / (double)head->deviation, 2) / 2) /
               sqrt(2 * acos(-1) * pow(head->deviation, 2));
    case PATTERN_CURRENT:
        return j == i;
    case PATTERN_PREVIOUS:
        return j == i - 1;
    case PATTERN_NEXT:
        return j == i + 1;
    case PATTERN_LEFT_CONTEXT:
        return j <= i - 2 ? pow(j + 1, 3) : 0;
    case PATTERN_RIGHT_CONTEXT:
        return j >= i + 2 ? pow(n - j, 3) : 0;
    case PATTERN_SENTENCE_END:
        return pow(j + 1, 3);
    case PATTERN_SENTENCE_START:
        return pow(n - j, 3);
    default:
        return j == n - 1;
    }
}

static void expect_fixed(const struct scene *scene, int m, int h, double *weights)
{
    const struct head *head = &scene->heads[scene->variant[m]][h];
    const int n = scene_keys(scene, m);
    const bool by_word = head->unit == UNIT_WORD;
    const int i = by_word ? scene->row_word[m] : scene->position[m];
    int words = n;
    if (by_word && n > 0)
        words = scene->word[scene_key(scene, m, n - 1)] + 1;
    double total = head->pattern == PATTERN_GAUSSIAN ? 1 : 0;
    for (int w = 0; w < words && head->pattern != PATTERN_GAUSSIAN; w++)
        total += pattern_value(head, i, w, words);
    for (int j = 0; j < n; j++) {
        int word = by_word ? scene->word[scene_key(scene, m, j)] : j, tokens = 0;
        for (int other = 0; other < n; other++)
            tokens += (by_word ? scene->word[scene_key(scene, m, other)] : other) == word;
        weights[j] = total > 0 ? pattern_value(head, i, word, words) / total / tokens : 0;
    }
}

void scene_expect(const struct scene *scene, int m, int h, double *weights, double *o)
{
    const int n = scene_keys(scene, m), hd = scene->head_dim;
    memset(weights, 0, KEYS * sizeof *weights);
    if (scene->heads[scene->variant[m]][h].energy == ENERGY_LEARNED)
        expect_learned(scene, m, h, weights);
    else
        expect_fixed(scene, m, h, weights);
    for (int c = 0; c < hd; c++) {
        o[c] = 0;
        for (int j = 0; j < n; j++)
            o[c] += weights[j] * scene->v[scene_key(scene, m, j) * scene->ldv + h * hd + c];
        o[c] *= scene_gains[scene->variant[m]][h];
    }
}

/* On a device ---------------------------------------------------------------------------------- */

struct attention_args scene_args(struct ops *ops, const struct scene *scene, bool store)
{
    const size_t hd = (size_t)scene->head_dim, floats = sizeof(float);
    struct attention_args args = {
        .o = ops_floats(ops, (size_t)scene->rows * HEADS * hd),
        .q = ops_put(ops, scene->q, (size_t)(scene->rows * scene->ldq) * floats),
        .k = ops_put(ops, scene->k, (size_t)(SLOTS * scene->ldk) * floats),
        .v = ops_put(ops, scene->v, (size_t)(SLOTS * scene->ldv) * floats),
        .ldq = scene->ldq,
        .ldk = scene->ldk,
        .ldv = scene->ldv,
        .heads = HEADS,
        .head_dim = scene->head_dim,
        .scale = scene->scale,
        .cap = scene->cap,
        .learned = scene_learned,
        .keys = scene->keys,
        .rows = {.rows = scene->rows, .positions = POSITIONS},
        .position = PUT(ops, scene->position),
        .table = PUT(ops, scene->heads),
        .gains = PUT(ops, scene_gains),
        .variant = PUT(ops, scene->variant),
        .word = PUT(ops, scene->word),
        .row_word = PUT(ops, scene->row_word),
        .entmax = scene->heads[0][1].entmax > 0,
        .captured = scene_captured,
        .ldweights = KEYS,
    };
    if (scene->keys == KEYS_RANGE) {
        args.begin = PUT(ops, scene->begin);
        args.end = PUT(ops, scene->end);
    } else {
        args.rows.lane = PUT(ops, scene->lane);
        args.rows.pos = PUT(ops, scene->pos);
        args.rows.slot = PUT(ops, scene->slot);
        args.rows.path = PUT(ops, scene->path);
    }
    if (scene->distance > 0) {
        const size_t columns = 2 * (size_t)scene->distance + 1;
        float packed[HEADS * (2 * KEYS + 1)];
        for (size_t h = 0; h < HEADS; h++)
            memcpy(packed + h * columns, scene->bias[h], columns * floats);
        args.bias = ops_put(ops, packed, HEADS * columns * floats);
        args.distance = scene->distance;
    }
    if (store)
        args.weights = ops_floats(ops, (size_t)CAPTURED * (size_t)scene->rows * KEYS);
    return args;
}

size_t scene_o_size(const struct scene *scene)
{
    return (size_t)(scene->rows * HEADS * scene->head_dim);
}

size_t scene_weights_size(const struct scene *scene)
{
    return (size_t)(CAPTURED * scene->rows * KEYS);
}

void scene_run(struct ops *ops, void *out, const void *context)
{
    const struct scene *scene = context;
    float *o = out;
    struct attention_args args = scene_args(ops, scene, true);
    ops->backend->attention(ops->device, &args);
    ops_get(ops, o, args.o, scene_o_size(scene) * sizeof *o);
    ops_get(ops, o + scene_o_size(scene), args.weights, scene_weights_size(scene) * sizeof *o);
}
