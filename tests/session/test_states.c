/* Several models in one session, states by name, and what a change leaves behind. What a model
 * gives beside others is, to the bit, what it gives alone. */
#include <unistd.h>

#include "tests/support/commands_support.h"
#include "tests/support/report_support.h"
#include "tests/support/test.h"

#define GOLDEN(name) "tests/golden/" name ".bin"

/* What a model makes of a sentence: its hypotheses, and one head's weights. */
static void assert_same_bits(const struct sentence_pair *a, const struct sentence_pair *b)
{
    assert_int_equal(a->translation.count, b->translation.count);
    for (int i = 0; i < a->translation.count; i++) {
        const struct hypothesis *x = &a->translation.hypotheses[i],
                                *y = &b->translation.hypotheses[i];
        assert_int_equal(x->count, y->count);
        assert_memory_equal(x->ids, y->ids, x->count * sizeof *x->ids);
        assert_memory_equal(x->logprobs, y->logprobs, x->count * sizeof *x->logprobs);
        assert_memory_equal(&x->score, &y->score, sizeof x->score);
        assert_string_equal(a->texts[i], b->texts[i]);
    }
}

static void assert_same_view(struct bench *a, struct bench *b, const char *line)
{
    struct report x = bench_run(a, line), y = bench_run(b, line);
    size_t cells = (size_t)bench_matrix(&x)->rows.count * bench_matrix(&x)->columns.count;
    assert_int_equal(bench_matrix(&x)->rows.count, bench_matrix(&y)->rows.count);
    assert_int_equal(bench_matrix(&x)->columns.count, bench_matrix(&y)->columns.count);
    assert_memory_equal(bench_matrix(&x)->values, bench_matrix(&y)->values, cells * sizeof(float));
    report_free(&x);
    report_free(&y);
}

/* Every case of `alone`, whose model `shared` goes to under that name. */
static void compare_cases(struct bench *shared, struct bench *alone, const char *name)
{
    char line[64];
    size_t k;
    const json_t *given;
    snprintf(line, sizeof line, ":model %s", name);
    bench_run_quietly(shared, line);
    json_array_foreach(alone->cases, k, given)
    {
        bench_run_quietly(shared, text_of(given, "source"));
        bench_run_quietly(alone, text_of(given, "source"));
        assert_same_bits(shared->session->current, alone->session->current);
        assert_same_view(shared, alone, ":attn cross layer 1 head 2");
        assert_same_view(shared, alone, ":attn enc layer 1 head mean");
    }
}

static void models_beside_each_other_give_what_they_give_alone(void **state)
{
    static const char *const names[] = {"vanilla_post", "moses_bpe", "asymmetric", "mma_encoder"};
    enum { COUNT = sizeof names / sizeof *names };
    struct bench shared = bench_open(names[0]), alone[COUNT];
    char line[64];
    for (int i = 0; i < COUNT; i++) {
        alone[i] = bench_open(names[i]);
        snprintf(line, sizeof line, ":load tests/golden/%s.bin", names[i]);
        if (i)
            bench_run_quietly(&shared, line);
    }
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < COUNT; i++) {
            bench_run_quietly(&shared, "the dog"); // one that all of them can do
            compare_cases(&shared, &alone[i], names[i]);
            bench_run_quietly(&shared, "the dog");
        }
        // Another device with all of them: the same bits.
        bench_run_quietly(&shared, ":set threads 2");
    }
    for (int i = 0; i < COUNT; i++)
        bench_close(&alone[i]);
    bench_close(&shared);
}

static void going_to_a_model_does_the_sentence_again(void **state)
{
    struct bench bench = bench_open("vanilla_post"), other = bench_open("asymmetric");
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&other, "the dog sees a cat");
    struct report result = bench_run(&bench, ":load " GOLDEN("asymmetric"));
    assert_reports(&result, "load");
    assert_string_equal(report_text(&result, "name"), "asymmetric.bin");
    assert_non_null(result.before);
    assert_string_equal(session_config(bench.session)->name, "asymmetric");
    assert_same_bits(bench.session->current, other.session->current);
    struct report back = bench_run(&bench, ":model vanilla");
    assert_string_equal(session_config(bench.session)->name, "vanilla_post");
    assert_same_bits(bench.session->current, result.before);
    assert_same_bits(back.before, other.session->current);
    report_free(&result);
    report_free(&back);
    bench_close(&other);
    bench_close(&bench);
}

static void a_models_name_is_the_model_as_its_file_has_it(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    const struct head_settings *own = bench.session->loaded->head_settings;
    bench_run_quietly(&bench, ":disable enc head 2");
    bench_run_quietly(&bench, ":set beam 2");
    bench_run_quietly(&bench, ":set batch 7");
    bench_run_quietly(&bench, ":model vanilla_post.bin");
    assert_true(head_settings_equal(bench.session->state.head_settings, own));
    assert_int_equal(bench.session->settings.search.beam, 5);
    assert_int_equal(bench.session->state.search.beam, 5);
    assert_int_equal(bench.session->settings.search.batch, 7); // no part of a state
    bench_run_quietly(&bench, ":model before");
    assert_false(head_settings_equal(bench.session->state.head_settings, own));
    assert_int_equal(bench.session->settings.search.beam, 2);
    bench_run_quietly(&bench, ":model " GOLDEN("vanilla_post")); // by its path as well
    bench_run_quietly(&bench, ":state 'two words'");
    bench_run_quietly(&bench, ":model vanilla_post.bin");
    bench_run_quietly(&bench, ":model 'two words'");
    bench_run_quietly(&bench, ":model vanilla_post.bin");
    assert_true(head_settings_equal(bench.session->state.head_settings, own));
    bench_close(&bench);
}

static void before_is_the_state_before_the_last_change(void **state)
{
    static const char *const changes[] = {":disable enc head 3",
                                          ":mask enc head 1 local 1",
                                          ":mask enc head 1 local 2",
                                          ":pattern enc head 2 last",
                                          ":pattern enc head 2 last word",
                                          ":set beam 1",
                                          ":set length_penalty wu",
                                          ":set length_penalty.alpha 0.5",
                                          ":set length_penalty.offset 1",
                                          ":set max_length.factor 1.5",
                                          ":set max_length.plus 20",
                                          ":set max_length.most 9",
                                          ":set min_length 2",
                                          ":set endings narrow",
                                          ":enable",
                                          ":load " GOLDEN("fixed_8f"),
                                          ":reset"};
    struct bench bench = bench_open("vanilla_post");
    bench_refuse(&bench, ":model before", "nothing has been changed yet");
    bench_run_quietly(&bench, "the dog sees a cat");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct saved_state now = states_current(bench.session);
        struct status status;
        now.head_settings = head_settings_copy(now.head_settings, &status);
        bench_run_quietly(&bench, changes[i]);
        struct saved_state before, still;
        assert_true(states_before(bench.session, &before));
        bool last = i + 1 == sizeof changes / sizeof *changes;
        // The last one finds nothing to change: fixed_8f is as its file has it.
        if (states_equal(&now, &before) == last)
            fail_msg("%s: the state before is wrong", changes[i]);
        // What changes nothing leaves it.
        bench_run_quietly(&bench, ":set batch 3");
        bench_run_quietly(&bench, ":attn layer 1 head 1");
        assert_true(states_before(bench.session, &still) && states_equal(&before, &still));
        head_settings_free(now.head_settings);
    }
    bench_close(&bench);
}

static void states_are_found_by_name_and_beginning(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees a cat");
    double own = bench.session->current->translation.hypotheses[0].score;
    bench_run_quietly(&bench, ":disable cross");
    bench_run_quietly(&bench, ":state crossless");
    double without = bench.session->current->translation.hypotheses[0].score;
    bench_run_quietly(&bench, ":enable");
    bench_run_quietly(&bench, ":state 'cross one'");
    bench_run_quietly(&bench, ":state b");
    assert_int_equal(bench.session->states.count, 3);
    bench_refuse(&bench, ":model cross", "ambiguous state \"cross\"");
    bench_refuse(&bench, ":model nosuch", "unknown state \"nosuch\"");
    bench_refuse(&bench, ":model ''", "unknown state \"\"");
    bench_run_quietly(&bench, ":model crossl");
    assert_true(bench.session->current->translation.hypotheses[0].score == without);
    bench_run_quietly(&bench, ":model b"); // a whole name, though `before` begins so too
    assert_true(bench.session->current->translation.hypotheses[0].score == own);
    bench_run_quietly(&bench, ":state crossless"); // now that of `b`
    assert_int_equal(bench.session->states.count, 3);
    bench_run_quietly(&bench, ":disable enc");
    bench_run_quietly(&bench, ":model crossless");
    assert_true(bench.session->current->translation.hypotheses[0].score == own);
    bench_close(&bench);
}

/* Two files of one base name, one of them typed without a folder: paths tell them apart. */
static void models_of_one_name_are_told_apart_by_path(void **state)
{
    char folder[] = "/tmp/attnscope-states-XXXXXX", copy[128], command[256];
    char *home = getcwd(NULL, 0);
    struct bench bench = bench_open("vanilla_post");
    assert_non_null(mkdtemp(folder));
    snprintf(copy, sizeof copy, "%s/vanilla_post.bin", folder);
    snprintf(command, sizeof command, "cp " GOLDEN("asymmetric") " %s", copy);
    assert_int_equal(system(command), 0);
    assert_int_equal(chdir(folder), 0);
    bench_run_quietly(&bench, ":load vanilla_post.bin");
    assert_int_equal(chdir(home), 0);
    assert_string_equal(session_config(bench.session)->name, "asymmetric");
    bench_run_quietly(&bench, ":model " GOLDEN("vanilla_post"));
    assert_string_equal(session_config(bench.session)->name, "vanilla_post");
    bench_run_quietly(&bench, ":model vanilla_post.bin");
    assert_string_equal(session_config(bench.session)->name, "asymmetric");
    bench_refuse(&bench, ":model vanilla", "ambiguous state \"vanilla\"");
    unlink(copy);
    rmdir(folder);
    free(home);
    bench_close(&bench);
}

static void names_that_others_have_are_refused(void **state)
{
    char file[64], line[128], *huge = calloc(1, 4096);
    struct bench bench = bench_open("vanilla_post");
    bench_refuse(&bench, ":state before", "\"before\" is reserved: expected another name");
    bench_refuse(&bench, ":state current", "\"current\" is reserved: expected another name");
    bench_refuse(&bench, ":state vanilla_post.bin", "is the file of a loaded model");
    bench_refuse(&bench, ":state " GOLDEN("vanilla_post"), "is the file of a loaded model");
    bench_refuse(&bench, ":state ''", "the name is empty");
    bench_refuse(&bench, ":state a b", "\"b\": unexpected argument");
    memset(huge, 'x', 4095);
    memcpy(huge, ":state ", 7);
    bench_refuse(&bench, huge, "4088 bytes, expected at most 100");
    assert_int_equal(bench.session->states.count, 0);
    bench_run_quietly(&bench, ":state asymmetric.bin");
    bench_refuse(&bench, ":load " GOLDEN("asymmetric"), "a state has this name");
    bench_refuse(&bench, ":load " GOLDEN("vanilla_post"), "already loaded");
    bench_refuse(&bench, ":load tests/../" GOLDEN("vanilla_post"), "already loaded");
    bench_refuse(&bench, ":load before", "reserved as the name of a state: expected ./before");
    bench_run_quietly(&bench, ":state " GOLDEN("fixed_7f1l"));
    bench_refuse(&bench, ":load " GOLDEN("fixed_7f1l"), "a state has this name");
    bench_refuse(&bench, ":load", "expected FILE");
    bench_refuse(&bench, ":load nosuch.bin", "nosuch.bin: ");
    snprintf(line, sizeof line, ":load %s", write_lines("not a model\n", file));
    bench_refuse(&bench, line, file);
    unlink(file);
    assert_int_equal(bench.session->model_count, 1);
    free(huge);
    bench_close(&bench);
}

/* mma_encoder takes 32 tokens, vanilla_post 64. */
static void a_model_that_cannot_do_the_sentence_is_not_loaded(void **state)
{
    char line[256] = "";
    struct bench bench = bench_open("vanilla_post");
    for (int i = 0; i < 40; i++)
        strcat(line, "cat ");
    bench_run_quietly(&bench, line);
    const struct sentence_pair *pair = bench.session->current;
    bench_refuse(&bench, ":load " GOLDEN("mma_encoder"), "mma_encoder.bin: the source has 41");
    assert_int_equal(bench.session->model_count, 1);
    assert_ptr_equal(bench.session->current, pair);
    assert_int_equal(bench.session->states.past.count, 0);
    bench_run_quietly(&bench, "the cat");
    bench_run_quietly(&bench, ":load " GOLDEN("mma_encoder"));
    bench_run_quietly(&bench, ":model vanilla_post.bin");
    bench_run_quietly(&bench, line);
    bench_refuse(&bench, ":model mma", "the source has 41");
    assert_string_equal(session_config(bench.session)->name, "vanilla_post");
    bench_close(&bench);
}

static void search_settings_act_at_once_and_leave_a_state(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, bench_source(&bench, 8));
    struct report result = bench_run(&bench, ":set beam 2");
    assert_int_equal(result.before->translation.count, 5);
    assert_int_equal(bench.session->current->translation.count, 2);
    report_free(&result);
    result = bench_run(&bench, ":set batch 2"); // changes no translation
    assert_null(result.before);
    report_free(&result);
    bench_close(&bench);
}

/* True if `:model` says that the session is in the state. */
static bool is_current(struct bench *bench, const char *name)
{
    struct report result = bench_run(bench, ":model");
    const struct table *table = bench_table(&result, "states");
    bool current = false;
    for (int i = 0; i < table->row_count; i++)
        if (strcmp(bench_cell(table, i, "state")->text, name) == 0)
            current = bench_cell(table, i, "current")->truth;
    report_free(&result);
    return current;
}

/* One thing at a time: a copy of the model, each setting of a head and of the search. */
static void a_state_is_the_current_one_only_if_all_of_it_is_the_same(void **state)
{
    static const char *const changes[] = {":disable head 1 layer 2 in dec",
                                          ":mask forward layer 1 head 1",
                                          ":mask local 2 layer 1 head 1",
                                          ":pattern enc head 2 layer 1 last",
                                          ":set beam 2",
                                          ":set length_penalty wu",
                                          ":set length_penalty.alpha 0.37",
                                          ":set length_penalty.offset 2",
                                          ":set max_length.factor 1.7",
                                          ":set max_length.plus 3",
                                          ":set max_length.most 7",
                                          ":set min_length 2",
                                          "load"};
    char copy[64], line[200];
    write_lines("", copy);
    snprintf(line, sizeof line, "cp tests/golden/vanilla_post.bin %s", copy);
    assert_int_equal(system(line), 0);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct bench bench = bench_open("vanilla_post");
        bool load = changes[i][0] != ':';
        snprintf(line, sizeof line, "%s%s", load ? ":load " : "", load ? copy : changes[i]);
        bench_run_quietly(&bench, ":state here");
        assert_true(is_current(&bench, "here"));
        bench_run_quietly(&bench, line);
        if (is_current(&bench, "here"))
            fail_msg("%s: the same state", line);
        bench_run_quietly(&bench, ":model here");
        assert_true(is_current(&bench, "here"));
        bench_close(&bench);
    }
    unlink(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_beside_each_other_give_what_they_give_alone),
        cmocka_unit_test(going_to_a_model_does_the_sentence_again),
        cmocka_unit_test(a_models_name_is_the_model_as_its_file_has_it),
        cmocka_unit_test(before_is_the_state_before_the_last_change),
        cmocka_unit_test(states_are_found_by_name_and_beginning),
        cmocka_unit_test(models_of_one_name_are_told_apart_by_path),
        cmocka_unit_test(names_that_others_have_are_refused),
        cmocka_unit_test(a_model_that_cannot_do_the_sentence_is_not_loaded),
        cmocka_unit_test(search_settings_act_at_once_and_leave_a_state),
        cmocka_unit_test(a_state_is_the_current_one_only_if_all_of_it_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
