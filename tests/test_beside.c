/* Two states side by side. Expected values come from each state by itself, through `:attn` and `:force`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/commands_support.h"

#define GOLDEN(name) "tests/golden/" name ".bin"
#define VIEW ":attn cross layer 1 head 2"

static size_t cells_of(const struct attention_result *attention)
{
    return (size_t)attention->rows.texts.count * attention->columns.texts.count;
}

static void assert_difference(const struct attention_result *difference,
                              const struct attention_result *a, const struct attention_result *b)
{
    bool any = false;
    assert_int_equal(cells_of(difference), cells_of(a));
    assert_int_equal(cells_of(difference), cells_of(b));
    for (size_t i = 0; i < cells_of(a); i++) {
        float wanted = b->weights[i] - a->weights[i];
        any |= wanted != 0;
        if (!(difference->weights[i] == wanted))
            fail_msg("cell %zu is %g, expected %g", i, difference->weights[i], wanted);
    }
    assert_true(any);
}

/* The two masks differ in the encoder, whose tokens are the same whatever the translations are. */
static void encoder_heads_are_compared_over_the_source(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    bench_run_quietly(&bench, "the dog sees a big cat");
    struct result a = bench_run(&bench, ":attn enc layer 2 head 3");
    struct subject *alone = bench.session->subject;
    bench.session->subject = NULL;
    bench_run_quietly(&bench, ":mask head 3 local 1");
    bench_run_quietly(&bench, "the dog sees a big cat");
    struct result b = bench_run(&bench, ":attn");
    struct result beside = bench_run(&bench, ":beside before");
    const struct beside_result *both = &beside.beside;
    assert_int_equal(beside.kind, RESULT_BESIDE);
    assert_string_equal(both->side[0].name, "before");
    assert_string_equal(both->side[1].name, "current");
    assert_string_equal(both->side[0].subject->texts[0], alone->texts[0]);
    assert_string_equal(both->side[1].subject->texts[0], bench.session->subject->texts[0]);
    assert_memory_equal(both->side[0].attention.weights, a.attention.weights,
                        cells_of(&a.attention) * sizeof(float));
    assert_memory_equal(both->side[1].attention.weights, b.attention.weights,
                        cells_of(&b.attention) * sizeof(float));
    assert_difference(&both->difference, &a.attention, &b.attention);
    assert_false(both->forced);
    assert_null(both->note);
    assert_int_equal(both->side[1].attention.head.window, 1);
    subject_free(alone);
    result_free(&a);
    result_free(&b);
    result_free(&beside);
    bench_close(&bench);
}

/* The translations differ: the difference is over that of a, as `:force` shows it in b. */
static void other_translations_are_compared_over_that_of_a(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    char line[256];
    (void)unused;
    bench_run_quietly(&bench, bench_source(&bench, 8));
    struct result a = bench_run(&bench, VIEW);
    snprintf(line, sizeof line, ":force %s", bench.session->subject->texts[0]);
    bench_run_quietly(&bench, ":disable dec");
    struct result beside = bench_run(&bench, ":beside vanilla_post.bin");
    const struct beside_result *both = &beside.beside;
    // Otherwise this test would not show what it is for.
    assert_string_not_equal(both->side[0].subject->texts[0], both->side[1].subject->texts[0]);
    struct result own = bench_run(&bench, VIEW);
    assert_memory_equal(both->side[1].attention.weights, own.attention.weights,
                        cells_of(&own.attention) * sizeof(float));
    bench_run_quietly(&bench, line);
    struct result forced = bench_run(&bench, VIEW);
    assert_difference(&both->difference, &a.attention, &forced.attention);
    assert_true(both->forced);
    assert_non_null(strstr(both->note, "over the translation of a"));
    result_free(&a);
    result_free(&own);
    result_free(&forced);
    result_free(&beside);
    bench_close(&bench);
}

static void a_forced_sentence_is_forced_in_both(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":force der Hund sieht");
    struct result a = bench_run(&bench, VIEW);
    bench_run_quietly(&bench, ":disable enc head 1");
    struct result b = bench_run(&bench, VIEW);
    struct result beside = bench_run(&bench, ":beside before current");
    for (int i = 0; i < 2; i++)
        assert_string_equal(beside.beside.side[i].subject->texts[0], "der Hund sieht");
    assert_difference(&beside.beside.difference, &a.attention, &b.attention);
    assert_false(beside.beside.forced);
    result_free(&a);
    result_free(&b);
    result_free(&beside);
    bench_close(&bench);
}

/* asymmetric and vanilla_post have one vocabulary, moses_bpe cuts words into other pieces. */
static void models_are_compared_where_their_tokens_are_the_same(void **unused)
{
    struct bench bench = bench_open("vanilla_post"), other = bench_open("asymmetric");
    (void)unused;
    bench_run_quietly(&bench, "the dog sees a cat");
    struct result a = bench_run(&bench, ":attn enc layer 2 head 3");
    bench_run_quietly(&other, "the dog sees a cat");
    struct result b = bench_run(&other, ":attn enc layer 2 head 3");
    bench_run_quietly(&bench, ":load " GOLDEN("asymmetric"));
    bench_run_quietly(&bench, ":load " GOLDEN("moses_bpe"));
    bench_run_quietly(&bench, ":attn enc layer 1 head 3");
    struct result beside = bench_run(&bench, ":beside vanilla");
    assert_null(beside.beside.difference.weights);
    assert_non_null(strstr(beside.beside.note, "cut the source into other tokens"));
    assert_non_null(beside.beside.side[1].attention.weights);
    result_free(&beside);
    bench_run_quietly(&bench, ":model asym");
    bench_run_quietly(&bench, ":attn enc layer 2 head 3");
    beside = bench_run(&bench, ":beside vanilla");
    assert_difference(&beside.beside.difference, &a.attention, &b.attention);
    result_free(&beside);
    result_free(&a);
    result_free(&b);
    bench_close(&other);
    bench_close(&bench);
}

/* A token of a that b's vocabulary lacks: "Hund" is whole in one, in pieces in the other. */
static void a_translation_that_the_other_cannot_spell_has_no_difference(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    bench_run_quietly(&bench, ":load " GOLDEN("moses_bpe"));
    bench_run_quietly(&bench, "the dog");
    bench_run_quietly(&bench, ":force der Hund sieht");
    bench_run_quietly(&bench, ":attn dec layer 1 head 1");
    struct result beside = bench_run(&bench, ":beside vanilla");
    assert_null(beside.beside.difference.weights);
    assert_non_null(strstr(beside.beside.note, "no difference: \""));
    assert_non_null(strstr(beside.beside.note, "is no token of moses_bpe"));
    result_free(&beside);
    bench_close(&bench);
}

static void the_hypothesis_looked_at_is_the_current_states_side(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":disable head 2");
    bench_run_quietly(&bench, ":hypothesis 2");
    struct result view = bench_run(&bench, VIEW);
    struct result beside = bench_run(&bench, ":beside before");
    const struct beside_side *side = beside.beside.side;
    assert_int_equal(side[0].subject->chosen, 0);
    assert_int_equal(side[1].subject->chosen, 1);
    assert_memory_equal(side[1].attention.weights, view.attention.weights,
                        cells_of(&view.attention) * sizeof(float));
    result_free(&view);
    result_free(&beside);
    bench_close(&bench);
}

static void views_that_one_state_does_not_have_are_named(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    bench_refuse(&bench, ":beside current", "no sentence yet");
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":attn cross layer 2 head 3");
    bench_run_quietly(&bench, ":load " GOLDEN("asymmetric"));
    // Of one layer now, which :attn would show.
    struct result result = bench_run(&bench, ":beside vanilla");
    for (int side = 0; side < 2; side++)
        assert_int_equal(result.beside.side[side].attention.view.layer, 0);
    result_free(&result);
    bench_run_quietly(&bench, ":attn enc layer 3 head 3");
    bench_refuse(&bench, ":beside vanilla",
                 "layer 3: the encoder of \"vanilla_post.bin\" has layers 1 to 2");
    bench_run_quietly(&bench, ":model vanilla");
    bench_run_quietly(&bench, ":attn enc layer 2 head 4");
    bench_refuse(&bench, ":beside asym",
                 "head 4: the encoder of \"asymmetric.bin\" has heads 1 to 3");
    bench_refuse(&bench, ":beside", "expected A [B], two states");
    bench_refuse(&bench, ":beside nosuch", "unknown state \"nosuch\"");
    bench_refuse(&bench, ":beside current current current", "expected nothing more");
    bench_run_quietly(&bench, ":attn head mean"); // means are of all heads, however many
    bench_run_quietly(&bench, ":beside asym");
    bench_close(&bench);
}

/* It shows; it changes nothing but the current view's command. */
static void looking_at_two_states_leaves_the_session_alone(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":disable head 2");
    bench_run_quietly(&bench, VIEW);
    struct session before = *bench.session;
    bench_run_quietly(&bench, ":beside before");
    assert_string_equal(bench.session->shown, "beside before");
    before.shown = bench.session->shown;
    before.looked_at = bench.session->looked_at;
    assert_memory_equal(&before, bench.session, sizeof before);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
