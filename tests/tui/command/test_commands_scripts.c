/* `:source` and `:save` on golden models: what runs what, and a session that comes back as it
 * was. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/commands_support.h"
#include "tests/support/report_support.h"
#include "tests/support/test.h"

static void run_on_file(struct bench *bench, const char *command, const char *path)
{
    char line[PATH_MAX + 16];
    snprintf(line, sizeof line, "%s %s", command, path);
    bench_run_quietly(bench, line);
}

static void check_head_settings(const char *name, const struct head_settings *is,
                                const struct head_settings *wanted)
{
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int layer = 0; layer < wanted->layers[m]; layer++)
            for (int h = 0; h < wanted->count[m]; h++) {
                const struct head *a = head_settings_head(is, m, layer, h),
                                  *b = head_settings_head(wanted, m, layer, h);
                if (head_settings_gain((struct head_settings *)is, m, layer, h)[0] !=
                        head_settings_gain((struct head_settings *)wanted, m, layer, h)[0] ||
                    !heads_equal(a, b))
                    fail_msg("%s: module %d layer %d head %d", name, m, layer + 1, h + 1);
            }
}

/* True if both sessions are at the same sentence with the same translations, bit for bit. */
static void check_pair(const char *name, const struct sentence_pair *is,
                       const struct sentence_pair *wanted)
{
    assert_non_null(is);
    assert_string_equal(is->text, wanted->text);
    assert_int_equal(is->forced, wanted->forced);
    assert_int_equal(is->translation.count, wanted->translation.count);
    for (int i = 0; i < wanted->translation.count; i++) {
        const struct hypothesis *a = &is->translation.hypotheses[i],
                                *b = &wanted->translation.hypotheses[i];
        if (a->count != b->count || a->score != b->score ||
            memcmp(a->ids, b->ids, (size_t)a->count * sizeof *a->ids) != 0)
            fail_msg("%s: hypothesis %d", name, i + 1);
    }
    assert_string_equal(is->texts[0], wanted->texts[0]);
    assert_int_equal(is->chosen, wanted->chosen);
}

static char *read_text(const char *path)
{
    char *text = calloc(1, 100000);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, 99999, file) > 0);
    fclose(file);
    return text;
}

/* Saves, makes the session again from the script in a fresh one, saves that: the same script. */
static void check_round_trip(const char *name, struct bench *bench)
{
    char first[64], second[64];
    struct bench again = bench_open(name);
    bench_connect(&again);
    run_on_file(bench, ":save", write_lines("", first));
    run_on_file(&again, ":source", first);
    assert_int_equal(again.program.exit_code, 0);
    check_head_settings(name, again.session->state.head_settings,
                        bench->session->state.head_settings);
    for (int i = 0; i < setting_count; i++)
        if (!setting_equal(&setting_table[i], &again.session->settings, &bench->session->settings))
            fail_msg("%s: %s", name, setting_table[i].name);
    check_pair(name, again.session->current, bench->session->current);
    assert_int_equal(again.session->view.module, bench->session->view.module);
    assert_int_equal(again.session->view.layer, bench->session->view.layer);
    assert_int_equal(again.session->view.head, bench->session->view.head);
    run_on_file(&again, ":save", write_lines("", second));
    char *texts[] = {read_text(first), read_text(second)};
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
    unlink(first);
    unlink(second);
    bench_close(&again);
}

/* Every change of the reference's cases that commands can make. */
static void a_saved_session_comes_back_as_it_was(void **state)
{
    static const char *const models[] = {"vanilla_post",        "fixed_7f1l",    "mma_everywhere",
                                         "dhicm_decoder",       "fixed_decoder", "mixture_decoder",
                                         "mma_cross_empty_rows"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct bench bench = bench_open(models[i]);
        size_t k;
        const json_t *given;
        bench_connect(&bench);
        bench_run_quietly(&bench, ":set beam 3");
        bench_run_quietly(&bench, ":set length_penalty.alpha 0.1");
        json_array_foreach(bench.cases, k, given)
        {
            if (!bench_set_head_settings(&bench, given))
                continue;
            bench_run_quietly(&bench, ":disable cross layer 1 head 1");
            bench_run_quietly(&bench, text_of(given, "source"));
            bench_run_quietly(&bench, ":attn cross layer 1 head mean");
            check_round_trip(models[i], &bench);
        }
        bench_close(&bench);
    }
}

/* Two models, two states, a test set, and another hypothesis than the best. */
static void models_states_and_test_sets_come_back(void **state)
{
    char sources[64], references[64], line[256];
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    bench_run_quietly(&bench, ":disable enc head 1");
    bench_run_quietly(&bench, ":set beam 2");
    bench_run_quietly(&bench, ":state \"two beams\"");
    bench_run_quietly(&bench, ":load tests/golden/fixed_7f1l.bin");
    bench_run_quietly(&bench, ":mask enc head 8 local 1");
    bench_run_quietly(&bench, ":state narrow");
    bench_run_quietly(&bench, ":model vanilla_post.bin");
    bench_run_quietly(&bench, ":set beam 3");
    snprintf(line, sizeof line, ":open %s %s", write_lines("the dog\nthe cat sees\n", sources),
             write_lines("one\ntwo\n", references));
    bench_run_quietly(&bench, line);
    bench_run_quietly(&bench, ":goto 2");
    bench_run_quietly(&bench, ":hypothesis 2");
    check_round_trip("vanilla_post", &bench);
    char path[64], *text;
    run_on_file(&bench, ":save", write_lines("", path));
    text = read_text(path);
    struct bench again = bench_open("vanilla_post");
    bench_connect(&again);
    run_on_file(&again, ":source", path);
    assert_int_equal(again.session->model_count, 2);
    assert_int_equal(again.session->states.count, 2);
    for (int i = 0; i < 2; i++) {
        const struct saved_state *is = &again.session->states.named[i],
                                 *wanted = &bench.session->states.named[i];
        assert_string_equal(is->name, wanted->name);
        assert_string_equal(is->loaded->path, wanted->loaded->path);
        assert_int_equal(is->search.beam, wanted->search.beam);
        check_head_settings(is->name, is->head_settings, wanted->head_settings);
    }
    assert_int_equal(again.session->testset->current, 1);
    assert_string_equal(testset_reference(again.session->testset), "two");
    assert_non_null(strstr(text, ":hypothesis 2\n"));
    free(text);
    unlink(path);
    unlink(sources);
    unlink(references);
    bench_close(&again);
    bench_close(&bench);
}

/* What a script's line would read otherwise than it was meant. */
static void texts_that_look_like_something_else_are_saved_too(void **state)
{
    static const char *const lines[][2] = {
        {" :quit", ":force the dog"},
        {"\"the dog\"", ":force \"'the' dog\""},
        {"the 'dog", ":force \" the \\\"dog\\\\ \""},
        {"#the  dog", ":force \"'the dog'\""},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct bench bench = bench_open("vanilla_post");
        bench_connect(&bench);
        bench_run_quietly(&bench, lines[i][0]);
        check_round_trip("vanilla_post", &bench);
        bench_run_quietly(&bench, lines[i][1]);
        check_round_trip("vanilla_post", &bench);
        bench_close(&bench);
    }
}

static void a_saved_script_says_what_was_changed(void **state)
{
    char path[64];
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    bench_run_quietly(&bench, ":mask enc head 2 local 2");
    bench_run_quietly(&bench, ":entmax enc head 2-3 alpha 1.25");
    bench_run_quietly(&bench, ":pattern dec layer 2 head 1,3 previous word");
    bench_run_quietly(&bench, ":disable cross head 1-2");
    bench_run_quietly(&bench, ":set beam 2");
    bench_run_quietly(&bench, "the dog");
    bench_run_quietly(&bench, ":attn dec layer 2 head max");
    run_on_file(&bench, ":save", write_lines("what was there", path));
    char *text = read_text(path);
    assert_string_equal(text, ":set beam 2\n"
                              ":set threads 1\n" // as every bench has it
                              ":reset\n"
                              ":mask encoder layer 1-2 head 2 local 2\n"
                              ":entmax encoder layer 1-2 head 2 alpha 1.25\n"
                              ":entmax encoder layer 1-2 head 3 alpha 1.25\n"
                              ":pattern decoder layer 2 head 1,3 previous word\n"
                              ":disable cross layer 1-2 head 1-2\n"
                              "the dog\n"
                              ":attn decoder layer 2 head max\n");
    check_round_trip("vanilla_post", &bench);
    free(text);
    unlink(path);
    bench_close(&bench);
}

/* All sentences that were typed, and the one that is shown. */
static void a_saved_script_has_the_sentences_typed(void **state)
{
    char path[64];
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    bench_run_quietly(&bench, "the dog");
    bench_run_quietly(&bench, " :cat");
    bench_run_quietly(&bench, "the house");
    bench_run_quietly(&bench, ":prev");
    run_on_file(&bench, ":save", write_lines("", path));
    char *text = read_text(path);
    assert_string_equal(text, ":set threads 1\n:reset\nthe dog\n :cat\nthe house\n:goto 2\n");
    check_round_trip("vanilla_post", &bench);
    free(text);
    unlink(path);
    bench_close(&bench);
}

/* Two states are shown for the head last shown; `before` is of this session alone. */
static void a_saved_session_shows_two_states_again(void **state)
{
    static const struct {
        const char *view, *saved;
    } cases[] = {
        {":beside mine", ":attn cross layer 2 head max\n:beside mine\n"},
        {":besi vanilla_post.bin  mine",
         ":attn cross layer 2 head max\n:besi vanilla_post.bin  mine\n"},
        {":beside before", ":attn cross layer 2 head max\n"},
        {":beside current bef", ":attn cross layer 2 head max\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench = bench_open("vanilla_post");
        char path[64];
        bench_connect(&bench);
        bench_run_quietly(&bench, "the dog");
        bench_run_quietly(&bench, ":disable enc head 1-3");
        bench_run_quietly(&bench, ":state mine");
        bench_run_quietly(&bench, ":mask enc head 4 local 1");
        bench_run_quietly(&bench, ":attn cross layer 2 head max");
        bench_run_quietly(&bench, cases[i].view);
        run_on_file(&bench, ":save", write_lines("", path));
        char *text = read_text(path), *view = strstr(text, "the dog\n");
        assert_non_null(view);
        assert_string_equal(view + strlen("the dog\n"), cases[i].saved);
        check_round_trip("vanilla_post", &bench);
        free(text);
        unlink(path);
        bench_close(&bench);
    }
}

/* Views that leave to the one before them what they are of. */
static void views_are_saved_with_what_was_shown_before(void **state)
{
    static const struct {
        const char *lines[3], *saved;
    } cases[] = {
        {{":attn", NULL}, "\nthe dog\n:attn encoder layer 1 head 1\n"},
        {{":attn cross layer 2 head 3", ":attn word", NULL},
         "\nthe dog\n:attn cross layer 2 head 3 word\n"},
        {{":attn dec layer 2 head mean", ":heads", NULL},
         "\nthe dog\n:attn decoder layer 2 head mean\n:heads\n"},
        {{":heads", NULL}, "\nthe dog\n:heads\n"},
        {{":attn layer 2", ":token 1 head 2", "the dog"},
         "\nthe dog\n:attn encoder layer 2 head 1\n:token 1 head 2\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[64];
        struct bench bench = bench_open("vanilla_post");
        bench_connect(&bench);
        bench_run_quietly(&bench, "the dog");
        for (int k = 0; k < 3 && cases[i].lines[k]; k++)
            bench_run_quietly(&bench, cases[i].lines[k]);
        run_on_file(&bench, ":save", write_lines("", path));
        char *text = read_text(path);
        if (strlen(text) < strlen(cases[i].saved) ||
            strcmp(text + strlen(text) - strlen(cases[i].saved), cases[i].saved) != 0)
            fail_msg("case %zu is saved as %s", i, text);
        check_round_trip("vanilla_post", &bench);
        free(text);
        unlink(path);
        bench_close(&bench);
    }
}

/* What was in force when a state was named is no part of it. */
static void the_batch_comes_back_as_it_is_beside_states(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    bench_run_quietly(&bench, ":set batch 8");
    bench_run_quietly(&bench, ":state a");
    bench_run_quietly(&bench, ":set batch 64"); // the default
    bench_run_quietly(&bench, "the dog");
    check_round_trip("vanilla_post", &bench);
    bench_close(&bench);
}

/* Two files of one base name. */
static void models_of_one_name_come_back(void **state)
{
    char folder[] = "/tmp/attnscope-save-XXXXXX", line[256];
    assert_non_null(mkdtemp(folder));
    snprintf(line, sizeof line, "cp tests/golden/asymmetric.bin %s/vanilla_post.bin", folder);
    assert_int_equal(system(line), 0);
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    snprintf(line, sizeof line, ":load %s/vanilla_post.bin", folder);
    bench_run_quietly(&bench, line);
    bench_run_quietly(&bench, ":disable enc head 1");
    bench_run_quietly(&bench, ":state a");
    bench_run_quietly(&bench, ":model tests/golden/vanilla_post.bin");
    bench_run_quietly(&bench, ":disable enc head 2");
    bench_run_quietly(&bench, "the dog");
    check_round_trip("vanilla_post", &bench);
    snprintf(line, sizeof line, "%s/vanilla_post.bin", folder);
    unlink(line);
    rmdir(folder);
    bench_close(&bench);
}

static void what_a_line_cannot_hold_is_not_saved(void **state)
{
    char path[64], line[128];
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    bench_run_quietly(&bench, "the\ndog");
    snprintf(line, sizeof line, ":save %s", write_lines("what was there", path));
    bench_refuse(&bench, line, "line break");
    char *text = read_text(path);
    assert_string_equal(text, "what was there");
    free(text);
    bench_run_quietly(&bench, "the dog");
    bench_run_quietly(&bench, ":state \"two\nlines\"");
    bench_refuse(&bench, line, "line break");
    unlink(path);
    bench_refuse(&bench, ":save", "expected FILE");
    bench_refuse(&bench, ":save a b", "\"b\": unexpected argument");
    bench_refuse(&bench, ":save /nowhere/a", "/nowhere/a: ");
    bench_refuse(&bench, ":save /dev/full", "/dev/full: not a regular file");
    bench_close(&bench);
}

static void a_script_that_fails_goes_on(void **state)
{
    char path[64], line[128];
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    snprintf(
        line, sizeof line, ":source %s",
        write_lines(":set beam 2\r\n:nonsense\r\n\r\n:disable enc head 2\r\n:attn layer 9", path));
    struct report result = bench_run(&bench, line);
    assert_reports(&result, "source");
    assert_string_equal(report_text(&result, "file"), path);
    assert_int_equal(report_int(&result, "commands"), 4);
    assert_int_equal(report_int(&result, "failed"), 2);
    assert_int_equal(bench.program.exit_code, 1);
    assert_int_equal(bench.session->settings.search.beam, 2);
    assert_true(head_settings_gain(bench.session->state.head_settings, MODULE_ENCODER, 1, 1)[0] ==
                0);
    report_free(&result);
    unlink(path);
    bench_close(&bench);
}

/* Directly, through another one, and by another name. */
static void a_script_cannot_run_itself(void **state)
{
    char first[64], second[64], link_name[80];
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    write_lines("", first);
    write_lines("", second);
    snprintf(link_name, sizeof link_name, "%s.link", first);
    assert_int_equal(symlink(first, link_name), 0);
    FILE *file = fopen(first, "w");
    fprintf(file, ":source %s\n:source %s\n:set beam 2\n", first, second);
    fclose(file);
    file = fopen(second, "w");
    fprintf(file, ":source %s\n:set batch 2\n", link_name);
    fclose(file);
    run_on_file(&bench, ":source", first);
    assert_int_equal(bench.program.exit_code, 1);
    assert_int_equal(bench.session->settings.search.beam, 2); // what follows has run
    assert_int_equal(bench.session->settings.search.batch, 2);
    unlink(link_name);
    unlink(first);
    unlink(second);
    bench_close(&bench);
}

/* Each script runs the next; the one that is too deep is refused, all others end well. */
static void scripts_run_one_another_to_a_depth(void **state)
{
    enum { CHAIN = MOST_SCRIPTS + 2 };
    char paths[CHAIN][64];
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    for (int i = CHAIN - 1; i >= 0; i--) {
        char text[256];
        snprintf(text, sizeof text, ":set batch %d\n%s%s\n", i + 1, i + 1 < CHAIN ? ":source " : "",
                 i + 1 < CHAIN ? paths[i + 1] : "");
        write_lines(text, paths[i]);
    }
    run_on_file(&bench, ":source", paths[CHAIN - MOST_SCRIPTS]);
    assert_int_equal(bench.program.exit_code, 0);
    assert_int_equal(bench.session->settings.search.batch, CHAIN);
    run_on_file(&bench, ":source", paths[0]);
    assert_int_equal(bench.program.exit_code, 1);
    assert_int_equal(bench.session->settings.search.batch, MOST_SCRIPTS);
    for (int i = 0; i < CHAIN; i++)
        unlink(paths[i]);
    bench_close(&bench);
}

/* A script may be gone, or be another one, before it is at its end. */
static void a_script_that_vanishes_runs_to_its_end(void **state)
{
    char path[64], line[256];
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    write_lines("", path);
    snprintf(line, sizeof line, ":set beam 2\n:save %s\n:set batch 2\n", path);
    FILE *file = fopen(path, "w");
    fputs(line, file);
    fclose(file);
    run_on_file(&bench, ":source", path);
    assert_int_equal(bench.program.exit_code, 0);
    assert_int_equal(bench.session->settings.search.batch, 2);
    char *text = read_text(path);
    assert_string_equal(text, ":set beam 2\n:set threads 1\n:reset\n");
    free(text);
    unlink(path);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_session_comes_back_as_it_was),
        cmocka_unit_test(models_states_and_test_sets_come_back),
        cmocka_unit_test(texts_that_look_like_something_else_are_saved_too),
        cmocka_unit_test(a_saved_script_says_what_was_changed),
        cmocka_unit_test(a_saved_script_has_the_sentences_typed),
        cmocka_unit_test(a_saved_session_shows_two_states_again),
        cmocka_unit_test(views_are_saved_with_what_was_shown_before),
        cmocka_unit_test(the_batch_comes_back_as_it_is_beside_states),
        cmocka_unit_test(models_of_one_name_come_back),
        cmocka_unit_test(what_a_line_cannot_hold_is_not_saved),
        cmocka_unit_test(a_script_that_fails_goes_on),
        cmocka_unit_test(a_script_cannot_run_itself),
        cmocka_unit_test(scripts_run_one_another_to_a_depth),
        cmocka_unit_test(a_script_that_vanishes_runs_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
