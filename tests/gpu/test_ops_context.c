/* Rotary positions and gates of queries and keys, and the second attention over heads, against the
 * formulas in double. */
#include <math.h>

#include "tests/gpu/ops_support.h"
#include "tests/support/test.h"

enum { ROWS = 129, HEADS = 8, LARGEST = 129, SIZES = 5 };

static const int sizes[SIZES] = {1, 3, 17, 33, 129};

/* Rotary positions: Su et al. 2021, eq. 14 -----------------------------------------------------*/

enum { TURNED_ROWS = 70, TURNED_HEADS = 3, TURNED_LARGEST = 40, TURNED_POSITIONS = 90 };

struct turn_case {
    int head_dim;
    bool interleaved, back, twice; // twice: there and back
};

static float turned_x[TURNED_ROWS * (TURNED_HEADS * TURNED_LARGEST + 1)];

static int turned_position(int m)
{
    return m * 37 % TURNED_POSITIONS;
}

static double turn_angle(int position, int k, int head_dim)
{
    return position * pow(100, -2.0 * k / head_dim);
}

/* Rows have a column more than heads. */
static void run_rotate(struct ops *ops, void *out, const void *context)
{
    const struct turn_case *turn = context;
    static float table[TURNED_POSITIONS * TURNED_LARGEST];
    const int size = turn->head_dim, half = size / 2, ld = TURNED_HEADS * size + 1;
    int32_t pos[TURNED_ROWS];
    for (int m = 0; m < TURNED_ROWS; m++)
        pos[m] = turned_position(m);
    for (int p = 0; p < TURNED_POSITIONS; p++)
        for (int k = 0; k < half; k++) {
            table[p * size + k] = (float)cos(turn_angle(p, k, size));
            table[p * size + half + k] = (float)sin(turn_angle(p, k, size));
        }
    const size_t floats = (size_t)(TURNED_ROWS * ld);
    ops_random_fill(turned_x, floats, 2, 5);
    struct rotate_args args = {.x = ops_put(ops, turned_x, floats * sizeof(float)),
                               .pos = ops_put(ops, pos, sizeof pos),
                               .table = ops_put(ops, table, sizeof table),
                               .interleaved = turn->interleaved,
                               .back = turn->back,
                               .ldx = ld,
                               .rows = TURNED_ROWS,
                               .heads = TURNED_HEADS,
                               .head_dim = size};
    ops->backend->rotate(ops->device, &args);
    args.back = !turn->back;
    if (turn->twice)
        ops->backend->rotate(ops->device, &args);
    ops_get(ops, out, args.x, floats * sizeof(float));
}

/* Column c of a head: its partner's share has the sign of its place in the pair. */
static double expect_turned(const struct turn_case *turn, int m, const float *head, int c)
{
    const int half = turn->head_dim / 2;
    const int k = turn->interleaved ? c / 2 : c % half;
    const bool second = turn->interleaved ? c % 2 : c >= half;
    const int partner = turn->interleaved ? c ^ 1 : (c + half) % turn->head_dim;
    const double angle = (turn->back ? -1 : 1) * turn_angle(turned_position(m), k, turn->head_dim);
    return turn->twice ? head[c]
                       : head[c] * cos(angle) + (second ? 1 : -1) * head[partner] * sin(angle);
}

static void pairs_of_columns_turn_by_their_position(void **state)
{
    static const int dims[] = {2, 6, 32, TURNED_LARGEST};
    static float is[TURNED_ROWS * (TURNED_HEADS * TURNED_LARGEST + 1)];
    static double expected[TURNED_ROWS * (TURNED_HEADS * TURNED_LARGEST + 1)];
    for (int i = 0; i < 4 * 8; i++) {
        const struct turn_case turn = {dims[i / 8], i % 2, i / 2 % 2, i / 4 % 2};
        const int size = turn.head_dim, ld = TURNED_HEADS * size + 1;
        struct ops ops;
        ops_open(&ops, NULL, 2);
        run_rotate(&ops, is, &turn);
        ops_close(&ops);
        for (int m = 0; m < TURNED_ROWS; m++)
            for (int c = 0; c < ld; c++)
                expected[m * ld + c] =
                    c == ld - 1
                        ? turned_x[m * ld + c]
                        : expect_turned(&turn, m, turned_x + m * ld + c / size * size, c % size);
        ops_assert_close("turned", is, expected, (size_t)(TURNED_ROWS * ld), 1e-6);
        ops_same_everywhere(run_rotate, &turn, (size_t)(TURNED_ROWS * ld) * sizeof *is);
    }
}

/* Gate: Yang et al. 2019, eq. 5-7 --------------------------------------------------------------*/

enum { GATE_HEADS = 3, GATE_LARGEST = GATE_HEADS * LARGEST };

struct gate_case {
    enum gate_scope scope;
    int rows, head_dim;
    bool bias, lambda;
    const float *q, *cu; // (rows, 3 * head_dim + 1), (rows, 3 * head_dim + 2)
};

static float q[ROWS * (GATE_LARGEST + 1)], cu[ROWS * (GATE_LARGEST + 2)];
static float gate_state[GATE_LARGEST], gate_context[GATE_LARGEST];
static const float gate_bias = -0.3f;

/* q, then λ (rows, 1 or 3) where wanted. */
static void run_gate(struct ops *ops, void *out, const void *context)
{
    const struct gate_case *gate = context;
    const int all = GATE_HEADS * gate->head_dim;
    const size_t rows = (size_t)gate->rows, floats = sizeof(float);
    const size_t size = (size_t)(gate->scope == GATE_HEAD ? gate->head_dim : all);
    struct gate_args args = {.q = ops_put(ops, gate->q, rows * (size_t)(all + 1) * floats),
                             .cu = ops_put(ops, gate->cu, rows * (size_t)(all + 2) * floats),
                             .scope = gate->scope,
                             .ldq = all + 1,
                             .ldcu = all + 2,
                             .rows = gate->rows,
                             .heads = GATE_HEADS,
                             .head_dim = gate->head_dim};
    if (gate->scope != GATE_NONE) {
        args.state = ops_put(ops, gate_state, size * floats);
        args.context = ops_put(ops, gate_context, size * floats);
    }
    if (gate->bias)
        args.bias = ops_put(ops, &gate_bias, sizeof gate_bias);
    const size_t gates = rows * (gate->scope == GATE_HEAD ? GATE_HEADS : 1);
    if (gate->lambda)
        args.lambda = ops_floats(ops, gates);
    ops->backend->gate(ops->device, &args);
    ops_get(ops, out, args.q, rows * (size_t)(all + 1) * floats);
    if (gate->lambda)
        ops_get(ops, (float *)out + rows * (size_t)(all + 1), args.lambda, gates * floats);
}

/* Row m: q (3 * head_dim), and λ of every head. */
static void expect_gate(const struct gate_case *gate, int m, double *mixed, double *lambda)
{
    const int hd = gate->head_dim, all = GATE_HEADS * hd;
    const int size = gate->scope == GATE_HEAD ? hd : all;
    const float *row = gate->q + m * (all + 1), *context = gate->cu + m * (all + 2);
    for (int begin = 0; begin < all; begin += size) {
        double z = gate->bias ? gate_bias : 0;
        for (int c = 0; c < size; c++)
            z += (double)row[begin + c] * gate_state[c] +
                 (double)context[begin + c] * gate_context[c];
        double share = lambda[begin / size] = 1 / (1 + exp(-z));
        for (int c = begin; c < begin + size; c++)
            mixed[c] = gate->scope == GATE_NONE ? (double)row[c] + context[c]
                                                : (1 - share) * row[c] + share * context[c];
    }
}

static struct gate_case gate_case_of(int number)
{
    ops_random_fill(q, ROWS * (GATE_LARGEST + 1), 1, 1);
    ops_random_fill(cu, ROWS * (GATE_LARGEST + 2), 1, 2);
    ops_random_fill(gate_state, GATE_LARGEST, 0.5f, 3);
    ops_random_fill(gate_context, GATE_LARGEST, 0.5f, 4);
    enum gate_scope scope = number % 3;
    return (struct gate_case){
        scope, ROWS, sizes[number / 3 % SIZES], number & 1, scope != GATE_NONE && number & 2,
        q,     cu};
}

enum { GATE_CASES = 12 * SIZES };

static float gate_out[ROWS * (GATE_LARGEST + 1 + GATE_HEADS)];

static void gates_mix_queries_with_their_context(void **state)
{
    double mixed[GATE_LARGEST], lambda[GATE_LARGEST];
    for (int number = 0; number < GATE_CASES; number++) {
        struct gate_case gate = gate_case_of(number);
        const int all = GATE_HEADS * gate.head_dim;
        const int gates = gate.scope == GATE_HEAD ? GATE_HEADS : 1;
        struct ops ops;
        ops_open(&ops, NULL, 2);
        run_gate(&ops, gate_out, &gate);
        ops_close(&ops);
        for (int m = 0; m < ROWS; m++) {
            expect_gate(&gate, m, mixed, lambda);
            ops_assert_close("q", gate_out + m * (all + 1), mixed, (size_t)all, 3e-6);
            assert_true(gate_out[m * (all + 1) + all] == q[m * (all + 1) + all]);
            if (gate.lambda)
                ops_assert_close("lambda", gate_out + ROWS * (all + 1) + m * gates, lambda,
                                 (size_t)gates, 2e-6);
        }
    }
}

static void gates_have_the_same_bits_everywhere(void **state)
{
    for (int number = 0; number < GATE_CASES; number++) {
        struct gate_case gate = gate_case_of(number);
        size_t floats = ROWS * (size_t)(GATE_HEADS * gate.head_dim + 1 +
                                        (gate.scope == GATE_HEAD ? GATE_HEADS : 1));
        ops_same_everywhere(run_gate, &gate, floats * sizeof(float));
    }
}

static void a_gate_has_the_same_bits_alone(void **state)
{
    static float one[GATE_LARGEST + 1];
    struct gate_case gate = gate_case_of(3 * 3 + 1), alone = gate;
    const int all = GATE_HEADS * gate.head_dim;
    struct ops ops;
    alone.rows = 1;
    gate.lambda = alone.lambda = false;
    ops_open(&ops, NULL, 2);
    run_gate(&ops, gate_out, &gate);
    for (int m = 0; m < ROWS; m++) {
        alone.q = q + m * (all + 1);
        alone.cu = cu + m * (all + 2);
        ops_close(&ops);
        ops_open(&ops, NULL, 1);
        run_gate(&ops, one, &alone);
        ops_assert_same("q", one, gate_out + m * (all + 1), (size_t)all * sizeof *one);
    }
    ops_close(&ops);
}

/* DHICM: Goindani and Shrivastava 2021, eq. 1-2 ------------------------------------------------*/

struct mix_case {
    int rows, head_dim, variants;
    const float *o, *s; // (rows, 8, head_dim), (rows, head_dim)
    const float *gains; // (variants, 8), or NULL
    bool importance;
};

static float o[ROWS * HEADS * LARGEST], s[ROWS * LARGEST];
static float mix_out[ROWS * (LARGEST + HEADS)];
static const float mix_gains[3][HEADS] = {
    {1, 1, 1, 1, 1, 1, 1, 1}, {0, 1, 0.5f, 0, 1, 2, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0}};
static const float mix_scale = 0.7f;

/* y, then G where wanted. */
static void run_mix(struct ops *ops, void *out, const void *context)
{
    const struct mix_case *mix = context;
    const size_t rows = (size_t)mix->rows, hd = (size_t)mix->head_dim, floats = sizeof(float);
    int32_t variant[ROWS];
    for (int m = 0; m < ROWS; m++)
        variant[m] = m % 3;
    struct mix_args args = {.y = ops_floats(ops, rows * hd),
                            .o = ops_put(ops, mix->o, rows * HEADS * hd * floats),
                            .s = ops_put(ops, mix->s, rows * hd * floats),
                            .scale = mix_scale,
                            .rows = mix->rows,
                            .heads = HEADS,
                            .head_dim = mix->head_dim};
    if (mix->gains)
        args.gains = ops_put(ops, mix->gains, (size_t)mix->variants * HEADS * floats);
    if (mix->variants > 1)
        args.variant = ops_put(ops, variant, sizeof variant);
    if (mix->importance)
        args.importance = ops_floats(ops, rows * HEADS);
    ops->backend->mix_heads(ops->device, &args);
    ops_get(ops, out, args.y, rows * hd * floats);
    if (mix->importance)
        ops_get(ops, (float *)out + rows * hd, args.importance, rows * HEADS * floats);
}

static void expect_mix(const struct mix_case *mix, int m, double *y, double *importance)
{
    const int hd = mix->head_dim;
    const float *gains = mix->gains ? mix->gains + (mix->variants > 1 ? m % 3 : 0) * HEADS : NULL;
    double total = 0;
    for (int h = 0; h < HEADS; h++) {
        double score = 0;
        for (int c = 0; c < hd; c++)
            score += (double)mix->o[(m * HEADS + h) * hd + c] * mix->s[m * hd + c];
        importance[h] = (gains ? gains[h] : 1) * exp(mix_scale * score);
        total += importance[h];
    }
    for (int h = 0; h < HEADS; h++)
        importance[h] = total > 0 ? importance[h] / total : 0;
    for (int c = 0; c < hd; c++) {
        y[c] = 0;
        for (int h = 0; h < HEADS; h++)
            y[c] += importance[h] * mix->o[(m * HEADS + h) * hd + c];
    }
}

static struct mix_case mix_case_of(int number)
{
    ops_random_fill(o, ROWS * HEADS * LARGEST, 1, 5);
    ops_random_fill(s, ROWS * LARGEST, 1, 6);
    return (struct mix_case){ROWS,
                             sizes[number / 4],
                             number & 2 ? 3 : 1,
                             o,
                             s,
                             number & 1 ? mix_gains[number & 2 ? 0 : 1] : NULL,
                             number & 1};
}

static void heads_are_mixed_by_their_importance(void **state)
{
    double y[LARGEST], importance[HEADS];
    for (int number = 0; number < 4 * SIZES; number++) {
        struct mix_case mix = mix_case_of(number);
        const int hd = mix.head_dim;
        struct ops ops;
        ops_open(&ops, NULL, 2);
        run_mix(&ops, mix_out, &mix);
        ops_close(&ops);
        for (int m = 0; m < ROWS; m++) {
            expect_mix(&mix, m, y, importance);
            ops_assert_close("y", mix_out + m * hd, y, (size_t)hd, 3e-6);
            if (mix.importance)
                ops_assert_close("importance", mix_out + ROWS * hd + m * HEADS, importance, HEADS,
                                 2e-6);
        }
    }
}

static void mixing_has_the_same_bits_everywhere(void **state)
{
    for (int number = 0; number < 4 * SIZES; number++) {
        struct mix_case mix = mix_case_of(number);
        size_t floats = ROWS * (size_t)(mix.head_dim + (mix.importance ? HEADS : 0));
        ops_same_everywhere(run_mix, &mix, floats * sizeof(float));
    }
}

static void a_head_that_is_off_leaves_no_trace(void **state)
{
    struct mix_case mix = mix_case_of(1);
    struct ops ops;
    static float with[ROWS * (LARGEST + HEADS)];
    ops_open(&ops, NULL, 1);
    run_mix(&ops, with, &mix);
    ops_close(&ops);
    for (int m = 0; m < ROWS; m++) // heads 0, 3 and 6 are off
        for (int h = 0; h < HEADS; h += 3)
            for (int c = 0; c < mix.head_dim; c++)
                o[(m * HEADS + h) * mix.head_dim + c] = h ? 1e30f : NAN;
    ops_open(&ops, NULL, 1);
    run_mix(&ops, mix_out, &mix);
    ops_close(&ops);
    ops_assert_same("y and importance", mix_out, with,
                    ROWS * (size_t)(mix.head_dim + HEADS) * sizeof *with);
}

/* Scores of several hundreds, where exp would overflow without the maximum taken off; the gain of
 * the greatest is 0. */
static void large_scores_do_not_overflow(void **state)
{
    const float heads[HEADS] = {900, 500, 400, 0, -300, -700, 499, 500}, one = 1;
    const float gains[HEADS] = {0, 1, 1, 1, 1, 1, 1, 3};
    struct mix_case mix = {1, 1, 1, heads, &one, gains, true};
    struct ops ops;
    ops_open(&ops, NULL, 1);
    run_mix(&ops, mix_out, &mix);
    ops_close(&ops);
    /* Heads 1 and 7, and 6 one below; a float32 score of 350 is within 2e-5. */
    const double near = exp(-0.7), total = 4 + near;
    const double expected[HEADS] = {0, 1 / total, 0, 0, 0, 0, near / total, 3 / total};
    ops_assert_close("importance", mix_out + 1, expected, HEADS, 2e-5);
    assert_true(mix_out[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_columns_turn_by_their_position),
        cmocka_unit_test(gates_mix_queries_with_their_context),
        cmocka_unit_test(gates_have_the_same_bits_everywhere),
        cmocka_unit_test(a_gate_has_the_same_bits_alone),
        cmocka_unit_test(heads_are_mixed_by_their_importance),
        cmocka_unit_test(mixing_has_the_same_bits_everywhere),
        cmocka_unit_test(a_head_that_is_off_leaves_no_trace),
        cmocka_unit_test(large_scores_do_not_overflow),
    };
    int failed = 0;
    while (ops_next_order())
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
