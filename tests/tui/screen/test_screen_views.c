/* Every view of the full-screen session, at four sizes and four depths of colour: cells, labels and
 * numbers are those of the weights that --json gives. */
#include <math.h>

#include "tests/support/rounds.h"
#include "tests/support/test.h"
#include "tests/tui/screen/screen_cells.h"

#define JAPANESE "猫 が 犬 を 見る"

/* Of a model with context, gates, DHICM, fixed and masked heads. */
enum {
    ENGLISH,
    ONE,
    MEAN,
    MAXIMUM,
    CROSS,
    HEADS,
    TOKEN,
    SEEN,
    IMPORTANCE,
    GATES_Q,
    GATES_K,
    INFO,
    SETTINGS,
    ALIGNED,
    NORMS,
    ROLLED,
    OTHER,
    OTHER_ONE
};
static const char *const commands[] = {[ENGLISH] = SENTENCE,
                                       [ONE] = ":attn enc layer 1 head 1",
                                       [MEAN] = ":attn enc layer 1 head mean",
                                       [MAXIMUM] = ":attn enc layer 1 head max",
                                       [CROSS] = ":attn cross layer 1 head 1",
                                       [HEADS] = ":heads cross",
                                       [TOKEN] = ":token 1 enc",
                                       [SEEN] = ":token 3 enc",
                                       [IMPORTANCE] = ":importance",
                                       [GATES_Q] = ":gates dec q",
                                       [GATES_K] = ":gates dec k",
                                       [INFO] = ":info",
                                       [SETTINGS] = ":set",
                                       [ALIGNED] = ":align layer 1 head 1",
                                       [NORMS] = ":attn enc layer 1 head 1 as norms",
                                       [ROLLED] = ":attn enc layer 1 as rollout",
                                       [OTHER] = JAPANESE,
                                       [OTHER_ONE] = ":attn enc layer 1 head 2",
                                       NULL};

static json_t *answers;

static const json_t *answer(int index)
{
    if (!answers)
        answers = stage_ask(GATES, commands);
    return stage_answer(answers, index);
}

/* Small windows show a part of it. */
static void check(const struct stage *stage, const struct matrix *matrix)
{
    bool small = stage->rows < 40;
    stage_check_matrix(stage, matrix, small ? 2 : matrix->rows, small ? 3 : matrix->columns);
}

static void check_and_free(const struct stage *stage, struct matrix matrix)
{
    check(stage, &matrix);
    matrix_free(&matrix);
}

/* Keys, and the beginning of the title of what they lead to. */
static void show(const struct stage *stage, const char *keys, const char *title)
{
    tmux_press(&stage->tmux, keys);
    stage_expect(stage, "\n %s", title);
}

/* One matrix ----------------------------------------------------------------------------------- */

static void check_one_head(const struct stage *stage)
{
    stage_expect(stage, "encoder  layer 1/1  head 1/3");
    check_and_free(stage, matrix_of(answer(ONE)));
    show(stage, "a", "encoder  layer 1/1  mean");
    check_and_free(stage, matrix_of(answer(MEAN)));
    show(stage, "a", "encoder  layer 1/1  max");
    check_and_free(stage, matrix_of(answer(MAXIMUM)));
    show(stage, "a", "encoder  layer 1/1  head 1/3");
    show(stage, "A", "encoder  layer 1/1  head 1/3  norms");
    check_and_free(stage, matrix_of(answer(NORMS)));
    show(stage, "A", "encoder  layer 1/1  block norms");
    show(stage, "A", "encoder  layer 1/1  contributions");
    show(stage, "A", "encoder  layers 1-1/1  rollout");
    check_and_free(stage, matrix_of(answer(ROLLED)));
    show(stage, "A", "encoder  layers 1-1/1  flow");
    show(stage, "A", "encoder  layers 1-1/1  ALTI");
    show(stage, "A", "encoder  layer 1/1  value zeroing");
    show(stage, "A", "encoder  layer 1/1  head 1/3");
}

/* A line for every head, columns as the object has them. */
static struct matrix token_matrix(const json_t *object, const char *weights, const char *columns)
{
    const json_t *layers = json_object_get(object, weights);
    const json_t *labels = json_object_get(object, columns), *heads = json_array_get(layers, 0);
    int head_count = (int)json_array_size(heads);
    json_t *lines = json_array(), *names = json_array();
    for (size_t i = 0; i < json_array_size(layers) * (size_t)head_count; i++) {
        char name[48];
        snprintf(name, sizeof name, "%zu.%zu", i / head_count + 1, i % head_count + 1);
        json_array_append_new(names, json_string(name));
        json_array_append(lines,
                          json_array_get(json_array_get(layers, i / head_count), i % head_count));
    }
    struct matrix matrix = matrix_make(lines, names, labels);
    json_decref(lines);
    json_decref(names);
    return matrix;
}

/* Where every head looks from the token, and beside it who looks there, on one scale. */
static void check_token(const struct stage *stage, int index, const char *key, const char *title)
{
    struct matrix from = token_matrix(answer(index), "from", "columns");
    struct matrix to = token_matrix(answer(index), "to", "rows");
    from.most = to.most = fmax(from.most, to.most);
    from.panel = "attends to:  ";
    to.panel = "attended by:  ";
    to.row_labels_are = LABELS_ABSENT;
    show(stage, key, title);
    check(stage, &from);
    tmux_press(&stage->tmux, "$ l");
    check(stage, &to);
    tmux_press(&stage->tmux, "0 h");
    stage_expect(stage, "attends to:  1.1");
    show(stage, "v", title);
    stage_expect(stage, "1 of %d\n", from.rows);
    stage_expect(stage, "layer  head");
    tmux_press(&stage->tmux, key[0] == 't' ? "v" : "Escape");
    stage_expect(stage, "attends to:  1.1");
    show(stage, "Escape", "encoder  layer 1/1  head 1/3");
    matrix_free(&from);
    matrix_free(&to);
}

static void check_tokens(const struct stage *stage)
{
    check_token(stage, TOKEN, "t", "encoder  token 1  \"</s>\"");
    tmux_press(&stage->tmux, "l l");
    check_token(stage, SEEN, "T", "encoder  token 3  \"dog\"");
}

static void label_columns(struct matrix *matrix, const char *unit)
{
    matrix->column_unit = unit;
    for (int c = 0; c < matrix->columns; c++)
        matrix_label(&matrix->column_labels[c], "%d", c + 1);
}

static struct matrix importance_matrix(const json_t *object)
{
    const json_t *weights = json_object_get(object, "weights");
    struct matrix matrix =
        matrix_make(weights, json_object_get(object, "rows"), json_array_get(weights, 0));
    label_columns(&matrix, "head ");
    return matrix;
}

/* A column for every layer; a gate is a share of one. */
static struct matrix gates_matrix(const json_t *object)
{
    const json_t *gates = json_object_get(object, "gates"), *rows = json_object_get(object, "rows");
    json_t *turned = json_array();
    for (size_t r = 0; r < json_array_size(rows); r++) {
        json_t *row = json_array();
        for (size_t l = 0; l < json_array_size(gates); l++)
            json_array_append(row, json_array_get(json_array_get(gates, l), r));
        json_array_append_new(turned, row);
    }
    struct matrix matrix = matrix_make(turned, rows, gates);
    label_columns(&matrix, "layer ");
    matrix.most = 1;
    matrix.shares = false;
    json_decref(turned);
    return matrix;
}

static void check_importance_and_gates(const struct stage *stage)
{
    show(stage, "m", "decoder  layer 2/2  importance");
    check_and_free(stage, importance_matrix(answer(IMPORTANCE)));
    show(stage, "L", "decoder  gates of queries");
    check_and_free(stage, gates_matrix(answer(GATES_Q)));
    show(stage, "Right", "decoder  gates of keys");
    check_and_free(stage, gates_matrix(answer(GATES_K)));
    tmux_press(&stage->tmux, "d");
    stage_expect(stage, "no head is chosen here");
}

/* Japanese takes two columns a character; what the model does not know is shown as it was typed. */
static void check_japanese(const struct stage *stage)
{
    stage_run(stage, JAPANESE);
    stage_expect(stage, "source  " JAPANESE);
    stage_run(stage, ":attn enc layer 1 head 2");
    stage_expect(stage, "encoder  layer 1/1  head 2/3");
    check_and_free(stage, matrix_of(answer(OTHER_ONE)));
}

static void check_overview(const struct stage *stage)
{
    show(stage, "o", "encoder  layer 1  head 1-3");
    show(stage, "Tab", "decoder  layer 1-2  head 1-4");
    tmux_type(&stage->tmux, "\t\t"); // faster than the first is answered
    stage_expect(stage, "\n encoder  layer 1  head 1-3");
    tmux_type(&stage->tmux, "\t\t");
    stage_expect(stage, "\n cross  layer 1-2  head 1-4");
    stage_check_overview(stage, answer(HEADS));
    show(stage, "j l l Enter", "cross  layer 2/2  head 3/4");
}

/* Tables and text ------------------------------------------------------------------------------ */

static bool stand_below_each_other(const struct tmux_screen *screen, const void *context)
{
    int row = 4, column;
    for (const char *const *text = context; *text; text++, row++)
        if (!tmux_find(screen, *text, &row, &column))
            return false;
    return true;
}

/* The beam's order is of falling scores; sorted they rise, then fall. */
static void check_hypotheses(const struct stage *stage)
{
    enum { SHOWN = 4 };
    const json_t *hypotheses = json_object_get(answer(ENGLISH), "hypotheses");
    char scores[SHOWN][32];
    const char *falling[SHOWN + 1] = {NULL}, *rising[SHOWN + 1] = {NULL};
    assert_int_equal(json_array_size(hypotheses), SHOWN);
    for (int i = 0; i < SHOWN; i++) {
        double score = json_double(json_object_get(json_array_get(hypotheses, i), "score"));
        snprintf(scores[i], sizeof scores[i], "%.4f", score);
        falling[i] = rising[SHOWN - 1 - i] = scores[i];
    }
    tmux_press(&stage->tmux, "H");
    tmux_expect_that(&stage->tmux, stand_below_each_other, falling, "scores as they came");
    tmux_press(&stage->tmux, "l l s");
    tmux_expect_that(&stage->tmux, stand_below_each_other, rising, "rising scores");
    tmux_press(&stage->tmux, "s");
    tmux_expect_that(&stage->tmux, stand_below_each_other, falling, "falling scores");
    tmux_press(&stage->tmux, "Escape");
}

static void check_scrolling_table(const struct stage *stage)
{
    const json_t *settings = json_object_get(answer(SETTINGS), "settings");
    size_t count = json_array_size(settings);
    stage_run(stage, ":set");
    stage_expect(stage, "%s", json_text(json_array_get(settings, 0), "name"));
    stage_expect(stage, "1 of %zu", count);
    tmux_press(&stage->tmux, "G");
    stage_expect(stage, "\n %s", json_text(json_array_get(settings, count - 1), "name"));
    tmux_press(&stage->tmux, "Escape");
}

/* A line for each token of the translation, also of another one; Enter leads to the matrix. */
static void check_alignment(const struct stage *stage)
{
    const json_t *tokens = json_object_get(answer(ALIGNED), "rows");
    size_t count = json_array_size(tokens);
    stage_run(stage, ":align layer 1 head 1");
    stage_expect(stage, "1 of %zu", count);
    stage_expect(stage, "1  %s", json_string_value(json_array_get(tokens, 0)));
    stage_run(stage, ":disable cross layer 1 head 2");
    stage_expect(stage, "score");
    stage_run(stage, ":enable");
    stage_expect(stage, "1 of %zu", count);
    show(stage, "Enter", "cross  layer 1/2  head 1/4");
}

/* What is searched for is marked. */
static bool marks_text(const struct tmux_screen *screen, const void *context)
{
    int column;
    for (int row = 0; row < screen->rows && tmux_find(screen, context, &row, &column); row++)
        if (tmux_cell(screen, row, column)->reverse)
            return true;
    return false;
}

static void check_text(const struct stage *stage)
{
    char hash[13];
    snprintf(hash, sizeof hash, "%s", json_text(answer(INFO), "sha256"));
    tmux_press(&stage->tmux, "I");
    stage_expect(stage, "name        mixture_decoder");
    tmux_type(&stage->tmux, "/");
    tmux_expect_format(&stage->tmux, "#{cursor_flag}", "1");
    tmux_type(&stage->tmux, hash);
    tmux_press(&stage->tmux, "Enter");
    tmux_expect_that(&stage->tmux, marks_text, hash, "the hash, marked");
    show(stage, "?", "keys");
    tmux_type(&stage->tmux, "/Click\r");
    tmux_expect_that(&stage->tmux, marks_text, "Click", "Click, marked");
    tmux_press(&stage->tmux, "Escape");
}

/* Stories -------------------------------------------------------------------------------------- */

static void views(void **state)
{
    const struct stage_spec *spec = *state;
    struct stage stage = stage_open(spec);
    stage_run(&stage, SENTENCE);
    stage_run(&stage, ":attn enc layer 1 head 1");
    check_one_head(&stage);
    check_tokens(&stage);
    check_importance_and_gates(&stage);
    stage_run(&stage, ":attn enc layer 1 head 1");
    stage_expect(&stage, "encoder  layer 1/1  head 1/3");
    check_overview(&stage);
    check_hypotheses(&stage);
    check_scrolling_table(&stage);
    check_alignment(&stage);
    stage_run(&stage, ":attn enc layer 1 head 1");
    check_text(&stage);
    check_japanese(&stage);
    stage_close(&stage);
}

static int close_all(void **state)
{
    json_decref(answers);
    return cli_close(state);
}

#define VIEWS(columns, rows, depth)                                                                \
    {                                                                                              \
        .name = "views of " #columns " by " #rows ", " #depth, .test_func = views,                 \
        .initial_state = &(struct stage_spec)                                                      \
        {                                                                                          \
            GATES, columns, rows, depth                                                            \
        }                                                                                          \
    }
/* Every size and every depth twice; and, in full, the others. */
#define USUAL                                                                                      \
    VIEWS(40, 12, SCREEN_TRUE), VIEWS(40, 12, SCREEN_16), VIEWS(80, 24, SCREEN_256),               \
        VIEWS(80, 24, SCREEN_ASCII), VIEWS(120, 40, SCREEN_16), VIEWS(120, 40, SCREEN_TRUE),       \
        VIEWS(250, 70, SCREEN_256), VIEWS(250, 70, SCREEN_ASCII)
#define OTHERS                                                                                     \
    VIEWS(40, 12, SCREEN_256), VIEWS(40, 12, SCREEN_ASCII), VIEWS(80, 24, SCREEN_TRUE),            \
        VIEWS(80, 24, SCREEN_16), VIEWS(120, 40, SCREEN_256), VIEWS(120, 40, SCREEN_ASCII),        \
        VIEWS(250, 70, SCREEN_TRUE), VIEWS(250, 70, SCREEN_16)

int main(void)
{
    const struct CMUnitTest usual[] = {USUAL}, every[] = {USUAL, OTHERS};
    return rounds_full() ? cmocka_run_group_tests(every, cli_enter, close_all)
                         : cmocka_run_group_tests(usual, cli_enter, close_all);
}
