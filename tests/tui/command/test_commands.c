/* Commands on golden models: how lines are read, and what they change. */
#include <math.h>

#include "tests/support/commands_support.h"
#include "tests/support/report_support.h"
#include "tests/support/test.h"

static void commands_are_found_by_unique_beginnings(void **state)
{
    static const char *const found[][2] = {{"tr", "translate"}, {"translate", "translate"},
                                           {"q", "quit"},       {"ena", "enable"},
                                           {"dis", "disable"},  {"disabled", "disabled"},
                                           {"sc", "score"},     {"q!", "quit"},
                                           {"wq", "quit"},      {"x", "quit"},
                                           {"?", "help"}};
    static const char *const refused[] = {"", "e", "s", "i", "attnx", "Attn"};
    struct status status;
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        const struct command *command = command_find(found[i][0], &status);
        assert_non_null(command);
        assert_string_equal(command->name, found[i][1]);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_null(command_find(refused[i], &status));
    for (int i = 0; i < command_count; i++) {
        assert_ptr_equal(command_find(command_table[i]->name, &status), command_table[i]);
        assert_true(strlen(command_table[i]->summary) > 0);
    }
}

static void a_blank_before_a_colon_makes_a_sentence(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    struct report result = bench_run(&bench, " :quit");
    assert_reports(&result, "sentence");
    assert_string_equal(bench.session->current->text, ":quit");
    assert_false(bench.session->quit);
    report_free(&result);
    bench_run_quietly(&bench, ":q");
    assert_true(bench.session->quit);
    bench_close(&bench);
}

static int heads_off(const struct session *session, enum module module)
{
    const struct head_settings *head_settings = session->state.head_settings;
    int off = 0;
    for (int i = 0; i < head_settings->layers[module] * head_settings->count[module]; i++)
        off += head_settings->gains[module][i] == 0;
    return off;
}

/* How many heads of each module are off after a line. */
struct off_step {
    const char *line;
    int off[MODULE_COUNT];
};

static void check_steps(const struct bench *bench, const struct off_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct report result;
        struct status status;
        command_run(bench->session, steps[i].line, &result, &status);
        report_free(&result);
        for (int m = 0; m < MODULE_COUNT; m++)
            if (heads_off(bench->session, m) != steps[i].off[m])
                fail_msg("%s: %d heads off in %s", steps[i].line, heads_off(bench->session, m),
                         module_names[m]);
    }
}

static void selectors_of_changes_mean_every_layer(void **state)
{
    static const struct off_step steps[] = {
        {":disable enc head 8", {3, 0, 0}},
        {":disable cross head 1-2", {3, 0, 2}},
        {":disable layer 2 dec head 1", {3, 0, 2}}, // refused: one layer
        {":disable dec layer 1", {3, 4, 2}},
        {":enable enc head 8 layer 1,3", {1, 4, 2}},
        {":enable", {0, 0, 0}},
        {":disable enc", {24, 0, 0}},
        {":reset", {0, 0, 0}},
    };
    struct bench bench = bench_open("fixed_7f1l");
    check_steps(&bench, steps, sizeof steps / sizeof *steps);
    bench_close(&bench);
}

/* As keys act on what is shown. Before any view it is what the screen begins with. */
static void changes_without_a_module_are_of_the_one_shown_last(void **state)
{
    static const struct off_step steps[] = {
        {":disable head 1", {0, 0, 1}},
        {":attn dec layer 1", {0, 0, 1}},
        {":disable layer 1 head 2", {0, 1, 1}},
        {":heads enc", {0, 1, 1}},
        {":disable layer 2 head 3", {1, 1, 1}},
        {":attn cross mean", {1, 1, 1}}, // refused: still the encoder
        {":disable layer 2 head 4", {2, 1, 1}},
        {":attn cross head 1", {2, 1, 1}},
        {":enable head 1", {2, 1, 0}},
        {":disable", {2, 1, 0}}, // refused: which heads?
    };
    struct bench bench = bench_open("fixed_7f1l");
    bench_run_quietly(&bench, bench_source(&bench, 8));
    check_steps(&bench, steps, sizeof steps / sizeof *steps);
    bench_close(&bench);
}

static void changes_translate_the_sentence_again_and_keep_what_it_was(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, bench_source(&bench, 8));
    double at_first = bench.session->current->translation.hypotheses[0].score;
    struct report result = bench_run(&bench, ":disable cross");
    assert_non_null(result.before);
    assert_true(result.before->translation.hypotheses[0].score == at_first);
    assert_false(bench.session->current->translation.hypotheses[0].score == at_first);
    report_free(&result);
    bench_run_quietly(&bench, ":enable");
    assert_true(bench.session->current->translation.hypotheses[0].score == at_first);
    bench_close(&bench);
}

static void a_forced_target_stays_through_changes(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_refuse(&bench, ":force der Hund", "no sentence yet");
    bench_run_quietly(&bench, bench_source(&bench, 8));
    bench_run_quietly(&bench, ":force der Hund sieht");
    double at_first = bench.session->current->translation.hypotheses[0].logprob;
    bench_run_quietly(&bench, ":disable enc head 1");
    assert_true(bench.session->current->forced);
    assert_string_equal(bench.session->current->texts[0], "der Hund sieht");
    assert_false(bench.session->current->translation.hypotheses[0].logprob == at_first);
    bench_run_quietly(&bench, "the dog");
    assert_false(bench.session->current->forced);
    bench_close(&bench);
}

static void fixed_heads_take_no_mask_and_every_head_takes_a_pattern(void **state)
{
    struct bench bench = bench_open("fixed_7f1l");
    struct status status;
    struct head_settings *before = head_settings_copy(bench.session->state.head_settings, &status);
    bench_refuse(&bench, ":mask enc head 7-8 global", "encoder layer 1 head 7 is fixed");
    bench_refuse(&bench, ":mask enc layer 2 global", "encoder layer 2 head 1 is fixed");
    assert_true(head_settings_equal(before, bench.session->state.head_settings));
    bench_run_quietly(&bench, ":mask enc layer 2 head 8 local 3");
    assert_int_equal(
        head_settings_head(bench.session->state.head_settings, MODULE_ENCODER, 1, 7)->window, 3);
    bench_run_quietly(&bench, ":pattern enc layer 2 head 8 last word");
    assert_int_equal(
        head_settings_head(bench.session->state.head_settings, MODULE_ENCODER, 1, 7)->energy,
        ENERGY_FIXED);
    bench_run_quietly(&bench, ":pattern enc head 1 last");
    bench_run_quietly(&bench, ":mask enc head 8 backward");
    const struct head *head =
        head_settings_head(bench.session->state.head_settings, MODULE_ENCODER, 1, 7);
    assert_int_equal(head->energy, ENERGY_LEARNED);
    assert_int_equal(head->mask, MASK_BACKWARD);
    bench_run_quietly(&bench, ":reset");
    assert_true(head_settings_equal(before, bench.session->state.head_settings));
    head_settings_free(before);
    bench_close(&bench);
}

/* A model whose file has them: a head is as the checkpoint has it when it has that α again. */
static void masks_and_alphas_leave_each_other_alone(void **state)
{
    struct bench bench = bench_open("activation_gelu_tanh");
    struct status status;
    struct head_settings *before = head_settings_copy(bench.session->state.head_settings, &status);
    bench_run_quietly(&bench, ":mask enc head 1 forward");
    bench_run_quietly(&bench, ":entmax enc head 2 alpha 1.5");
    const struct head *heads = bench.session->state.head_settings->heads[MODULE_ENCODER];
    assert_int_equal(heads[0].mask, MASK_FORWARD);
    assert_float_equal(heads[0].entmax, 0.5, 0);
    assert_int_equal(heads[1].mask, MASK_LOCAL);
    assert_int_equal(heads[1].window, 2);
    assert_float_equal(heads[1].entmax, 0.5, 0);
    bench_run_quietly(&bench, ":pattern enc head 1-2 last");
    bench_run_quietly(&bench, ":mask enc head 1 global");
    bench_run_quietly(&bench, ":entmax enc head 2 alpha 1.25");
    assert_true(head_settings_equal(before, bench.session->state.head_settings));
    head_settings_free(before);
    bench_close(&bench);
    bench = bench_open("fixed_7f1l");
    bench_refuse(&bench, ":entmax enc head 7-8 alpha 1.5",
                 "encoder layer 1 head 7 is fixed: it has no energies");
    bench_refuse(&bench, ":entmax enc head 8 alpha 2.5",
                 "alpha: \"2.5\", expected a number from 1 to 2");
    bench_refuse(&bench, ":entmax enc head 8 alpha nan",
                 "alpha: \"nan\", expected a number from 1 to 2");
    bench_close(&bench);
}

static void a_failed_command_changes_nothing(void **state)
{
    static const char *const lines[] = {
        "a \xFF b",
        ":force \xC3(",
        ":disable enc head 1-9",
        ":disable enc head mean",
        ":mask enc head 1",
        ":mask enc head 1 local",
        ":pattern enc head 1 middle",
        ":set beam 0",
        ":set beam 1 2",
        ":attn layer 1-2",
        ":attn words",
        ":translate nosuch",
        ":score  ||| a",
        ":export",
        ":reset now",
        ":enable enc head 99",
    };
    struct bench bench = bench_open("vanilla_post");
    struct status status;
    bench_connect(&bench);
    bench_run_quietly(&bench, "the dog sees");
    bench_run_quietly(&bench, ":disable enc layer 1 head 2");
    bench_run_quietly(&bench, ":attn cross layer 2 head 3");
    const struct sentence_pair *pair = bench.session->current;
    struct head_settings *head_settings =
        head_settings_copy(bench.session->state.head_settings, &status);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        bench_refuse(&bench, lines[i], "");
        assert_ptr_equal(bench.session->current, pair);
        assert_true(head_settings_equal(bench.session->state.head_settings, head_settings));
        assert_int_equal(bench.session->settings.search.beam, 5);
        assert_int_equal(bench.session->view.module, MODULE_CROSS);
        assert_int_equal(bench.session->view.layer, 1);
        assert_int_equal(bench.session->view.head, 2);
    }
    head_settings_free(head_settings);
    bench_close(&bench);
}

static void settings_act_on_what_comes_after(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, bench_source(&bench, 8));
    assert_int_equal(bench.session->current->translation.count, 5);
    double at_first = bench.session->current->translation.hypotheses[0].score;
    bench_run_quietly(&bench, ":set beam 2");
    bench_run_quietly(&bench, ":attn");
    assert_int_equal(bench.session->current->translation.count, 2);
    bench_run_quietly(&bench, ":set length_penalty none");
    bench_run_quietly(&bench, ":attn");
    const struct hypothesis *best = &bench.session->current->translation.hypotheses[0];
    assert_true(fabs(best->score - best->logprob) < 1e-6);
    bench_run_quietly(&bench, ":set length_penalty average");
    bench_run_quietly(&bench, ":set beam 5");
    bench_run_quietly(&bench, ":set threads 2"); // another device: the same bits
    bench_run_quietly(&bench, ":attn");
    assert_true(bench.session->current->translation.hypotheses[0].score == at_first);
    bench_close(&bench);
}

/* A state may be called "a", which is inside the name of another column. */
static void columns_are_found_by_whole_titles(void **state)
{
    assert_non_null(command_column("bleu", "BLEU"));
    assert_ptr_equal(command_column("bleu", "BLEU"), command_column("bleu", "chrF2"));
    static const char *const others[] = {"", "e", "L", "B", "BLE", "LEU", "chrF", "U, c"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(command_column("bleu", others[i]));
    assert_null(command_column("nonsense", "BLEU"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_found_by_unique_beginnings),
        cmocka_unit_test(a_blank_before_a_colon_makes_a_sentence),
        cmocka_unit_test(selectors_of_changes_mean_every_layer),
        cmocka_unit_test(changes_without_a_module_are_of_the_one_shown_last),
        cmocka_unit_test(changes_translate_the_sentence_again_and_keep_what_it_was),
        cmocka_unit_test(a_forced_target_stays_through_changes),
        cmocka_unit_test(fixed_heads_take_no_mask_and_every_head_takes_a_pattern),
        cmocka_unit_test(masks_and_alphas_leave_each_other_alone),
        cmocka_unit_test(a_failed_command_changes_nothing),
        cmocka_unit_test(columns_are_found_by_whole_titles),
        cmocka_unit_test(settings_act_on_what_comes_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
