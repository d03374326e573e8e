/* Two states side by side. Expected values come from each state by itself, through `:attn` and
 * `:force`. */
#include <math.h>

#include "tests/support/commands_support.h"
#include "tests/support/test.h"

#define GOLDEN(name) "tests/golden/" name ".bin"
#define VIEW ":attn cross layer 1 head 2"

static size_t cells_of(const struct matrix *attention)
{
    return (size_t)attention->rows.count * attention->columns.count;
}

static const char *text_in(const struct report *beside, const char *group, const char *key)
{
    return bench_value(beside, group, key)->text;
}

static bool is_forced(const struct report *beside)
{
    return bench_value(beside, "difference", "forced")->truth;
}

static void assert_difference(const struct matrix *difference, const struct matrix *a,
                              const struct matrix *b)
{
    bool any = false;
    assert_int_equal(cells_of(difference), cells_of(a));
    assert_int_equal(cells_of(difference), cells_of(b));
    for (size_t i = 0; i < cells_of(a); i++) {
        float wanted = b->values[i] - a->values[i];
        any |= wanted != 0;
        if (!(difference->values[i] == wanted))
            fail_msg("cell %zu is %g, expected %g", i, difference->values[i], wanted);
    }
    assert_true(any);
}

/* The two masks differ in the encoder, whose tokens are the same whatever the translations are. */
static void encoder_heads_are_compared_over_the_source(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees a big cat");
    struct report a = bench_run(&bench, ":attn enc layer 2 head 3");
    struct sentence_pair *alone = bench.session->current;
    bench.session->current = NULL;
    bench_run_quietly(&bench, ":mask enc head 3 local 1");
    bench_run_quietly(&bench, "the dog sees a big cat");
    struct report b = bench_run(&bench, ":attn");
    struct report beside = bench_run(&bench, ":beside before");
    assert_int_equal(beside.navigation.kind, VIEW_BESIDE);
    assert_string_equal(text_in(&beside, "a", "state"), "before");
    assert_string_equal(text_in(&beside, "b", "state"), "current");
    assert_string_equal(text_in(&beside, "a", "text"), alone->texts[0]);
    assert_string_equal(text_in(&beside, "b", "text"), bench.session->current->texts[0]);
    assert_memory_equal(bench_matrix_of(&beside, "a")->values, bench_matrix(&a)->values,
                        cells_of(bench_matrix(&a)) * sizeof(float));
    assert_memory_equal(bench_matrix_of(&beside, "b")->values, bench_matrix(&b)->values,
                        cells_of(bench_matrix(&b)) * sizeof(float));
    assert_difference(bench_matrix_of(&beside, "difference"), bench_matrix(&a), bench_matrix(&b));
    assert_false(is_forced(&beside));
    assert_int_equal(bench_value(&beside, NULL, "note")->kind, VALUE_NULL);
    assert_non_null(strstr(beside.title, "after: local 1"));
    pair_free(alone);
    report_free(&a);
    report_free(&b);
    report_free(&beside);
    bench_close(&bench);
}

/* The translations differ: the difference is over that of a, as `:force` shows it in b. */
static void other_translations_are_compared_over_that_of_a(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    char line[256];
    bench_run_quietly(&bench, bench_source(&bench, 8));
    struct report a = bench_run(&bench, VIEW);
    snprintf(line, sizeof line, ":force %s", bench.session->current->texts[0]);
    bench_run_quietly(&bench, ":disable dec");
    struct report beside = bench_run(&bench, ":beside vanilla_post.bin");
    // Otherwise this test would not show what it is for.
    assert_string_not_equal(text_in(&beside, "a", "text"), text_in(&beside, "b", "text"));
    struct report own = bench_run(&bench, VIEW);
    assert_memory_equal(bench_matrix_of(&beside, "b")->values, bench_matrix(&own)->values,
                        cells_of(bench_matrix(&own)) * sizeof(float));
    bench_run_quietly(&bench, line);
    struct report forced = bench_run(&bench, VIEW);
    assert_difference(bench_matrix_of(&beside, "difference"), bench_matrix(&a),
                      bench_matrix(&forced));
    assert_true(is_forced(&beside));
    assert_non_null(strstr(text_in(&beside, NULL, "note"), "both given translation a"));
    report_free(&a);
    report_free(&own);
    report_free(&forced);
    report_free(&beside);
    bench_close(&bench);
}

static void a_forced_sentence_is_forced_in_both(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":force der Hund sieht");
    struct report a = bench_run(&bench, VIEW);
    bench_run_quietly(&bench, ":disable enc head 1");
    struct report b = bench_run(&bench, VIEW);
    struct report beside = bench_run(&bench, ":beside before current");
    for (int i = 0; i < 2; i++)
        assert_string_equal(text_in(&beside, i ? "b" : "a", "text"), "der Hund sieht");
    assert_difference(bench_matrix_of(&beside, "difference"), bench_matrix(&a), bench_matrix(&b));
    assert_false(is_forced(&beside));
    report_free(&a);
    report_free(&b);
    report_free(&beside);
    bench_close(&bench);
}

/* asymmetric and vanilla_post have one vocabulary, moses_bpe cuts words into other pieces. */
static void models_are_compared_where_their_tokens_are_the_same(void **state)
{
    struct bench bench = bench_open("vanilla_post"), other = bench_open("asymmetric");
    bench_run_quietly(&bench, "the dog sees a cat");
    struct report a = bench_run(&bench, ":attn enc layer 2 head 3");
    bench_run_quietly(&other, "the dog sees a cat");
    struct report b = bench_run(&other, ":attn enc layer 2 head 3");
    bench_run_quietly(&bench, ":load " GOLDEN("asymmetric"));
    bench_run_quietly(&bench, ":load " GOLDEN("moses_bpe"));
    bench_run_quietly(&bench, ":attn enc layer 1 head 3");
    struct report beside = bench_run(&bench, ":beside vanilla");
    assert_null(bench_matrix_of(&beside, "difference"));
    assert_non_null(strstr(text_in(&beside, NULL, "note"), "cut the source into other tokens"));
    assert_non_null(bench_matrix_of(&beside, "b"));
    report_free(&beside);
    bench_run_quietly(&bench, ":model asym");
    bench_run_quietly(&bench, ":attn enc layer 2 head 3");
    beside = bench_run(&bench, ":beside vanilla");
    assert_difference(bench_matrix_of(&beside, "difference"), bench_matrix(&a), bench_matrix(&b));
    report_free(&beside);
    report_free(&a);
    report_free(&b);
    bench_close(&other);
    bench_close(&bench);
}

/* A token of a that b's vocabulary lacks: "Hund" is whole in one, in pieces in the other. */
static void a_translation_that_the_other_cannot_spell_has_no_difference(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, ":load " GOLDEN("moses_bpe"));
    bench_run_quietly(&bench, "the dog");
    bench_run_quietly(&bench, ":force der Hund sieht");
    bench_run_quietly(&bench, ":attn dec layer 1 head 1");
    struct report beside = bench_run(&bench, ":beside vanilla");
    assert_null(bench_matrix_of(&beside, "difference"));
    assert_non_null(strstr(text_in(&beside, NULL, "note"), "no difference: \""));
    assert_non_null(strstr(text_in(&beside, NULL, "note"), "is not a token of moses_bpe"));
    report_free(&beside);
    bench_close(&bench);
}

static void the_hypothesis_looked_at_is_the_current_states_side(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":disable enc head 2");
    bench_run_quietly(&bench, ":hypothesis 2");
    struct report view = bench_run(&bench, VIEW);
    struct report beside = bench_run(&bench, ":beside before");
    assert_int_equal(beside.origin.states[0].pair->chosen, 0);
    assert_int_equal(beside.origin.states[1].pair->chosen, 1);
    assert_memory_equal(bench_matrix_of(&beside, "b")->values, bench_matrix(&view)->values,
                        cells_of(bench_matrix(&view)) * sizeof(float));
    report_free(&view);
    report_free(&beside);
    bench_close(&bench);
}

static void views_that_one_state_does_not_have_are_named(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_refuse(&bench, ":beside current", "no sentence yet");
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":attn cross layer 2 head 3");
    bench_run_quietly(&bench, ":load " GOLDEN("asymmetric"));
    // Of one layer now, which :attn would show.
    struct report result = bench_run(&bench, ":beside vanilla");
    assert_int_equal(result.navigation.view.layer, 0);
    report_free(&result);
    bench_run_quietly(&bench, ":attn enc layer 3 head 3");
    bench_refuse(&bench, ":beside vanilla",
                 "layer 3: the encoder of \"vanilla_post.bin\" has layers 1 to 2");
    bench_run_quietly(&bench, ":model vanilla");
    bench_run_quietly(&bench, ":attn enc layer 2 head 4");
    bench_refuse(&bench, ":beside asym",
                 "head 4: the encoder of \"asymmetric.bin\" has heads 1 to 3");
    bench_refuse(&bench, ":beside", "expected A [B], two states");
    bench_refuse(&bench, ":beside nosuch", "unknown state \"nosuch\"");
    bench_refuse(&bench, ":beside current current current", "\"current\": unexpected argument");
    bench_run_quietly(&bench, ":attn head mean"); // means are of all heads, however many
    bench_run_quietly(&bench, ":beside asym");
    bench_close(&bench);
}

/* It shows; it changes nothing but the current view's command. */
static void looking_at_two_states_leaves_the_session_alone(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":disable enc head 2");
    bench_run_quietly(&bench, VIEW);
    struct session before = *bench.session;
    bench_run_quietly(&bench, ":beside before");
    assert_string_equal(bench.session->shown, "beside before");
    before.shown = bench.session->shown;
    before.looked_at = bench.session->looked_at;
    assert_memory_equal(&before, bench.session, sizeof before);
    bench_close(&bench);
}

/* All heads ------------------------------------------------------------------------------------ */

/* The heads of one module, as `:heads` shows them in one state. */
static void take_grids(struct bench *bench, const char *word, struct report grids[MODULE_COUNT])
{
    char line[64];
    for (int m = 0; m < MODULE_COUNT; m++) {
        snprintf(line, sizeof line, ":heads %s%s", module_names[m], word);
        grids[m] = bench_run(bench, line);
    }
}

/* Half the sum of the absolute differences of a row, on average, and the greatest difference. */
static double change_between(const struct matrix *a, const struct matrix *b, int index,
                             double *largest)
{
    int rows = a->rows.count, columns = a->columns.count;
    double sum = 0;
    *largest = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            size_t cell = ((size_t)index * rows + r) * columns + c;
            double difference = (double)b->values[cell] - a->values[cell];
            sum += fabs(difference);
            *largest = fabs(difference) > fabs(*largest) ? difference : *largest;
        }
    return sum / 2 / rows;
}

static int module_of(const char *name)
{
    for (int m = 0; m < MODULE_COUNT; m++)
        if (strcmp(module_names[m], name) == 0)
            return m;
    return -1;
}

/* Those of programs: people read of heads that did not change in one row at the end. */
static int head_rows(const struct table *table)
{
    int rows = 0;
    while (rows < table->row_count && row_in(table, rows, IN_JSON))
        rows++;
    return rows;
}

/* `least`: heads that are known not to have changed. */
static void expect_identical_once(const struct table *table, int least)
{
    int hidden = 0, count = 0, rows = head_rows(table);
    for (int row = 0; row < rows; row++)
        hidden += !row_in(table, row, IN_TEXT);
    assert_true(hidden >= least && hidden < rows);
    assert_int_equal(table->row_count, rows + 1);
    assert_int_equal(row_in(table, rows, FOR_PROGRAMS), 0);
    const struct value *cells = table_row_cells(table, rows);
    assert_int_equal(sscanf(cells[1].text, "the other %d", &count), 1);
    assert_int_equal(count, hidden);
    assert_string_equal(cells[4].shown->text, "identical");
}

static void expect_changes(const struct table *table, const struct report a[MODULE_COUNT],
                           const struct report b[MODULE_COUNT])
{
    bool seen[MODULE_COUNT][64] = {{false}};
    double before = 2;
    for (int row = 0; row < head_rows(table); row++) {
        int m = module_of(bench_cell(table, row, "module")->text);
        assert_true(m >= 0);
        const struct matrix *of_a = bench_matrix(&a[m]), *of_b = bench_matrix(&b[m]);
        int index = (int)((bench_cell(table, row, "layer")->integer - 1) * of_a->grid->head_count +
                          bench_cell(table, row, "head")->integer - 1);
        double largest, wanted = change_between(of_a, of_b, index, &largest);
        double is = bench_cell(table, row, "change")->real;
        const struct value *change = &table_row_cells(table, row)[4];
        assert_string_equal(table->columns[4].key, "change");
        assert_true(fabs(is - wanted) < 1e-6);
        assert_true(is <= before);
        assert_int_equal(change->kind == VALUE_SHOWN, wanted == 0);
        if (wanted == 0)
            assert_string_equal(change->shown->text, "identical");
        else
            assert_true(bench_cell(table, row, "largest")->real == (float)largest);
        assert_false(seen[m][index]);
        seen[m][index] = true;
        before = is;
    }
}

static void check_heads(const char *word)
{
    struct bench bench = bench_open("vanilla_post");
    struct report a[MODULE_COUNT], b[MODULE_COUNT];
    char line[256];
    bench_run_quietly(&bench, bench_source(&bench, 8));
    take_grids(&bench, word, a);
    snprintf(line, sizeof line, ":force %s", bench.session->current->texts[0]);
    bench_run_quietly(&bench, ":disable enc layer 1");
    snprintf(line + 200, 56, ":beside vanilla_post.bin heads%s", word);
    struct report beside = bench_run(&bench, line + 200);
    assert_int_equal(beside.navigation.kind, VIEW_BESIDE_HEADS);
    const struct table *table = bench_table(&beside, "heads");
    int layers = 2, heads = 4; // of the model, in each module
    assert_int_equal(head_rows(table), 3 * layers * heads);
    expect_identical_once(table, layers * heads);
    assert_string_equal(bench_value(&beside, NULL, "unit")->text, *word ? "word" : "token");
    assert_string_equal(bench_value(&beside, NULL, "measure")->text,
                        "total variation distance, mean over rows");
    bench_run_quietly(&bench, line);
    take_grids(&bench, word, b);
    expect_changes(table, a, b);
    // Layer 1 of the encoder is off in b, and sees the same embeddings.
    for (int row = 0; row < head_rows(table); row++) {
        bool first = strcmp(bench_cell(table, row, "module")->text, "encoder") == 0 &&
                     bench_cell(table, row, "layer")->integer == 1;
        assert_int_equal(bench_cell(table, row, "off_b")->truth, first);
        assert_false(bench_cell(table, row, "off_a")->truth);
        assert_true(!first || bench_cell(table, row, "change")->real == 0);
    }
    for (int m = 0; m < MODULE_COUNT; m++) {
        report_free(&a[m]);
        report_free(&b[m]);
    }
    report_free(&beside);
    bench_close(&bench);
}

static void heads_are_ordered_by_their_change(void **state)
{
    check_heads("");
    check_heads(" word");
}

static void heads_can_be_selected(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees a big cat");
    bench_run_quietly(&bench, ":disable dec layer 1 head 1");
    struct report beside = bench_run(&bench, ":beside before heads layer 2 dec head 1,3 word");
    assert_string_equal(beside.command, "beside before current heads layer 2 dec head 1,3 word");
    assert_int_equal(head_rows(bench_table(&beside, "heads")), 2);
    const struct table *table = bench_table(&beside, "heads");
    assert_string_equal(bench_cell(table, 1, "module")->text, "decoder");
    // What Enter runs shows that head in both states.
    char *enter = table_row_enter(table, 0);
    struct report head = bench_run(&bench, enter);
    assert_int_equal(head.navigation.kind, VIEW_BESIDE);
    assert_true(head.navigation.words);
    assert_int_equal(head.navigation.view.module, MODULE_DECODER);
    assert_int_equal(head.navigation.view.layer, 1);
    assert_int_equal(bench.session->view.head, bench_cell(table, 0, "head")->integer - 1);
    free(enter);
    report_free(&head);
    report_free(&beside);
    bench_refuse(&bench, ":beside before heads dec layer 3", "layer 3");
    bench_refuse(&bench, ":beside before heads layer 3", "layer 3");
    bench_refuse(&bench, ":beside before heads head mean", "mean");
    bench_refuse(&bench, ":beside before current before",
                 "\"before\": unexpected argument, expected A [B] [heads]");
    bench_close(&bench);
}

/* Words ---------------------------------------------------------------------------------------- */

static void words_of_both_states_stand_side_by_side(void **state)
{
    struct bench bench = bench_open("moses_bpe");
    bench_run_quietly(&bench, bench_source(&bench, 8));
    struct report a = bench_run(&bench, ":attn enc layer 2 head 1 word"),
                  tokens = bench_run(&bench, ":attn enc layer 2 head 1");
    assert_non_null(strstr(a.title, "  words"));
    assert_null(strstr(tokens.title, "words"));
    assert_string_equal(bench_matrix(&a)->columns.title, "source words"); // in figures, too
    assert_string_equal(bench_matrix(&tokens)->columns.title, "source");
    // Otherwise this test would not show what it is for.
    assert_true(bench_matrix(&a)->rows.count < bench_matrix(&tokens)->rows.count);
    bench_run_quietly(&bench, ":disable enc layer 1 head 1");
    struct report b = bench_run(&bench, ":attn enc layer 2 head 1 word");
    struct report beside = bench_run(&bench, ":beside before word");
    assert_non_null(strstr(beside.title, "  words"));
    assert_string_equal(beside.command, "beside before current word");
    assert_true(beside.navigation.words);
    assert_memory_equal(bench_matrix_of(&beside, "a")->values, bench_matrix(&a)->values,
                        cells_of(bench_matrix(&a)) * sizeof(float));
    assert_difference(bench_matrix_of(&beside, "difference"), bench_matrix(&a), bench_matrix(&b));
    report_free(&a);
    report_free(&tokens);
    report_free(&b);
    report_free(&beside);
    bench_close(&bench);
}

/* A head that nothing before it changes is said to be the same. */
static void a_head_that_did_not_change_is_identical(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees a big cat");
    bench_run_quietly(&bench, ":disable enc layer 1 head 1");
    struct report same = bench_run(&bench, ":beside before enc layer 1 head 1");
    struct report other = bench_run(&bench, ":beside before enc layer 2 head 1");
    assert_non_null(strstr(same.title, "after \u2212 before: identical"));
    assert_null(strstr(other.title, "identical"));
    report_free(&same);
    report_free(&other);
    bench_close(&bench);
}

/* Tokens --------------------------------------------------------------------------------------- */

static void expect_logprobs(const struct report *report, const char *group,
                            const struct report *score)
{
    const struct value *is = bench_value(report, group, "logprobs"),
                       *wanted = bench_value(score, NULL, "logprobs"),
                       *tokens = bench_value(report, group, "tokens");
    size_t count = wanted->array->shape[0];
    assert_int_equal(tokens->count, count);
    assert_int_equal(is->array->shape[0], count);
    for (size_t i = 0; i < count; i++)
        assert_true(fabsf(is->array->values[i] - wanted->array->values[i]) < 1e-5f);
}

/* What `:disable` and `:beside` say of each token is what `:score` finds in either state. */
static void tokens_have_the_log_probability_of_their_state(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    char line[600];
    bench_run_quietly(&bench, bench_source(&bench, 8));
    snprintf(line, sizeof line, ":score %s ||| %s", bench_source(&bench, 8),
             bench.session->current->texts[0]);
    struct report before = bench_run(&bench, line);
    struct report change = bench_run(&bench, ":disable cross layer 2 head 1");
    snprintf(line, sizeof line, ":score %s ||| %s", bench_source(&bench, 8),
             bench.session->current->texts[0]);
    struct report after = bench_run(&bench, line), beside = bench_run(&bench, ":beside before");
    expect_logprobs(&change, "before", &before);
    expect_logprobs(&change, "after", &after);
    expect_logprobs(&beside, "a", &before);
    expect_logprobs(&beside, "b", &after);
    report_free(&before);
    report_free(&change);
    report_free(&after);
    report_free(&beside);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_have_the_log_probability_of_their_state),
        cmocka_unit_test(heads_are_ordered_by_their_change),
        cmocka_unit_test(heads_can_be_selected),
        cmocka_unit_test(words_of_both_states_stand_side_by_side),
        cmocka_unit_test(a_head_that_did_not_change_is_identical),
        cmocka_unit_test(encoder_heads_are_compared_over_the_source),
        cmocka_unit_test(other_translations_are_compared_over_that_of_a),
        cmocka_unit_test(a_forced_sentence_is_forced_in_both),
        cmocka_unit_test(models_are_compared_where_their_tokens_are_the_same),
        cmocka_unit_test(a_translation_that_the_other_cannot_spell_has_no_difference),
        cmocka_unit_test(the_hypothesis_looked_at_is_the_current_states_side),
        cmocka_unit_test(views_that_one_state_does_not_have_are_named),
        cmocka_unit_test(looking_at_two_states_leaves_the_session_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
